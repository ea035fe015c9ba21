"""Columns of numbers, read into memory with Arrow where it provably reads what our own types say.

What Arrow takes for a number is one by our patterns too, but for hexadecimal whole numbers and ways of writing NaN: a
column with one of these, or with anything else that Arrow refuses, is left to the queries.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from services.tables.dtypes import NA_WORDS
from services.tables.whole.open_copy import OpenCopy

MOST_ROWS = 12_000_000  # about 48 bytes a row are held
_MISSING = pa.array(["", *sorted(NA_WORDS)])
_ARROW = {"int": pa.int64(), "float": pa.float64()}


@dataclass(frozen=True)
class Numbers:
    """The numbers of a column in the order of its rows, and which rows hold one."""

    kind: str
    values: npt.NDArray[Any]
    held: npt.NDArray[np.bool_]
    blank: int

    def row_of(self, value: float | int) -> int:
        """The first row that holds this number."""
        place = int(np.argmax(self.values == value))
        return place if len(self.values) == len(self.held) else int(np.flatnonzero(self.held)[place])


def read_numbers(copy: OpenCopy, column: int, kind: str) -> Numbers | None:
    """All cells of a column as int or float; None where a cell is neither that nor missing, or none holds a number."""
    if copy.rows > MOST_ROWS:
        return None
    values = np.empty(copy.rows, np.int64 if kind == "int" else np.float64)
    held = np.ones(copy.rows, np.bool_)
    start = end = blank = 0
    for cells in copy.cells(column):
        found = _cast(cells, kind)
        if found is None:
            return None
        if found.null_count:
            held[start : start + len(cells)] = pc.is_valid(found).to_numpy(zero_copy_only=False)
            blank += pc.sum(pc.equal(cells, "")).as_py() or 0
            found = found.drop_null()
        values[end : end + len(found)] = found.to_numpy()
        start, end = start + len(cells), end + len(found)
    return Numbers(kind, values[:end], held, blank) if end else None


def _cast(cells: pa.Array, kind: str) -> pa.Array | None:
    """The cells as numbers, missing ones null; None where one is no number, or might be none."""
    try:
        found = pc.cast(cells, _ARROW[kind])
        if not _doubtful(cells, found, kind):
            return found
    except pa.ArrowInvalid:
        pass  # a missing cell does that as well: judged below
    kept = pc.if_else(pc.is_in(cells, _MISSING), pa.scalar(None, pa.string()), cells)
    try:
        found = pc.cast(kept, _ARROW[kind])
    except pa.ArrowInvalid:
        return None
    return None if _doubtful(kept, found, kind) else found


def _doubtful(cells: pa.Array, found: pa.Array, kind: str) -> bool:
    if kind == "float":
        return bool(pc.any(pc.is_nan(found)).as_py())
    text = cells.buffers()[2]  # of more cells than these, where they are a part of a column
    return text is not None and bool((np.frombuffer(text, np.uint8) | 0x20 == ord("x")).any())  # x or X
