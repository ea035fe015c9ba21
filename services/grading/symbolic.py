"""The symbolic rung in processes that can be killed: equal verdicts from any thread, and no answer can stop the app."""

from __future__ import annotations

import itertools
import json
import os
import queue
import select
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from services.grading.foreseen import foreseen, number_read
from services.grading.towers import is_tower
from services.grading.verdict import Case, Reading, Rung

_ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 60.0
_READING_SECONDS = 0.5
_LOOK_SECONDS = 0.02
_REMEMBERED = 4096
_LONGEST_REMEMBERED = 2000  # characters
# No secret of the app's; a fixed hash seed, so that no order inside a library differs from worker to worker.
_ENVIRONMENT = {"PATH": os.defpath, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"}


@dataclass(frozen=True)
class Compared:
    """math_verify's verdict, and what it parsed each side to where that was asked for and could be written out."""

    equal: bool
    gold: str | None = None
    prediction: str | None = None


class CouldNotRun(Exception):
    """The comparison has no verdict; the message is a sentence that says why."""


class _Died(Exception):
    """The worker's process ended by itself."""


class _TooSlow(Exception):
    pass


class _TooLarge(Exception):
    pass


class SymbolicPool:
    """`workers` processes; each comparison may take `seconds` of wall time and `memory_mb` of memory.

    A process starts with `prepare` or when it is first needed. Waiting for a free worker, or for one to start, is not
    counted. Safe to call from any thread.
    """

    def __init__(self, workers: int, seconds: float, memory_mb: int) -> None:
        self._workers = [_Worker(seconds, memory_mb) for _ in range(workers)]
        self._idle: queue.LifoQueue[_Worker] = queue.LifoQueue()  # a thread alone keeps to one worker
        for worker in self._workers:
            self._idle.put(worker)
        # samples of one task repeat each other's answers; what could not run is not remembered
        self._known = lru_cache(_REMEMBERED)(partial(self._compare, read=False))

    def prepare(self) -> None:
        """Start all workers, so that no comparison waits for that."""
        for worker in self._workers:
            worker.start()

    def compare(self, gold: str, prediction: str, *, read: bool) -> Compared:
        """`math_verify.verify(parse(gold), parse(prediction))`; with `read` also what each side was parsed to.

        Raises:
            CouldNotRun: it took too long or too much memory, its process died twice, or the pool is closed.
        """
        if read or len(gold) + len(prediction) > _LONGEST_REMEMBERED:
            return self._compare(gold, prediction, read=read)
        return self._known(gold, prediction)

    def _compare(self, gold: str, prediction: str, *, read: bool) -> Compared:
        worker = self._idle.get()
        try:
            return worker.compare(gold, prediction, read)
        finally:
            self._idle.put(worker)

    def close(self) -> None:
        """End all workers; comparisons under way, and later ones, raise `CouldNotRun`."""
        for worker in self._workers:
            worker.close()
        for worker in [self._idle.get() for _ in self._workers]:
            worker.close_pipes()  # no other thread is reading them any more
            self._idle.put(worker)


class _Worker:
    """One worker program (see `symbolic_worker`), used by one thread at a time; `close` may come from another."""

    def __init__(self, seconds: float, memory_mb: int) -> None:
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._jobs = itertools.count()
        self._closed = False
        self._starting = threading.Lock()
        self._started: subprocess.Popen[bytes] | None = None
        self._child: int | None = None
        self._unread = b""

    @property
    def _process(self) -> subprocess.Popen[bytes]:
        assert self._started
        return self._started

    def compare(self, gold: str, prediction: str, read: bool) -> Compared:
        for _ in range(2):  # once more after a death of its own, never after a limit
            try:
                return self._ask(gold, prediction, read)
            except _Died:
                continue
            except _TooSlow:
                self._kill_child()
                raise CouldNotRun(f"It took longer than {self._seconds:g} s and was stopped.") from None
            except _TooLarge:
                self._kill_child()
                raise CouldNotRun(f"It took more than {self._memory_mb:,} MB of memory and was stopped.") from None
        if self._closed:
            raise CouldNotRun("The grader is closed.")
        raise CouldNotRun("Its process ended twice without an answer.")

    def close(self) -> None:
        with self._starting:
            self._closed = True
            if self._started:
                self._end_process()

    def close_pipes(self) -> None:
        for pipe in (self._started.stdin, self._started.stdout) if self._started else ():
            if pipe:
                pipe.close()

    def start(self) -> None:
        """Start the process, unless it runs or the worker is closed."""
        with self._starting:
            if self._closed or (self._started and self._started.poll() is None):
                return
            self.close_pipes()
            self._started = subprocess.Popen(
                [sys.executable, "-s", "-m", "services.grading.symbolic_worker", str(self._memory_mb)],
                cwd=_ROOT,
                env=_ENVIRONMENT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,  # Ctrl+C in a terminal is for the app, which then ends us
            )
            self._child = None
            self._unread = b""

    def _end_process(self) -> None:
        self._process.kill()
        self._process.wait()

    def _make_ready(self) -> None:
        """Return once a child waits for a job; a program that doesn't get there is started anew next time."""
        self.start()
        if self._closed:
            raise _Died
        deadline = time.monotonic() + _START_SECONDS
        try:
            while self._child is None:
                self._child = self._line(deadline).get("ready")
        except (_TooSlow, _Died):
            self._end_process()
            raise _Died from None

    def _ask(self, gold: str, prediction: str, read: bool) -> Compared:
        self._make_ready()
        job = next(self._jobs)
        line = json.dumps({"job": job, "gold": gold, "prediction": prediction, "read": read}).encode() + b"\n"
        self._send(line)
        answer = self._reply(job, time.monotonic() + self._seconds)
        if "gave_up" in answer:
            self._child = None
            raise _TooSlow if answer["gave_up"] == "time" else _TooLarge
        equal = bool(answer["equal"])
        if not read:
            return Compared(equal)
        try:
            texts = self._reply(job, time.monotonic() + _READING_SECONDS)
        except _Died:
            return Compared(equal)
        except (_TooSlow, _TooLarge):
            self._kill_child()
            return Compared(equal)
        return Compared(equal, texts["gold"], texts["prediction"])

    def _send(self, data: bytes) -> None:
        assert self._process.stdin
        view = memoryview(data)
        try:
            while view:
                view = view[self._process.stdin.write(view) :]
        except OSError:
            self._end_process()
            raise _Died from None

    def _reply(self, job: int, deadline: float) -> dict[str, Any]:
        while True:
            message = self._line(deadline)
            if "ready" in message:  # the child of this job is gone, and this is the next one
                self._child = message["ready"]
                raise _Died
            if message.get("job") == job:
                return message

    def _line(self, deadline: float) -> dict[str, Any]:
        """The next message; the child's memory is looked at while waiting."""
        assert self._process.stdout
        file = self._process.stdout.fileno()
        waiting = select.poll()
        waiting.register(file, select.POLLIN)
        while b"\n" not in self._unread:
            left = deadline - time.monotonic()
            if left <= 0:
                raise _TooSlow
            if waiting.poll(1000 * min(left, _LOOK_SECONDS)):
                received = os.read(file, 65536)
                if not received:
                    self._end_process()
                    raise _Died
                self._unread += received
            elif self._child is not None and _resident_mb(self._child) > self._memory_mb:
                raise _TooLarge
        line, _, self._unread = self._unread.partition(b"\n")
        message: dict[str, Any] = json.loads(line)
        return message

    def _kill_child(self) -> None:
        self._child = None
        self._process.send_signal(signal.SIGUSR1)


def _resident_mb(process: int) -> float:
    try:
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


def foreseen_rung(case: Case, prediction: str) -> Rung | None:
    """Rung 4 where it is certain without a process; else None."""
    equal = foreseen(case.gold, prediction)
    if equal is not None:
        return _rung(Compared(equal))
    if is_tower(prediction) and number_read(case.gold):
        reason = "The answer is a power too large to work out (over 300 million digits): it was not tried."
        return Rung("math_verify", "could not run", reason)
    return None


def symbolic_rung(case: Case, prediction: str, pool: SymbolicPool, *, read: bool) -> Rung:
    """Rung 4: what math_verify parses the gold to equals what it parses the answer to, in that order.

    What is foreseen needs no process, and stands when a process asked only for what was read has no answer.
    """
    rung = foreseen_rung(case, prediction)
    if rung and (not read or rung.state == "could not run"):
        return rung
    try:
        return _rung(pool.compare(case.gold, prediction, read=read))
    except CouldNotRun as reason:
        return rung or Rung("math_verify", "could not run", str(reason))


def _rung(compared: Compared) -> Rung:
    unread = [side for side, text in (("the gold", compared.gold), ("the answer", compared.prediction)) if text == ""]
    detail = f"math_verify finds the two {'equal' if compared.equal else 'different'}, with the gold first."
    if unread:
        detail = f"math_verify can read nothing in {' or in '.join(unread)}."
    return Rung(
        "math_verify",
        "matched" if compared.equal else "failed",
        detail,
        None if compared.gold is None else Reading(compared.gold),
        None if compared.prediction is None else Reading(compared.prediction),
    )
