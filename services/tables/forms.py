"""The form a cell is written in: a plain number, a number in other dress, a date and its order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple


class Form(NamedTuple):
    """`kind` is number, number with commas or points (see `form`), spaced, dressed, date, or text.

    `detail` is the order of a date, or what is written around a dressed number.
    """

    kind: str
    detail: str = ""


PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?|[+-]?nan", re.IGNORECASE)
_EITHER = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
_COMMA = re.compile(r"[+-]?\d+,\d+")
_POINTS = re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+|[+-]?\d{1,3}(\.\d{3}){2,}")
_SEPARATED = (("either", _EITHER), ("thousands", _THOUSANDS), ("comma", _COMMA), ("points", _POINTS))
_SPACED = re.compile(r"[+-]?\d{1,3}([ \u00a0\u202f]\d{3})+([.,]\d+)?")
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?"
_MONEY = r"[$€£¥₹₩₽₺]|US\$|R\$|Rs\.?|USD|EUR|GBP|INR"
_UNIT = r"[^\W\d_]{1,5}(?:/[^\W\d_]{1,3})?"
_DRESSED = re.compile(rf"[+-]?((?:{_MONEY})\s?)?[+-]?{_NUMBER}(\s?(?:%|{_MONEY}|{_UNIT}))?")
_DATE = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?![\d.])")
_YEAR_FIRST = re.compile(r"\d{4}([-/.])\d{1,2}\1\d{1,2}(?!\d)")
_LONG_CELL = 40  # characters; longer ones are not kept


def form(cell: str) -> Form:
    """The form of a cell that holds something.

    The kinds of numbers: "number" (1234.5), "thousands" (1,234,567 or 1,234.5), "comma" (1234,5), "either" (1,234),
    "points" (1.234,5), "spaced" (1 234), "dressed" ($5, 12 km, 7%). Orders of a date: "day first", "month first",
    "day or month first", "year first".
    """
    return _form(cell) if len(cell) > _LONG_CELL else _known_form(cell)


def _form(cell: str) -> Form:
    if PLAIN.fullmatch(cell):
        return Form("number")
    if not cell[:1].isdigit() and not any(map(str.isdigit, cell[:6])):
        return Form("text")
    if _YEAR_FIRST.match(cell):
        return Form("date", "year first")
    if "," in cell or cell.count(".") > 1:
        for kind, pattern in _SEPARATED:
            if pattern.fullmatch(cell):
                return Form(kind)
    if found := _DATE.match(cell):
        return Form("date", _order(int(found[1]), int(found[3])))
    if _SPACED.fullmatch(cell):
        return Form("spaced")
    if found := _DRESSED.fullmatch(cell):
        return Form("dressed", (found[1] or "").strip() + (found[2] or "").strip())
    return Form("text")


_known_form = lru_cache(8192)(_form)  # dates and words return


def _order(first: int, second: int) -> str:
    if first > 12:
        return "day first"
    return "month first" if second > 12 else "day or month first"
