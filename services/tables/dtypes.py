"""Estimating a column's type from the text of its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable

# The words `pandas.read_csv` reads as missing (its documented `na_values` default).
NA_WORDS = frozenset(
    (
        *("#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
        *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    )
)

_INT = re.compile(r"[+-]?\d+")
_FLOAT = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|[+-]?inf(inity)?", re.IGNORECASE)
_BOOL = frozenset({"true", "false"})
_TIME = r"([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?([AaPp][Mm]|Z|[+-]\d{2}:?\d{2})?)?"
_DATE = re.compile(rf"(\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](\d{{4}}|\d{{2}})){_TIME}")
_LEADING_ZERO = re.compile(r"0\d+")


def filled(values: Iterable[str | None]) -> list[str]:
    """The values that are neither missing nor blank nor a word pandas reads as missing, stripped."""
    stripped = (value.strip() for value in values if value is not None)
    return [value for value in stripped if value and value not in NA_WORDS]


def estimate(values: Iterable[str | None]) -> str:
    """int, float, bool, date-like, text, or empty when no value says anything."""
    seen = filled(values)
    if not seen:
        return "empty"
    if all(map(_INT.fullmatch, seen)):
        return "int"
    if all(map(_FLOAT.fullmatch, seen)):
        return "float"
    if all(value.lower() in _BOOL for value in seen):
        return "bool"
    if all(map(_DATE.fullmatch, seen)):
        return "date-like"
    return "text"


def leading_zeros(values: Iterable[str | None]) -> bool:
    """Whether the column is of whole numbers with zeros in front (codes), which reading as a number would drop."""
    seen = filled(values)
    return all(map(_INT.fullmatch, seen)) and any(map(_LEADING_ZERO.fullmatch, seen))
