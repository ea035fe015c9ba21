"""What one column's cells are written as, gathered block by block without holding them."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from services.tables.dtypes import NA_WORDS
from services.tables.forms import form

MAX_ODD = 5  # different values of another form than the rest that are kept
_NOT_PLAIN = re.compile(r"[^0-9.eE+\-\n]")
_LEADING_ZERO = re.compile(r"^0\d+$", re.MULTILINE)
_LONG_DIGITS = 19
_LONG = re.compile(r"^[+-]?\d{19,}$", re.MULTILINE)
_INT64 = range(-(2**63), 2**63)
_NUMBERS = ("number", "either", "thousands", "comma", "points")


@dataclass
class ColumnCheck:
    """`forms` counts cells by the kind of `Form`, `first` is the first cell of each kind: its row (from 1) and text."""

    filled: int = 0  # cells that hold something, and no word for missing
    forms: Counter[str] = field(default_factory=Counter)
    details: Counter[str] = field(default_factory=Counter)  # of numbers in dress and of dates
    first: dict[str, tuple[int, str]] = field(default_factory=dict)
    odd: dict[str, int] = field(default_factory=dict)  # some different values of kind text: the row of each
    words: dict[str, tuple[int, int]] = field(default_factory=dict)  # read as missing by pandas: count, first row
    zeros: tuple[int, str] | None = None  # the first whole number with a zero in front
    huge: tuple[int, str] | None = None  # the first whole number beyond 64 bits
    pointed: bool = False  # a plain number has a decimal point

    @property
    def numbers(self) -> int:
        """How many cells are numbers, in plain or with thousands separators or decimal commas."""
        return sum(self.forms[kind] for kind in _NUMBERS)

    @property
    def is_text(self) -> bool:
        return self.forms["text"] * 2 >= self.filled

    def block(self, numbers: Sequence[int], cells: Sequence[str | None]) -> None:
        """Take some cells into account, with the numbers of their rows."""
        if not NA_WORDS.isdisjoint(cells):
            self._count_words(numbers, cells)
            cells = [None if cell in NA_WORDS else cell for cell in cells]
        values = [cell for cell in cells if cell]
        if not values:
            return
        if self.filled and self.is_text:
            self._add("text", len(values))
        elif (joined := _plain(values)) is not None:
            self._add("number", len(values))
            self.first.setdefault("number", (numbers[cells.index(values[0])], values[0]))
            self._look_closer(joined, max(map(len, values)), numbers, cells)
        else:
            plain = [value for value, count in Counter(values).items() if self._count(value, count, numbers, cells)]
            self._look_closer("\n".join(plain), max(map(len, plain), default=0), numbers, cells)

    def _add(self, kind: str, count: int) -> None:
        self.forms[kind] += count
        self.filled += count

    def _count_words(self, numbers: Sequence[int], cells: Sequence[str | None]) -> None:
        counts = Counter(cell for cell in cells if cell in NA_WORDS)
        for word, more in counts.items():
            if word is not None:
                count, row = self.words.get(word, (0, numbers[cells.index(word)]))
                self.words[word] = (count + more, row)

    def _count(self, value: str, count: int, numbers: Sequence[int], cells: Sequence[str | None]) -> bool:
        """Count a value by its form; whether it is a plain number."""
        bare = value.strip()
        if not bare:
            return False
        kind, detail = form(bare)
        self._add(kind, count)
        if detail:
            self.details[detail] += count
        if kind not in self.first or (detail and detail not in self.first):
            place = (numbers[cells.index(value)], value)
            self.first.setdefault(kind, place)
            self.first.setdefault(detail or kind, place)
        if kind == "text" and len(self.odd) <= MAX_ODD and value not in self.odd:
            self.odd[value] = numbers[cells.index(value)]
        return kind == "number"

    def _look_closer(self, joined: str, longest: int, numbers: Sequence[int], cells: Sequence[str | None]) -> None:
        """Among plain numbers, a line each: those that lose digits as numbers."""
        if "." in joined:
            self.pointed = True
        if self.zeros is None and not self.pointed and (joined[:1] == "0" or "\n0" in joined):
            found = _LEADING_ZERO.search(joined)
            self.zeros = found and (numbers[cells.index(found[0])], found[0])
        if self.huge is None and longest >= _LONG_DIGITS:
            beyond = next((each for each in _LONG.findall(joined) if int(each[:40]) not in _INT64), None)
            self.huge = beyond and (numbers[cells.index(beyond)], beyond)


def _plain(values: list[str]) -> str | None:
    """The values, a line each, where all are plain numbers. By C loops alone: most of the time of a file goes here."""
    joined = "\n".join(values)
    if _NOT_PLAIN.search(joined):
        return None
    try:
        deque(map(float, values), maxlen=0)
    except ValueError:
        return None
    return joined
