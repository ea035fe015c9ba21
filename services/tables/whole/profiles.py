"""Profiles of copies: made in the background, a column after the other, and kept beside the copy."""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any

from services.tables.whole.copies import Copy
from services.tables.whole.job import Job
from services.tables.whole.limits import Limits

_FILE = "profile.json"


class Profiles:
    """The profiles of copies, each made once."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._jobs: dict[Path, Job] = {}
        self._found: dict[Path, list[dict[str, Any]]] = {}  # of work that was stopped or failed
        self._lock = threading.Lock()

    def state(self, copy: Copy, *, again: bool = False) -> dict[str, Any]:
        """`{"state", "done", "total", "columns": those found so far}`, with an `error` where it failed.

        It is started where there is none; after a stop or a failure only `again` goes on with what is left.
        """
        with contextlib.suppress(OSError, ValueError):
            return _answer("ready", copy, json.loads((copy.folder / _FILE).read_text()))
        with self._lock:
            job = self._jobs.get(copy.folder)
            if job is None or (again and job.state not in {"working", "ready"}):
                self._found[copy.folder] = self._so_far(copy)
                self._jobs[copy.folder] = job = self._start(copy)
            found = self._so_far(copy)
        state = {"working": "profiling", "ready": "ready"}.get(job.state, "stopped")
        return _answer(state, copy, found) | ({"error": job.error} if job.state == "failed" else {})

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

    def _so_far(self, copy: Copy) -> list[dict[str, Any]]:
        job = self._jobs.get(copy.folder)
        said = [line["column"] for line in list(job.said) if "column" in line] if job else []
        return self._found.get(copy.folder, []) + said

    def _start(self, copy: Copy) -> Job:
        done = self._found[copy.folder]
        left = sorted(set(range(copy.columns)) - {each["column"] for each in done})
        temporary = Path(tempfile.mkdtemp(prefix="tables-"))
        room = min(self._limits.max_bytes, max(0, shutil.disk_usage(temporary).free - self._limits.floor_bytes))
        request = {
            "folder": str(copy.folder.absolute()),
            "temporary": str(temporary),
            "columns": left,
            "memory_bytes": self._limits.memory_bytes,
            "file_bytes": room,
            "cpu_seconds": int(2 * self._limits.seconds) + 1,
        }

        def finish(job: Job, ready: Any) -> None:
            shutil.rmtree(temporary, ignore_errors=True)
            if ready is not None:
                columns = done + [line["column"] for line in job.said if "column" in line]
                part = copy.folder / f"{secrets.token_hex(8)}.tmp"
                with contextlib.suppress(OSError):  # the copy was removed meanwhile
                    part.write_text(json.dumps(columns))
                    part.rename(copy.folder / _FILE)

        return Job("profiling", request, self._limits.seconds, "Profiling the table", finish)


def _answer(state: str, copy: Copy, columns: list[dict[str, Any]]) -> dict[str, Any]:
    return {"state": state, "done": len(columns), "total": copy.columns, "columns": columns}
