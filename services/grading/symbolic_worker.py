"""The program of one symbolic worker: compare a gold and a prediction with math_verify, as text in and a verdict out.

    python -m services.grading.symbolic_worker MEMORY_MB      (started by services.grading.symbolic)

Two processes. The first one loads the libraries once and does nothing but keep a forked child alive; the child does the
comparing on its main thread, where math_verify's own alarms work. A comparison that must end is ended by killing the
child (SIGUSR1 to its keeper): the next child is there in milliseconds, without loading anything again.

Lines of JSON go in, `{"job", "gold", "prediction", "read"}`, and come out: `{"ready": pid}` from each new child, then
per job `{"job", "equal"}` or `{"job", "gave_up"}`, and with `read` one more, `{"job", "gold", "prediction"}`: what each
side was parsed to. Writing a value out can take for ever where comparing it did not, so the verdict goes first.
"""

from __future__ import annotations

import ctypes
import gc
import json
import logging
import os
import resource
import select
import signal
import sys
from typing import Any

from math_verify import parse, verify

_PR_SET_PDEATHSIG = 1
# The grader ends a child that goes over its memory; this only holds one that grows faster than the grader looks.
_ADDRESS_SPACE_FACTOR = 4
_TEXT_LIMIT = 300


class _GaveUp(logging.Handler):
    """Hears of a comparison math_verify gave up on. It logs that, and then answers as if the sides differed."""

    reason: str | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.WARNING and str(record.msg).startswith("Timeout during"):
            self.reason = "time"
        elif record.exc_info and record.exc_info[0] is MemoryError:
            self.reason = "memory"


def main() -> None:
    memory_mb = int(sys.argv[1])
    answers = os.dup(1)
    os.dup2(2, 1)  # whatever a library prints must not land among the answers
    heard = _GaveUp()
    for name in ("math_verify.parser", "math_verify.grader"):
        logger = logging.getLogger(name)
        logger.setLevel(logging.DEBUG)
        logger.propagate = False
        logger.addHandler(heard)
    for gold, prediction in [("1/2", "0.5"), ("$x^2-1$", "$(x-1)(x+1)$"), ("3", "300.0%")]:
        verify(parse(gold), parse(prediction))  # what is loaded or built at first use, every child then has
    gc.freeze()
    while _keep_child(memory_mb, answers, heard):
        pass


def _keep_child(memory_mb: int, answers: int, heard: _GaveUp) -> bool:
    """Fork a child and wait for its end; False once the app has closed our standard input."""
    alive, held_by_child = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(alive)
        _serve(memory_mb, answers, heard)
    os.close(held_by_child)
    signal.signal(signal.SIGUSR1, lambda *_: os.kill(child, signal.SIGKILL))
    ends = select.poll()
    ends.register(alive, select.POLLHUP)
    ends.register(0, select.POLLHUP)
    ended = {file for file, _ in ends.poll()}
    if 0 in ended:
        os.kill(child, signal.SIGKILL)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # before the child's number is free for another process
    os.waitpid(child, 0)
    os.close(alive)
    return 0 not in ended


def _serve(memory_mb: int, answers: int, heard: _GaveUp) -> None:
    keeper = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)
    signal.signal(signal.SIGUSR1, signal.SIG_DFL)
    limit = memory_mb * 1_000_000 * _ADDRESS_SPACE_FACTOR
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    _write(answers, {"ready": os.getpid()})
    for line in sys.stdin.buffer:
        try:
            job = json.loads(line)
        except ValueError:  # the rest of a job whose first part went to a child that was killed
            continue
        _answer(job, answers, heard)
    os._exit(0)


def _answer(job: dict[str, Any], answers: int, heard: _GaveUp) -> None:
    heard.reason = None
    try:
        gold, prediction = parse(job["gold"]), parse(job["prediction"])
        equal = bool(verify(gold, prediction))
    except MemoryError:
        heard.reason, equal = "memory", False
    except Exception:  # the reference takes any exception as no match
        equal, gold, prediction = False, [], []
    if heard.reason and not equal:
        _write(answers, {"job": job["job"], "gave_up": heard.reason})
        os._exit(0)  # an alarm may have left a library half way through something
    _write(answers, {"job": job["job"], "equal": equal})
    if job["read"]:
        _write(answers, {"job": job["job"], "gold": _as_text(gold), "prediction": _as_text(prediction)})


def _as_text(parsed: list[Any]) -> str:
    """What math_verify parsed a text to: its first value, or the text it kept when it could not parse one."""
    if not parsed:
        return ""
    try:
        text = str(parsed[0])
    except Exception:
        return "a value too large to write out"
    return text if len(text) <= _TEXT_LIMIT else f"{text[:_TEXT_LIMIT]}…"


def _write(file: int, message: dict[str, Any]) -> None:
    os.write(file, json.dumps(message).encode() + b"\n")  # one write: shorter than a pipe's atomic 4096 bytes


if __name__ == "__main__":
    main()
