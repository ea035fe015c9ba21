"""What a task's folder of the bucket holds: asked for, kept on disk, and compared with the time before."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from services.datafiles.connection import Connection, states
from services.datafiles.errors import Corrupt, DataFileError, Offline, TimedOut

LIST_SECONDS = 10.0
FRESH_SECONDS = 600.0  # a listing younger than this is not asked for again
MAX_PAGES = 20


@dataclass(frozen=True)
class Entry:
    """A file of the bucket: its size in bytes and the Xet hash of its content, 64 hexadecimal digits."""

    size: int
    xet_hash: str


def _entry(told: dict[str, Any]) -> Entry:
    entry = Entry(int(told["size"]), str(told["xetHash"]))
    if entry.size < 0:
        raise ValueError(f"a size of {entry.size} bytes")
    return entry


@dataclass
class Listing:
    """A folder of a bucket: its files by their path within it.

    asked: when the Hub was asked, in seconds since 1970.
    changed: files whose content was another when they were listed before, with the day that was noticed.
    """

    entries: dict[str, Entry]
    asked: float
    changed: dict[str, str] = field(default_factory=dict)


class Listings:
    """The listings of folders, kept as JSON below `folder`. Safe in threads, and for several apps on one folder."""

    def __init__(self, connection: Connection, folder: Path) -> None:
        self._connection = connection
        self._folder = folder
        self._known: dict[tuple[str, str], Listing] = {}
        self._failed: dict[tuple[str, str], tuple[float, DataFileError]] = {}  # when, and how
        self._locks: defaultdict[tuple[str, str], threading.Lock] = defaultdict(threading.Lock)

    def kept(self, bucket: str, prefix: str) -> Listing | None:
        """The last listing known, without asking the Hub; None where there never was one."""
        key = (bucket, prefix)
        if key not in self._known:
            try:
                found = json.loads(self._file(bucket, prefix).read_text())
                entries = {name: Entry(int(size), str(xet_hash)) for name, (size, xet_hash) in found["entries"].items()}
                self._known[key] = Listing(entries, float(found["asked"]), dict(found["changed"]))
            except (OSError, ValueError, KeyError, TypeError, AttributeError):
                return None
        return self._known[key]

    def get(self, bucket: str, prefix: str, *, anew: bool = False) -> Listing:
        """The folder's listing, asked for when the one kept is over ten minutes old, or `anew`.

        Raises:
            DataFileError: the Hub doesn't list it.
        """
        began = time.monotonic()
        with self._locks[bucket, prefix]:
            failed = self._failed.get((bucket, prefix))
            if failed and failed[0] > began:  # while this call waited for the same answer
                raise failed[1]
            kept = self.kept(bucket, prefix)
            if kept and not anew and 0 <= time.time() - kept.asked < FRESH_SECONDS:
                return kept
            try:
                listing = Listing(dict(self._listed(bucket, f"{prefix}/")), time.time())
            except DataFileError as error:
                self._failed[bucket, prefix] = (time.monotonic(), error)
                raise
            if kept:
                listing.changed = kept.changed | {
                    name: datetime.now(UTC).date().isoformat()
                    for name, entry in listing.entries.items()
                    if name in kept.entries and kept.entries[name].xet_hash != entry.xet_hash
                }
            self._known[bucket, prefix] = listing
            self._keep(bucket, prefix, listing)
            return listing

    def entry(self, bucket: str, prefix: str, name: str, *, anew: bool = False) -> Entry | None:
        """One file of the folder, asked for alone where the folder can't be listed; None: it isn't there.

        Raises:
            DataFileError: the Hub tells neither.
        """
        try:
            return self.get(bucket, prefix, anew=anew).entries.get(name)
        except (Offline, TimedOut, Corrupt) as error:
            if isinstance(error, Offline) and not error.answered:
                raise
            try:
                return self._asked_alone(bucket, f"{prefix}/{name}")
            except DataFileError:
                raise error from None

    def _listed(self, bucket: str, folder: str) -> Iterator[tuple[str, Entry]]:
        # The slash at the folder's end keeps out a sibling whose name merely starts the same
        address: str | None = (
            f"{self._connection.endpoint}/api/buckets/{bucket}/tree/{quote(folder, safe='')}?recursive=true"
        )
        end = time.monotonic() + LIST_SECONDS
        for _ in range(MAX_PAGES):
            if not address:
                return
            what = "The list of the task's files"
            left = max(0.01, end - time.monotonic())
            entries, address = self._connection.json("GET", address, what, min(LIST_SECONDS, left))
            with states(what):
                files = [each for each in entries if each["type"] == "file" and each["path"].startswith(folder)]
                found = [(each["path"].removeprefix(folder), _entry(each)) for each in files]
            yield from found

    def _asked_alone(self, bucket: str, path: str) -> Entry | None:
        address = f"{self._connection.endpoint}/api/buckets/{bucket}/paths-info"
        found, _ = self._connection.json("POST", address, path, LIST_SECONDS, {"paths": [path]})
        with states(path):
            return next((_entry(each) for each in found if each["path"] == path), None)

    def _keep(self, bucket: str, prefix: str, listing: Listing) -> None:
        held = {"bucket": bucket, "prefix": prefix} | asdict(listing)
        held["entries"] = {name: [entry.size, entry.xet_hash] for name, entry in listing.entries.items()}
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, draft = tempfile.mkstemp(dir=self._folder, prefix=".draft-")
            with os.fdopen(handle, "w") as file:
                json.dump(held, file)
            Path(draft).replace(self._file(bucket, prefix))
        except OSError:
            return  # a full disk: the listing in memory does

    def _file(self, bucket: str, prefix: str) -> Path:
        name = hashlib.sha256(f"{bucket}/{prefix}".encode(errors="surrogatepass")).hexdigest()[:32]
        return self._folder / f"{name}.json"
