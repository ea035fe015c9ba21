"""Opening any table of a file with all its columns, from its first row."""

from __future__ import annotations

from pathlib import Path

from services.tables.formats import Wanted, open_table
from services.tables.kind import kind_of
from services.tables.model import Reading, Table, TableError

MAX_COLUMNS = 20_000


def open_whole(path: Path, table: str | None, reading: Reading) -> Table:
    """The table, as the preview opens it.

    Raises:
        TableError: the file is broken, there is no table in it, or the table is too wide.
    """
    opened = open_table(path, kind_of(path), Wanted(table, 0, range(MAX_COLUMNS), reading))
    if not opened.columns:
        raise TableError("There is no table in this file." + "".join(f" {note}" for note in opened.notes))
    if len(opened.columns) > MAX_COLUMNS:
        raise TableError(f"The table has {len(opened.columns):,} columns; {MAX_COLUMNS:,} can be looked at whole.")
    return opened
