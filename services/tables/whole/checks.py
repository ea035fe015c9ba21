"""The warnings of every row of a copied table: found in the background, a table at a time, kept beside the copy."""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any

from services.tables.whole.copies import Copy, Source
from services.tables.whole.job import Job
from services.tables.whole.limits import Limits

_FILE = "warnings.json"
_OF_THE_COPY = frozenset({"note", "broken"})  # kinds of warnings that making the copy gave, and no row does
_turn = threading.BoundedSemaphore(1)  # of their own: copies and profiles, which someone waits for, go before


class Checks:
    """The checks of tables, each made once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: dict[Path, Job] = {}
        self._lock = threading.Lock()

    def state(self, source: Source, copy: Copy, *, again: bool = False) -> dict[str, Any]:
        """`{"warnings", "checking": whether every row is being looked through, "checked": whether they are of all}`.

        Until they are of every row, the warnings are those of the first. The work is started where there is none;
        after a stop or a failure only `again` starts it.
        """
        kept = [*copy.warnings]
        if copy.checked:
            return {"warnings": kept, "checking": False, "checked": True}
        with contextlib.suppress(OSError, ValueError):
            found = json.loads((copy.folder / _FILE).read_text())
            of_copy = [each for each in kept if each["kind"] in _OF_THE_COPY]
            return {"warnings": found + of_copy, "checking": False, "checked": True}
        with self._lock:
            job = self._jobs.get(copy.folder)
            if job is None or (again and job.state != "working"):
                self._jobs[copy.folder] = job = self._start(source, copy)
        if job.state == "failed":
            kept.append({"kind": "note", "text": job.error, "rows": [], "arguments": ""})
        return {"warnings": kept, "checking": job.state == "working", "checked": False}

    def stop(self, copy: Copy) -> bool:
        """Stop the work; whether there was any."""
        with self._lock:
            job = self._jobs.get(copy.folder)
        return job is not None and job.stop()

    def close(self) -> None:
        """Stop all work."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            job.stop()
            job.ended.wait(5)

    def _start(self, source: Source, copy: Copy) -> Job:
        request = {
            "path": str(source.path.absolute()),
            "table": source.table,
            "reading": asdict(source.reading),
            "memory_bytes": self._limits.memory_bytes,
            "cpu_seconds": int(2 * self._limits.seconds) + 1,
        }

        def finish(_: Job, ready: Any) -> None:
            if ready is not None:
                part = copy.folder / f"{secrets.token_hex(8)}.tmp"
                with contextlib.suppress(OSError):  # the copy was removed meanwhile
                    part.write_text(json.dumps(ready))
                    part.rename(copy.folder / _FILE)

        what = "Looking through every row for what may mislead"
        return Job("checking", request, self._limits.seconds, what, finish, _turn)
