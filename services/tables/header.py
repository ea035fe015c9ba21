"""Where a table's header stands in delimited text, and whether it has one."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from services.tables.dtypes import estimate

MAX_TITLES = 20
_SHARE = 0.8


def title_rows(rows: list[list[str]]) -> int:
    """How many of the first rows are a title or comment above the header: one cell each, where the table has more."""
    usual = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    titles = 0
    for row in rows[:MAX_TITLES]:
        comment = row[0].lstrip().startswith("#") and len(row) != usual
        lone = len(row) == 1 or (len(row) > 2 and sum(bool(cell.strip()) for cell in row) <= 1)
        if not (comment or lone):
            break
        titles += 1
    table = rows[titles:]
    enough = usual > 2 or rows[0][0].lstrip().startswith("#") if rows else False
    if not titles or not enough or len(table) < 2 or len(table[0]) not in (usual, usual - 1):
        return 0
    return titles if sum(len(row) == usual for row in table) >= 0.9 * len(table) - 1 else 0


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
