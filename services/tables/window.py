"""Cutting a page out of an opened table. Runs in the child process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from services.tables.dtypes import estimate
from services.tables.formats import Wanted, open_table, readers_of
from services.tables.kind import kind_of, mismatch
from services.tables.model import Column, Preview, Reading, Row, Table, TableError
from services.tables.names import pandas_names
from services.tables.summary import summary

NAMED_COLUMNS = 20_000  # of a table that has more, the rest are counted and not named
SHOWN_COLUMNS = 200  # where none are asked for
MAX_CELL = 2_000  # characters
MAX_PAGE = 2_000_000  # characters; on a page that would be larger, cells are cut shorter
SHORT_CELL = 200
ESTIMATE_ROWS = 1000
ESTIMATE_CELLS = 500_000  # a wide table's types are estimated on fewer rows
FEWEST_ROWS = 100


def read_preview(
    path: Path, rows: int, offset: int, table: str | None, *, wanted: Sequence[int] | None, reading: Reading
) -> Preview:
    """Read one page of a file in this process, whatever the file does to it: of the `wanted` columns alone.

    Raises:
        TableError: the file is broken.
    """
    kind = kind_of(path)
    size = path.stat().st_size
    said = mismatch(path, kind)
    notes = [said] if said else []
    if kind == "empty":
        return Preview(kind="empty", size=0, notes=("The file is empty.",))
    columns = range(SHOWN_COLUMNS) if wanted is None else [at for at in wanted if 0 <= at < NAMED_COLUMNS]
    opened = open_table(path, kind, Wanted(table, offset, columns, reading))
    if table is not None and table != opened.table:
        raise TableError(f"The file holds no table named {table!r}.")
    return _page(opened, size, rows, offset, notes, columns)


def read_readers(path: Path, target: str, reading: Reading) -> dict[str, str]:
    """For each table of the file ("" where it is but one), the Python expression that reads it at `target`."""
    return readers_of(path, kind_of(path), target, reading)


def _page(table: Table, size: int, rows: int, offset: int, notes: list[str], wanted: Sequence[int]) -> Preview:
    width = len(table.columns)
    shown = [at for at in wanted if at < width] if table.held is None else table.held
    known = table.sample
    sample = [] if known is None else [[(cell := row[at]) and cell[:MAX_CELL] for at in shown] for row in known]
    page: list[Row] = []
    number = table.start
    notes = notes + table.notes
    estimated = max(FEWEST_ROWS, min(ESTIMATE_ROWS, ESTIMATE_CELLS // max(width, 1))) if known is None else 0
    end = max(offset + rows, table.start + estimated)
    try:
        for row in islice(table.rows, end - table.start):
            on_page = offset <= number < offset + rows
            if on_page or len(sample) < estimated:
                cells = row if table.held is not None else [row[at] for at in shown]
                if len(sample) < estimated:
                    sample.append([cell and cell[:MAX_CELL] for cell in cells])
                if on_page:
                    page.append(cells)
            number += 1
    except TableError as error:
        if not page:
            raise
        if not any(note.startswith(str(error)) for note in notes):
            notes.append(f"{error} The rows before are shown.")
    total, exact = table.total_rows, table.exact
    if not exact and number < end and not table.partial and (number > table.start or number == 0):
        total, exact = number, True
    if width > NAMED_COLUMNS:
        notes.append(f"Of {width:,} columns the first {NAMED_COLUMNS:,} are named here.")
    everything = (table.start == 0 or known is not None) and exact and total == len(sample)
    texts, cut, limit = _cut(page)
    if cut:
        notes.append(f"Cells of over {limit:,} characters are cut: {len(cut):,} on this page.")
    return Preview(
        kind=table.kind,
        size=size,
        columns=_columns(table, shown, sample),
        total_columns=width,
        rows=texts,
        offset=offset,
        total_rows=total,
        exact=exact,
        tables=tuple(table.tables),
        table=table.table,
        encoding=table.encoding,
        delimiter=table.delimiter,
        cut=cut,
        notes=tuple(notes),
        shown=tuple(shown),
        reading=table.reading,
        warnings=table.warnings,
        picture=table.picture,
        sampled=None if everything or not width else len(sample),
        warned=table.warned,
    )


def _columns(table: Table, shown: list[int], sample: list[Row]) -> tuple[Column, ...]:
    """Every column by name; those shown with their type, the name pandas gives them, and a summary of the sample."""
    known = pandas_names(table.columns) if table.pandas_names is None else table.pandas_names
    read = dict(zip(shown, zip(*sample, strict=True) if sample else [()] * len(shown), strict=True))
    columns = []
    for at, name in enumerate(table.columns[:NAMED_COLUMNS]):
        if at not in read:
            columns.append(Column(name, "", table.dtypes is None))
            continue
        dtype = estimate(read[at]) if table.dtypes is None else table.dtypes[at]
        columns.append(Column(name, dtype, table.dtypes is None, known[at], summary(read[at])))
    return tuple(columns)


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
