"""Which reader opens a file of which kind, as text for the preview and as code for pandas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from services.tables.delimited import delimited_readers, open_delimited, open_lines
from services.tables.hex_head import open_hex
from services.tables.json_records import json_readers, open_json
from services.tables.kind import kind_of
from services.tables.model import Reading, Table
from services.tables.signatures import EXECUTABLE, LABELS, PICTURES

_PANDAS = {
    "parquet": "pd.read_parquet({})",
    "feather": "pd.read_feather({})",
    "stata": "pd.read_stata({})",
    "sas": "pd.read_sas({})",
}
_COMPRESSION = {"gzip": "gzip", "bzip2": "bz2", "xz": "xz", "zip": "zip"}
_PACKED = _COMPRESSION.keys() - {"zip"}


@dataclass(frozen=True)
class Wanted:
    """What is asked of a file: a table (None: the first), the first row, the columns by number, how text is read."""

    table: str | None
    offset: int
    columns: Sequence[int]
    reading: Reading


def open_table(path: Path, kind: str, wanted: Wanted) -> Table:
    """Open a file of a kind that `kind_of` found, at the rows and columns wanted. Nothing in it is ever run.

    Raises:
        TableError: the file is broken, or can't be shown safely.
    """
    if kind in EXECUTABLE:
        return Table("refused", [], iter(()), notes=[f"{EXECUTABLE[kind]}, so it is not opened here. {_TRUST}"])
    if kind == "delimited":
        return open_delimited(path, wanted.reading, wanted.offset)
    if kind == "json":
        return open_json(path, wanted.table)
    if kind == "text":
        return open_lines(path, wanted.reading)
    return _open_binary(path, kind, wanted)


_TRUST = "Open it in the kernel if you trust it."


def _open_binary(path: Path, kind: str, wanted: Wanted) -> Table:
    # The libraries of the binary formats take a few hundred ms to import: only where needed
    if kind == "excel":
        from services.tables.excel import open_excel

        return open_excel(path, wanted.table)
    if kind in {"xls", "xlsb", "ods"}:
        from services.tables.calamine_book import open_book

        return open_book(path, kind, wanted.table)
    if kind == "sqlite":
        from services.tables.sqlite import open_sqlite

        return open_sqlite(path, wanted.table, wanted.offset)
    if kind == "parquet":
        from services.tables.parquet import open_parquet

        return open_parquet(path, wanted.offset, wanted.columns)
    if kind == "feather":
        from services.tables.feather import open_feather

        return open_feather(path, wanted.columns)
    if kind == "hdf5":
        from services.tables.hdf5 import open_hdf5

        return open_hdf5(path, wanted.table, wanted.offset, wanted.columns)
    if kind in {"npy", "npz"}:
        from services.tables.npy import open_npy, open_npz

        if kind == "npy":
            return open_npy(path, wanted.offset, wanted.columns)
        return open_npz(path, wanted.table, wanted.offset, wanted.columns)
    if kind in PICTURES:
        from services.tables.images import open_image

        return open_image(path)
    if kind in {"zip", "tar", *_PACKED}:
        return _open_archive(path, kind, wanted)
    return open_hex(path, LABELS[kind])


def _open_archive(path: Path, kind: str, wanted: Wanted) -> Table:
    from services.tables.archives import open_archive, open_packed

    def open_member(member: Path) -> Table:
        return open_table(member, kind_of(member), replace(wanted, table=None))

    if kind in _PACKED:
        return open_packed(path, kind, wanted.table, open_member)
    return open_archive(path, kind, wanted.table, open_member)


def readers_of(path: Path, kind: str, target: str, reading: Reading) -> dict[str, str]:
    """For each table of the file ("" where it is but one), the Python expression that reads it at `target`."""
    if kind == "delimited":
        return delimited_readers(path, target, reading)
    if kind == "json":
        return json_readers(path, target)
    if kind == "excel":
        from services.tables.excel import excel_readers

        return excel_readers(path, target)
    if kind == "sqlite":
        from services.tables.sqlite import sqlite_readers

        return sqlite_readers(path, target)
    if kind in _COMPRESSION:
        return _packed_readers(path, kind, target, reading)
    return {"": _PANDAS[kind].format(repr(target))} if kind in _PANDAS else {}


def _packed_readers(path: Path, kind: str, target: str, reading: Reading) -> dict[str, str]:
    """The expression for a packed table, which pandas unpacks by itself; by the name's end where that tells how."""
    from services.tables.archives import packed_text

    text = packed_text(path, kind)
    if text is None or kind_of(text) != "delimited":
        return {}
    found = delimited_readers(text, target, reading)
    told = path.suffix.lower() in {".gz", ".bz2", ".xz", ".zip"}
    more = "" if told else f", compression={_COMPRESSION[kind]!r}"
    return {table: f"{call[:-1]}{more})" for table, call in found.items()}
