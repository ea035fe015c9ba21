"""The confined process of a dataset's grader, as seen from the app: asked one answer at a time, ended when too slow."""

from __future__ import annotations

import itertools
import json
import math
import os
import select
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 30.0
_LONGEST_ANSWER = 65_536
# No secret of the app's; a fixed hash seed, so that nothing differs from start to start.
_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}

JsonObject = dict[str, Any]


class NoVerdict(Exception):
    """The grader gave no verdict. The message is a clause that says why, as in "it took longer than 5 s"."""


class GraderProcess:
    """One process with one grader's text in it; for one thread at a time."""

    def __init__(self, program: str, seconds: float, memory_mb: int) -> None:
        """Start it and wait until the program is loaded.

        Raises:
            NoVerdict: it can't be confined, or the program can't be loaded.
        """
        self._seconds = seconds
        self._jobs = itertools.count()
        self._unread = b""
        self._process = subprocess.Popen(
            [sys.executable, "-s", "-m", "services.reference.worker", str(memory_mb)],
            cwd=_ROOT,
            env=_ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # Ctrl+C in a terminal is for the app, which then ends us
        )
        try:
            self._ask({"program": program}, _START_SECONDS)
        except NoVerdict:
            self.close()
            raise

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def grade(self, case: JsonObject) -> JsonObject:
        """`case` holds grade()'s arguments by name; the answer holds `reward` and `method`.

        Raises:
            NoVerdict: it failed, took too long or ended; in the last two the process is gone.
        """
        job = next(self._jobs)
        answer = self._ask({"job": job, **case}, self._seconds)
        reward = answer.get("reward")
        readable = isinstance(reward, float) and math.isfinite(reward) and isinstance(answer.get("method"), str)
        if answer.get("job") != job or not readable:
            self.close()
            raise NoVerdict("its answer can't be read")
        return answer

    def end(self) -> None:
        """Kill the process, from any thread; whoever waits for its answer hears that it ended."""
        self._process.kill()

    def close(self) -> None:
        self.end()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe and not pipe.closed:
                pipe.close()

    def _ask(self, message: JsonObject, seconds: float) -> JsonObject:
        deadline = time.monotonic() + seconds
        try:
            self._send(json.dumps(message).encode() + b"\n", deadline)
            answer = json.loads(self._line(deadline))
        except TimeoutError:
            self.close()
            raise NoVerdict(f"it took longer than {seconds:g} s and was stopped") from None
        except (OSError, ValueError):
            self.close()
            raise NoVerdict("its process ended without an answer") from None
        if not isinstance(answer, dict):
            self.close()
            raise NoVerdict("its answer can't be read")
        if "failed" in answer:
            raise NoVerdict(str(answer["failed"]))
        return answer

    def _send(self, data: bytes, deadline: float) -> None:
        assert self._process.stdin
        file = self._process.stdin.fileno()
        view = memoryview(data)
        while view:
            _wait(file, select.POLLOUT, deadline)
            view = view[os.write(file, view[: select.PIPE_BUF]) :]  # as much as never blocks once there is room

    def _line(self, deadline: float) -> bytes:
        assert self._process.stdout
        file = self._process.stdout.fileno()
        while b"\n" not in self._unread:
            _wait(file, select.POLLIN, deadline)
            received = os.read(file, 65_536)
            if not received or len(self._unread) > _LONGEST_ANSWER:
                raise ValueError("no whole line")
            self._unread += received
        line, _, self._unread = self._unread.partition(b"\n")
        return line


def _wait(file: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(file, event)
    if not poll.poll(max(0, 1000 * (deadline - time.monotonic()))):
        raise TimeoutError
