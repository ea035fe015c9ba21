"""Delimited text: taken apart as it is written, every cell as it stands in the file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path

from services.tables.arguments import column_keys
from services.tables.dialect import LONGEST_LINE, Dialect, parse, sniff, whole_lines
from services.tables.encoding import SAMPLE_BYTES, choose
from services.tables.file_warnings import file_warnings, stray_quotes
from services.tables.model import Reading, Row, Table, TableError, TableWarning
from services.tables.warnings import BLOCK_ROWS, Collector

SCAN_BYTES = 32 * 1024 * 1024  # rows of a file up to this size are counted, those of a longer one estimated
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"}


def open_delimited(path: Path, reading: Reading | None = None) -> Table:
    """Open a delimited file; rows come from the start. Lines of prose come as one column.

    Raises:
        TableError: the file holds no header, or the reading can't be.
    """
    reading = reading or Reading()
    dialect = sniff(path, reading)
    if dialect is None:
        return open_lines(path, reading)
    whole = path.stat().st_size <= SCAN_BYTES
    checked, warnings = survey(dialect, reading, whole=whole)
    dialect, shape = checked.dialect, checked.shape
    columns = shape.columns
    width = len(columns)
    return Table(
        kind="delimited",
        columns=columns,
        rows=([*record, *[None] * (width - len(record))][:width] for record in dialect.rows()),
        total_rows=shape.rows if whole else _estimate(dialect),
        exact=whole,
        encoding=dialect.encoding.name,
        delimiter=_NAMES.get(dialect.delimiter, dialect.delimiter),
        notes=[] if whole else [f"The warnings are of the first {shape.rows:,} rows alone."],
        pandas_names=list(map(str, column_keys(dialect, shape))),
        reading=dialect.reading,
        warnings=warnings,
    )


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
        total_rows=sum(1 for _ in lines()) if small else None,
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
    checked, _ = survey(dialect, reading, whole=path.stat().st_size <= SCAN_BYTES)
    arguments = checked.arguments()
    return {"": f"pd.read_csv({target!r}{', ' if arguments else ''}{arguments})"}


def survey(dialect: Dialect, reading: Reading, *, whole: bool) -> tuple[Collector, tuple[TableWarning, ...]]:
    """Pass over the rows, all of them or the first 1,000: how the file is best read, and what may mislead its reader.

    Where quotes join rows of the file, and every row has its fields once they are taken as text, they are.

    Raises:
        TableError: the file holds no header, or can't be taken apart.
    """
    checked: Collector | None = None
    failed: TableError | None = None
    try:
        checked = _collect(dialect, whole)
    except TableError as error:
        failed = error
    stray: tuple[TableWarning, ...] = ()
    if reading.quotes is None and (checked is None or checked.swallowing):
        lenient = _collect(replace(dialect, quotes=False), whole)
        rows = checked.shape.rows if checked else 0
        if lenient.shape.agreed >= 0.99 and lenient.shape.rows > rows:
            stray = (stray_quotes(lenient, rows, checked.swallowing if checked else ()),)
            checked = lenient
    if checked is None:
        raise failed or TableError("The file can't be taken apart.")
    return checked, (*stray, *file_warnings(checked, SCAN_BYTES), *checked.found())


def _collect(dialect: Dialect, whole: bool) -> Collector:
    collector = Collector(dialect, dialect.header())
    for number, cells in enumerate(islice(dialect.rows(), None if whole else BLOCK_ROWS), 1):
        collector.row(number, cells)
    collector.flush()
    return collector


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
