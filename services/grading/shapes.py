"""What a text is, read as a whole: one plain number with its sign, currency, per cent and unit, or a date, a range …"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from services.grading.explained import CautionKind

_CURRENCY = r"[$€£¥₹₽₩]|(?:US|CA|AU|NZ|HK)\$|\b(?:USD|EUR|GBP|JPY|INR|CNY|CAD|AUD|CHF)\b|Rs\.?"
_DIGITS = r"(?:\d+(?:[,'_ ]\d+)*(?:\.\d+)*(?:,\d+)?\.?|\.\d+)(?:[eE][+-]?\d+)?"
_WORD = r"[^\W\d_][^\W\d_.]*[²³23]?(?!\d)"
_NUMBER = re.compile(
    rf"(?P<sign>[-+]|minus\b|negative\b)?\s*(?P<currency>{_CURRENCY})?\s*(?P<sign2>-)?(?P<digits>{_DIGITS})"
    rf"\s*(?P<percent>\\?%|(?:percent|per\s+cent|pct|percentage\s+points?)\b)?"
    rf"\s*(?P<unit>(?:°\s*)?(?:{_WORD}(?:\s*[/·]\s*{_WORD}|[ -]{_WORD}){{0,2}}|{_CURRENCY}|°|″|′))?"
    r"\s*(?:\([^()\d]*\))?",  # 0.91 (AUC)
    re.IGNORECASE,
)
_LOOKED_AT = 500  # characters; no single value is longer
_DIGIT = re.compile(r"\d")
_DECADE = re.compile(r"\d{2,3}0s")
_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,2}(?:,\d{2})+,\d{3}(?:\.\d+)?")
_NOT_UNITS = {"or", "and", "not", "to", "but", "x", "versus", "vs", "through", "than", "of", "out", "if", "maybe", "e"}
_NOT_UNITS |= {"st", "nd", "rd", "th", "am", "pm"}
SCALES = {
    "k",
    "K",
    "M",
    "B",
    "bn",
    "mn",
    "cent",
    "cents",
    "pence",
    "thousand",
    "thousands",
    "million",
    "millions",
    "billion",
    "billions",
}
SCALES |= {"trillion", "hundred", "dozen", "lakh", "lakhs", "crore", "crores", "mio"}
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)(?:[a-z]{1,6})?\.?"
_SHAPES: tuple[tuple[CautionKind, re.Pattern[str]], ...] = (
    (
        "date",
        re.compile(
            r"\b\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?\b(?![.%])|\b\d{4}\.\d{1,2}\.\d{1,2}\b|\b\d{1,2}([-/.])\d{1,2}\1\d{2,4}\b(?!\.)"
        ),
    ),
    ("date", re.compile(rf"\b{_MONTH}\s*[-,]?\s*\d|\d(?:st|nd|rd|th)?\s*[- ]\s*{_MONTH}\b", re.IGNORECASE)),
    ("date", re.compile(r"\b\d{3,4}s\b|\b\d{2}s\b|\bQ[1-4]\b|\b(?:19|20)\d\d[-/]\d\d\b", re.IGNORECASE)),
    ("time", re.compile(r"\b\d{1,2}:\d{2}\b|\b\d{1,2}\s*(?:am|pm|a\.m\.|p\.m\.)(?!\w)", re.IGNORECASE)),
    ("version", re.compile(r"\bv?\d+(?:\.\d+){2,}|\b(?:version|release|v)\.?\s*\d", re.IGNORECASE)),
    ("dimensions", re.compile(r"\d\s*[x×]\s*\d", re.IGNORECASE)),
    ("equation", re.compile(r"(?<![<>!=])=(?!=)")),
    ("ordinal", re.compile(r"\b\d+(?:st|nd|rd|th)\b", re.IGNORECASE)),
    ("bound", re.compile(r"[<>≤≥]|\b(?:more|less|greater|fewer|higher|lower)\s+than\b|\bat\s+(?:least|most)\b", re.I)),
    (
        "bound",
        re.compile(
            r"^\s*(?:over|under|up\s+to|above|below)\b|\d\s*\+\s*$|\bor\s+(?:more|less|over|older|above)\b",
            re.I,
        ),
    ),
    (
        "range",
        re.compile(r"\d\s*[^\W\d]{0,2}\s*(?:-|\bto\b|\.\.\.?)\s*\d|\bbetween\b.*\d.*\band\b", re.I),
    ),
)
_SEVERAL = re.compile(r"\d[^\d]*(?:[,;|:]|\bor\b|\band\b|\bvs\.?|\bof\b|\n)[^\d]*\d", re.IGNORECASE)
_LABEL = re.compile(r"^[^\W\d]\w*?(?:[ _-][^\W\d]\w*){0,2}[\s_#-]?\d|^#\s*\d|\d[^\W\d_]+\d|^\d+[-_]?[^\W\d_]\b")
_NEGATED = re.compile(r"\b(?:not|no|isn't|n't|never|except|without|neither|nor)\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"(?<![\w.)])-\s?(?=\d|\.\d)|(?:(?<![\d,])\d{1,3}(?:,\d{3})+(?!,?\d)|\d+)(?:\.\d+)?(?:e[+-]?\d+)?|[^\W\d_]+|[%$€£¥<>≤≥=+*^]"
)
_FILLER = {"to", "x", "and", "the", "a", "an", "of", "$", "€", "£", "¥"}


@dataclass(frozen=True)
class PlainNumber:
    """A text that is one number and nothing else. `value` as a person reads it; `digits` as they stand there."""

    value: float
    digits: str
    percent: bool
    currency: str
    unit: str

    @property
    def grouped_oddly(self) -> bool:
        """Its commas don't part off thousands: a decimal comma, or a list."""
        return "," in self.digits and not _GROUPED.fullmatch(self.digits)

    @property
    def leading_zeros(self) -> bool:
        return bool(re.match(r"0\d", self.digits))


def plain_number(text: str) -> PlainNumber | None:
    """The number that `text` (bare, see `forms.bare`) is; None when it says anything more than number and unit."""
    text = " ".join(text.split())  # the pattern would be slow on runs of white space
    if len(text) > _LOOKED_AT:
        return None
    found = _NUMBER.fullmatch(text)
    if not found or _DECADE.fullmatch(text):
        return None
    unit = " ".join((found["unit"] or "").split())
    if set(re.findall(r"\w+", unit.casefold())) & _NOT_UNITS:
        return None
    value = written_value(found["digits"])
    if value is None:
        return None
    if found["sign2"] or (found["sign"] or "+") != "+":
        value = -value
    return PlainNumber(value, found["digits"], bool(found["percent"]), found["currency"] or "", unit)


def written_value(digits: str) -> float | None:
    """What the digits mean to a person: commas in threes part thousands, any other single comma is a decimal one."""
    digits = digits.removesuffix(".")
    if re.fullmatch(r"\d{1,3}(?:[ '_]\d{3})+(?:[.,]\d+)?", digits):
        digits = re.sub(r"[ '_]", "", digits)
    if "," in digits and not _GROUPED.fullmatch(digits):
        if digits.count(",") > 1 or not re.fullmatch(r"\d{1,3}(?:\.\d{3})*,\d+|\d+,\d+", digits):
            return None
        digits = digits.replace(".", "").replace(",", ".")
    try:
        value = float(digits.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def shape(text: str) -> CautionKind | None:
    """What a text with a number in it is, beside the number; None when nothing more can be said."""
    text = " ".join(text.split())[:_LOOKED_AT]
    for kind, pattern in _SHAPES:
        if pattern.search(text):
            return kind
    if re.search(r"\d", text) is None:
        return None
    if _NEGATED.search(text):
        return "ignored_text"
    if _SEVERAL.search(text):
        return "several_values"
    return "identifier" if _LABEL.search(text) else None


def tokens(text: str) -> list[str]:
    """Words, numbers and signs that carry meaning, in order; the separators between them are left out."""
    text = re.sub(r"(?<=\d)\s*-\s*(?=\d)", " ", text.casefold())  # a range's dash is no minus
    found = [token.strip() for token in _TOKEN.findall(text)]
    return [token for token in found if token not in _FILLER]


def say_the_same(gold: str, answer: str, close: Callable[[float, float], bool]) -> bool:
    """Whether two bare texts hold the same words and numbers in the same order; decimals may differ as `close` says."""
    left, right = tokens(gold), tokens(answer)
    return len(left) == len(right) and bool(left) and all(map(lambda a, b: _same(a, b, close), left, right))


def _same(gold: str, answer: str, close: Callable[[float, float], bool]) -> bool:
    if gold == answer:
        return True
    if not (_DIGIT.match(gold) and _DIGIT.match(answer)):
        return gold.rstrip("s") == answer.rstrip("s") != ""
    left, right = float(gold.replace(",", "")), float(answer.replace(",", ""))
    return left == right or ("." in gold + answer and close(left, right))
