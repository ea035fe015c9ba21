"""Archives: what is in them, and a member shown as the file it is. Nothing is ever unpacked to disk."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from services.tables.kind import kind_of
from services.tables.model import Row, Table, TableError
from services.tables.scratch import MEMBER_BYTES, Member, Stream, UnpackError

CONTENTS = "(contents)"
TEXT_BYTES = 4 * 1024 * 1024  # of a member that is text; the rest is left packed
LISTED_BYTES = 512 * 1024 * 1024  # of a packed tar: its members can't be found without unpacking those before
LISTED_MEMBERS = 100_000
OFFERED_MEMBERS = 1_000  # named as tables; the others can be asked for by name
_TEXT = {"delimited", "text", "json"}
_ARCHIVES = {"zip", "tar", "gzip", "bzip2", "xz", "npz", "7z", "rar", "zstd"}
_ARCHIVE_SUFFIXES = {".zip", ".tar", ".tgz", ".7z", ".rar", ".gz", ".bz2", ".xz", ".zst"}
_UNPACK: dict[str, Callable[[Any], Any]] = {"gzip": gzip.open, "bzip2": bz2.open, "xz": lzma.open}

OpenMember = Callable[[Path], Table]  # opens a member's first table, at the row and columns asked for


@dataclass(frozen=True)
class Entry:
    """A member of an archive. `kind` is file, folder, archive, encrypted, or where a link leads to."""

    name: str
    size: int
    packed: int | None
    kind: str
    open: Callable[[], Stream]


def open_archive(path: Path, kind: str, table: str | None, open_member: OpenMember) -> Table:
    """Open a zip or tar file: its table `(contents)`, or a member by name.

    Raises:
        TableError: the archive is broken, or the member can't be shown.
    """
    entries, notes = _zip_entries(path) if kind == "zip" else _tar_entries(path, None)
    return _archive(kind, entries, notes, table, open_member)


def open_packed(path: Path, kind: str, table: str | None, open_member: OpenMember) -> Table:
    """Open a gzip, bzip2 or xz file: the one file in it as that file, or a tar as an archive.

    Raises:
        TableError: it can't be unpacked, or what is in it can't be shown.
    """
    try:
        with _UNPACK[kind](path) as stream:
            head = stream.read1(1024)
            while 0 < len(head) < 262 and (more := stream.read1(1024)):
                head += more
    except UnpackError as error:
        raise TableError(f"The {kind} file is broken: {str(error).rstrip('.')}.") from None
    if head[257:262] == b"ustar":
        entries, notes = _tar_entries(path, kind)
        return _archive("tar", entries, notes, table, open_member)
    with _UNPACK[kind](path) as stream:
        opened, size = _shown(stream, _inner_name(path), open_member)
    return replace(opened, notes=[f"Unpacked from {kind}: {size}.", *opened.notes])


def packed_text(path: Path, kind: str) -> Path | None:
    """The start of the one text file in a gzip, bzip2, xz or zip file, as a file; None where it holds anything else.

    Raises:
        TableError: it can't be unpacked.
    """
    if kind == "zip":
        entries, _ = _zip_entries(path)
        if len(entries) != 1 or entries[0].kind != "file":  # a folder beside the file is too much for pandas
            return None
        name, stream = entries[0].name, entries[0].open()
    else:
        name, stream = _inner_name(path), _UNPACK[kind](path)
    member = Member(name)
    member.fill(stream, TEXT_BYTES)
    if kind_of(member.path) not in _TEXT:
        return None
    if not (member.whole or member.broken):
        member.end_at_a_line()
    return member.path


def _inner_name(path: Path) -> str:
    return path.stem if path.suffix.lower() in _ARCHIVE_SUFFIXES else path.name


def _archive(kind: str, entries: list[Entry], notes: list[str], table: str | None, open_member: OpenMember) -> Table:
    shown = [entry.name for entry in entries if entry.kind == "file" and entry.name != CONTENTS]
    tables = [CONTENTS, *shown[:OFFERED_MEMBERS]]
    if table in (None, CONTENTS):
        if len(shown) > OFFERED_MEMBERS:
            notes = [*notes, f"{len(shown):,} files; the first {OFFERED_MEMBERS:,} can be chosen."]
        if any(_outside(entry.name) for entry in entries):
            notes = [*notes, "Some names lead out of the archive's own folder. Unpack it only with a tool that checks."]
        return _listing(kind, entries, tables, notes)
    entry = next((entry for entry in entries if entry.name == table), None)
    if entry is None:
        raise TableError(f"The archive holds no file named {table!r}.")
    if entry.kind == "encrypted":
        raise TableError(f"{entry.name} is encrypted. Unpack it with its password in the kernel.")
    if entry.kind != "file":
        raise TableError(f"{entry.name} is no file that can be shown here ({entry.kind}).")
    try:
        stream = entry.open()
    except (*UnpackError, NotImplementedError, tarfile.TarError, KeyError) as error:
        raise TableError(f"{entry.name} can't be unpacked: {str(error).rstrip('.')}.") from None
    opened, size = _shown(stream, entry.name, open_member)
    return replace(opened, tables=tables, table=entry.name, notes=[f"{entry.name}: {size}.", *opened.notes])


def _listing(kind: str, entries: list[Entry], tables: list[str], notes: list[str]) -> Table:
    packed = any(entry.packed is not None for entry in entries)

    def rows() -> Iterator[Row]:
        for entry in entries:
            yield [entry.name, str(entry.size), *([str(entry.packed)] if packed else []), entry.kind]

    return Table(
        kind=kind,
        columns=["name", "size", *(["packed"] if packed else []), "kind"],
        rows=rows(),
        total_rows=len(entries),
        exact=not any(note.startswith("Only the first") for note in notes),
        dtypes=["text", "bytes", *(["bytes"] if packed else []), "text"],
        tables=tables,
        table=CONTENTS,
        notes=notes,
    )


def _shown(stream: Stream, name: str, open_member: OpenMember) -> tuple[Table, str]:
    """The member's first table, and how much of the member was unpacked."""
    member = Member(name)
    member.fill(stream, TEXT_BYTES)
    kind = kind_of(member.path)
    if not (member.whole or member.broken):
        if kind in _TEXT:
            member.end_at_a_line()
        else:
            member.fill(stream, MEMBER_BYTES)
            kind = kind_of(member.path)
    size = f"{member.size:,} bytes"
    if member.broken:
        size += f", where unpacking stopped ({member.broken})"
    elif not member.whole:
        size = f"the first {size}"
    if kind in _ARCHIVES:
        nested = f"{name} is an archive inside an archive, which is not looked into. Unpack it in the kernel."
        return Table(kind=kind, columns=[], rows=iter(()), notes=[nested]), size
    if not member.whole and not member.broken and kind not in _TEXT:
        raise TableError(
            f"{name} is larger than {MEMBER_BYTES // 1024**2} MB unpacked: too large to look into while it is packed. "
            "Unpack it in the kernel."
        )
    opened = open_member(member.path)
    if not member.whole:
        opened = replace(opened, total_rows=None, exact=False, partial=True)
    if len(opened.tables) > 1:
        others = f"{opened.table} is the first of {len(opened.tables):,} tables in it; unpack it to see the others."
        opened.notes.append(others)
    return replace(opened, tables=[], table=None), size


def _zip_entries(path: Path) -> tuple[list[Entry], list[str]]:
    try:
        archive = zipfile.ZipFile(path)
    except (*UnpackError, ValueError, NotImplementedError) as error:
        raise TableError(f"The zip file is broken: {str(error).rstrip('.')}.") from None

    def kind(info: zipfile.ZipInfo) -> str:
        if info.is_dir():
            return "folder"
        if info.flag_bits & 1:
            return "encrypted"
        return _file_kind(info.filename)

    members = archive.infolist()
    entries = [
        Entry(info.filename, info.file_size, info.compress_size, kind(info), partial(_zip_member, archive, info))
        for info in members[:LISTED_MEMBERS]
    ]
    cut = f"Only the first {LISTED_MEMBERS:,} members of {len(members):,} are listed."
    return entries, [cut] if len(members) > LISTED_MEMBERS else []


def _zip_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Stream:
    stream = archive.open(info)
    assert isinstance(stream, zipfile.ZipExtFile)
    return stream


def _tar_entries(path: Path, packing: str | None) -> tuple[list[Entry], list[str]]:
    entries: list[Entry] = []
    try:
        archive = tarfile.TarFile(fileobj=_UNPACK[packing](path) if packing else io.FileIO(path))
        for info in archive:
            entries.append(Entry(info.name, info.size, None, _tar_kind(info), partial(_tar_member, archive, info)))
            if len(entries) >= LISTED_MEMBERS or (packing and info.offset_data + info.size > LISTED_BYTES):
                return entries, [f"Only the first {len(entries):,} members are listed: the archive is too large."]
    except (*UnpackError, tarfile.TarError, ValueError) as error:
        if not entries:
            raise TableError(f"The tar file is broken: {str(error).rstrip('.')}.") from None
        return entries, [f"Only the first {len(entries):,} members are listed: {str(error).rstrip('.')}."]
    return entries, []


def _tar_kind(info: tarfile.TarInfo) -> str:
    if info.isdir():
        return "folder"
    if info.issym() or info.islnk():
        return f"link to {info.linkname}"
    return _file_kind(info.name) if info.isreg() else "device or pipe"


def _tar_member(archive: tarfile.TarFile, info: tarfile.TarInfo) -> Stream:
    stream = archive.extractfile(info)
    assert isinstance(stream, io.BufferedReader)  # of a regular file always
    return stream


def _file_kind(name: str) -> str:
    return "archive" if PurePosixPath(name).suffix.lower() in _ARCHIVE_SUFFIXES else "file"


def _outside(name: str) -> bool:
    """Whether a name leads out of the folder an archive is unpacked to: shown as it is, never used as a path."""
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or parts[0] == "" or parts[0].endswith(":")
