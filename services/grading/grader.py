"""The grader: the ladder with its symbolic workers."""

from __future__ import annotations

from functools import partial
from types import TracebackType

from services.grading.ladder import climb
from services.grading.symbolic import SymbolicPool, symbolic_rung
from services.grading.verdict import Case, Verdict

TOLERANCE = 1e-3


class Grader:
    """Grades answers from any thread; its worker processes start at once and end with `close` or with the app.

    `workers` comparisons of the symbolic rung run at once; each may take `seconds` of wall time and `memory_mb` of
    memory.
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
        case = Case(gold, prediction, reward_mode, atol, rtol)
        return climb(case, partial(symbolic_rung, pool=self._pool, read=explain), explain=explain)

    def close(self) -> None:
        self._pool.close()

    def __enter__(self) -> Grader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
