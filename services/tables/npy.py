"""NumPy's files: one array (.npy), or several in a zip (.npz). Arrays of Python objects are never read."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy_format

from services.tables.archives import CONTENTS
from services.tables.arrays import Layout, array_rows, dtype_text, shape_text
from services.tables.model import Row, Table, TableError
from services.tables.scratch import UnpackError

_OBJECTS = (
    "Arrays of Python objects are stored as pickles. Reading one runs the code it holds, so they are not shown. Open "
    "it in the kernel if you trust it."
)
WHOLE_BYTES = 64 * 1024 * 1024  # an array in column order has to be read whole


def open_npy(path: Path, offset: int, wanted: Sequence[int]) -> Table:
    """Open an array; rows come from row `offset`, of the `wanted` columns alone.

    Raises:
        TableError: the file is broken, or its array is in column order and too large.
    """
    return _table("npy", path.open("rb"), path.stat().st_size, offset, wanted)


def open_npz(path: Path, table: str | None, offset: int, wanted: Sequence[int]) -> Table:
    """Open a file of arrays: its table `(contents)`, or an array by name.

    Raises:
        TableError: the file is broken, or the array holds Python objects.
    """
    try:
        archive = zipfile.ZipFile(path)
    except (*UnpackError, ValueError, NotImplementedError) as error:
        raise TableError(f"The NumPy file is broken ({_reason(error)}).") from None
    members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
    described = {name: _described(archive, info) for name, info in members.items()}
    tables = [CONTENTS, *(name for name, (_, dtype, _) in described.items() if dtype not in {"objects", "broken"})]
    if table in (None, CONTENTS):
        rows: Iterator[Row] = iter([name, *facts] for name, facts in described.items())
        return Table(
            kind="npz",
            columns=["name", "shape", "dtype", "size"],
            rows=rows,
            total_rows=len(members),
            exact=True,
            dtypes=["text", "text", "text", "bytes"],
            tables=tables,
            table=CONTENTS,
            notes=[_OBJECTS] if any(dtype == "objects" for _, dtype, _ in described.values()) else [],
        )
    if table not in members:
        raise TableError(f"The file holds no array named {table!r}.")
    info = members[table]
    try:
        shown = _table("npz", archive.open(info), info.file_size, offset, wanted)
    except (*UnpackError, NotImplementedError) as error:
        raise TableError(f"The array can't be unpacked ({_reason(error)}).") from None
    shown.tables, shown.table = tables, table
    return shown


def _described(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> tuple[str, str, str]:
    """Shape, type and size in bytes, read from the array's header."""
    try:
        with archive.open(info) as file:
            shape, _, dtype = _header(file)
    except (*UnpackError, TableError, NotImplementedError):
        return "", "broken", str(info.file_size)
    return shape_text(shape), "objects" if dtype.hasobject else dtype_text(dtype), str(info.file_size)


def _table(kind: str, file: IO[bytes], size: int, offset: int, wanted: Sequence[int]) -> Table:
    shape, fortran, dtype = _header(file)
    if dtype.hasobject:
        raise TableError(_OBJECTS)
    begin = file.tell()
    length = math.prod(shape) * dtype.itemsize
    if length > size - begin:
        raise TableError(
            f"The array is cut short: its header says {shape_text(shape)} of {dtype}, {length:,} bytes, "
            f"and {size - begin:,} are there."
        )
    layout = Layout(shape, dtype)
    held = layout.held(wanted)
    by_column = fortran and len(shape) > 1
    read = _column_order(file, shape, dtype, length) if by_column else _row_order(file, begin, layout)
    return Table(
        kind=kind,
        columns=layout.names,
        held=held,
        rows=_sentences(array_rows(layout, offset, held, read)),
        start=offset,
        total_rows=0 if layout.empty else layout.rows,
        exact=True,
        dtypes=layout.dtypes,
        notes=layout.notes,
    )


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    try:
        version = npy_format.read_magic(file)
        readers = {(1, 0): npy_format.read_array_header_1_0, (2, 0): npy_format.read_array_header_2_0}
        shape, fortran, dtype = readers.get(version, npy_format.read_array_header_2_0)(file)
    except (ValueError, EOFError, OSError, TypeError, SyntaxError, RecursionError, TokenError) as error:
        raise TableError(f"The NumPy file is broken ({_reason(error)}).") from None
    if any(length < 0 for length in shape) or dtype.itemsize == 0:
        raise TableError(f"The NumPy file is broken (an array of {shape_text(shape)} of {dtype}).")
    return shape, fortran, dtype


def _row_order(file: IO[bytes], begin: int, layout: Layout) -> Callable[[int, int], np.ndarray[Any, Any]]:
    row_bytes = layout.width * layout.dtype.itemsize

    def read(start: int, stop: int) -> np.ndarray[Any, Any]:
        file.seek(begin + start * row_bytes)
        data = file.read((stop - start) * row_bytes)
        if len(data) < (stop - start) * row_bytes:
            raise EOFError("the file ends before the array does")
        flat = np.frombuffer(data, layout.dtype)
        return flat.reshape(stop - start, layout.width) if len(layout.shape) > 1 else flat

    return read


def _column_order(
    file: IO[bytes], shape: tuple[int, ...], dtype: np.dtype[Any], length: int
) -> Callable[[int, int], np.ndarray[Any, Any]]:
    if length > WHOLE_BYTES:
        raise TableError(
            f"The array ({shape_text(shape)}) is stored column by column and over {WHOLE_BYTES // 1024**2} MB: too "
            "large for a preview. np.load(…, mmap_mode='r') opens it in the kernel."
        )

    def read(start: int, stop: int) -> np.ndarray[Any, Any]:
        if not whole:
            whole.append(np.frombuffer(file.read(length), dtype).reshape(shape, order="F"))
        plane: np.ndarray[Any, Any] = whole[0][(0,) * (len(shape) - 2)]
        return plane[start:stop]

    whole: list[np.ndarray[Any, Any]] = []
    return read


def _sentences(rows: Iterator[Row]) -> Iterator[Row]:
    try:
        yield from rows
    except (*UnpackError, ValueError) as error:
        raise TableError(f"The array is broken ({_reason(error)}).") from None


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0].rstrip(".") or type(error).__name__
