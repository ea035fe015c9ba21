"""A column in one line: how many different values, their range, what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from services.tables.dtypes import NA_WORDS, estimate, filled

_LONGEST = 40  # characters of a value that are shown


def summary(values: Sequence[str | None]) -> str:
    """ "45 different · 0.1 to 97 · 12 blank", or "only 'x'" where all that is filled is the same."""
    seen = filled(values)
    different = Counter(seen)
    parts = []
    if len(different) == 1:
        parts.append(f"only {_shown(seen[0])}")
    elif seen:
        parts.append(f"{len(different):,} different")
        if estimate(different) in ("int", "float"):
            parts.append(f"{min(different, key=float)} to {max(different, key=float)}")
        value, count = different.most_common(1)[0]
        if count > 1:
            parts.append(f"most often {_shown(value)} ({count:,})")
    if len(seen) == len(values):
        return " · ".join(parts)
    words = Counter(value.strip() for value in values if value is not None and value.strip() in NA_WORDS)
    missing = sum(value is None for value in values)
    blank = len(values) - len(seen) - missing - words.total()
    parts += [f"{count:,} {what}" for count, what in ((missing, "no value"), (blank, "blank")) if count]
    return " · ".join(parts + [f"{count:,} {word}" for word, count in words.most_common(3)])


def _shown(value: str) -> str:
    return repr(value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…")
