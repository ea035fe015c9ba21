"""HDF5 files: the tree of what is in them, and the arrays of numbers and text.

What can lead out of the file (external and soft links, external storage, virtual datasets) or holds references and
variable-length values other than text is named and never read. Links are looked at without following them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np

from services.tables.arrays import Layout, array_rows, dtype_text, shape_text
from services.tables.model import Row, Table, TableError

CONTENTS = "(contents)"
LISTED_OBJECTS = 5_000
OFFERED_ARRAYS = 1_000
DEEPEST = 64
CHUNK_BYTES = 128 * 1024 * 1024  # a piece that is stored packed has to be unpacked whole
_BROKEN = (OSError, RuntimeError, ValueError, KeyError, TypeError, OverflowError, UnicodeError)


@dataclass(frozen=True)
class Entry:
    """An object of the tree; `refused` says why its values are not read."""

    path: str
    kind: str
    shape: str = ""
    dtype: str = ""
    refused: str = ""


def open_hdf5(path: Path, table: str | None, offset: int, wanted: Sequence[int]) -> Table:
    """Open an HDF5 file: its table `(contents)`, or an array by its path, from row `offset`.

    Raises:
        TableError: the file is broken, or the array can't be read safely.
    """
    try:
        file = h5py.File(path, "r", locking=False)
        entries = list(_tree(file))
    except _BROKEN as error:
        raise TableError(f"The HDF5 file is broken ({_reason(error)}).") from None
    cut = len(entries) > LISTED_OBJECTS
    entries = entries[:LISTED_OBJECTS]
    arrays = [entry.path for entry in entries if entry.kind == "array" and not entry.refused]
    tables = [CONTENTS, *arrays[:OFFERED_ARRAYS]]
    if table in (None, CONTENTS):
        return _contents(entries, tables, cut)
    entry = next((entry for entry in entries if entry.path == table), None)
    if entry is None:
        raise TableError(f"The file holds no array named {table!r}.")
    if entry.refused or entry.kind != "array":
        raise TableError(f"{entry.path} is not shown: {entry.refused or f'it is a {entry.kind}'}.")
    try:
        shown = _array(file[entry.path], offset, wanted)
    except _BROKEN as error:
        raise TableError(f"{entry.path} can't be read ({_reason(error)}).") from None
    shown.tables, shown.table = tables, entry.path
    return shown


def _contents(entries: list[Entry], tables: list[str], cut: bool) -> Table:
    def rows() -> Iterator[Row]:
        for entry in entries:
            yield [entry.path, entry.kind, entry.shape, entry.dtype, entry.refused]

    return Table(
        kind="hdf5",
        columns=["path", "kind", "shape", "dtype", "not shown because"],
        rows=rows(),
        total_rows=len(entries),
        exact=not cut,
        partial=cut,
        dtypes=["text"] * 5,
        tables=tables,
        table=CONTENTS,
        notes=[f"Only the first {len(entries):,} objects are listed."] if cut else [],
    )


def _tree(file: h5py.File) -> Iterator[Entry]:
    """Every object once, parents first, at most one more than `LISTED_OBJECTS`. Only hard links are followed."""
    seen = {_address(file)}
    groups = [("", file["/"])]
    listed = 0
    while groups:
        prefix, group = groups.pop(0)
        for name in group:
            entry, inner = _entry(group, name, f"{prefix}/{name}")
            if inner is not None:
                address = _address(inner)
                if address in seen:
                    entry, inner = Entry(entry.path, "hard link", refused="it is listed under another path"), None
                seen.add(address)
            yield entry
            listed += 1
            if listed > LISTED_OBJECTS:
                return
            if isinstance(inner, h5py.Group) and prefix.count("/") < DEEPEST:
                groups.append((entry.path, inner))


def _entry(group: h5py.Group, name: str, path: str) -> tuple[Entry, Any]:
    try:
        link = group.get(name, getlink=True)
    except _BROKEN:
        return Entry(path, "link", refused="it is a link of a kind not known"), None
    if isinstance(link, h5py.ExternalLink):
        refused = f"it leads to another file, {link.filename}, at {link.path}"
        return Entry(path, "external link", refused=refused), None
    if isinstance(link, h5py.SoftLink):
        return Entry(path, "soft link", refused=f"it leads to {link.path}, which is listed where it is"), None
    try:
        found = group[name]
        if isinstance(found, h5py.Dataset):
            shape = "empty" if found.shape is None else shape_text(found.shape)
            return Entry(path, "array", shape, _type_text(found.dtype), _refused(found)), found
    except _BROKEN as error:
        return Entry(path, "broken", refused=_reason(error)), None
    return Entry(path, "group" if isinstance(found, h5py.Group) else "type"), found


def _refused(array: h5py.Dataset) -> str:
    """Why an array's values must not be read; nothing is read to find out."""
    if array.is_virtual:
        return "it is virtual: its values are in other files or arrays"
    if array.external:
        return f"its values are in another file, {array.external[0][0]}"
    if array.shape is None:
        return "it holds no value"
    if why := _refused_type(array.dtype):
        return why
    if array.chunks is not None and math.prod(array.chunks) * array.dtype.itemsize > CHUNK_BYTES:
        return f"it is stored in pieces of {shape_text(array.chunks)}, too large to unpack for a preview"
    return ""


def _refused_type(dtype: np.dtype[Any]) -> str:
    if h5py.check_string_dtype(dtype) is not None:
        return ""
    if h5py.check_ref_dtype(dtype) is not None:
        return "it holds references"
    if h5py.check_vlen_dtype(dtype) is not None:
        return "its values vary in length: Python objects are often stored so, as pickles"
    if dtype.fields:
        reasons = ((name, _refused_type(kind)) for name, (kind, *_) in dtype.fields.items())
        return next((f"of its field {name}, {reason}" for name, reason in reasons if reason), "")
    if dtype.subdtype is not None:
        return _refused_type(dtype.subdtype[0])
    return "it holds objects" if dtype.hasobject else ""


def _type_text(dtype: np.dtype[Any]) -> str:
    return "text" if h5py.check_string_dtype(dtype) is not None else dtype_text(dtype)


def _array(array: h5py.Dataset, offset: int, wanted: Sequence[int]) -> Table:
    layout = Layout(array.shape, array.dtype)
    held = layout.held(wanted)
    last = max(held, default=0) + 1

    def read(start: int, stop: int) -> np.ndarray[Any, Any]:
        if not layout.shape:
            return np.array([array[()]], dtype=array.dtype)
        if len(layout.shape) == 1:
            return np.asarray(array[start:stop])
        return np.asarray(array[(*layout.plane, slice(start, stop), slice(0, last))])

    def rows() -> Iterator[Row]:
        try:
            yield from array_rows(layout, offset, held, read)
        except MemoryError:
            raise
        except _BROKEN as error:
            raise TableError(f"The array can't be read ({_reason(error)}).") from None

    return Table(
        kind="hdf5",
        columns=layout.names,
        held=held,
        rows=rows(),
        start=offset,
        total_rows=0 if layout.empty else layout.rows,
        exact=True,
        dtypes=[_type_text(array.dtype)] * len(layout.names) if array.dtype.hasobject else layout.dtypes,
        notes=layout.notes,
    )


def _address(found: h5py.HLObject) -> Any:
    return h5py.h5o.get_info(found.id).addr


def _reason(error: Exception) -> str:
    return str(error).split("\n")[0].strip("'\"").rstrip(".") or type(error).__name__
