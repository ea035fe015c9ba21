"""The processes that read files: one request each. One can stand ready, so that no preview pays for its start."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from services.tables.bare_process import ENVIRONMENT, ROOT
from services.tables.model import TableError

AT_ONCE = 4  # children; more requests wait their turn
_turn = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True)
class Limits:
    """What one child may take: wall time (and processor time) in seconds, address space in MB."""

    seconds: float = 20.0
    memory_mb: int = 1024


class _State:
    """The limits that hold, and the child that stands ready where one shall."""

    limits = Limits()
    keeps_ready = False
    ready: subprocess.Popen[bytes] | None = None
    lock = threading.Lock()


@contextmanager
def ready(seconds: float, memory_mb: int) -> Iterator[None]:
    """Hold every preview to these limits, and keep a child started ahead of the next, for as long as the block runs."""
    before = _State.limits
    _State.limits, _State.keeps_ready = Limits(seconds, memory_mb), True
    _make_ready()
    try:
        yield
    finally:
        _State.limits, _State.keeps_ready = before, False
        if (child := _take()) is not None:
            _end(child)


def limits() -> Limits:
    """The limits that hold now."""
    return _State.limits


def ask(request: bytes) -> bytes:
    """The answer of a child to a request.

    Raises:
        TableError: it took too long, or broke.
    """
    seconds = _State.limits.seconds
    with _turn:
        child = _take() or _start()
        try:
            answer, _ = child.communicate(request, seconds)
        except subprocess.TimeoutExpired:
            _end(child)
            raise TableError(f"Reading the file took longer than {seconds:g} seconds and was stopped.") from None
        finally:
            _make_ready()
    if child.returncode != 0:
        raise TableError("Reading the file failed: its content breaks the reader or takes too much memory.")
    return answer


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "services.tables.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=ROOT,
        env=ENVIRONMENT,
    )


def _end(child: subprocess.Popen[bytes]) -> None:
    """Kill a child. Its pipes are not waited for: another process may hold their ends."""
    child.kill()
    with suppress(BrokenPipeError), child:
        pass


def _make_ready() -> None:
    with _State.lock:
        if _State.keeps_ready and _State.ready is None:
            _State.ready = _start()


def _take() -> subprocess.Popen[bytes] | None:
    """The child that stands ready, unless it has died."""
    with _State.lock:
        child, _State.ready = _State.ready, None
    return child if child is not None and child.poll() is None else None
