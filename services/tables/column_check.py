"""What one column's cells are written as, gathered block by block without holding them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.tables.dtypes import NA_WORDS
from services.tables.forms import form

MAX_ODD = 5  # different values of another form than the rest that are kept
_NOT_PLAIN = re.compile(r"[^0-9.eE+\-\n]")
_LEADING_ZERO = re.compile(r"^[+-]?0\d+$", re.MULTILINE)
_LONG = re.compile(r"^[+-]?\d{19,}$", re.MULTILINE)
_INT64 = range(-(2**63), 2**63)
_NUMBERS = ("number", "either", "thousands", "comma", "points")


@dataclass
class ColumnCheck:
    """`forms` counts cells by the kind of `Form`, `first` is the first cell of each kind: its row (from 1) and text."""

    forms: Counter[str] = field(default_factory=Counter)
    details: Counter[str] = field(default_factory=Counter)  # of numbers in dress and of dates
    first: dict[str, tuple[int, str]] = field(default_factory=dict)
    odd: dict[str, int] = field(default_factory=dict)  # some different values of kind text: the row of each
    words: dict[str, tuple[int, int]] = field(default_factory=dict)  # read as missing by pandas: count, first row
    zeros: tuple[int, str] | None = None
    huge: tuple[int, str] | None = None
    pointed: bool = False  # a plain number has a decimal point

    @property
    def filled(self) -> int:
        return self.forms.total()

    @property
    def numbers(self) -> int:
        """How many cells are numbers, in plain or with thousands separators or decimal commas."""
        return sum(self.forms[kind] for kind in _NUMBERS)

    @property
    def is_text(self) -> bool:
        return self.forms["text"] * 2 >= self.filled

    def block(self, numbers: Sequence[int], cells: Sequence[str | None]) -> None:
        """Take some cells into account, with the numbers of their rows."""
        counts = Counter(cells)
        for word in NA_WORDS & counts.keys():
            count, row = self.words.get(word, (0, numbers[cells.index(word)]))
            self.words[word] = (count + counts.pop(word), row)
        for nothing in (None, ""):
            counts.pop(nothing, None)
        if not counts:
            return
        if self.filled and self.is_text:
            self.forms["text"] += counts.total()
            return
        values = [value for value in counts if value is not None]
        if self._all_plain(values):
            self.first.setdefault("number", (numbers[cells.index(values[0])], values[0]))
            self.forms["number"] += counts.total()
        else:
            values = [value for value in values if self._count(value, counts[value], numbers, cells)]
        self._look_closer(values, numbers, cells)

    def _all_plain(self, values: list[str]) -> bool:
        """Whether all are plain numbers. By C loops alone: this is most of the time of a large file."""
        if _NOT_PLAIN.search("\n".join(values)):
            return False
        try:
            for _ in map(float, values):
                pass
        except ValueError:
            return False
        return True

    def _count(self, value: str, count: int, numbers: Sequence[int], cells: Sequence[str | None]) -> bool:
        """Count a value by its form; whether it is a plain number."""
        bare = value.strip()
        if not bare:
            return False
        kind, detail = form(bare)
        self.forms[kind] += count
        if detail:
            self.details[detail] += count
        if kind not in self.first or (detail and detail not in self.first):
            place = (numbers[cells.index(value)], value)
            self.first.setdefault(kind, place)
            self.first.setdefault(detail or kind, place)
        if kind == "text" and len(self.odd) <= MAX_ODD and value not in self.odd:
            self.odd[value] = numbers[cells.index(value)]
        return kind == "number"

    def _look_closer(self, plain: list[str], numbers: Sequence[int], cells: Sequence[str | None]) -> None:
        joined = "\n".join(plain)
        self.pointed = self.pointed or "." in joined
        if self.zeros is None and (found := _LEADING_ZERO.search(joined)):
            self.zeros = (numbers[cells.index(found[0])], found[0])
        if self.huge is None:
            beyond = next((each for each in _LONG.findall(joined) if int(each[:40]) not in _INT64), None)
            if beyond is not None:
                self.huge = (numbers[cells.index(beyond)], beyond)
