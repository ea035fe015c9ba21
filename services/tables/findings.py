"""One thing found in delimited text that may mislead its reader."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from services.tables.arguments import Arguments


@dataclass(frozen=True)
class Finding:
    """`cure` are the arguments of read_csv for it, beyond those the whole file needs; None where there are none."""

    kind: str
    text: str
    rows: Sequence[int] = ()
    cure: Arguments | None = field(default_factory=dict)


def quoted(values: Sequence[str]) -> str:
    """The first few in quotes: 'a', 'b' and 7 more."""
    shown = ", ".join(repr(value if len(value) <= 40 else f"{value[:40]}…") for value in values[:3])
    more = len(values) - 3
    return f"{shown} and {more:,} more" if more > 0 else shown
