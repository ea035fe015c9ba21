"""NumPy arrays as tables: one dimension is a column, two are columns, records are fields; of more, the first plane."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from services.tables.model import Row

READ_BYTES = 4 * 1024 * 1024  # of an array, at once
NAMED_COLUMNS = 20_000


@dataclass(frozen=True)
class Layout:
    """How an array of a shape and a type makes a table of `rows` × `columns`."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def rows(self) -> int:
        return self.shape[-2] if len(self.shape) > 1 else self.shape[0] if self.shape else 1

    @property
    def width(self) -> int:
        """Columns of the plane shown."""
        return self.shape[-1] if len(self.shape) > 1 else 1

    @property
    def plane(self) -> tuple[int, ...]:
        """The place of the plane shown, in the dimensions before the last two."""
        return (0,) * (len(self.shape) - 2)

    @property
    def empty(self) -> bool:
        return 0 in self.shape

    @property
    def names(self) -> list[str]:
        if self.dtype.names and len(self.shape) <= 1:
            return list(self.dtype.names)
        return [str(at) for at in range(min(self.width, NAMED_COLUMNS))] if len(self.shape) > 1 else ["0"]

    @property
    def dtypes(self) -> list[str]:
        if self.dtype.fields and len(self.shape) <= 1:
            return [dtype_text(self.dtype.fields[name][0]) for name in self.dtype.names or ()]
        return [dtype_text(self.dtype)] * len(self.names)

    @property
    def notes(self) -> list[str]:
        notes = []
        if len(self.shape) > 2:
            place = "".join(f"{at}, " for at in self.plane)
            notes.append(f"{len(self.shape)} dimensions, {shape_text(self.shape)}: the plane [{place}:, :] is shown.")
        if len(self.shape) > 1 and self.width > NAMED_COLUMNS:
            notes.append(f"Of {self.width:,} columns the first {NAMED_COLUMNS:,} are shown.")
        return notes

    def held(self, wanted: Sequence[int]) -> list[int]:
        """Those of the wanted columns that there are."""
        return [at for at in wanted if 0 <= at < len(self.names)]


def array_rows(
    layout: Layout, offset: int, held: list[int], read: Callable[[int, int], np.ndarray[Any, Any]]
) -> Iterator[Row]:
    """The rows as text from row `offset` on. `read` gives rows [start, stop) with at least the columns up to the last
    of `held`.
    """
    if layout.empty:
        return
    step = max(1, READ_BYTES // max(1, layout.width * layout.dtype.itemsize))
    for start in range(offset, layout.rows, step):
        block = read(start, min(start + step, layout.rows))
        if layout.dtype.names and len(layout.shape) <= 1:
            fields = [block[layout.dtype.names[at]] for at in held]
            for at in range(len(block)):
                yield [text(field[at]) for field in fields]
        elif len(layout.shape) <= 1:
            for value in block:
                yield [text(value) for _ in held]
        else:
            for row in block:
                yield [text(row[at]) for at in held]


def text(value: Any) -> str:
    """A value of an array as text, floats with the fewest digits that give them back."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, np.void) and value.dtype.names:
        return "(" + ", ".join(text(value[name]) for name in value.dtype.names) + ")"
    if isinstance(value, np.void):
        return value.tobytes().hex(" ")
    if isinstance(value, np.ndarray):
        return "[" + ", ".join(map(text, value[:1000])) + (", …]" if len(value) > 1000 else "]")
    return str(value)


def shape_text(shape: tuple[int, ...]) -> str:
    """A shape in words: 10 × 28 × 28."""
    return " × ".join(f"{length:,}" for length in shape) if shape else "one value"


def dtype_text(dtype: np.dtype[Any]) -> str:
    """A type in words: int32, text, or the fields of a record."""
    if dtype.fields:
        return ", ".join(f"{name} {dtype_text(kind)}" for name, (kind, *_) in dtype.fields.items())
    if dtype.subdtype is not None:
        return f"{dtype.subdtype[0]} {list(dtype.shape)}"
    return "text" if dtype.kind in "SU" else str(dtype)
