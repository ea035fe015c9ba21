"""A column in one line: what is missing, its range, how many different values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from services.tables.dtypes import NA_WORDS, estimate, filled

_LONGEST = 40  # characters of a value that are shown


def summary(values: Sequence[str | None], whole: bool) -> str:
    """ "12 of 1,000 rows blank · 0.1 to 97 · 45 different"; `whole`: the values are all that the column holds."""
    if not values:
        return ""
    rows = f"{'' if whole else 'the first '}{len(values):,} rows"
    missing = sum(value is None for value in values)
    blank = sum(value is not None and not value.strip() for value in values)
    words = Counter(value.strip() for value in values if value is not None and value.strip() in NA_WORDS)
    parts = [f"{count:,} {what}" for count, what in ((missing, "no value"), (blank, "blank")) if count]
    parts += [f"{count:,} {word}" for word, count in words.most_common(3)]
    if parts:
        parts = [f"{parts[0].split()[0]} of {rows} {parts[0].split(maxsplit=1)[1]}", *parts[1:]]
    elif not whole:
        parts = [rows]
    seen = filled(values)
    if not seen:
        return " · ".join(parts)
    if estimate(seen) in ("int", "float"):
        parts.append(f"{min(seen, key=float)} to {max(seen, key=float)}")
    different = Counter(seen)
    parts.append(f"{len(different):,} different")
    value, count = different.most_common(1)[0]
    if 1 < count < len(seen):
        shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
        parts.append(f"most often {shown!r} ({count:,})")
    return " · ".join(parts)
