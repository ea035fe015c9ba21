"""Copying plain delimited text with DuckDB's reader, where it provably gives the cells that ours gives."""

from __future__ import annotations

import csv
import threading
from collections.abc import Callable
from itertools import chain, islice
from pathlib import Path

import duckdb

from services.tables.model import Table
from services.tables.whole.database import connect, literal

SMALLEST_BYTES = 1_000_000  # below, our own reader is done before DuckDB has started
CHECKED_ROWS = 1000
BLOCK_BYTES = 16 * 1024**2
MEMORY_BYTES = 400 * 1024**2
_DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}


def fast_copy(
    path: Path,
    target: Path,
    opened: Table,
    group_rows: int,
    progress: Callable[[int], None],
    smallest: int = SMALLEST_BYTES,
) -> int | None:
    """Copy the file to `target` and count its rows; None where DuckDB's reader might see other cells than ours.

    That is where the text is not UTF-8, holds quotes, lone carriage returns or NUL, or has rows of unequal length:
    DuckDB's strict reading refuses those.
    """
    size = path.stat().st_size
    delimiter = _DELIMITERS.get(opened.delimiter or "")
    width = len(opened.columns)
    plain = opened.kind == "delimited" and opened.encoding in {"utf-8", "utf-8-sig"} and delimiter is not None
    if not plain or delimiter is None or width < 2 or size < smallest or not _header_fits(path, delimiter, width):
        return None
    newline = _newline(path)
    if newline is None:
        return None
    names = [f"c{at}" for at in range(width)]
    columns = ", ".join(f"{name}: 'VARCHAR'" for name in names)
    cells = ", ".join(f"coalesce({name}, '') AS {name}" for name in names)
    source = (
        f"read_csv({literal(path)}, columns = {{{columns}}}, auto_detect = false, header = true, "
        f"delim = '{delimiter}', quote = '', escape = '', comment = '', new_line = '{newline}', encoding = 'utf-8', "
        f"strict_mode = true, null_padding = false, ignore_errors = false)"
    )
    query = (
        f"COPY (SELECT {cells} FROM {source}) TO {literal(target)} "
        f"(FORMAT parquet, COMPRESSION snappy, ROW_GROUP_SIZE {group_rows})"
    )
    temporary = target.parent / "temporary"
    connection = connect(
        memory_bytes=MEMORY_BYTES, temporary=temporary, temporary_bytes=size, allowed=[path, target.parent]
    )
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.2):
            progress(int(size * max(0.0, connection.query_progress()) / 100))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        connection.execute(query)
        counted = connection.execute(f"SELECT count(*) FROM {literal(target)}").fetchone()
        head = connection.execute(f"SELECT * FROM {literal(target)} LIMIT {CHECKED_ROWS}").fetchall()
    except duckdb.Error:
        target.unlink(missing_ok=True)
        return None
    finally:
        ended.set()
        watcher.join()
        connection.close()
    ours = list(islice(opened.rows, CHECKED_ROWS))
    opened.rows = chain(ours, opened.rows)
    if [list(row) for row in head] != ours:
        return None
    return int(counted[0]) if counted else None


def _newline(path: Path) -> str | None:
    """The file's one kind of line end, where it has no quote and no NUL; else None."""
    lines = returns = both = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            if block.endswith(b"\r"):
                block += file.read(1)
            if b'"' in block or b"\0" in block:
                return None
            returns += block.count(b"\r")
            both += block.count(b"\r\n") if returns else 0
            lines += block.count(b"\n") if returns else 0
    if not returns:
        return "\\n"
    return "\\r\\n" if returns == both == lines else None


def _header_fits(path: Path, delimiter: str, width: int) -> bool:
    """Whether the first line has a name for each column."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        return len(next(csv.reader([file.readline()], delimiter=delimiter), [])) == width
