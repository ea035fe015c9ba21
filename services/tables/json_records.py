"""JSON as tables: arrays of records, JSON lines, objects of columns, and objects that hold arrays of records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any

from services.tables.encoding import Encoding, detect
from services.tables.model import Row, Table, TableError, choose_table
from services.tables.names import pandas_names

COUNT_BYTES = 32 * 1024 * 1024  # records of a file up to this size are counted, those of a longer one estimated
WHOLE_BYTES = 64 * 1024 * 1024  # an object has to be read whole; up to this size
LEADING_RECORDS = 1000  # records whose keys make the columns
_CHUNK = 64 * 1024
_SPACE = re.compile(r"[ \t\r\n]*")


class _Number(str):
    """A number as its text in the file, so that no digit is lost."""


_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_Number)


def open_json(path: Path, table: str | None) -> Table:
    """Open a JSON file as the table it holds; rows come from the start.

    Raises:
        TableError: it isn't JSON, is nested too deep, or is one object too large to read.
    """
    encoding = detect(path)
    first = _first_character(path, encoding)
    lines = _is_lines(path, encoding)
    if first == "[" or lines:
        return _records_table(path, encoding, lines)
    tables, document = _object_tables(path, encoding)
    if _is_features(tables, document):
        columns, rows = _from_records(map(_feature, tables["features"]))
        note = "GeoJSON: the features' properties are the columns, and their geometry is one more."
        return _table(columns, rows, len(tables["features"]), encoding, notes=[note])
    if tables:
        chosen = choose_table(list(tables), table)
        columns, rows = _from_records(iter(tables[chosen]))
        return _table(columns, rows, len(tables[chosen]), encoding, tables=list(tables), table=chosen)
    if isinstance(document, dict) and (by_column := _columns(document)):
        columns, rows, total = by_column
        return _table(columns, rows, total, encoding)
    if isinstance(document, dict) and _is_labelled(document):
        columns, rows = _from_records({"": label} | record for label, record in document.items())
        note = (
            "One object of records: each record's key, a text, stands in the first column. pandas makes it the index."
        )
        return _table(
            columns, rows, len(document), encoding, notes=[note], pandas_names=["", *pandas_names(columns[1:])]
        )
    if isinstance(document, dict):
        pairs: Iterator[Row] = iter([[key, _text(value)] for key, value in document.items()])
        return _table(["key", "value"], pairs, len(document), encoding, notes=["One object, shown as keys and values."])
    return _table(["value"], iter([[_text(document)]]), 1, encoding)


def json_readers(path: Path, target: str) -> dict[str, str]:
    """A pandas expression for each table. `json` keeps what `pd.read_json` converts: big integers, codes, dates."""
    encoding = detect(path)
    first = _first_character(path, encoding)
    whole = f"json.loads(Path({target!r}).read_text(encoding={encoding.name!r}))"
    if _is_lines(path, encoding):
        lines = f"[json.loads(line) for line in open({target!r}, encoding={encoding.name!r}) if line.strip()]"
        return {"": f"pd.DataFrame({lines})"}
    if first == "[":
        return {"": f"pd.DataFrame({whole})"}
    tables, document = _object_tables(path, encoding)
    if _is_features(tables, document):
        feature = "(feature['properties'] or {}) | {'geometry': feature['geometry']}"
        return {"": f"pd.DataFrame([{feature} for feature in {whole}['features']])"}
    if tables:
        return {name: f"pd.DataFrame({whole}[{name!r}])" for name in tables}
    if isinstance(document, dict) and _columns(document):
        return {"": f"pd.DataFrame({whole})"}
    if isinstance(document, dict) and _is_labelled(document):
        return {"": f"pd.DataFrame.from_dict({whole}, orient='index')"}
    return {"": f"pd.Series({whole})"}


def _table(columns: list[str], rows: Iterator[Row], total: int | None, encoding: Encoding, **more: Any) -> Table:
    exact = more.pop("exact", True)
    if encoding.replaced:
        more["notes"] = [*more.get("notes", []), f"Some bytes are not {encoding.name}, and each is shown as \ufffd."]
    return Table("json", columns, rows, total_rows=total, exact=exact, encoding=encoding.name, **more)


def _records_table(path: Path, encoding: Encoding, lines: bool) -> Table:
    def read() -> Iterator[Any]:
        return _json_lines(path, encoding) if lines else _array(path, encoding)

    columns, rows = _from_records(read())
    size = path.stat().st_size
    if size > COUNT_BYTES:
        return _table(columns, rows, None, encoding, exact=False)
    total, notes = 0, []
    try:
        for _ in read():
            total += 1
    except TableError as error:
        if not total:
            raise
        notes.append(f"{error} The {total:,} records before are shown.")
    return _table(columns, rows, total, encoding, notes=notes)


def _from_records(records: Iterator[Any]) -> tuple[list[str], Iterator[Row]]:
    """Columns by the keys of the leading records, as they appear; the values of other records are numbered."""
    leading: list[Any] = []
    try:
        for record in islice(records, LEADING_RECORDS):
            leading.append(record)
    except TableError:
        if not leading:
            raise
    names = {name: None for record in leading for name in _pairs(record)}
    columns = list(names)
    rows = ([_text(pairs.get(name)) for name in columns] for pairs in map(_pairs, chain(leading, records)))
    return columns, rows


def _pairs(record: Any) -> dict[str, Any]:
    if isinstance(record, dict):
        return record
    values = record if isinstance(record, list) else [record]
    return {str(at): value for at, value in enumerate(values)}


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    try:
        return _compact(value)
    except RecursionError:
        raise TableError(_TOO_DEEP) from None


def _compact(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_compact(key)}: {_compact(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_compact, value)) + "]"
    return str(value) if isinstance(value, _Number) else json.dumps(value, ensure_ascii=False)


def _columns(document: dict[str, Any]) -> tuple[list[str], Iterator[Row], int] | None:
    """An object of equally long columns, or of columns keyed by row label, as pandas writes them."""
    values = list(document.values())
    if not values:
        return None
    if all(isinstance(value, list) for value in values) and len({len(value) for value in values}) == 1:
        listed: Iterator[Row] = ([_text(cell) for cell in row] for row in zip(*values, strict=True))
        return list(document), listed, len(values[0])
    if all(isinstance(value, dict) for value in values) and not _is_labelled(document):
        labels = list({label: None for value in values for label in value})
        keyed: Iterator[Row] = ([label, *(_text(value.get(label)) for value in values)] for label in labels)
        return ["", *document], keyed, len(labels)
    return None


def _is_labelled(document: dict[str, Any]) -> bool:
    """Whether an object of objects is of records by label, and not of columns by row label: there are more records than
    fields, and the fields have names that are no numbers.
    """
    records = list(document.values())
    if not records or not all(isinstance(record, dict) for record in records):
        return False
    fields = {name for record in records for name in record}
    return 0 < len(fields) < len(records) and not all(name.isdigit() for name in fields)


def _is_features(tables: dict[str, list[Any]], document: Any) -> bool:
    """Whether the document is a collection of features as RFC 7946 (GeoJSON) has it."""
    return (
        "features" in tables
        and document.get("type") == "FeatureCollection"
        and all(isinstance(feature.get("properties") or {}, dict) for feature in tables["features"])
    )


def _feature(feature: dict[str, Any]) -> dict[str, Any]:
    return (feature.get("properties") or {}) | {"geometry": feature.get("geometry")}


def _object_tables(path: Path, encoding: Encoding) -> tuple[dict[str, list[Any]], Any]:
    """The arrays of records in an object, by key, and the whole document."""
    if path.stat().st_size > WHOLE_BYTES:
        raise TableError(f"One JSON object of over {WHOLE_BYTES // 1024**2} MB: too large for a preview.")
    try:
        document = _DECODER.decode(path.read_text(encoding=encoding.name, errors=encoding.errors).lstrip("\ufeff"))
    except RecursionError:
        raise TableError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        raise TableError(f"Not valid JSON: line {error.lineno:,}, character {error.colno:,}: {error.msg}.") from None
    if not isinstance(document, dict):
        return {}, document
    return {
        key: value
        for key, value in document.items()
        if isinstance(value, list) and value and all(isinstance(item, dict) for item in value)
    }, document


_TOO_DEEP = "The JSON is nested too deep for a preview."


def _first_character(path: Path, encoding: Encoding) -> str:
    with path.open(encoding=encoding.name, errors="replace") as file:
        return file.read(_CHUNK).lstrip("\ufeff \t\r\n")[:1]


def _is_lines(path: Path, encoding: Encoding) -> bool:
    """Whether the first line is a whole object or array and another of the same follows."""
    with path.open(encoding=encoding.name, errors="replace") as file:
        filled = (line.lstrip("\ufeff") for line in file if line.strip())
        first, second = next(filled, ""), next(filled, "")
    try:
        return first.lstrip()[:1] == second.lstrip()[:1] and isinstance(_DECODER.decode(first), dict | list)
    except (json.JSONDecodeError, RecursionError):
        return False


def _json_lines(path: Path, encoding: Encoding) -> Iterator[Any]:
    with path.open(encoding=encoding.name, errors=encoding.errors) as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield _DECODER.decode(line.lstrip("\ufeff"))
            except RecursionError:
                raise TableError(_TOO_DEEP) from None
            except json.JSONDecodeError as error:
                raise TableError(f"Line {number:,} is not valid JSON: {error.msg}.") from None


def _array(path: Path, encoding: Encoding) -> Iterator[Any]:
    """The elements of an array one by one, holding little more than one element in memory."""
    with path.open(encoding=encoding.name, errors=encoding.errors) as file:
        text = file.read(_CHUNK).lstrip("\ufeff")
        at = _after_space(text, 0) + 1  # past the bracket
        number, wanted, ended = 0, _CHUNK, False
        while True:
            at = _after_space(text, at)
            if text[at : at + 1] == "]":
                return
            try:
                element, end = _DECODER.raw_decode(text, at)
                end = _after_space(text, end)
                if text[end : end + 1] not in (",", "]") and not (ended or end < len(text)):
                    raise json.JSONDecodeError("cut by the buffer", text, end)
            except RecursionError:
                raise TableError(_TOO_DEEP) from None
            except json.JSONDecodeError as error:
                if ended:
                    cut = error.pos >= len(text) - 1 or error.msg.startswith("Unterminated")
                    reason = "the file ends in the middle of it" if cut else error.msg
                    raise TableError(f"Record {number + 1:,} is not valid JSON: {reason}.") from None
                if wanted > WHOLE_BYTES:
                    raise TableError(f"Record {number + 1:,} is not valid JSON, or too large for a preview.") from None
                more = file.read(wanted)
                ended, wanted = not more, wanted * 2
                text, at = text[at:] + more, 0
                continue
            number += 1
            yield element
            if text[end : end + 1] != ",":
                if text[end : end + 1] == "]":
                    return
                raise TableError(f"After record {number:,} the file is not valid JSON: a comma or ] is missing.")
            at, wanted = end + 1, _CHUNK


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
