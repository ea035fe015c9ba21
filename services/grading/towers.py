"""Powers of whole numbers, one on the other, that no computer works out: 9**9**9, 10^1000000000, $2^{3^{4^{5}}}$."""

from __future__ import annotations

import math
import re

# Python works for most of a minute on so many digits; sympy starts on them whatever the other side is.
_MOST_DIGITS = 300_000_000
_LONGEST = 200
_PLAIN = re.compile(r"[1-9]\d{0,14}(?:\s*(?:\*\*|\^)\s*[1-9]\d{0,14})+", re.ASCII)
_LATEX = re.compile(r"\$[1-9]\d{0,14}(?:\^\{[1-9]\d{0,14})+\}+\$", re.ASCII)
_WHOLE_NUMBER = re.compile(r"\d+")


def is_tower(text: str) -> bool:
    """Whether `text` is nothing but a power of whole numbers with more than 300 million digits."""
    text = text.strip()
    if len(text) > _LONGEST or not (_PLAIN.fullmatch(text) or _LATEX.fullmatch(text)):
        return False
    base, *exponents = map(int, _WHOLE_NUMBER.findall(text))
    return _power(exponents) * math.log10(base) > _MOST_DIGITS


def _power(numbers: list[int]) -> float:
    """The value of a tower, from its top down; infinite where it is beyond a float."""
    value = 1.0
    for number in reversed(numbers):
        try:
            value = number**value
        except OverflowError:
            return math.inf if 1 not in numbers else 1.0  # a 1 on the way down may make it small
    return value
