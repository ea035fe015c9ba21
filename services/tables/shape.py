"""How many fields the rows of delimited text have, against its header."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

FIRST_ROWS = 5  # row numbers that are kept of each finding


@dataclass
class Shape:
    """Widths of the rows seen so far. Row numbers count data rows from 1."""

    header: list[str]
    rows: int = 0
    widest: int = 0
    long: list[int] = field(default_factory=list)
    long_count: int = 0
    short: list[int] = field(default_factory=list)
    short_count: int = 0
    extra_filled: bool = False  # a field beyond the header holds something

    def block(self, numbers: Sequence[int], rows: Sequence[list[str]]) -> None:
        """Take some rows into account, with their numbers."""
        self.rows += len(rows)
        if set(map(len, rows)) != {len(self.header)}:
            for number, cells in zip(numbers, rows, strict=True):
                self._row(number, cells)

    def _row(self, number: int, cells: list[str]) -> None:
        width = len(self.header)
        if len(cells) > width:
            self.widest = max(self.widest, len(cells))
            self.long_count += 1
            if len(self.long) < FIRST_ROWS:
                self.long.append(number)
            self.extra_filled = self.extra_filled or any(cells[width:])
        elif len(cells) < width:
            self.short_count += 1
            if len(self.short) < FIRST_ROWS:
                self.short.append(number)

    @property
    def trailing_delimiter(self) -> bool:
        """Rows end in a delimiter which the header lacks."""
        return self.widest == len(self.header) + 1 and not self.extra_filled

    @property
    def row_names(self) -> bool:
        """As R writes a table: every row has one field more than the header, and it is the first that has no name."""
        return self.extra_filled and self.widest == len(self.header) + 1 and self.long_count == self.rows

    @property
    def agreed(self) -> float:
        """The share of rows that have as many fields as the header."""
        return 1 - (self.long_count + self.short_count) / self.rows if self.rows else 0

    @property
    def columns(self) -> list[str]:
        """A name for every field; "" where the header has none."""
        if self.trailing_delimiter:
            return self.header
        if self.row_names:
            return ["", *self.header]
        return self.header + [""] * (self.widest - len(self.header))
