"""The exact rung: equal texts, but for case and white space."""

from __future__ import annotations

from services.grading.verdict import Case, Reading, Rung


def normal(text: str) -> str:
    """`text` trimmed, in lower case, each run of white space one space."""
    return " ".join(text.lower().split())


def exact_rung(case: Case, prediction: str) -> Rung:
    """Rung 1."""
    gold, answer = normal(case.gold), normal(prediction)
    same = gold == answer
    detail = f"The texts {'are equal' if same else 'differ'}, letter case and extra spaces aside."
    return Rung("exact", "matched" if same else "failed", detail, Reading(gold), Reading(answer))
