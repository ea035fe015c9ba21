"""SQL about cells of a copy. Columns are named by position and values are parameters: no text of a file is in it.

Types are those of `dtypes.estimate`, and what counts as missing is what pandas reads so: no value, a blank, or one of
its words. Regular expressions cost less here than trimming.
"""

from __future__ import annotations

import re

from services.tables.dtypes import NA_WORDS

_INT = r"[+-]?\d+"
_FLOAT = r"(?i:[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?|[+-]?inf(inity)?)"
_TIME = r"([ T]\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?\s?([AaPp][Mm]|Z|[+-]\d{2}:?\d{2})?)?"
_DATE = rf"(\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.](\d{{4}}|\d{{2}})){_TIME}"
# The first that fits all cells of a column is its type
PATTERNS = {"int": _INT, "float": _FLOAT, "bool": "(?i:true|false)", "date-like": _DATE}
NUMBERS = frozenset({"int", "float"})
_WORDS = "(" + ", ".join(f"'{word}'" for word in ("", *sorted(NA_WORDS))) + ")"
_LONGEST = max(map(len, NA_WORDS))  # comparing lengths first is most of the work saved
_SAYS_NOTHING = "|".join(map(re.escape, sorted(NA_WORDS)))


def missing(cell: str) -> str:
    """Whether pandas reads the cell as missing."""
    return f"({cell} IS NULL OR (strlen({cell}) <= {_LONGEST} AND {cell} IN {_WORDS}))"


def filled(cell: str) -> str:
    """Whether the cell says something about its column's type: not missing, nor white space around such a word."""
    return f"({cell} IS NOT NULL AND NOT {_matches(cell, _SAYS_NOTHING, '?')})"


def fits(cell: str, kind: str) -> str:
    """Whether the cell is of a type of `PATTERNS`."""
    return _matches(cell, PATTERNS[kind])


def number(cell: str, sql_type: str = "DOUBLE") -> str:
    """The cell as a number; NULL where it holds none."""
    return f"CASE WHEN {filled(cell)} THEN TRY_CAST({cell} AS {sql_type}) END"


def possible_types(head: str) -> list[str]:
    """The types a column may have whose first cells are of type `head`; "text" is always another."""
    return (
        list(PATTERNS) if head == "empty" else ["int", "float"] if head == "int" else [head] if head != "text" else []
    )


def _matches(cell: str, pattern: str, times: str = "") -> str:
    return rf"regexp_full_match({cell}, '\s*(?:{pattern}){times}\s*')"
