"""Where a table's header stands in delimited text, and whether it has one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise, takewhile

from services.tables.dtypes import estimate

MAX_TITLES = 20
_SHARE = 0.8


def title_rows(rows: list[list[str]], *, comments_only: bool = False) -> int:
    """How many of the first rows are no part of the table below: comments, or titles of one cell each."""
    usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    comments = sum(1 for _ in takewhile(lambda row: _is_comment(row) and len(row) != usual, rows))
    if comments and comments < len(rows) and _fits(rows[comments:], share=0.5):
        return comments
    titles = sum(1 for _ in takewhile(_is_title, rows))
    if comments_only or not 0 < titles <= MAX_TITLES or usual < 3 or len(rows) < titles + 2:
        return 0
    return titles if _fits(rows[titles:], share=0.9) else 0


def _is_comment(row: list[str]) -> bool:
    return row[0].lstrip().startswith("#")


def _is_title(row: list[str]) -> bool:
    return len(row) == 1 or (len(row) > 2 and sum(bool(cell.strip()) for cell in row) <= 1)


def _fits(table: list[list[str]], share: float) -> bool:
    """Whether the rows are a table, which its first row begins: so many have as many fields as it, or one more."""
    width = len(table[0])
    usual = Counter(map(len, table)).most_common(1)[0][0]
    return (
        width > 1 and usual in (width, width + 1) and sum(len(row) == usual for row in table) >= share * len(table) - 1
    )


def has_names(rows: list[list[str]]) -> bool:
    """Whether the first row holds the columns' names.

    It does not when it is a number or a date wherever the rows below are, or when its cells return in the rows below.
    Whole numbers that go up by one step are names all the same (years, pixels).
    """
    first, rest = rows[0], [row for row in rows[1:] if row != rows[0]]
    if not rest:
        return True
    columns = [[row[at] for row in rest if at < len(row)] for at in range(len(first))]
    measured = [at for at, column in enumerate(columns) if estimate(column) in ("int", "float", "date-like")]
    if measured:
        heads = [first[at] for at in measured]
        if any(estimate([head]) not in ("int", "float", "date-like", "empty") for head in heads):
            return True
        return not any(map(str.strip, heads)) or _counts_up(heads)
    return not _repeats(first, columns, rest)


def _repeats(first: list[str], columns: list[list[str]], rest: list[list[str]]) -> bool:
    again = sum(head in column for head, column in zip(first, columns, strict=True) if head.strip())
    return len(rest) > 2 and len(first) > 1 and again >= _SHARE * len(first)


def _counts_up(heads: list[str]) -> bool:
    """Names such as 2000, 2001, 2002, or one year alone."""
    if not all(head.strip().isdecimal() for head in heads):
        return False
    numbers = [int(head) for head in heads]
    if all(1900 <= number <= 2100 for number in numbers) and len(set(numbers)) == len(numbers):
        return True
    steps = {later - earlier for earlier, later in pairwise(numbers)}
    return len(numbers) > 2 and len(steps) == 1 and steps != {0}
