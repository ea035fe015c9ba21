"""The program that runs a dataset's grader, confined: one text of Python in, verdicts out.

    python -m services.reference.worker MEMORY_MB      (started by services.reference.process)

It loads the libraries a grader uses and confines itself: no network, no file to write, none to read but Python's own,
no other process, limited memory. Only then is the grader's text read and run, as a module on the main thread, where
math_verify's alarms work.

The first line in is `{"program"}`, and `{"ready": true}` or `{"failed": why}` comes out. Then each line in is a job,
`{"job", "gold", "prediction", "reward_mode", "rel_tol", "abs_tol"}`, and out come `{"job", "reward", "method"}` or
`{"job", "failed": why}`. What the grader gives back may be a mapping, an object or a pair: no rule says which.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from math_verify import parse, verify

from services.kernels.inside import linux
from services.kernels.inside.confine import NotConfined, Policy, confine

NAME = "grader"
_LONGEST_REASON = 300


def main() -> None:
    answers = os.dup(1)
    os.dup2(2, 1)  # what a grader prints must not land among the answers
    verify(parse("$x^2-1$"), parse("$(x-1)(x+1)$"))  # what is loaded at first use can't be loaded later
    try:
        _confine(int(sys.argv[1]) * 1_000_000)
        grade = _load(json.loads(sys.stdin.buffer.readline())["program"])
    except NotConfined as error:
        return _write(answers, {"failed": f"it can't be confined: {error}"})
    except BaseException as error:
        return _write(answers, {"failed": f"its program ended with {_named(error)}"})
    _write(answers, {"ready": True})
    for line in sys.stdin.buffer:
        job = json.loads(line)
        _write(answers, {"job": job.pop("job"), **_verdict(grade, job)})


def _confine(memory_bytes: int) -> None:
    if sys.platform != "linux":
        raise NotConfined(f"{sys.platform} has no Landlock and no seccomp")
    parent = os.getppid()
    linux.prctl(linux.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
    # no folder for sockets: none is made
    confine(Policy(read=(), write=(), sockets="", memory_bytes=memory_bytes, file_bytes=0, required=True))


def _load(text: str) -> Callable[..., Any]:
    module = ModuleType(NAME)
    sys.modules[NAME] = module  # dataclasses look their module up
    exec(compile(text, f"{NAME}.py", "exec"), module.__dict__)
    grade: Callable[..., Any] = module.grade
    return grade


def _verdict(grade: Callable[..., Any], case: dict[str, Any]) -> dict[str, object]:
    try:
        given = grade(**case)
        if isinstance(given, Mapping):
            reward, method = given["reward"], given["method"]
        elif hasattr(given, "reward"):
            reward, method = given.reward, given.method
        else:
            reward, method = given
        return {"reward": float(reward), "method": str(method)}
    except Exception as error:
        return {"failed": f"it ended with {_named(error)}"}


def _named(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:_LONGEST_REASON]


def _write(file: int, message: dict[str, object]) -> None:
    os.write(file, json.dumps(message).encode() + b"\n")


if __name__ == "__main__":
    main()
