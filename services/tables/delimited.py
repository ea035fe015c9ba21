"""Delimited text: taken apart as it is written, every cell as it stands in the file."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path

from services.tables.arguments import column_keys
from services.tables.dialect import LONGEST_LINE, Dialect, parse, sniff, whole_lines
from services.tables.encoding import SAMPLE_BYTES, choose
from services.tables.line_count import count_lines, count_rows, place_of_row
from services.tables.model import Reading, Row, Table
from services.tables.survey import survey

SMALL_BYTES = 1024 * 1024  # every row of a file up to this size is checked at once
SCAN_BYTES = 32 * 1024 * 1024  # rows of a file up to this size are counted where that is quick, else estimated
READER_SECONDS = 5.0  # to look through the rows for what read_csv must be told; the rest then has no say
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"}


def open_delimited(path: Path, reading: Reading | None = None, offset: int = 0) -> Table:
    """Open a delimited file; rows come from `offset` or before. Lines of prose come as one column, from the start.

    Types and warnings are of the first rows where the file is larger than `SMALL_BYTES`.

    Raises:
        TableError: the file holds no header, or the reading can't be.
    """
    reading = reading or Reading()
    dialect = sniff(path, reading)
    if dialect is None:
        return open_lines(path, reading)
    size = path.stat().st_size
    found = survey(dialect, reading, every=size <= SMALL_BYTES)
    dialect, shape, head = found.checked.dialect, found.checked.shape, found.head
    width = len(shape.columns)

    def filled_up(records: Iterable[list[str]]) -> Iterator[Row]:
        return ([*record, *[None] * (width - len(record))][:width] for record in records)

    start = 0 if offset < len(head) else offset
    records = _rows_from(dialect, start) if start else chain(head, islice(dialect.rows(), len(head), None))
    total = shape.rows if found.whole else count_rows(dialect) if size <= SCAN_BYTES else None
    return Table(
        kind="delimited",
        columns=shape.columns,
        rows=filled_up(records),
        start=start,
        total_rows=_estimate(dialect) if total is None else total,
        exact=total is not None,
        encoding=dialect.encoding.name,
        delimiter=_NAMES.get(dialect.delimiter, dialect.delimiter),
        pandas_names=list(map(str, column_keys(dialect, shape))),
        reading=dialect.reading,
        warnings=found.warnings(),
        sample=list(filled_up(head)),
        warned=None if found.whole else shape.rows,
        check=None if found.whole else found.of_every_row,
    )


def _rows_from(dialect: Dialect, offset: int) -> Iterator[list[str]]:
    """The records below the header from row `offset` on; those before are parsed only where they must."""
    place = place_of_row(dialect, offset)
    if place is None:
        return islice(dialect.rows(), min(offset, sys.maxsize), None)
    return dialect.records(place, dialect.skipped + dialect.names + offset)


def open_lines(path: Path, reading: Reading | None = None) -> Table:
    """Open plain text as a table of one column, a line a row."""
    encoding = choose(path, reading.encoding if reading else None)

    def lines() -> Iterator[Row]:
        with path.open(encoding=encoding.name, errors=encoding.errors) as file:
            for line in whole_lines(iter(partial(file.readline, LONGEST_LINE), "")):
                yield [line.rstrip("\n")]

    small = path.stat().st_size <= SCAN_BYTES
    notes = ["Plain text, shown line by line."]
    if _fixed_width([line for (line,) in islice(lines(), 50) if line]):
        notes.append("The fields stand at fixed places in the lines: pd.read_fwf reads such a file.")
    return Table(
        kind="text",
        columns=["line"],
        rows=lines(),
        total_rows=(count_lines(path, encoding) if small else None),
        exact=small,
        dtypes=["text"],
        encoding=encoding.name,
        notes=notes,
    )


def delimited_readers(path: Path, target: str, reading: Reading | None = None) -> dict[str, str]:
    """The pandas expression that reads the file at `target` as the preview shows it; empty for plain text."""
    reading = reading or Reading()
    dialect = sniff(path, reading)
    if dialect is None:
        return {}
    found = survey(dialect, reading, every=path.stat().st_size <= SCAN_BYTES, seconds=READER_SECONDS)
    arguments = found.checked.arguments()
    return {"": f"pd.read_csv({target!r}{', ' if arguments else ''}{arguments})"}


def _estimate(dialect: Dialect) -> int:
    """Rows of the whole file, from how many its first bytes hold."""
    with dialect.path.open("rb") as file:
        head = file.read(4 * SAMPLE_BYTES)
    text = io.StringIO(head.decode(dialect.encoding.name, "replace"), newline="")
    records = sum(1 for _ in parse(text, dialect.delimiter, dialect.quotes))
    return round(records * dialect.path.stat().st_size / len(head))


def _fixed_width(lines: list[str]) -> bool:
    """Whether every line has a gap of two spaces or more where all have one, and a field begins at its end."""
    if len(lines) < 3:
        return False
    width = min(map(len, lines))
    gaps = [all(line[at] == " " for line in lines) for at in range(width)]
    starts = [at for at in range(1, width) if gaps[at - 1] and any(line[at] != " " for line in lines)]
    columns = sum(all(line[at] != " " for line in lines) for at in starts)
    return columns > 0 and any("  " in line.strip() for line in lines)
