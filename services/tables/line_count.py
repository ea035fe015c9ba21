"""Rows of delimited text counted, and found by number, from its line ends alone: where every line is a row."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from services.tables.dialect import LONGEST_LINE, Dialect
from services.tables.encoding import Encoding

_BLOCK_BYTES = 1024 * 1024
_BLANK = re.compile(rb"\n[ \t]*\r?\n")


def count_rows(dialect: Dialect) -> int | None:
    """How many rows the table has; None where a line may be no row: quotes, blank lines, line ends of other kinds."""
    lines = 0
    for block in _blocks(dialect):
        if block is None:
            return None
        lines += block.count(b"\n") + (not block.endswith(b"\n"))
    return max(0, lines - dialect.skipped - dialect.names)


def count_lines(path: Path, encoding: Encoding) -> int:
    """How many lines a text file has, whatever ends them."""
    if encoding.name.startswith(("utf-16", "utf-32")):
        with path.open(encoding=encoding.name, errors=encoding.errors) as file:
            return sum(1 for _ in file)
    data = path.read_bytes()
    ends = data.count(b"\n") + data.count(b"\r") - data.count(b"\r\n")
    return ends + (not data.endswith((b"\n", b"\r")))


def place_of_row(dialect: Dialect, row: int) -> int | None:
    """The byte where a row (from 0) begins, or the file's end; None where a line before it may be no row."""
    left = dialect.skipped + dialect.names + row
    place = 0
    for block in _blocks(dialect):
        if block is None:
            return None
        lines = block.count(b"\n")
        if lines >= left:
            at = 0
            for _ in range(left):
                at = block.index(b"\n", at) + 1
            return place + at
        left -= lines
        place += len(block)
    return place


def _blocks(dialect: Dialect) -> Iterator[bytes | None]:
    """The file in parts that end with a line; None once a line may be no row."""
    if dialect.encoding.name.startswith(("utf-16", "utf-32")):
        yield None
        return
    with dialect.path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            if not block.endswith(b"\n"):
                block += file.readline(LONGEST_LINE)
            last = block[block.rfind(b"\n") + 1 :]
            if (
                (dialect.quotes and b'"' in block)
                or (b"\r" in block and block.count(b"\r") != block.count(b"\r\n"))
                or _BLANK.search(b"\n" + block)
                or (last and not last.strip(b" \t"))
            ):
                yield None
                return
            yield block
