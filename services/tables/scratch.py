"""Room in memory where a member of an archive stands as a file, so that every reader can read it.

The child that reads may write no file. The room is therefore set aside before that limit holds, at its full length, and
filled through a memory map; its pages take memory only once they are written.
"""

from __future__ import annotations

import gzip
import lzma
import mmap
import os
import weakref
import zipfile
import zlib
from pathlib import Path, PurePath
from typing import Protocol

from services.tables.model import TableError

MEMBER_BYTES = 64 * 1024 * 1024  # unpacked; a larger member can't be held whole
_CHUNK = 1024 * 1024
_reserved: list[int] = []

UnpackError = (EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, gzip.BadGzipFile, RuntimeError)


class Unpacked(type(Path())):  # type: ignore[misc]
    """The path of a member in memory; its suffix is that of the member's name. It frees the memory when it goes."""

    named: str

    @property
    def suffix(self) -> str:
        return PurePath(self.named).suffix


class Stream(Protocol):
    """What unpacks a member: every call gives at most `size` bytes, and none at the end."""

    def read1(self, size: int, /) -> bytes: ...


def reserve() -> None:
    """Set the room for one member aside, while this process may still make files."""
    _reserved.append(_room())


class Member:
    """A member of an archive in memory: its `path`, whether the `whole` of it is there, and what `broken` it off."""

    def __init__(self, name: str) -> None:
        self.name, self.size, self.whole = name, 0, False
        self.broken: str | None = None
        self._fd = _reserved.pop() if _reserved else _room()
        self.path = Unpacked(f"/proc/self/fd/{self._fd}")
        self.path.named = name
        weakref.finalize(self.path, os.close, self._fd)

    def fill(self, stream: Stream, limit: int) -> None:
        """Unpack on, until `limit` bytes are there.

        Raises:
            TableError: not one byte could be unpacked.
        """
        try:
            with mmap.mmap(self._fd, MEMBER_BYTES) as room:
                while self.size < limit and (chunk := stream.read1(min(_CHUNK, limit - self.size))):
                    room[self.size : self.size + len(chunk)] = chunk
                    self.size += len(chunk)
            self.whole = self.size < limit
        except UnpackError as error:
            self.broken = str(error).rstrip(".") or type(error).__name__
        if self.broken and not self.size:
            raise TableError(f"{self.name} can't be unpacked: {self.broken}.")
        if self.whole or self.broken:
            os.ftruncate(self._fd, self.size)

    def end_at_a_line(self) -> None:
        """Cut text that isn't whole after its last line end, so that no row is cut in two."""
        with mmap.mmap(self._fd, MEMBER_BYTES) as room:
            self.size = room.rfind(b"\n", 0, self.size) + 1 or self.size
        os.ftruncate(self._fd, self.size)


def _room() -> int:
    fd = os.memfd_create("member", os.MFD_CLOEXEC)
    os.ftruncate(fd, MEMBER_BYTES)
    return fd
