"""Edits of a number: how it is written, and how far it is from the gold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation, localcontext

from services.grading.forms import Edit, bare
from services.grading.shapes import plain_number

_CURRENCY = re.compile(
    r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|INR|JPY)\b|Rs\.?)\s*|\s*(?:[$€£¥₹]|\b(?:USD|EUR|GBP|INR|JPY)\b)\s*$"
)
_WITH_UNIT = re.compile(r"\s*([-+]?\d[\d.,]*(?:[eE][+-]?\d+)?)\s*(%|[^\W\d_][^\d]*|°.{0,3})\s*")
_UNIT_FIRST = re.compile(r"\s*([^\d.,%+-]+?)\s*([-+]?\d[\d.,]*(?:[eE][+-]?\d+)?)\s*")
_SPACED = re.compile(r"(?<!\d)\d{1,3}(?:[ '_]\d{3})+(?![\d])")
_DOTTED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?")
_DECIMAL_COMMA = re.compile(r"(-?\d+),(\d+)(\s*%)?")
_TIMES_TEN = re.compile(
    r"\s*([-+]?\d+(?:\.\d+)?)\s*(?:[x×*·]|\\times|\\cdot)\s*10\s*(?:\^|\*\*)?\s*[{(]?([-+]?\d+|[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)[})]?\s*"
)
_NO_ZERO = re.compile(r"(-?)(\.\d+)")
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_SCALES = {3: "a thousand", 6: "a million", 9: "a billion"}
_DIGITS_MOST = 40
_LONGEST = 200  # characters; a longer text is no number


def number_edits(text: str) -> Iterator[Edit]:
    """The number in `text` written as the grader reads it."""
    stripped = text.strip()
    if stripped.casefold() in _WORDS:
        yield Edit("number_word", "Write the number in digits.", str(_WORDS.index(stripped.casefold())))
    if len(stripped) > _LONGEST or not any(character.isdigit() for character in stripped):
        return
    without = _CURRENCY.sub("", stripped)
    if without != stripped and without:
        yield Edit("currency", "Leave out the currency sign.", without)
    if found := _SPACED.search(stripped):
        joined = stripped.replace(found[0], re.sub(r"\D", "", found[0]))
        yield Edit("thousands", f"Write “{found[0]}” without its thousands separators.", joined)
    if re.fullmatch(r"-?" + _DOTTED.pattern, stripped):
        plain = stripped.replace(".", "").replace(",", ".")
        kind = "decimal_comma" if "," in stripped else "thousands"
        yield Edit(
            "decimal_comma" if kind == "decimal_comma" else "thousands", f"Write “{plain}” for “{stripped}”.", plain
        )
    if re.fullmatch(r"-?\d{1,3}(?:,\d{3})+(?:\.\d+)?", stripped):
        yield Edit("thousands", "Leave out the thousands separators.", stripped.replace(",", ""))
    if found := _DECIMAL_COMMA.fullmatch(stripped):
        yield Edit("decimal_comma", "Write a decimal point for the comma.", f"{found[1]}.{found[2]}{found[3] or ''}")
    if found := _TIMES_TEN.fullmatch(stripped):
        plain = f"{found[1]}e{found[2].translate(_RAISED)}"
        yield Edit("notation", f"Write “{plain}”: a power of ten is not read.", plain)
    if found := _NO_ZERO.fullmatch(stripped):
        yield Edit("notation", "Write a zero before the decimal point.", f"{found[1]}0{found[2]}")
    if found := _WITH_UNIT.fullmatch(stripped):
        unit = found[2].strip()
        kind_name = "the per cent sign" if unit == "%" else f"“{unit}”"
        yield Edit("percent" if unit == "%" else "unit", f"Leave out {kind_name}.", found[1].rstrip(",."))
    elif found := _UNIT_FIRST.fullmatch(stripped):
        yield Edit("unit", f"Leave out “{found[1]}”.", found[2])


def toward_the_number(gold: str, text: str) -> Iterator[Edit]:
    """`text`, a number, rounded, negated or scaled to the gold's own number; nothing where it is not that far off."""
    left, right = _decimal(gold), _decimal(text)
    if left is None or right is None:
        return
    with localcontext() as context:
        context.prec = 2 * _DIGITS_MOST
        yield from _rounded(left, right)
        if _near(left, -right):
            yield Edit("sign", f"The sign is the other one: {_written(-right)}.", _written(-right))
        for power in (2, -2):
            scaled = right.scaleb(power)
            if _near(left, scaled):
                way = "× 100" if power > 0 else "÷ 100"
                yield Edit(
                    "percent", f"Percentage or fraction: the answer {way} is {_written(scaled)}.", _written(scaled)
                )
        for power, name in _SCALES.items():
            for sign, way in ((1, "×"), (-1, "÷")):
                scaled = right.scaleb(sign * power)
                if _near(left, scaled):
                    edit = f"The scale is another: the answer {way} {name} is {_written(scaled)}."
                    yield Edit("scale", edit, _written(scaled))


def _rounded(gold: Decimal, answer: Decimal) -> Iterator[Edit]:
    exponent = gold.as_tuple().exponent
    assert isinstance(exponent, int)
    for way in (ROUND_HALF_UP, ROUND_HALF_EVEN):
        rounded = _quantized(answer, exponent, way)
        if rounded is not None and rounded == gold != answer:
            places = f"{-exponent} decimals" if exponent < 0 else "a whole number"
            yield Edit("rounding", f"Round to {places}: {_written(rounded)}.", _written(rounded))
            return
    own = answer.as_tuple().exponent
    assert isinstance(own, int)
    coarse = _quantized(gold, own, ROUND_HALF_UP)
    if coarse is not None and coarse == answer != gold and abs(gold - answer) <= abs(gold) / 10:
        far = _written(abs(gold - answer))
        yield Edit("rounding", f"Give more decimals: the answer is {far} off, and rounded too far.", _written(gold))


def _quantized(value: Decimal, exponent: int, way: str) -> Decimal | None:
    try:
        return value.quantize(Decimal((0, (1,), exponent)), rounding=way)
    except InvalidOperation:  # more digits than the context keeps
        return None


def _near(gold: Decimal, value: Decimal) -> bool:
    """Close enough that the edit is worth grading: within a per cent."""
    return gold != 0 and abs(gold - value) <= abs(gold) / 100


def _decimal(text: str) -> Decimal | None:
    number = plain_number(bare(text)) if len(text) <= _LONGEST else None
    if number is None or len(number.digits) > _DIGITS_MOST or abs(number.value) > 1e30 or 0 < abs(number.value) < 1e-30:
        return None
    digits = number.digits.rstrip(".")
    try:
        value = Decimal(digits.replace(",", "")) if not number.grouped_oddly else Decimal(repr(number.value))
    except InvalidOperation:
        value = Decimal(repr(number.value))
    return abs(value) if number.value > 0 else -abs(value)


def _written(value: Decimal) -> str:
    return format(value, "f")
