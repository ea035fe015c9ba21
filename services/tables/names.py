"""The names of columns: as pandas gives them."""

from __future__ import annotations

from collections import Counter


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
