"""Counter-examples: another answer, plainly not the gold, that the grader takes for right as well."""

from __future__ import annotations

import re
from collections.abc import Iterator

from services.grading.characters import is_sendable
from services.grading.exact import normal
from services.grading.explained import CautionKind, Regrade
from services.grading.forms import bare
from services.grading.numeric import read_number
from services.grading.shapes import plain_number
from services.grading.verdict import Case, Rung

_TRIED_MOST = 4
_LONG = 200
_TINY = 1e-4
_OTHER_WORDS = {
    "km": "m",
    "m": "km",
    "kg": "g",
    "g": "kg",
    "am": "pm",
    "pm": "am",
    "million": "thousand",
    "k": "million",
}
_OTHER_WORDS |= {
    "hours": "minutes",
    "minutes": "hours",
    "years": "days",
    "days": "years",
    "miles": "m",
    "months": "days",
}
_OTHER_BOUNDS = (
    ("more", "less"),
    ("less", "more"),
    ("least", "most"),
    (">", "<"),
    ("<", ">"),
    ("over", "under"),
    ("+", "-"),
)


def counter_example(kind: CautionKind, case: Case, answer: str, rung: Rung, regrade: Regrade) -> str | None:
    """The first of a few candidates that passes, though not as equal text."""
    tried = 0
    meant = plain_number(bare(case.gold[:_LONG]))
    said = {normal(bare(text)) for text in (case.gold, answer)} if len(answer) <= _LONG else set()
    for candidate in _candidates(kind, case.gold.strip()[:_LONG], answer.strip()[:_LONG], rung):
        form = bare(candidate)
        number = plain_number(form)
        if normal(form) in said or (kind == "comma" and meant and number and number.value == meant.value):
            continue
        if tried == _TRIED_MOST:
            break
        tried += 1
        if is_sendable(candidate) and regrade(candidate) not in (None, "exact"):
            return candidate
    return None


def _candidates(kind: CautionKind, gold: str, answer: str, rung: Rung) -> Iterator[str]:
    whole = gold if plain_number(bare(gold)) is None else answer  # the side that says more than a number
    if kind == "percent_bridge":
        yield f"{bare(answer)}%"
    elif kind == "wide_tolerance":
        yield from _other_numbers(gold)
    elif kind == "rounded":
        number = read_number(gold)
        yield from ([f"{number.value * 3:.12f}"] if number and abs(number.value) < _TINY else [])
        yield from ("0.0000001", "0")
    elif kind == "comma":
        yield from _moved_comma(gold, answer, rung)
    elif kind == "order_ignored":
        items = [item.strip() for item in gold.split(",") if item.strip()]
        yield from (", ".join(items[::-1]), ", ".join([*items[1:], *items[:1]]))
    elif kind in ("list_item", "several_values"):
        yield from (*_changed_number(gold), *_changed_number(answer))
    elif kind == "equation":
        yield from (gold.replace("+", "-", 1), "0")
    else:
        yield from _said_otherwise(kind, whole)
        yield f"{rung.gold.text if rung.gold else gold} or so"


def _said_otherwise(kind: CautionKind, text: str) -> Iterator[str]:
    if kind == "bound":
        yield from (text.replace(old, new, 1) for old, new in _OTHER_BOUNDS if old in text)
    if kind in ("unit", "sign", "ordinal", "identifier", "bound"):
        yield from (*_changed_word(text), *_changed_number(text))
    elif kind == "range":
        yield from (*_changed_number(text), re.sub(r"\d+", lambda number: str(int(number[0]) + 30), text))
    else:
        yield from (*_changed_number(text), *_changed_word(text))


def _other_numbers(gold: str) -> Iterator[str]:
    number = read_number(gold)
    if number is None:
        return
    value = number.value
    if value.is_integer():
        yield from (f"{value + 1:.15g}", f"{value - 1:.15g}")
    yield from ("0", f"{value * 2:.3g}")


def _moved_comma(gold: str, answer: str, rung: Rung) -> Iterator[str]:
    if rung.name == "list":
        yield ", ".join(item.strip() for item in reversed(gold.split(",")))
    for text in (answer, gold):
        digits = text.replace(",", "")
        places = [place for place in range(1, len(digits)) if digits[place - 1 : place + 1].isdigit()]
        yield from (f"{digits[:place]},{digits[place:]}" for place in places[:2])


def _changed_number(text: str) -> Iterator[str]:
    """`text` with its last number changed by a digit, or its first."""
    numbers = list(re.finditer(r"\d+", text))
    for found in (*numbers[:0:-1][:1], *numbers[:1]):
        digit = "2" if found[0][-1] == "1" else "1"
        yield f"{text[: found.start()]}{found[0][:-1]}{digit}{text[found.end() :]}"


def _changed_word(text: str) -> Iterator[str]:
    """`text` with its last word another."""
    words = list(re.finditer(r"(?<!\d)[^\W\d_]+|(?<=\d)[^\W\d_]{1,2}$", text))
    if words:
        found = words[-1]
        other = _OTHER_WORDS.get(found[0].casefold(), "Item" if found[0][0].isupper() else "other")
        if not text[: found.start()][-1:].isdigit() or found[0].casefold() in _OTHER_WORDS:
            yield f"{text[: found.start()]}{other}{text[found.end() :]}"
