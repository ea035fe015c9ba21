"""One file from the Hub: plain HTTP, gone on with where it broke off, then Xet; checked before it takes its place."""

from __future__ import annotations

import re
import shutil
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from services.datafiles.cache import Cache
from services.datafiles.connection import AGAIN, Connection, before, check, states
from services.datafiles.errors import (
    Corrupt,
    DataFileError,
    Offline,
    RateLimited,
    Stopped,
    TimedOut,
    megabytes,
)
from services.datafiles.listing import Entry
from services.datafiles.xet import XetFailed, content_hash
from services.datafiles.xet import fetch as fetch_by_xet

TRIES = 3
PAUSE_SECONDS = 0.125  # doubled before each further try
MUCH_BYTES = 1_000_000  # a try that brought as much was no failure
XET_LEAST_SECONDS = 3.0  # its client takes a while to start
LONGEST_PAUSE_SECONDS = 10.0  # a longer Retry-After is told to whoever waits
_RANGE = re.compile(r"bytes (\d+)-\d+/\d+")


@dataclass
class Transfer:
    """One download, shared by all who want the file. Counts are in bytes; `total` is None until the Hub told it."""

    name: str
    done: int = 0
    total: int | None = None
    result: Future[Path] = field(default_factory=Future)
    stopping: threading.Event = field(default_factory=threading.Event)
    patient: int = 0  # callers that wait to the end
    stop_at: float | None = None  # monotonic; when a Stop comes true unless someone else asks for the file

    def look(self) -> None:
        """End the download when it was stopped.

        Raises:
            Stopped: it was.
        """
        if self.stop_at is not None and time.monotonic() >= self.stop_at and not self.patient:
            self.stopping.set()
        if self.stopping.is_set():
            raise Stopped(f"The download of {self.name} was stopped. {kept(self.done)} Try again to go on.")


def kept(size: int) -> str:
    return f"{megabytes(size)} of it are kept." if size else "Nothing of it has come yet."


@dataclass(frozen=True)
class Wanted:
    """A file of a bucket, and what the Hub's list says of it."""

    bucket: str
    path: str
    name: str
    entry: Entry


class Downloader:
    """Brings files from the Hub into the cache."""

    def __init__(self, connection: Connection, cache: Cache, seconds: float) -> None:
        """`seconds` is the longest one file may take."""
        self._connection = connection
        self._cache = cache
        self._seconds = seconds

    def bring(self, wanted: Wanted, place: Path, part: BinaryIO, transfer: Transfer, end: float) -> None:
        """Fetch the file into its locked part, check it, and put it in its place. Blocks, to `end` at most.

        Raises:
            DataFileError: the state it ended in. What came of it stays for the next try, unless it was wrong.
            OSError: the disk.
        """
        transfer.total = wanted.entry.size
        failures, most = 0, 0
        while True:
            transfer.look()
            try:
                self._come(wanted, part, transfer, end)
                self._verify(wanted, self._cache.part_path(place), part)
            except (Offline, TimedOut, Corrupt, RateLimited) as error:
                if transfer.done - most >= MUCH_BYTES:
                    failures = 0  # a connection that breaks off again and again still gets there
                most = max(most, transfer.done)
                failures += 1
                pause = float(error.seconds) if isinstance(error, RateLimited) else PAUSE_SECONDS * 2**failures
                if failures < TRIES and pause <= LONGEST_PAUSE_SECONDS and time.monotonic() + pause < end:
                    _pause(pause, transfer)
                    continue
                if _may_be_its_own(error) and self._brought_by_xet(wanted, place, transfer, end):
                    return
                raise _with_kept(error, part.seek(0, 2)) from None
            self._cache.land_part(place)
            return

    def _come(self, wanted: Wanted, part: BinaryIO, transfer: Transfer, end: float) -> None:
        """Take what is missing of the file by plain HTTP."""
        size, name = wanted.entry.size, wanted.name
        have = part.seek(0, 2)
        if have > size:
            have = _cut(part, 0)
        transfer.done = have
        if have == size:
            return
        address = f"{self._connection.endpoint}/buckets/{wanted.bucket}/resolve/{quote(wanted.path)}"
        headers = {"Range": f"bytes={have}-"} if have else {}
        with states(name), self._connection.stream("GET", address, end, headers) as response:
            if response.status_code == 416:
                _cut(part, 0)
                raise Corrupt(f"{name} is not as long as the Hub says. {AGAIN}")
            check(response.status_code, response.headers, name)
            if response.headers.get("content-encoding", "identity") != "identity":
                raise Corrupt(f"{name} did not come: what stands between packed it, which was not asked for. {AGAIN}")
            if have and response.status_code == 200:  # the whole file, from its start
                have = _cut(part, 0)
            elif have:
                start = _RANGE.match(response.headers.get("content-range", ""))
                if not start or int(start[1]) != have:
                    raise Corrupt(f"{name} did not come: the Hub sent another piece than was asked for. {AGAIN}")
            transfer.done = have
            for chunk in before(end, response, name, self._seconds):
                transfer.look()
                if transfer.done + len(chunk) > size:
                    transfer.done = _cut(part, 0)
                    raise Corrupt(f"{name} is longer than the Hub says: it may have changed. {AGAIN}")
                part.write(chunk)
                transfer.done += len(chunk)
        if transfer.done != size:
            raise Corrupt(f"{name} was cut short on its way from the Hub. {AGAIN}")

    def _verify(self, wanted: Wanted, path: Path, part: BinaryIO | None = None) -> None:
        if wanted.entry.size and content_hash(path) != wanted.entry.xet_hash:
            if part:
                _cut(part, 0)
            raise Corrupt(
                f"{wanted.name} came with another content than the Hub lists, so it was thrown away. "
                "What was fetched before is kept. Try again; if it goes on, the file is broken on the Hub."
            )

    def _brought_by_xet(self, wanted: Wanted, place: Path, transfer: Transfer, end: float) -> bool:
        if end - time.monotonic() < XET_LEAST_SECONDS:
            return False
        folder = self._cache.xet_folder(place)

        def came(size: int) -> None:
            transfer.done = min(size, wanted.entry.size)
            transfer.look()

        try:
            endpoint, token = self._connection.endpoint, self._connection.token
            file = fetch_by_xet(endpoint, token, wanted.bucket, wanted.path, folder, end, transfer.stopping, came)
            if file.stat().st_size != wanted.entry.size:
                return False
            self._verify(wanted, file)
            self._cache.land(file, place)
            self._cache.drop_part(place)
        except (XetFailed, Corrupt):
            transfer.look()
            transfer.done = self._cache.part_size(place)
            return False
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return True


def _may_be_its_own(error: DataFileError) -> bool:
    """Whether plain HTTP may fail where Xet does not."""
    return isinstance(error, TimedOut | Corrupt) or (isinstance(error, Offline) and error.answered)


def _with_kept(error: DataFileError, size: int) -> DataFileError:
    """The state, its sentence saying what came of the file."""
    if size:
        sentence = str(error).replace("What was fetched before is kept.", f"{kept(size)[:-1]}; the next try goes on.")
        error.args = (sentence,)
    return error


def _cut(part: BinaryIO, size: int) -> int:
    part.truncate(size)
    return part.seek(size)


def _pause(seconds: float, transfer: Transfer) -> None:
    end = time.monotonic() + seconds
    while (left := end - time.monotonic()) > 0:
        transfer.look()
        transfer.stopping.wait(min(0.25, left))
