"""Files of records as text: JSON lines, a JSON array, CSV, TSV and parquet, one record at a time.

No value changes: numbers stay as they are written, NA and 007 too. In JSON, true is `true`, a list or an object the
characters it is written with, and null no value; CSV has no null, an empty cell is an empty text. Parquet numbers are
written the shortest way that reads back as the same number; its lists and objects are refused.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import types

MB = 1_000_000
FILE_LIMIT = 512 * MB
ARRAY_LIMIT = 64 * MB
UNPACKED_LIMIT = 2048 * MB
GROUP_LIMIT = 256 * MB  # a row group may take four times as much memory while it is read
LINE_LIMIT = 16 * MB
VALUE_LIMIT = 2**20
LEADING_RECORDS = 1000  # JSON records whose keys make the columns
_CHUNK = 2**20
_PARQUET_ROWS = 64
_TOO_LONG = " " * (VALUE_LIMIT + 1)
_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=str)
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class UnreadableFile(ValueError):
    """The whole file can't be read; the message is a sentence that says why and what to do."""


@dataclass(frozen=True)
class Record:
    """One record's values by column; `line` is its line in the file, or its number in a JSON array or parquet file."""

    line: int
    values: dict[str, str | None]


@dataclass(frozen=True)
class BrokenRecord:
    """A record that can't be read, and why, in a sentence."""

    line: int
    why: str


Records = Iterator[Record | BrokenRecord]


@dataclass(frozen=True)
class RecordFile:
    """`columns` as they stand in the file; `records(wanted)` reads it from the start, of parquet only those columns."""

    columns: tuple[str, ...]
    records: Callable[[tuple[str, ...]], Records]


def open_records(path: Path, name: str) -> RecordFile:
    """Open a file of records. `name` is what its reader calls it; its ending says the format, else its first bytes do.

    Raises:
        UnreadableFile: it is over 512 MB (a JSON array: 64 MB), not UTF-8, empty, broken, or of no known format.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(_CHUNK)
    except OSError as error:
        raise UnreadableFile(f"{name} can't be read: {error.strerror}.") from None
    if size > FILE_LIMIT:
        raise UnreadableFile(f"{name} has {size // MB:,} MB; {FILE_LIMIT // MB} MB is the most. Split it in parts.")
    if not start.strip():
        raise UnreadableFile(f"{name} is empty.")
    ending = Path(name).suffix.lower()
    if ending == ".parquet" or start.startswith(b"PAR1"):
        return _parquet(path, name)
    if start.startswith(_UTF16):
        raise UnreadableFile(f"{name} is UTF-16 text. Save it as UTF-8 and give it again.")
    first = start.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if ending in {".csv", ".tsv"}:
        return _delimited(path, name)
    if first == b"[":
        return _json_array(path, name, size)
    if first == b"{" or ending in {".jsonl", ".ndjson"}:
        return _json_lines(path, name)
    raise UnreadableFile(f"{name} is none of JSON lines (.jsonl), a JSON array (.json), .csv, .tsv or .parquet.")


def _json_lines(path: Path, name: str) -> RecordFile:
    def records(_: tuple[str, ...]) -> Records:
        with path.open("rb") as file:
            for line, data in _lines(file):
                if data is None:
                    yield BrokenRecord(line, f"The line is longer than {LINE_LIMIT // MB} MB.")
                elif data.strip():
                    yield _line_record(line, data)

    return RecordFile(_leading_columns(records(()), name), records)


def _lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Numbered lines; None for one over the limit, which is never held whole."""
    number = 0
    while data := file.readline(LINE_LIMIT):
        number += 1
        if len(data) < LINE_LIMIT:
            yield number, data.removeprefix(codecs.BOM_UTF8) if number == 1 else data
            continue
        while data and not data.endswith(b"\n"):
            data = file.readline(LINE_LIMIT)
        yield number, None


def _line_record(line: int, data: bytes) -> Record | BrokenRecord:
    try:
        text = data.decode().rstrip()
        values, end = _fields(text, 0)
    except UnicodeDecodeError:
        return BrokenRecord(line, "The line is not UTF-8 text.")
    except json.JSONDecodeError as error:
        return BrokenRecord(line, f"The line is not a JSON object: {error.msg} (character {error.pos + 1}).")
    except RecursionError:
        return BrokenRecord(line, "The line is JSON nested too deep to read.")
    if end != len(text):
        return BrokenRecord(line, f"The line has more than one JSON object (character {end + 1}).")
    return Record(line, values)


def _fields(text: str, at: int) -> tuple[dict[str, str | None], int]:
    """The values of the JSON object at `at`, each as it is written, and where the object ends.

    Raises:
        json.JSONDecodeError: no JSON object stands there.
    """
    values: dict[str, str | None] = {}
    at = _after(text, at, "{")
    if text[at : at + 1] == "}":
        return values, at + 1
    while True:
        key, end = _value(text, at)
        if text[at : at + 1] != '"':
            raise json.JSONDecodeError("Expecting a name in double quotes", text, at)
        at = _after(text, end, ":")
        value, end = _value(text, at)
        written = text[at:end]
        values[str(key)] = value if written.startswith('"') else None if written == "null" else written
        at = _SPACE.match(text, end).end()  # type: ignore[union-attr]  # it matches anywhere
        if text[at : at + 1] == "}":
            return values, at + 1
        at = _after(text, at, ",")


def _value(text: str, at: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, at)
    except StopIteration as nothing:
        raise json.JSONDecodeError("Expecting value", text, int(nothing.value)) from None


def _after(text: str, at: int, mark: str) -> int:
    """Past `mark` and the white space around it."""
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
    if text[at : at + 1] != mark:
        raise json.JSONDecodeError(f"Expecting '{mark}'", text, at)
    return _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]


def _json_array(path: Path, name: str, size: int) -> RecordFile:
    if size > ARRAY_LIMIT:
        raise UnreadableFile(
            f"{name} is one JSON array of {size // MB:,} MB, and {ARRAY_LIMIT // MB} MB is the most. "
            "Save it as JSON lines, one object a line."
        )

    def records(_: tuple[str, ...]) -> Records:
        try:
            text = path.read_bytes().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise _not_utf8(name, error.object[: error.start].count(b"\n") + 1) from None
        at, number = _after(text, 0, "["), 0
        try:
            while text[at : at + 1] != "]":
                if number:
                    at = _after(text, at, ",")
                number += 1
                record, at = _array_item(text, at, number)
                yield record
                at = _SPACE.match(text, at).end()  # type: ignore[union-attr]
            if text[at + 1 :].strip():
                yield BrokenRecord(number + 1, "There is more after the end of the array.")
        except json.JSONDecodeError as error:
            where = f"line {error.lineno}, character {error.colno}"
            yield BrokenRecord(
                number + 1, f"The array is broken here ({error.msg}, {where}); nothing after it is read."
            )
        except RecursionError:
            yield BrokenRecord(number, "It is JSON nested too deep; nothing after it is read.")

    return RecordFile(_leading_columns(records(()), name), records)


def _array_item(text: str, at: int, number: int) -> tuple[Record | BrokenRecord, int]:
    if text[at : at + 1] == "{":
        values, end = _fields(text, at)
        return Record(number, values), end
    _, end = _value(text, at)
    return BrokenRecord(number, "It is no JSON object."), end


def _leading_columns(records: Records, name: str) -> tuple[str, ...]:
    columns: dict[str, None] = {}
    for record in islice(records, LEADING_RECORDS):
        if isinstance(record, Record):
            columns |= dict.fromkeys(record.values)
    if not columns:
        raise UnreadableFile(f"{name} has no JSON objects with names and values in its first records.")
    return tuple(columns)


def _delimited(path: Path, name: str) -> RecordFile:
    _check_utf8(path, name)
    csv.field_size_limit(LINE_LIMIT)
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.read(_CHUNK)
    delimiter = "\t" if name.lower().endswith(".tsv") else max(",;\t", key=head.lstrip().partition("\n")[0].count)

    def rows() -> Iterator[tuple[int, list[str] | csv.Error]]:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, delimiter=delimiter, strict=True)
            while True:
                try:
                    row = next(reader, None)
                except csv.Error as error:
                    yield reader.line_num, error
                    continue
                if row is None:
                    return
                if row:  # a blank line has no values
                    yield reader.line_num, row

    def records(_: tuple[str, ...]) -> Records:
        for line, row in islice(rows(), 1, None):
            if isinstance(row, csv.Error):
                yield BrokenRecord(line, f"The row can't be read ({row}): check its quotes.")
            elif len(row) != len(header):
                yield BrokenRecord(line, f"The header has {len(header):,} columns, this row {len(row):,}.")
            else:
                yield Record(line, dict(zip(header, row, strict=True)))

    _, first = next(rows())
    if isinstance(first, csv.Error):
        raise UnreadableFile(f"The first line of {name} can't be read: {first}.")
    header = first
    return RecordFile(tuple(header), records)


def _check_utf8(path: Path, name: str) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            try:
                lines += decoder.decode(chunk).count("\n")
            except UnicodeDecodeError as error:
                raise _not_utf8(name, lines + error.object[: error.start].count(b"\n")) from None


def _not_utf8(name: str, line: int) -> UnreadableFile:
    return UnreadableFile(f"Line {line:,} of {name} is not UTF-8 text. Save the file as UTF-8 and give it again.")


def _parquet(path: Path, name: str) -> RecordFile:
    with _told_as(name):
        schema = pq.read_schema(path)

    def records(wanted: tuple[str, ...]) -> Records:
        kinds = {column: schema.field(column).type for column in wanted}
        for column, kind in kinds.items():
            if not (_is_text(kind) or types.is_primitive(kind) or types.is_decimal(kind) or types.is_null(kind)):
                raise UnreadableFile(f"The column {column!r} of {name} holds {kind}, neither text nor numbers.")
        texts = [column for column, kind in kinds.items() if _is_text(kind)]
        number = 0
        # text as a dictionary: a text that stands in a million rows is unpacked once
        with _told_as(name), pq.ParquetFile(path, read_dictionary=texts) as file:
            groups = _unpacked_bytes(file, wanted)
            if sum(groups) > UNPACKED_LIMIT:
                raise UnreadableFile(
                    f"{name} unpacks to {sum(groups) // MB:,} MB; {UNPACKED_LIMIT // MB:,} MB is the most. "
                    "Split it in parts."
                )
            if max(groups, default=0) > GROUP_LIMIT:
                raise UnreadableFile(
                    f"{name} has a row group that unpacks to {max(groups) // MB:,} MB; {GROUP_LIMIT // MB:,} MB is the "
                    "most. Write it with fewer rows in a group."
                )
            for batch in file.iter_batches(_PARQUET_ROWS, columns=list(wanted), use_threads=False):
                columns = [_values(column) for column in batch.columns]
                for values in zip(*columns, strict=True):
                    number += 1
                    yield Record(number, dict(zip(batch.schema.names, values, strict=True)))

    return RecordFile(tuple(schema.names), records)


def _is_text(kind: pa.DataType) -> bool:
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind))


def _unpacked_bytes(file: pq.ParquetFile, wanted: tuple[str, ...]) -> list[int]:
    """What the columns wanted take uncompressed in each row group, as the file declares it."""
    groups = map(file.metadata.row_group, range(file.metadata.num_row_groups))
    columns = ([group.column(place) for place in range(group.num_columns)] for group in groups)
    return [sum(one.total_uncompressed_size for one in group if one.path_in_schema in wanted) for group in columns]


def _values(column: pa.Array) -> list[str | None]:
    """A column as text; one too long to be graded is not unpacked, and another too long one stands for it."""
    if not types.is_dictionary(column.type):
        return [_written(value) for value in column.to_pylist()]
    texts = column.dictionary
    return [None if index is None else _text_at(texts, index) for index in column.indices.to_pylist()]


def _text_at(texts: pa.Array, index: int) -> str:
    one = texts.slice(index, 1)  # no copy
    size = pc.binary_length(one)[0].as_py()
    return one[0].as_py() if size <= 4 * VALUE_LIMIT else _TOO_LONG


@contextmanager
def _told_as(name: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        reason = str(error).partition("\n")[0][:200]
        raise UnreadableFile(f"{name} is a broken parquet file ({reason}).") from None


def _written(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
