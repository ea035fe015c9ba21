"""What math_verify must find, where that follows from its rules alone.

It is slow, and most comparisons need none of it: words in which it can read nothing, and texts of which it reads one
plain number. For these its verdict is certain beforehand. The rules are those of math_verify 0.9.0's extraction with
its default settings, over sympy 1.14's numbers; what isn't certain from them is left to math_verify.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

_LONGEST = 1000
_MOST_DIGITS = 40
_KEPT_DIGITS = 15  # a float of sympy's keeps as many; more of them change its precision
# Every LaTeX form it looks for holds a backslash, a second dollar or a bracket that opens after white space.
_LATEX = re.compile(r"\\|\$[^$]*\$|\s\[")
# Every other form begins with a digit at the head of a word, behind no more than `**`, a currency sign, `-`, `(`, `.`.
_HEAD_DIGIT = re.compile(r"(?:^|[\s=])(?:[-*.($]|[^\x00-\x7f]){0,6}\d")
_NUMBER = re.compile(
    r"""(?:^|[\s=]) (?:\*\*)? \$?
    (?: (?P<grouped> -?[1-9]\d{0,2} (?:[ ,]\d{3})+ ) (?P<rest> \.\d+ )?
      | (?P<whole> -?\d+ )? (?P<part> (?(whole)[.,]|\.)\d+ )
      | (?P<integer> -?\d+ ) )
    (?P<percent> \s*(?:%|[Pp]ercent|[Pp]ct) )?""",
    re.VERBOSE,
)
# What stands behind this word, a number or an expression, is taken before others, unless `=` follows.
_ANSWER = re.compile("answer", re.IGNORECASE)
# Numbers joined by operators are worked out as a whole, and win over a number inside.
_OPERATOR = re.compile(r"\d[\d.\s]*[-+*/^()][-+*/^()\d.\s]")
_JOINED = frozenset("0123456789.+-*/^() \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f")


@dataclass(frozen=True)
class Number:
    """A number as it is handed to sympy; with `percent` its hundredth is meant."""

    digits: str
    percent: bool

    @property
    def value(self) -> Decimal:
        return Decimal(self.digits) / 100 if self.percent else Decimal(self.digits)


def foreseen(gold: str, prediction: str) -> bool | None:
    """`verify(parse(gold), parse(prediction))`, or None where only math_verify can tell."""
    if reads_nothing(gold) or reads_nothing(prediction):
        return False  # nothing read is equal to nothing
    left = number_read(gold)
    right = number_read(prediction) if left else None
    return _equal(left, right) if left and right else None


def reads_nothing(text: str) -> bool:
    """Whether `parse(text)` is certain to be an empty list."""
    return len(text) <= _LONGEST and not _LATEX.search(text) and not _HEAD_DIGIT.search(text)


def number_read(text: str) -> Number | None:
    """The number `parse(text)` is certain to give: the last of those at the head of a word."""
    if len(text) > _LONGEST or not _is_plain(text) or _LATEX.search(text):
        return None
    numbers = list(_NUMBER.finditer(text))
    if not numbers:
        return None
    answer = _ANSWER.search(text)
    if answer and _HEAD_DIGIT.search(text, answer.end()) and (len(_HEAD_DIGIT.findall(text)) > 1 or "=" in text):
        return None
    last = numbers[-1]
    start = last.start()
    while start and text[start - 1] in _JOINED:
        start -= 1
    if _OPERATOR.search(text, start):
        return None
    integer = (last["grouped"] or last["whole"] or last["integer"] or "").replace(",", "").replace(" ", "")
    digits = (integer.lstrip("0") or "0") + (last["rest"] or last["part"] or "").replace(",", ".")
    if len(digits) > _MOST_DIGITS or re.match(r"-0\d", digits):
        return None  # the latter sympy doesn't take for a number
    return Number(digits, last["percent"] is not None)


def _is_plain(text: str) -> bool:
    """Whether all but letters is ASCII."""
    return text.isascii() or all(sign.isascii() or sign.isalpha() for sign in text)


def _equal(left: Number, right: Number) -> bool | None:
    if left.digits == right.digits:
        return True  # a percentage too: written alike is enough
    one, other = left.value, right.value
    if one == other and max(len(left.digits), len(right.digits)) <= _KEPT_DIGITS:
        # A percentage of a float is a little off, so it is equal only where both sides are floats and get rounded.
        both_floats = "." in left.digits and "." in right.digits
        if not (left.percent or right.percent) or (both_floats and abs(one) < 10**8 and one == round(one, 6)):
            return True
    # Farther apart than its rounding to 6 decimals and the precision of its floats can bridge.
    apart = abs(one - other) > Decimal("1e-5") + max(abs(one), abs(other)) * Decimal("1e-9")
    return False if apart else None
