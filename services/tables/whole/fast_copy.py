"""Copying plain delimited text with Arrow's reader, where it provably gives the cells that ours gives."""

from __future__ import annotations

import csv
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain, islice
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from services.tables.model import Table

SMALLEST_BYTES = 1_000_000  # below, our own reader has nearly done by then
CHECKED_ROWS = 1000
BLOCK_BYTES = 4 * 1024**2
BOM = b"\xef\xbb\xbf"
_DELIMITERS = frozenset(",;\t|")


def fast_copy(
    path: Path, target: Path, opened: Table, progress: Callable[[int], None], smallest: int = SMALLEST_BYTES
) -> int | None:
    """Copy the file to `target` and count its rows; None where Arrow's reader might see other cells than ours.

    That is where the text is not UTF-8, holds lone carriage returns or NUL, quotes that do not enclose whole cells or
    enclose a line's end, or has rows of unequal length, which Arrow refuses.
    """
    width = len(opened.columns)
    reading = opened.reading
    if reading is None or reading.encoding not in {"utf-8", "utf-8-sig"} or reading.delimiter not in _DELIMITERS:
        return None
    if width < 2 or path.stat().st_size < smallest or not _begins(path, opened, reading.delimiter):
        return None
    quotes = _quotes(path, reading.delimiter.encode())
    if quotes is None or (quotes and not reading.quotes):
        return None
    names = [f"c{at}" for at in range(width)]
    try:
        reader = pa.csv.open_csv(
            path,
            read_options=pa.csv.ReadOptions(
                column_names=names, skip_rows=int(reading.header is True), block_size=BLOCK_BYTES
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=reading.delimiter,
                quote_char='"' if quotes else False,
                escape_char=False,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False, check_utf8=True
            ),
        )
        rows = done = 0
        ours = list(islice(opened.rows, CHECKED_ROWS))
        opened.rows = chain(ours, opened.rows)
        with (
            pa.OSFile(str(target), "wb") as file,
            pa.ipc.new_file(file, reader.schema) as writer,
            ThreadPoolExecutor(1) as thread,  # writes while the next batch is read
        ):
            written: Future[None] | None = None
            for batch in reader:
                if rows == 0 and not _same(batch, ours):
                    return None
                if written:
                    written.result()
                written = thread.submit(writer.write_batch, batch)
                rows += batch.num_rows
                done += batch.nbytes - 3 * width * batch.num_rows  # a cell is preceded by 4 bytes, and by 1 in the file
                progress(done)
            if written:
                written.result()
    except pa.ArrowException:
        return None
    return rows


def _same(batch: pa.RecordBatch, ours: list[list[str | None]]) -> bool:
    head = batch.slice(0, len(ours))
    theirs = zip(*(column.to_pylist() for column in head.columns), strict=True)
    return all(list(a) == b for a, b in zip(theirs, ours, strict=False))


def _quotes(path: Path, delimiter: bytes) -> bool | None:
    """Whether there are quotes, each pair around a whole cell of one line; None where there are others.

    None as well where there is a NUL, or a carriage return but before a line feed.
    """
    found = False
    with path.open("rb") as file:
        file.seek(len(BOM) if file.read(len(BOM)) == BOM else 0)
        while block := file.read(BLOCK_BYTES):
            rest = file.readline(BLOCK_BYTES)  # of its last line
            if len(rest) == BLOCK_BYTES and not rest.endswith(b"\n"):
                return None  # a line so long is better read by ours, which bounds it
            if b"\0" in block or b"\0" in rest:
                return None
            if not any(mark in part for mark in (b"\r", b'"') for part in (block, rest)):
                continue
            lines = block + rest
            if lines.count(b"\r") != lines.count(b"\r\n"):
                return None
            if b'"' in lines:
                found = True
                if not _enclosing(lines, delimiter):
                    return None
    return found


def _enclosing(lines: bytes, delimiter: bytes) -> bool:
    """Whether every other quote opens a cell and the next closes it on the same line.

    A quote doubled within a cell counts as one that closes and one that opens: so do readers that allow it.
    """
    text = np.frombuffer(b"\n" + lines + b"\n", np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    opening, closing = quotes[0::2], quotes[1::2]
    if len(opening) != len(closing):
        return False
    again = opening[1:] == closing[:-1] + 1
    begins = np.isin(text[opening - 1], [delimiter[0], ord("\n")])
    begins[1:] |= again
    ends = np.isin(text[closing + 1], [delimiter[0], ord("\r"), ord("\n")])
    ends[:-1] |= again
    before = np.searchsorted(quotes, np.flatnonzero(text == ord("\n")))
    return bool(begins.all() and ends.all() and not (before % 2).any())


def _begins(path: Path, opened: Table, delimiter: str) -> bool:
    """Whether the table begins with the file's first line: its names, or where it has none, its first row."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        first = next(csv.reader([file.readline()], delimiter=delimiter), [])
    named = opened.reading is not None and opened.reading.header
    return first == opened.columns if named else len(first) == len(opened.columns)
