"""The resident processes that answer questions about copies: one question a time each, killed past its deadline."""

from __future__ import annotations

import contextlib
import json
import queue
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any

from services.tables.bare_process import ENVIRONMENT, ROOT
from services.tables.model import TableError
from services.tables.whole.limits import Limits, command

COUNT = 2
START_SECONDS = 60.0


class _Process:
    """One worker process."""

    def __init__(self, limits: Limits) -> None:
        self._temporary = Path(tempfile.mkdtemp(prefix="tables-"))
        self._child = subprocess.Popen(
            command("worker"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=ENVIRONMENT,
        )
        room = min(limits.max_bytes, max(0, shutil.disk_usage(self._temporary).free - limits.floor_bytes))
        ready = self.ask(
            {
                "memory_bytes": limits.memory_bytes,
                "temporary": str(self._temporary),
                "temporary_bytes": room,
                "file_bytes": room,
            },
            START_SECONDS,
        )
        if ready is None:
            self.end()
            raise TableError("The process that looks at the whole file did not start. Try again.")

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
        """The answer; None where the process died of the question or had to be killed."""
        timer = threading.Timer(seconds, self._child.kill)
        timer.daemon = True
        timer.start()
        try:
            assert self._child.stdin and self._child.stdout
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
        return json.loads(line) if line.endswith(b"\n") else None

    @property
    def alive(self) -> bool:
        return self._child.poll() is None

    def kill(self) -> None:
        """Kill it from any thread; who waits for its answer gets none."""
        self._child.kill()

    def end(self) -> None:
        self._child.kill()
        with contextlib.suppress(OSError), self._child:
            pass
        shutil.rmtree(self._temporary, ignore_errors=True)


class Workers:
    """A few worker processes, started when first needed."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._asked: set[_Process] = set()
        self._closed = False
        self._places: queue.SimpleQueue[_Process | None] = queue.SimpleQueue()
        for _ in range(COUNT):
            self._places.put(None)

    def warm(self) -> None:
        """Start a process ahead of the first question."""
        process = self._places.get()
        try:
            if process is None:
                process = _Process(self._limits)
        finally:
            self._places.put(process)

    def ask(self, request: dict[str, Any], seconds: float) -> dict[str, Any]:
        """The answer of a worker to one question, within `seconds` once a worker is free.

        Raises:
            TableError: it took too long, too much memory, or the worker could not be started.
        """
        process = self._places.get()
        try:
            if self._closed:
                raise TableError("The app is ending.")
            if process is not None and not process.alive:
                process.end()
                process = None
            if process is None:
                process = _Process(self._limits)
            self._asked.add(process)
            answer = process.ask(request, seconds)
            self._asked.discard(process)
            if answer is None:
                process.end()
                process = None
        except OSError as error:
            raise TableError(f"No process to look at the whole file can be started: {error.strerror}.") from None
        finally:
            self._places.put(process)
        if answer is None:
            raise TableError(
                f"This took longer than {seconds:g} seconds or more memory than it may, and was stopped. The rows can "
                "still be seen in the file's order."
            )
        return answer

    def close(self) -> None:
        """End the processes at once, whatever they are asked."""
        self._closed = True
        for asked in list(self._asked):
            asked.kill()
        for _ in range(COUNT):
            process = self._places.get()
            if process:
                process.end()
            self._places.put(None)
