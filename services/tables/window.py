"""Cutting a page out of an opened table. Runs in the child process."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from services.tables.delimited import delimited_readers, open_delimited, open_lines
from services.tables.dtypes import estimate
from services.tables.json_records import json_readers, open_json
from services.tables.kind import kind_of, mismatch
from services.tables.model import Column, Preview, Row, Table, TableError

MAX_COLUMNS = 200
MAX_CELL = 2_000  # characters
MAX_PAGE = 2_000_000  # characters; on a page that would be larger, cells are cut shorter
SHORT_CELL = 200
ESTIMATE_ROWS = 1000


def read_preview(path: Path, rows: int, offset: int, table: str | None) -> Preview:
    """Read one page of a file in this process, whatever the file does to it.

    Raises:
        TableError: the file is broken.
    """
    kind = kind_of(path)
    size = path.stat().st_size
    said = mismatch(path, kind)
    notes = [said] if said else []
    if kind == "empty":
        return Preview(kind="empty", size=0, notes=("The file is empty.",))
    opened = _open(path, kind, offset, table)
    if opened is None:
        what = "This is a binary file" if kind == "binary" else f"This is a {kind} file"
        return Preview(kind="unsupported", size=size, notes=(*notes, f"{what}; there is no preview for it yet."))
    return _page(opened, size, rows, offset, notes)


def read_readers(path: Path, target: str) -> dict[str, str]:
    """For each table of the file ("" where it is but one), the Python expression that reads it at `target`."""
    kind = kind_of(path)
    if kind == "delimited":
        return delimited_readers(path, target)
    if kind == "json":
        return json_readers(path, target)
    if kind == "excel":
        from services.tables.excel import excel_readers

        return excel_readers(path, target)
    if kind == "sqlite":
        from services.tables.sqlite import sqlite_readers

        return sqlite_readers(path, target)
    if kind == "parquet":
        return {"": f"pd.read_parquet({target!r})"}
    return {}


def _open(path: Path, kind: str, offset: int, table: str | None) -> Table | None:
    # The libraries of the binary formats take a few hundred ms to import: only where needed
    if kind == "delimited":
        return open_delimited(path)
    if kind == "text":
        return open_lines(path)
    if kind == "json":
        return open_json(path, table)
    if kind == "excel":
        from services.tables.excel import open_excel

        return open_excel(path, table)
    if kind == "sqlite":
        from services.tables.sqlite import open_sqlite

        return open_sqlite(path, table, offset)
    if kind == "parquet":
        from services.tables.parquet import open_parquet

        return open_parquet(path, offset, MAX_COLUMNS)
    return None


def _page(table: Table, size: int, rows: int, offset: int, notes: list[str]) -> Preview:
    sample: list[Row] = []
    page: list[Row] = []
    number = table.start
    notes = notes + table.notes
    try:
        for row in islice(table.rows, max(offset + rows, table.start + ESTIMATE_ROWS) - table.start):
            if len(sample) < ESTIMATE_ROWS:
                sample.append(row[:MAX_COLUMNS])
            if offset <= number < offset + rows:
                page.append(row[:MAX_COLUMNS])
            number += 1
    except TableError as error:
        if not page:
            raise
        if not any(note.startswith(str(error)) for note in notes):
            notes.append(f"{error} The rows before are shown.")
    ended = number < max(offset + rows, table.start + ESTIMATE_ROWS)
    total, exact = table.total_rows, table.exact
    if not exact and ended:
        total, exact = number, True
    names = table.columns[:MAX_COLUMNS]
    if len(table.columns) > MAX_COLUMNS:
        notes.append(f"Columns 1-{MAX_COLUMNS} of {len(table.columns):,} are shown.")
    cells, cut, limit = _cut(page)
    if cut:
        notes.append(f"Cells of over {limit:,} characters are cut: {len(cut):,} on this page.")
    columns = (
        Column(name, table.dtypes[at], False)
        if table.dtypes
        else Column(name, estimate(row[at] for row in sample), True)
        for at, name in enumerate(names)
    )
    return Preview(
        kind=table.kind,
        size=size,
        columns=tuple(columns),
        total_columns=len(table.columns),
        rows=cells,
        offset=offset,
        total_rows=total,
        exact=exact,
        tables=tuple(table.tables),
        table=table.table,
        encoding=table.encoding,
        delimiter=table.delimiter,
        cut=cut,
        notes=tuple(notes),
    )


def _cut(page: list[Row]) -> tuple[tuple[tuple[str | None, ...], ...], tuple[tuple[int, int, int], ...], int]:
    """The rows with long cells shortened, where they were, and the length they were cut to."""
    length = sum(min(len(cell), MAX_CELL) for row in page for cell in row if cell)
    limit = SHORT_CELL if length > MAX_PAGE else MAX_CELL
    cut = tuple(
        (at, column, len(cell))
        for at, row in enumerate(page)
        for column, cell in enumerate(row)
        if cell and len(cell) > limit
    )
    return tuple(tuple(cell and cell[:limit] for cell in row) for row in page), cut, limit
