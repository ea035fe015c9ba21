"""The names of columns: as pandas gives them, and what is odd about those in the file."""

from __future__ import annotations

import unicodedata
from collections import Counter

# Letters of other scripts that look like Latin ones (from Unicode's list of confusables: the commonest).
_LIKE_LATIN = str.maketrans(
    "авеікмнорсетухАВЕІКМНОРСЕТУХαονΑΒΕΗΙΚΜΝΟΡΤΥΧΖ",
    "abeikmhopcetyxABEIKMHOPCETYXaovABEHIKMNOPTYXZ",
)


def pandas_names(names: list[str]) -> list[str]:
    """The names pandas gives columns of these names: `a`, `a.1` for a double, `Unnamed: 3` for a blank one."""
    taken: Counter[str] = Counter()
    given = []
    for at, name in enumerate(names):
        base = name or f"Unnamed: {at}"
        unique = base
        while unique in taken:
            unique = f"{base}.{taken[base]}"
            taken[base] += 1
        taken[unique] += 1
        given.append(unique)
    return given


def doubled(names: list[str]) -> list[str]:
    """Names that stand more than once."""
    return [name for name, count in Counter(names).items() if count > 1 and name]


def look_alikes(names: list[str]) -> list[tuple[str, str]]:
    """Pairs of different names that a reader takes for the same."""
    seen: dict[str, str] = {}
    pairs = []
    for name in dict.fromkeys(names):
        key = plain(name).translate(_LIKE_LATIN).casefold()
        if key and key in seen:
            pairs.append((seen[key], name))
        seen.setdefault(key, name)
    return pairs


def unseen(names: list[str]) -> list[str]:
    """Names with spaces at an end, line breaks, or characters that don't show."""
    return [name for name in dict.fromkeys(names) if name != plain(name)]


def plain(name: str) -> str:
    """The name without what doesn't show: one space for each run of white space, none at the ends."""
    shown = "".join(
        " " if unicodedata.category(each) in ("Zs", "Zl", "Zp", "Cc") else each
        for each in name
        if unicodedata.category(each) != "Cf"
    )
    return " ".join(shown.split())
