"""The numeric rungs: the first number of each text, compared within the task's tolerances."""

from __future__ import annotations

import re

from services.grading.verdict import Case, Closeness, NumberRead, Rung

NUMERIC_MODES = {"numeric", "flexible"}
# Commas are gone before this is looked for. \d is any Unicode digit, and so is what float() reads.
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")


def read_number(text: str) -> NumberRead | None:
    """The first number of `text` once every comma is removed, with its place in `text`; None where there is none."""
    found = _NUMBER.search(text.replace(",", ""))
    if not found:
        return None
    start = _place(text, found.start())
    end = _place(text, found.end() - 1) + 1
    return NumberRead(text[start:end], float(found[0]), start, end)


def is_number(text: str) -> bool:
    """Whether all of `text` is one number, give or take outer white space, `%`, `$` and commas."""
    return _NUMBER.fullmatch(text.strip().strip("%$").strip().replace(",", "")) is not None


def compare(gold: float, prediction: float, atol: float, rtol: float) -> Closeness:
    """How far apart two numbers are; the relative difference is taken on the gold."""
    difference = abs(gold - prediction)
    return Closeness(difference, difference / max(abs(gold), 1e-9), atol, rtol)


def numeric_rung(case: Case, prediction: str) -> Rung:
    """Rung 2: the first numbers of both texts are close."""
    if reason := _why_not_tried(case):
        return Rung("numeric", "not tried", reason)
    gold, answer = read_number(case.gold), read_number(prediction)
    if gold is None or answer is None:
        return Rung("numeric", "failed", _missing_number(gold, answer), gold, answer)
    closeness = compare(gold.value, answer.value, case.atol, case.rtol)
    if closeness.within:
        detail = f"The first numbers of both are close enough: within {closeness.within}."
        return Rung("numeric", "matched", detail, gold, answer, closeness)
    return Rung("numeric", "failed", "The first numbers of both are too far apart.", gold, answer, closeness)


def scaled_rung(case: Case, prediction: str) -> Rung:
    """Rung 2, second part: a fraction on one side and its percentage on the other."""
    if reason := _why_not_tried(case):
        return Rung("numeric_scaled", "not tried", reason)
    gold, answer = read_number(case.gold), read_number(prediction)
    if gold is None or answer is None:
        return Rung("numeric_scaled", "not tried", _missing_number(gold, answer), gold, answer)
    small, large = sorted((abs(gold.value), abs(answer.value)))
    if not 0 < small < 1 <= large:
        reason = "Only for a number between 0 and 1 on one side and one of 1 or more on the other."
        return Rung("numeric_scaled", "not tried", reason, gold, answer)
    times, over = (
        compare(gold.value, scaled, case.atol, case.rtol) for scaled in (answer.value * 100, answer.value / 100)
    )
    # Not min() on the difference alone: the one that passes may be the farther in the difference's own terms.
    is_times = bool(times.within) or (not over.within and times.difference <= over.difference)
    closeness, scaled = (times, "the answer × 100") if is_times else (over, "the answer ÷ 100")
    if closeness.within:
        detail = f"The gold and {scaled} are close enough: within {closeness.within}."
        return Rung("numeric_scaled", "matched", detail, gold, answer, closeness)
    return Rung("numeric_scaled", "failed", f"The gold and {scaled} are too far apart.", gold, answer, closeness)


def _why_not_tried(case: Case) -> str:
    if case.reward_mode in NUMERIC_MODES or is_number(case.gold):
        return ""
    return f"Reward mode {case.reward_mode or '(none)'} is not numeric or flexible, and the gold is not one number."


def _missing_number(gold: NumberRead | None, answer: NumberRead | None) -> str:
    sides = [side for side, reading in (("the gold", gold), ("the answer", answer)) if reading is None]
    return f"No number in {' and in '.join(sides)}."


def _place(text: str, index: int) -> int:
    """Where in `text` the character stands that has `index` once the commas are gone."""
    comma = text.find(",")
    while comma != -1 and comma <= index:
        index += 1
        comma = text.find(",", comma + 1)
    return index
