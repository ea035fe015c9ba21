"""The dataset's own verdict on an answer, or why there is none."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from services.reference.process import GraderProcess, NoVerdict
from services.reference.program_text import NoProgram, ProgramText, fetch_program
from services.settings import Settings

_ASK_AGAIN_SECONDS = 60.0


@dataclass(frozen=True)
class ReferenceVerdict:
    """`reward` and `method` by the dataset's grader at the commit `revision`.

    Without a verdict `reward` is None, `method` is empty and `why_not` is a sentence that says why.
    """

    reward: float | None
    method: str
    revision: str
    why_not: str = ""

    def disagrees(self, reward: float | None, method: str) -> bool:
        """Whether the dataset's verdict is another than this one. No verdict, on either side, is no disagreement."""
        if self.reward is None or reward is None:
            return False
        return (self.reward, self.method) != (reward, method)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class ReferenceGrader:
    """The dataset's grader in a confined process; the text is fetched and the process started at first use.

    `seconds` is the wall time one answer may take, `memory_mb` what the process may hold. Safe to call from any thread;
    answers are graded one after the other.
    """

    def __init__(self, fetch: Callable[[], ProgramText], seconds: float, memory_mb: int) -> None:
        self._fetch = fetch
        self._seconds = seconds
        self._memory_mb = memory_mb
        self._lock = threading.Lock()
        self._program: ProgramText | None = None
        self._process: GraderProcess | None = None
        self._failure = ""
        self._failed_at = 0.0
        self._closed = False

    def grade(self, gold: str, prediction: str | None, reward_mode: str, atol: float, rtol: float) -> ReferenceVerdict:
        """The dataset's verdict; blocks until it is there or can't be had. Never raises."""
        case = {"gold": gold, "prediction": prediction, "reward_mode": reward_mode, "rel_tol": rtol, "abs_tol": atol}
        with self._lock:
            try:
                answer = self._ready().grade(case)
                return ReferenceVerdict(answer["reward"], answer["method"], self._revision)
            except NoVerdict as reason:
                return ReferenceVerdict(None, "", self._revision, f"The dataset's grader gave no verdict: {reason}.")
            except NoProgram as reason:
                return ReferenceVerdict(None, "", self._revision, f"The dataset's grader could not run: {reason}.")

    def close(self) -> None:
        """End the process; later calls say that the grader is closed."""
        self._closed = True
        if self._process:
            self._process.end()
        with self._lock:
            if self._process:
                self._process.close()

    @property
    def _revision(self) -> str:
        return self._program.revision if self._program else ""

    def _ready(self) -> GraderProcess:
        """The process, started when there is none. What failed is not tried again for a minute."""
        if self._closed:
            raise NoProgram("the grader is closed")
        if self._process and self._process.alive:
            return self._process
        if self._failure and time.monotonic() - self._failed_at < _ASK_AGAIN_SECONDS:
            raise NoProgram(self._failure)
        try:
            self._program = self._program or self._fetch()
            self._process = GraderProcess(self._program.text, self._seconds, self._memory_mb)
        except (NoProgram, NoVerdict) as reason:
            self._failure, self._failed_at = str(reason), time.monotonic()
            raise NoProgram(self._failure) from None
        return self._process


def open_reference(settings: Settings) -> ReferenceGrader | None:
    """The dataset's grader where `REFERENCE_GRADER` asks for it, else None. Nothing is fetched before its first use."""
    if not settings.reference_grader:
        return None
    # twice the time: the dataset's grader runs under math_verify's own alarms, of 5 s a text and 5 s a pair
    return ReferenceGrader(partial(fetch_program, settings), 2 * settings.grader_seconds, settings.grader_memory_mb)
