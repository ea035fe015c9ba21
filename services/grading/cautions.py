"""Cautions: why a person should doubt a match. They are read off a finished verdict and never change it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from services.grading.characters import plain
from services.grading.counter_examples import counter_example
from services.grading.exact import normal
from services.grading.explained import Caution, CautionKind, Regrade
from services.grading.forms import bare, command_value
from services.grading.gold_and_question import gold_caution
from services.grading.lists import LIST_MODES, items_of
from services.grading.numeric import compare, read_number
from services.grading.shapes import SCALES, PlainNumber, plain_number, say_the_same, shape
from services.grading.verdict import Case, NumberRead, Pair, Reading, Rung, Verdict

LONG = 2000  # characters; a longer text is no value any more
_SHOWN = 60
_CURRENCY_OF = {
    "usd": "$",
    "dollar": "$",
    "dollars": "$",
    "eur": "€",
    "euro": "€",
    "euros": "€",
    "gbp": "£",
    "pounds": "£",
}
_RAISED = str.maketrans("²³", "23")
_SIX_DECIMALS = 1e-6
_READ_VALUE = re.compile(r"(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)(?:/(\d+)(?:\*\*(\d+))?)?")
_ORDERED = re.compile(
    r"\b(?:in (?:\w+ )?order|(?:order|rank|sort)(?:ed| the| them| by)|ranking|respectively|descending|ascending|"
    r"top \w+|first to last|"
    r"from (?:the )?(?:high|low|larg|small|bigg|great|long|short|fast|slow|new|old|earli|lat|young)\w*est|"
    r"from (?:the )?(?:most|least|fewest|best|worst))\b|\w first(?=[.,;:!?)]|$)",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"%|\bper\s?cent(?:age|ages)?\b|\bpct\b", re.IGNORECASE)
_WHY: dict[CautionKind, str] = {
    "ignored_text": "Whatever stands in the ignored part, the verdict is the same.",
    "date": "Dates with one part in common pass for one another.",
    "time": "Times with one part in common pass for one another.",
    "version": "Versions or addresses that start alike pass for one another.",
    "dimensions": "Sizes with one side in common pass for one another.",
    "ordinal": "An ordinal and any other text with its number pass for one another.",
    "range": "Ranges with one end in common pass for one another.",
    "bound": "The direction of a bound is not compared: more than and less than pass for one another.",
    "identifier": "Names with a number in common pass for one another.",
    "unit": "The unit is not compared, so the amounts can be far apart.",
    "sign": "The sign is not compared: a loss passes for a gain.",
    "several_values": "An answer that lists several values passes if the one that is read is right.",
    "equation": "Different equations pass for one another.",
    "comma": "A comma can part thousands, decimals or items, and the grader may take it otherwise than it was meant.",
    "percent_bridge": "Nothing says that either side is a percentage, and the two are a hundred times apart.",
    "percent_sign": "The per cent sign is not compared, so the two may be a hundred times apart.",
    "rounded": "The symbolic rung rounds to 6 decimals: all very small numbers are equal to it.",
    "wide_tolerance": "The tolerance is wide enough for a value that means something else.",
    "list_item": "Items with the same first number pass for one another.",
    "order_ignored": "The list passes in any order, though the order may be part of the answer.",
    "command": "The file would hold the command, and the value is only a part of it.",
}


@dataclass(frozen=True)
class Doubt:
    kind: CautionKind
    what: str


@dataclass(frozen=True)
class Sides:
    """The gold and the answer of a match, and what the rung that matched read of each."""

    gold: str
    answer: str
    rung: str
    gold_read: Reading | None
    answer_read: Reading | None
    atol: float
    rtol: float

    @cached_property
    def bare_gold(self) -> str:
        return bare(self.gold)

    @cached_property
    def bare_answer(self) -> str:
        return bare(self.answer)

    def close(self, gold: float, answer: float) -> bool:
        return compare(gold, answer, self.atol, self.rtol).within is not None


def cautions_on(case: Case, verdict: Verdict, question: str, regrade: Regrade) -> tuple[Caution, ...]:
    """Every reason to doubt `verdict`, the most telling first; `regrade` grades an edited answer.

    A match by equal text has no doubt about the comparison. What `question` asks for is held against the gold on any
    verdict, and so is an answer that is a command.
    """
    found: list[Caution] = []
    answer = case.prediction if verdict.method != "exact" else None
    if answer is not None and len(answer) <= LONG and command_value(answer) is not None:
        what = f"The answer “{_cut(answer.strip())}” is a command, not the value it would write."
        found.append(Caution("command", what, _WHY["command"]))
    elif answer is not None and verdict.reward == 1.0:
        rung = next(rung for rung in verdict.rungs if rung.name == verdict.method)
        for doubt in _doubts(case, answer, rung, question):
            also = counter_example(doubt.kind, case, answer, rung, regrade)
            found.append(Caution(doubt.kind, doubt.what, _WHY[doubt.kind], also))
    if about_gold := gold_caution(case.gold, question):
        found.append(about_gold)
    return tuple(found)


def _doubts(case: Case, answer: str, rung: Rung, question: str) -> Iterator[Doubt]:
    if rung.name == "list":
        yield from _list_doubts(case, answer, rung, question)
        return
    sides = Sides(case.gold, answer, rung.name, rung.gold, rung.prediction, case.atol, case.rtol)
    if rung.name == "numeric_scaled" and len(answer) <= LONG >= len(case.gold):
        if doubt := _bridge_doubt(sides, question):
            yield doubt
        return
    if doubt := _doubt(sides):
        yield doubt
    elif case.reward_mode in LIST_MODES and len(items_of(case.gold)) > 1:
        yield Doubt(
            "comma", f"The gold is a list in this mode, and “{_cut(case.gold.strip())}” was read as one number."
        )
    if rung.name == "numeric" and (wide := _tolerance_doubt(rung, case)):
        yield wide


def _doubt(sides: Sides) -> Doubt | None:
    """What is wrong with taking the two sides of a numeric or symbolic match for equal; None if nothing is."""
    if max(len(sides.gold), len(sides.answer)) > LONG:
        return None if normal(sides.gold) == normal(sides.answer) else _ignored("ignored_text", sides)
    gold, answer = sides.bare_gold, sides.bare_answer
    if normal(gold) == normal(answer):
        return None
    left, right = plain_number(gold), plain_number(answer)
    if left and right:
        return _number_doubt(left, right, sides)
    if _negative(gold) == _negative(answer) and say_the_same(gold, answer, sides.close):
        return None
    if sides.rung == "math_verify" and _formula(gold) and _formula(answer):
        return _rounding_doubt(sides)
    other = [text for text, number in ((gold, left), (answer, right)) if number is None]
    kinds = [kind for text in other if (kind := shape(text))]
    kinds.sort(key=lambda kind: kind == "identifier")  # the least that can be said of a text with a number
    return _ignored(kinds[0] if kinds else "ignored_text", sides)


def _number_doubt(gold: PlainNumber, answer: PlainNumber, sides: Sides) -> Doubt | None:
    """Both sides are one number each: did the grader take them for what a person would?"""
    if gold.leading_zeros != answer.leading_zeros and "." not in gold.digits + answer.digits:
        return Doubt("identifier", f"“{sides.gold.strip()}” and “{sides.answer.strip()}” differ in leading zeros.")
    if gold.value == -answer.value != 0:
        return Doubt("sign", f"“{sides.bare_gold}” and “{sides.bare_answer}” have opposite signs; one was not read.")
    if gold.percent != answer.percent and not _is_percentage_of(gold, answer):
        if min(abs(gold.value), abs(answer.value)) < 1 and gold.value:
            return Doubt("percent_sign", f"Only one of “{sides.bare_gold}” and “{sides.bare_answer}” is a percentage.")
    elif gold.percent != answer.percent:
        return None
    if doubt := _unit_doubt(gold, answer):
        return doubt
    for number, text in ((gold, sides.bare_gold), (answer, sides.bare_answer)):
        if number.grouped_oddly and not (sides.rung == "math_verify" and _same_value(gold, answer)):
            return Doubt("comma", f"The comma of “{text}” {_comma_was(text)}.")
    if sides.rung == "math_verify":
        return None if _same_value(gold, answer) else _rounding_doubt(sides) or _ignored("ignored_text", sides)
    return None if sides.close(gold.value, answer.value) else _ignored("ignored_text", sides)


def _comma_was(text: str) -> str:
    read = read_number(text)
    return f"was left out: it was read as {read.value:g}" if read else "was left out"


def _unit_doubt(gold: PlainNumber, answer: PlainNumber) -> Doubt | None:
    left, right = _currency(gold), _currency(answer)
    if left and right and left != right:
        return Doubt("unit", f"The currencies “{left}” and “{right}” were ignored.")
    if gold.unit and answer.unit and not (left and right):
        if _same_unit(gold.unit, answer.unit):
            return None
        return Doubt("unit", f"The units “{gold.unit}” and “{answer.unit}” were ignored.")
    if _scales(gold) != _scales(answer):
        return Doubt("unit", f"“{gold.unit or answer.unit}”, on one side alone, was ignored.")
    return None


def _currency(number: PlainNumber) -> str:
    name = number.currency or number.unit
    return _CURRENCY_OF.get(name.casefold(), number.currency)


def _scales(number: PlainNumber) -> set[str]:
    return {word for word in re.findall(r"\w+", number.unit) if word in SCALES or word.casefold() in SCALES}


def _same_unit(gold: str, answer: str) -> bool:
    """Whether two units are one, perhaps cut short: minutes and min, hours and hrs."""
    left, right = (re.sub(r"\W", "", plain(unit).casefold()).translate(_RAISED) for unit in (gold, answer))
    if left.removesuffix("s") == right.removesuffix("s"):
        return True
    short, full = sorted((left, right), key=len)
    if len(short) < 2 or not (short + full).isalpha() or "/" in gold + answer:
        return False
    letters = iter(full)
    return full.startswith(short) or (len(short) > 2 and short[0] == full[0] and all(each in letters for each in short))


def _same_value(gold: PlainNumber, answer: PlainNumber) -> bool:
    return abs(gold.value - answer.value) <= 1e-4 * abs(gold.value)


def _is_percentage_of(gold: PlainNumber, answer: PlainNumber) -> bool:
    """Whether one is the other's percentage: 50% and 0.5."""
    percentage, fraction = (gold, answer) if gold.percent else (answer, gold)
    return abs(percentage.value / 100 - fraction.value) <= max(0.01 * abs(fraction.value), 1e-9)


def _bridge_doubt(sides: Sides, question: str) -> Doubt | None:
    gold, answer = plain_number(sides.bare_gold), plain_number(sides.bare_answer)
    if gold is None or answer is None:
        return _doubt(sides)
    if gold.percent != answer.percent and _is_percentage_of(gold, answer):
        return _unit_doubt(gold, answer)
    if gold.percent or answer.percent:
        return Doubt("percent_sign", f"“{sides.bare_gold}” and “{sides.bare_answer}” are not the same percentage.")
    if _PERCENT.search(question):
        return None
    return Doubt(
        "percent_bridge", f"“{sides.bare_answer}” was taken for “{sides.bare_gold}”, with no % on either side."
    )


def _tolerance_doubt(rung: Rung, case: Case) -> Doubt | None:
    """A different whole number passed, or one so far off that zero would pass as well."""
    if not (isinstance(rung.gold, NumberRead) and isinstance(rung.prediction, NumberRead) and rung.closeness):
        return None
    gold, answer, difference = rung.gold.value, rung.prediction.value, rung.closeness.difference
    if gold.is_integer() and ((answer.is_integer() and answer != gold) or difference > 0.5):
        return Doubt("wide_tolerance", f"{answer:.15g} passed for the whole number {gold:.15g}: {_allowed(rung)}.")
    if gold and compare(gold, 0.0, case.atol, case.rtol).within and rung.closeness.relative > max(0.01, case.rtol):
        what = f"{answer:.15g} passed for {gold:.15g}, and so would 0: {_allowed(rung)}."
        return Doubt("wide_tolerance", what)
    return None


def _allowed(rung: Rung) -> str:
    assert rung.closeness
    within = rung.closeness.within
    limit = rung.closeness.atol if within == "atol" else rung.closeness.rtol
    return f"{within} is {limit:g}"


def _rounding_doubt(sides: Sides) -> Doubt | None:
    """The two values read differ by little, and that little is much of them."""
    values = [_value_read(each) for each in (sides.gold_read, sides.answer_read)]
    if None in values:
        return None
    gold, answer = (float(value or 0.0) for value in values)
    if 0 < abs(gold - answer) < _SIX_DECIMALS and abs(gold - answer) > 1e-4 * abs(gold):
        what = f"“{_cut(sides.bare_gold)}” and “{_cut(sides.bare_answer)}” are equal only once rounded to 6 decimals."
        return Doubt("rounded", what)
    return None


def _value_read(reading: Reading | None) -> float | None:
    found = _READ_VALUE.fullmatch(reading.text) if reading else None
    if not found:
        return None
    try:
        return float(found[1]) / math.pow(float(found[2] or 1), float(found[3] or 1))
    except (OverflowError, ZeroDivisionError):
        return 0.0 if found[3] else None


def _formula(text: str) -> bool:
    """Whether `text` is arithmetic and nothing else, so that the symbolic rung reads all of it."""
    if shape(text) or re.search(r"[,;=!]|\d\s+\d|\.\d+\.", text):
        return False
    known = re.sub(r"\\(?:[dt]?frac|sqrt|cdot|times|pi|left|right|div|infty|log|ln|exp)(?![a-zA-Z])", " ", text)
    return re.fullmatch(r"[\d\s.+*/^(){}×÷%$-]*(?:\b[a-z]\b[\d\s.+*/^(){}×÷-]*)*", known) is not None


def _negative(text: str) -> bool:
    return re.match(r"\s*(?:-|minus\b|negative\b)", text, re.IGNORECASE) is not None


def _list_doubts(case: Case, answer: str, rung: Rung, question: str) -> Iterator[Doubt]:
    gold, prediction = bare(case.gold[:LONG]), bare(answer[:LONG])
    number = plain_number(gold)
    if number and not number.grouped_oddly:
        yield Doubt("comma", f"The number “{case.gold.strip()}” was compared as a list of its digit groups.")
        return

    def close(left: float, right: float) -> bool:
        return compare(left, right, case.atol, case.rtol).within is not None

    whole = max(len(case.gold), len(answer)) <= LONG and say_the_same(gold, prediction, close)
    for pair in () if whole else rung.pairs:
        if pair.matched_by == "number" and (doubt := _pair_doubt(pair, case)):
            what = f"The items “{_cut(pair.gold)}” and “{_cut(pair.prediction)}” were compared by one number."
            yield doubt if doubt.kind == "wide_tolerance" else Doubt("list_item", what)
            break
    if rung.order == "sorted" and (_ORDERED.search(question) or case.reward_mode not in LIST_MODES):
        yield Doubt(
            "order_ignored", "The items stand in another order than the gold's, and were sorted before comparing."
        )


def _pair_doubt(pair: Pair, case: Case) -> Doubt | None:
    left, right = read_number(pair.gold), read_number(pair.prediction)
    sides = Sides(pair.gold, pair.prediction, "list", left, right, case.atol, case.rtol)
    item = Rung("numeric", "matched", "", left, right, pair.closeness)
    return _doubt(sides) or _tolerance_doubt(item, case)


def _ignored(kind: CautionKind, sides: Sides) -> Doubt:
    """Say which characters were read, and which were not."""
    parts = [
        part
        for side, text, reading in (("gold", sides.gold, sides.gold_read), ("answer", sides.answer, sides.answer_read))
        if (part := _left_out(side, text, reading))
    ]
    rung = "number" if sides.rung in ("numeric", "numeric_scaled", "list") else "symbolic"
    return Doubt(kind, f"The {rung} rung {'; '.join(parts) or 'did not compare the whole texts'}.")


def _left_out(side: str, text: str, reading: Reading | None) -> str:
    if reading is None or not reading.text:
        return ""
    if isinstance(reading, NumberRead):
        start, end = reading.start, reading.end
    else:
        found = _place_of(reading.text, text)
        if found is None:
            return f"read the {side} “{_cut(text)}” as {_cut(reading.text)}"
        start, end = found
    rest = [f"“{_cut(part.strip())}”" for part in (text[:start], text[end:]) if part.strip()]
    return f"read “{_cut(text[start:end])}” of the {side} and ignored {' and '.join(rest)}" if rest else ""


def _place_of(read: str, text: str) -> tuple[int, int] | None:
    """Where in `text` stands what the symbolic rung read; it writes decimals out to 15 digits."""
    short = re.sub(r"(\.\d*?)0+$", r"\1", read).removesuffix(".")
    zeros = "0*" if "." in short else r"(?:\.0+)?"
    found = re.search(rf"(?<![\d.]){re.escape(short)}{zeros}(?!\d)", text)
    return found.span() if found else None


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
