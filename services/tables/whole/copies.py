"""The copies of whole tables on this machine: made once, shared, never half, the oldest removed for new ones.

`{folder}/{key}/` holds `table.arrow` and `facts.json`; it is moved there in one step. The key is a hash of the file's
path, size, time and inode, the table, and the reading: a file that changes is another file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import shutil
import stat
import threading
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from services.tables.model import Reading, TableError
from services.tables.whole.job import Job
from services.tables.whole.limits import Limits

VERSION = 2  # of how a copy is made
IN_USE_SECONDS = 600.0  # a copy used within these is not removed
_WORKING = ".part"


@dataclass(frozen=True)
class Copy:
    """A whole table as text: its Arrow file, and what is known of it."""

    folder: Path
    rows: int
    names: tuple[str, ...]
    dtypes: tuple[str, ...] | None
    warnings: tuple[dict[str, Any], ...] = ()
    checked: bool = True  # the warnings are of every row

    @property
    def columns(self) -> int:
        return len(self.names)


@dataclass(frozen=True)
class Source:
    """A table of a file, read in a certain way; nothing said: as the file suggests."""

    path: Path
    table: str | None = None
    reading: Reading = field(default_factory=Reading)

    def key(self) -> str:
        """The identity of what would be copied.

        Raises:
            TableError: the file is missing or no regular file.
        """
        try:
            held = self.path.stat()
        except OSError as error:
            raise TableError(f"The file can't be read: {error.strerror or error}.") from None
        if not stat.S_ISREG(held.st_mode):
            raise TableError("This is no regular file.")
        identity = [VERSION, str(self.path.absolute()), held.st_size, held.st_mtime_ns, held.st_ino, self.table]
        reading = asdict(self.reading)
        return hashlib.sha256(json.dumps([*identity, reading], sort_keys=True).encode()).hexdigest()[:32]


class Copies:
    """Make and find copies within the limits."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._jobs: dict[str, Job] = {}
        self._lock = threading.Lock()
        self._sweep()

    def state(self, source: Source, *, start: bool = True, again: bool = False) -> Copy | dict[str, Any]:
        """The copy, or how far it has come: `{"state": "copying", "done", "total"}` in bytes, or stopped, or an error.

        Where there is none it is started (unless `start` is False: then the state is none); after a stop or a failure
        only `again` starts it.

        Raises:
            TableError: the file is missing or no regular file.
        """
        key = source.key()
        with self._lock:
            if copy := self._held(key):
                self._jobs.pop(key, None)
                return copy
            job = self._jobs.get(key)
            if job and job.state == "ready":  # and removed since, to make room
                job = None
            if job is None or (again and job.state != "working"):
                if not start:
                    return {"state": "none"}
                self._jobs[key] = job = self._start(source, key)
        if job.state == "failed":
            return {"error": job.error}
        if job.state == "stopped":
            return {"state": "stopped"}
        return {"state": "copying", "done": job.latest("done", 0), "total": _length(source.path)}

    def stop(self, source: Source) -> bool:
        """Stop the copying; whether there was any."""
        with self._lock:
            job = self._jobs.get(source.key())
        return job is not None and job.stop()

    def wait(self, source: Source, seconds: float) -> None:
        """Wait until the copying ends."""
        with self._lock:
            job = self._jobs.get(source.key())
        if job:
            job.ended.wait(seconds)

    def close(self) -> None:
        """Stop all copying."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
            job.ended.wait(5)

    def _held(self, key: str) -> Copy | None:
        folder = self.limits.folder / key
        try:
            facts = json.loads((folder / "facts.json").read_text())
            os.utime(folder)
            (folder / "table.arrow").stat()
        except (OSError, ValueError):
            shutil.rmtree(folder, ignore_errors=True)  # where half of it was removed from outside
            return None
        dtypes = facts["dtypes"] and tuple(facts["dtypes"])
        return Copy(folder, facts["rows"], tuple(facts["names"]), dtypes, tuple(facts["warnings"]), facts["checked"])

    def _start(self, source: Source, key: str) -> Job:
        folder = self.limits.folder
        working = folder / f"{key}.{secrets.token_hex(4)}{_WORKING}"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            room = self._make_room(_length(source.path))
            working.mkdir()
        except OSError as error:
            raise TableError(
                f"The folder that keeps copies of whole files can't be used: {error.strerror or error}. The first rows "
                "can still be seen; whoever runs the app can free it or set another CACHE_DIR."
            ) from None
        request = {
            "path": str(source.path.absolute()),
            "target": str(working / "table.arrow"),
            "table": source.table,
            "reading": asdict(source.reading),
            "seconds": self.limits.seconds,
            "memory_bytes": self.limits.memory_bytes,
            "cpu_seconds": int(2 * self.limits.seconds) + 1,
            "file_bytes": room,
        }

        def finish(_: Job, ready: dict[str, Any] | None) -> None:
            if ready is not None:
                (working / "facts.json").write_text(json.dumps(ready))
                with contextlib.suppress(OSError):  # another app has made the same copy meanwhile
                    working.rename(folder / key)
            shutil.rmtree(working, ignore_errors=True)

        return Job("copying", request, self.limits.seconds, "Copying the whole file", finish)

    def _make_room(self, size: int) -> int:
        """Remove copies used longest ago until one of about `size` fits; the bytes a new one may take.

        Raises:
            TableError: there is no room.
        """
        limits = self.limits
        held = sorted((_use(each), each) for each in limits.folder.iterdir() if each.suffix != _WORKING)
        sizes = {each: _size(each) for _, each in held}
        kept = sum(sizes.values())
        for used, each in held:
            free = min(limits.max_bytes - kept, shutil.disk_usage(limits.folder).free - limits.floor_bytes)
            if free >= 2 * size:
                break
            if time.time() - used > IN_USE_SECONDS:
                gone = each.with_name(f"{each.name}.{secrets.token_hex(4)}{_WORKING}")
                with contextlib.suppress(OSError):  # another app was quicker
                    each.rename(gone)
                shutil.rmtree(gone, ignore_errors=True)
                kept -= sizes[each]
        free = min(limits.max_bytes - kept, shutil.disk_usage(limits.folder).free - limits.floor_bytes)
        if free < size // 2:
            raise TableError(
                "There is no room to look at the whole file: the copies kept fill what they may. The first rows can "
                "still be seen. Try again in ten minutes; whoever runs the app can raise TABLE_CACHE_GB or free the "
                "disk."
            )
        return free

    def _sweep(self) -> None:
        """Remove what an app that was killed left half done."""
        with contextlib.suppress(OSError):
            for each in list(self.limits.folder.iterdir()):
                if each.suffix == _WORKING and time.time() - each.stat().st_mtime > 2 * self.limits.seconds + 60:
                    shutil.rmtree(each, ignore_errors=True)


def _length(path: Path) -> int:
    """The file's size in bytes; 0 where it has gone, which its reader will say."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _use(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += (Path(parent) / name).stat().st_size
    return total
