"""A case as the page sends it: gold, answer, reward mode and tolerances."""

from __future__ import annotations

import sys
from typing import Any

from services.grading import Case

MAX_ANSWER = 2**20


class NoCase(ValueError):
    """What was sent can't be graded; the message is a sentence."""


def case_of(request: dict[str, Any]) -> Case:
    """The case in a request `{gold, prediction, reward_mode, atol, rtol}`.

    Raises:
        NoCase: a text is missing or too long, or a tolerance is no number, zero or more.
    """
    gold, prediction, mode = (request.get(name) for name in ("gold", "prediction", "reward_mode"))
    if not (isinstance(gold, str) and isinstance(prediction, str) and isinstance(mode, str)):
        raise NoCase("Not graded: gold, answer and reward mode should be text.")
    if max(len(gold), len(prediction)) > MAX_ANSWER:
        raise NoCase(f"Not graded: {MAX_ANSWER:,} characters is the most that can be graded.")
    return Case(gold, prediction, mode, _tolerance(request.get("atol")), _tolerance(request.get("rtol")))


def _tolerance(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= sys.float_info.max:
        raise NoCase("Not graded: a tolerance is a number, zero or more.")
    return float(value)
