"""The ladder: exact → numeric → numeric_scaled → list → math_verify; the first rung that matches decides.

The rules are those of the dataset's own grader, and so are reward and method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from services.grading.exact import exact_rung
from services.grading.lists import list_rung
from services.grading.numeric import numeric_rung, scaled_rung
from services.grading.verdict import Case, Rung, RungName, State, Verdict

SymbolicRung = Callable[[Case, str], Rung]
NAMES: tuple[RungName, ...] = ("exact", "numeric", "numeric_scaled", "list", "math_verify")
_OF_NUMBERS: tuple[RungName, ...] = ("numeric_scaled", "numeric", "list", "exact")
_OF_LISTS: tuple[RungName, ...] = ("list", "numeric_scaled", "numeric", "exact")
_AFTER_A_MATCH: dict[State, State] = {"matched": "would have matched", "failed": "would have failed"}


def climb(case: Case, symbolic: SymbolicRung, *, explain: bool) -> Verdict:
    """Grade `case`. With `explain` the rungs after the first match are evaluated too; the verdict is the same."""
    if case.prediction is None or not case.gold:
        reason = "There is no answer." if case.gold else "The gold is empty."
        return Verdict(0.0, "miss", tuple(Rung(name, "not tried", reason) for name in NAMES))
    method = ""
    rungs: list[Rung] = []
    for rung in _rungs(case, case.prediction, symbolic):
        if method:
            rungs.append(replace(rung, state=_AFTER_A_MATCH.get(rung.state, rung.state)))
            continue
        rungs.append(rung)
        if rung.state == "matched":
            method = rung.name
            if not explain:
                break
    if method:
        return Verdict(1.0, method, tuple(rungs))
    if any(rung.state == "could not run" for rung in rungs):
        return Verdict(None, "not_gradable", tuple(rungs))
    return Verdict(0.0, "miss", tuple(rungs), _telling(case, rungs))


def _telling(case: Case, rungs: list[Rung]) -> RungName:
    """Of the rungs that failed, the one that says most: of a number, commas may part thousands rather than items."""
    failed = {rung.name for rung in rungs if rung.state == "failed"}
    order = _OF_NUMBERS if case.reward_mode in {"numeric", "flexible"} else _OF_LISTS
    return next(name for name in order if name in failed)  # the exact rung is always tried


def _rungs(case: Case, prediction: str, symbolic: SymbolicRung) -> Iterator[Rung]:
    yield exact_rung(case, prediction)
    yield numeric_rung(case, prediction)
    yield scaled_rung(case, prediction)
    yield list_rung(case, prediction)
    yield symbolic(case, prediction)
