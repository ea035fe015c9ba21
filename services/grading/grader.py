"""The grader: the ladder with its symbolic workers."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from types import TracebackType

from services.grading.cautions import cautions_on
from services.grading.explained import Explained
from services.grading.ladder import climb
from services.grading.near_misses import near_misses_of
from services.grading.symbolic import SymbolicPool, foreseen_rung, symbolic_rung
from services.grading.verdict import Case, Rung, Verdict

TOLERANCE = 1e-3
_AHEAD = 1000  # verdicts waiting behind one whose comparison takes its time


class _NeedsProcess(Exception):
    """The symbolic rung of this case can't be foreseen."""


class Grader:
    """Grades answers from any thread.

    Its worker processes start with `prepare` or when needed, and end with `close` or with the app. `workers`
    comparisons of the symbolic rung run at once; each may take `seconds` of wall time and `memory_mb` of memory.
    """

    def __init__(self, workers: int = 2, seconds: float = 5.0, memory_mb: int = 1024) -> None:
        self.workers = workers
        self._pool = SymbolicPool(workers, seconds, memory_mb)

    def grade(
        self,
        gold: str,
        prediction: str | None,
        reward_mode: str = "",
        atol: float = TOLERANCE,
        rtol: float = TOLERANCE,
        *,
        explain: bool = True,
    ) -> Verdict:
        """Grade one answer; blocks until the verdict is there.

        With `explain` every rung is evaluated and says what it read; without, the ladder ends at the first match.
        Reward and method are the same.
        """
        return self._climb(Case(gold, prediction, reward_mode, atol, rtol), explain)

    def grade_all(self, cases: Iterable[Case]) -> Iterator[Verdict]:
        """Grade many answers without explanations: one verdict for each, in order.

        The fast way: only comparisons that need a process are handed to threads, and the others go on meanwhile. At
        most 1,000 cases are read ahead; closing the iterator ends the run.
        """
        waiting: deque[Verdict | Future[Verdict]] = deque()
        threads = ThreadPoolExecutor(self.workers)
        try:
            for case in cases:
                waiting.append(_at_once(case) or threads.submit(self._climb, case, False))
                while waiting and (len(waiting) > _AHEAD or _is_there(waiting[0])):
                    yield _result(waiting.popleft())
            while waiting:
                yield _result(waiting.popleft())
        finally:
            threads.shutdown(cancel_futures=True)

    def _climb(self, case: Case, explain: bool) -> Verdict:
        return climb(case, partial(symbolic_rung, pool=self._pool, read=explain), explain=explain)

    def explain(
        self,
        gold: str,
        prediction: str | None,
        reward_mode: str = "",
        atol: float = TOLERANCE,
        rtol: float = TOLERANCE,
        *,
        question: str = "",
    ) -> Explained:
        """Grade one answer, then look for reasons to doubt a match and for small edits that would turn a miss.

        The verdict is that of `grade`; `question` only tells whether the gold can be what was asked for. Where the
        symbolic rung could not run it is not asked again, and no near misses are looked for.
        """
        verdict = self.grade(gold, prediction, reward_mode, atol, rtol)
        could_run = all(rung.state != "could not run" for rung in verdict.rungs)

        def cheaply(answer: str) -> str | None:
            tried = climb(Case(gold, answer, reward_mode, atol, rtol), _left_out, explain=False)
            return tried.method if tried.reward == 1.0 else None

        def fully(answer: str) -> str | None:
            tried = self.grade(gold, answer, reward_mode, atol, rtol, explain=False)
            return tried.method if tried.reward == 1.0 else None

        case = Case(gold, prediction, reward_mode, atol, rtol)
        cautions = cautions_on(case, verdict, question, fully if could_run else cheaply)
        if verdict.reward != 0.0 or prediction is None or not gold:
            return Explained(verdict, cautions)
        return Explained(verdict, cautions, near_misses_of(case, prediction, cheaply, fully))

    def prepare(self) -> None:
        """Start the worker processes, so that no answer waits for that."""
        self._pool.prepare()

    def close(self) -> None:
        self._pool.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _left_out(case: Case, prediction: str) -> Rung:
    return Rung("math_verify", "not tried", "Left out.")


def _at_once(case: Case) -> Verdict | None:
    """The verdict where no process is needed for it."""
    try:
        return climb(case, _foreseen, explain=False)
    except _NeedsProcess:
        return None


def _foreseen(case: Case, prediction: str) -> Rung:
    rung = foreseen_rung(case, prediction)
    if rung is None:
        raise _NeedsProcess
    return rung


def _is_there(verdict: Verdict | Future[Verdict]) -> bool:
    return isinstance(verdict, Verdict) or verdict.done()


def _result(verdict: Verdict | Future[Verdict]) -> Verdict:
    return verdict if isinstance(verdict, Verdict) else verdict.result()
