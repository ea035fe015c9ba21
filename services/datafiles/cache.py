"""The files fetched from the Hub, on this machine: whole ones, parts that can be gone on with, and room for more.

`whole/{id}/{name}` holds only complete, checked files, moved there in one step; `parts/{id}` what has come of others.
The id is a hash of bucket, path and content. Who writes a part holds its lock, which ends with the process.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from services.datafiles.errors import NoRoom, megabytes
from services.datafiles.listing import Entry

IN_USE_SECONDS = 600.0  # a file opened within these is not removed: a kernel's folder may be filling from it
PART_SECONDS = 86_400.0  # a part older than this is nobody's any more
XET_SUFFIX = ".xet"


class PartBusy(Exception):
    """Another app on the same folder is fetching the file."""


@dataclass(frozen=True)
class CacheUse:
    """What the cache holds; sizes in bytes. `disk_free` is that of the disk it is on."""

    files: int
    bytes: int
    parts: int
    part_bytes: int
    max_bytes: int
    disk_free: int


class Cache:
    """Files below `folder`: together at most `max_bytes`, and `floor_bytes` of the disk stay free."""

    def __init__(self, folder: Path, max_bytes: int, floor_bytes: int) -> None:
        self.whole = folder / "whole"
        self.parts = folder / "parts"
        self.max_bytes = max_bytes
        self.floor_bytes = floor_bytes
        self._promised: dict[Path, int] = {}  # bytes still to come of files let in
        self._lock = threading.Lock()
        self._sweep()

    def place(self, bucket: str, path: PurePosixPath, entry: Entry) -> Path:
        """Where the whole file stands or will stand."""
        key = f"{bucket}\0{path}\0{entry.xet_hash}\0{entry.size}".encode(errors="surrogatepass")
        return self.whole / hashlib.sha256(key).hexdigest()[:40] / path.name

    def has(self, place: Path, entry: Entry) -> bool:
        """Whether the whole file is there; being asked for counts as use."""
        try:
            held = place.stat()
            if held.st_size != entry.size:
                return False
            os.utime(place, (time.time(), held.st_mtime))
        except OSError:
            return False
        return True

    def part_size(self, place: Path) -> int:
        """Bytes that have come of a file that isn't whole yet."""
        try:
            return self.part_path(place).stat().st_size
        except OSError:
            return 0

    @contextmanager
    def part(self, place: Path) -> Iterator[BinaryIO]:
        """The file's part, open for reading and writing and locked.

        Raises:
            PartBusy: another process has it.
            OSError: it can't be made.
        """
        self.parts.mkdir(parents=True, exist_ok=True)
        path = self.part_path(place)
        with open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b", buffering=0) as file:  # noqa: PTH123
            if not _locked(file) or not _same(file, path):
                raise PartBusy
            yield file

    def land(self, source: Path, place: Path) -> None:
        """Move a complete and checked file to its place, in one step."""
        for _ in range(5):
            place.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):  # another app may have removed the empty folder
                source.replace(place)
                return
        raise OSError(f"{place.parent} can't be made")

    def land_part(self, place: Path) -> None:
        self.land(self.part_path(place), place)

    def xet_folder(self, place: Path) -> Path:
        """A folder for the second way of fetching; whoever holds the part's lock may use it."""
        return self.part_path(place).with_suffix(XET_SUFFIX)

    def drop_part(self, place: Path) -> None:
        """Forget what has come. Its lock must be held."""
        self.part_path(place).unlink(missing_ok=True)

    @contextmanager
    def room(self, place: Path, name: str, size: int) -> Iterator[None]:
        """Keep room for `size` more bytes; those used longest ago go first.

        Raises:
            NoRoom: there is none, and nothing more may go.
        """
        with self._lock:
            self._make_room(name, size + sum(self._promised.values()), self.part_path(place))
            self._promised[place] = size
        try:
            yield
        finally:
            with self._lock:
                self._promised.pop(place, None)

    def use(self) -> CacheUse:
        """What is held now."""
        whole, parts = self._held(self.whole), self._held(self.parts)
        return CacheUse(
            len(whole),
            sum(size for _, size, _ in whole),
            len(parts),
            sum(size for _, size, _ in parts),
            self.max_bytes,
            self._disk_free(),
        )

    def _make_room(self, name: str, size: int, own: Path) -> None:
        if size > self.max_bytes:
            raise NoRoom(
                f"{name} needs {megabytes(size)}, and the cache may hold {megabytes(self.max_bytes)}. "
                "Nothing was fetched. Whoever runs the app can raise CACHE_MAX_GB."
            )
        held = sorted(self._held(self.whole) + self._held(self.parts), key=lambda each: each[2])
        over = sum(bytes_ for _, bytes_, _ in held) + size - self.max_bytes
        short = max(over, size + self.floor_bytes - self._disk_free())
        for path, bytes_, used in held:
            if short <= 0:
                return
            if path != own and time.time() - used > IN_USE_SECONDS and not _linked(path) and _removed(path):
                short -= bytes_
        if short > 0:
            raise NoRoom(
                f"There is no room for {name}: {megabytes(short)} are missing, and all files kept are in use. "
                "Nothing was fetched. Try again in ten minutes; whoever runs the app can raise CACHE_MAX_GB or free "
                "the disk."
            )

    def _held(self, folder: Path) -> list[tuple[Path, int, float]]:
        """Files below a folder: path, bytes, last use in seconds since 1970."""
        found = []
        for parent, _, names in os.walk(folder):
            for name in names:
                path = Path(parent) / name
                with contextlib.suppress(OSError):
                    stat = path.stat()
                    found.append((path, stat.st_size, max(stat.st_atime, stat.st_mtime)))
        return found

    def _disk_free(self) -> int:
        existing = next(each for each in (self.parts, *self.parts.parents) if each.exists())
        return shutil.disk_usage(existing).free

    def part_path(self, place: Path) -> Path:
        """Where the file grows until it is whole."""
        return self.parts / place.parent.name

    def _sweep(self) -> None:
        """Remove what an app that was killed left and nobody will go on with."""
        with contextlib.suppress(OSError):
            for path in list(self.parts.iterdir()):
                if path.suffix == XET_SUFFIX:
                    part = path.with_suffix("")
                    if not part.exists() or _free(part):
                        shutil.rmtree(path, ignore_errors=True)
                elif time.time() - path.stat().st_mtime > PART_SECONDS:
                    _removed(path)
        with contextlib.suppress(OSError):
            for folder in list(self.whole.iterdir()):
                with contextlib.suppress(OSError):
                    folder.rmdir()  # only an empty one goes


def _locked(file: BinaryIO | object) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)  # type: ignore[arg-type]
    except BlockingIOError:
        return False
    return True


def _same(file: object, path: Path) -> bool:
    """Whether the open file still stands under its path: its last owner may have moved it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())  # type: ignore[attr-defined]
    except OSError:
        return False


def _free(path: Path) -> bool:
    """Whether no process is writing the part."""
    try:
        with path.open("rb") as file:
            return _locked(file)
    except OSError:
        return False


def _linked(path: Path) -> bool:
    """Whether a kernel has the file as its input, under another name."""
    try:
        return path.stat().st_nlink > 1
    except OSError:
        return True


def _removed(path: Path) -> bool:
    """Remove a file nobody writes; whether it went."""
    try:
        with path.open("rb") as file:
            if not _locked(file):
                return False
            path.unlink(missing_ok=True)
    except OSError:
        return False
    with contextlib.suppress(OSError):
        path.parent.rmdir() if path.parent.parent.name == "whole" else None
    return True
