"""SQL about the cells of a copy. Columns are named by position, values are parameters: no text of a file is in it."""

from __future__ import annotations

from services.tables.dtypes import NA_WORDS

_WORDS = "(" + ", ".join(f"'{word}'" for word in ("", *sorted(NA_WORDS))) + ")"  # constants of ours
_INT = r"[+-]?\d+"
_FLOAT = r"(?i:[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?)"
_TIME = r"([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?([AaPp][Mm]|Z|[+-]\d{2}:?\d{2})?)?"
_DATE = rf"(\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](\d{{4}}|\d{{2}})){_TIME}"
# The types of `dtypes.estimate`, the first that fits all cells being the column's
PATTERNS = {"int": _INT, "float": _FLOAT, "bool": "(?i:true|false)", "date-like": _DATE}
NUMBERS = frozenset({"int", "float"})


def stripped(column: int) -> str:
    return f"trim(c{column}, e' \\t\\r\\n\\f\\x0b')"


def filled(column: int) -> str:
    """Whether the cell holds something: a value that is not blank and no word pandas reads as missing."""
    return f"coalesce({stripped(column)} NOT IN {_WORDS}, false)"


def fits(column: int, kind: str) -> str:
    """Whether the cell is of a type of `PATTERNS`."""
    return f"regexp_full_match({stripped(column)}, '{PATTERNS[kind]}')"


def number(column: int) -> str:
    """The cell as a number; NULL where it holds none."""
    return f"CASE WHEN {filled(column)} THEN TRY_CAST({stripped(column)} AS DOUBLE) END"
