"""The list rung: comma-separated items, pair by pair, in the given order or sorted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.grading.exact import normal
from services.grading.numeric import compare, read_number
from services.grading.verdict import PAIRS_SHOWN, Case, Order, Pair, Rung, State

LIST_MODES = {"list", "list_csv"}


def items_of(text: str) -> list[str]:
    """The trimmed items between commas, without the empty ones."""
    return [item for part in text.split(",") if (item := part.strip())]


def list_rung(case: Case, prediction: str) -> Rung:
    """Rung 3."""
    if case.reward_mode not in LIST_MODES and not ("," in case.gold and "," in prediction):
        mode = case.reward_mode or "(none)"
        return Rung("list", "not tried", f"Reward mode {mode} is not a list, and not both sides hold a comma.")
    gold, answer = items_of(case.gold), items_of(prediction)
    if len(gold) < 2:
        return Rung("list", "failed", f"The gold has {_items(len(gold))}; a list has two or more.")
    if len(gold) != len(answer):
        return Rung("list", "failed", f"The gold has {_items(len(gold))}, the answer {_items(len(answer))}.")
    in_order = list(zip(gold, answer, strict=True))
    if _all_match(case, in_order):
        return _compared("matched", "All pairs match in the given order.", case, in_order, "as given")
    by_text = list(zip(sorted(gold, key=str.lower), sorted(answer, key=str.lower), strict=True))
    if _all_match(case, by_text):
        return _compared("matched", "All pairs match once both sides are sorted.", case, by_text, "sorted")
    if len(gold) > PAIRS_SHOWN:
        detail = f"Not all of the {len(gold):,} pairs match, in the given order or sorted."
        return _compared("failed", detail, case, in_order, "as given")
    given, ordered = (sum(_pair(case, *each).matched_by is not None for each in pairs) for pairs in (in_order, by_text))
    in_given = f"{given} of {len(gold)} pairs match in the given order"
    if ordered > given:
        return _compared("failed", f"{in_given}, {ordered} once both sides are sorted.", case, by_text, "sorted")
    return _compared("failed", f"{in_given}; no more do once both sides are sorted.", case, in_order, "as given")


def _compared(state: State, detail: str, case: Case, pairs: Sequence[tuple[str, str]], order: Order) -> Rung:
    first = tuple(_pair(case, *each) for each in pairs[:PAIRS_SHOWN])
    return Rung("list", state, detail, order=order, pairs=first, pair_count=len(pairs))


def _all_match(case: Case, pairs: Iterable[tuple[str, str]]) -> bool:
    return all(_pair(case, *pair).matched_by for pair in pairs)


def _pair(case: Case, gold: str, answer: str) -> Pair:
    if normal(gold) == normal(answer):
        return Pair(gold, answer, "text")
    left, right = read_number(gold), read_number(answer)
    if left is None or right is None:
        return Pair(gold, answer, None)
    closeness = compare(left.value, right.value, case.atol, case.rtol)
    return Pair(gold, answer, "number" if closeness.within else None, closeness)


def _items(count: int) -> str:
    return f"{count:,} item{'' if count == 1 else 's'}"
