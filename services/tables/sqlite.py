"""SQLite files: tables and views, read only and under a deadline."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from services.tables.model import Row, Table, TableError, choose_table

QUERY_SECONDS = 3.0
COUNT_SECONDS = 1.0
LONGEST_VALUE = 64 * 1024 * 1024  # bytes
_STEPS = 10_000  # of SQLite's virtual machine between two looks at the clock


def open_sqlite(path: Path, table: str | None, offset: int) -> Table:
    """Open a table or view; rows come from row `offset`.

    Raises:
        TableError: the file is broken, or a view takes too long.
    """
    connection = _connect(path)
    with _sentences():
        names = _tables(connection)
        name = choose_table(names, table)
        with _deadline(connection, COUNT_SECONDS):
            try:
                total: int | None = connection.execute(f"SELECT count(*) FROM {_quoted(name)}").fetchone()[0]
            except sqlite3.OperationalError as error:
                if "interrupted" not in str(error):
                    raise
                total = None
        cursor = connection.execute(f"SELECT * FROM {_quoted(name)} LIMIT 0")
        columns = [entry[0] for entry in cursor.description]

    def rows() -> Iterator[Row]:
        with _sentences(), _deadline(connection, QUERY_SECONDS):
            for row in connection.execute(f"SELECT * FROM {_quoted(name)} LIMIT -1 OFFSET ?", (offset,)):
                yield [_text(value) for value in row]

    notes = [] if total is not None else ["Counting the rows takes too long; their number is not known."]
    return Table(
        kind="sqlite",
        columns=columns,
        rows=rows(),
        start=offset,
        total_rows=total,
        exact=total is not None,
        tables=names,
        table=name,
        notes=notes,
    )


def sqlite_readers(path: Path, target: str) -> dict[str, str]:
    """A pandas expression for each table and view."""
    connection = _connect(path)
    with _sentences():
        names = _tables(connection)
    return {name: f"pd.read_sql({'SELECT * FROM ' + _quoted(name)!r}, sqlite3.connect({target!r}))" for name in names}


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True)
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST_VALUE)
    connection.execute("PRAGMA trusted_schema = OFF")
    return connection


def _tables(connection: sqlite3.Connection) -> list[str]:
    return [
        name
        for (name,) in connection.execute(
            "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "ORDER BY type, rowid"
        )
    ]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _deadline(connection: sqlite3.Connection, seconds: float) -> Iterator[None]:
    end = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > end, _STEPS)
    try:
        yield
    finally:
        connection.set_progress_handler(None, 0)


@contextmanager
def _sentences() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        if "interrupted" in str(error):
            raise TableError(f"The table or view gave no rows within {QUERY_SECONDS:g} seconds.") from None
        raise TableError(f"The SQLite file can't be read: {error}.") from None


def _text(value: str | int | float | bytes | None) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return f"blob of {len(value):,} bytes: {value[:16].hex(' ')}{' …' if len(value) > 16 else ''}"
    return repr(value)
