"""Opening any table of a file with all its columns, from its first row."""

from __future__ import annotations

from pathlib import Path

from services.tables import window
from services.tables.kind import kind_of
from services.tables.model import Reading, Table, TableError


def open_whole(path: Path, table: str | None, reading: Reading | None) -> Table:
    """The table, as the preview opens it.

    Raises:
        TableError: the file is broken, or there is no table in it.
    """
    kind = kind_of(path)
    opened = window._open(path, kind, 0, table)
    if opened is None:
        raise TableError("There is no table in this file.")
    return opened
