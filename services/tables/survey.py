"""A pass over the rows of delimited text: all of them, or so many of the first that it takes no time at any size."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice

from services.tables.dialect import Dialect
from services.tables.file_warnings import file_warnings, stray_quotes
from services.tables.model import Reading, TableError, TableWarning
from services.tables.warnings import Collector

FIRST_ROWS = 1000
FIRST_CELLS = 200_000  # of a wide table: fewer rows
FIRST_CHARACTERS = 1_000_000
LINE_END_BYTES = 4 * 1024 * 1024  # in which the ends of lines are counted; where every row is checked, a longer part
MOST_LINE_END_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Survey:
    """What the rows told: `checked`, and the `stray` quotes for which it takes quotes as text.

    `head` are the first rows, `whole` whether every row was seen.
    """

    checked: Collector
    head: list[list[str]]
    whole: bool
    stray: tuple[TableWarning, ...] = ()

    def warnings(self) -> tuple[TableWarning, ...]:
        """What may mislead a reader of the rows seen."""
        most = MOST_LINE_END_BYTES if self.whole else LINE_END_BYTES
        return (*self.stray, *file_warnings(self.checked, most), *self.checked.found())

    def of_every_row(self) -> tuple[TableWarning, ...]:
        """What may mislead in the whole file, taken apart as these rows were; up to the row where it breaks off."""
        if self.whole:
            return self.warnings()
        return replace(_collect(self.checked.dialect, None, broken=True), stray=self.stray, whole=True).warnings()


def survey(dialect: Dialect, reading: Reading, *, every: bool, seconds: float | None = None) -> Survey:
    """Pass over the rows, `every` one (within `seconds`) or the first: how the file is best read.

    Where quotes join rows of the file, and every row has its fields once they are taken as text, they are.

    Raises:
        TableError: the file holds no header, or can't be taken apart.
    """
    deadline = None if seconds is None else time.monotonic() + seconds
    most = None if every else FIRST_ROWS
    found: Survey | None = None
    failed: TableError | None = None
    try:
        found = _collect(dialect, most, deadline)
    except TableError as error:
        failed = error
    if reading.quotes is None and (found is None or found.checked.swallowing):
        # as many rows as there are lines in those: what is compared is the same part of the file
        most = most and max(most, found.checked.lines if found else 0)
        lenient = _collect(replace(dialect, quotes=False), most, deadline)
        rows = found.checked.shape.rows if found else 0
        shape = lenient.checked.shape
        if shape.agreed >= 0.99 and shape.rows > rows:
            where = found.checked.swallowing if found else ()
            found = replace(lenient, stray=(stray_quotes(lenient.checked, rows, where),))
    if found is None:
        raise failed or TableError("The file can't be taken apart.")
    return found


def _collect(dialect: Dialect, most: int | None, deadline: float | None = None, *, broken: bool = False) -> Survey:
    """`most` rows (None: every one) up to the `deadline`; `broken` rows may end in an error that is told elsewhere."""
    collector = Collector(dialect, dialect.header())
    rows = dialect.rows()
    head = _first(rows, most or FIRST_ROWS)
    collector.block(head)
    if most is None:
        while deadline is None or time.monotonic() < deadline:
            block: list[list[str]] = []
            try:
                block.extend(islice(rows, collector.block_rows))
            except TableError:
                if not broken:
                    raise
            if not block:
                break
            collector.block(block)
    try:
        whole = next(rows, None) is None
    except TableError:
        whole = False
    return Survey(collector, head, whole)


def _first(rows: Iterator[list[str]], most: int) -> list[list[str]]:
    """The first rows, at most so many, and so many cells and characters."""
    head: list[list[str]] = []
    cells = characters = 0
    while len(head) < most and cells < FIRST_CELLS and characters < FIRST_CHARACTERS:
        if (row := next(rows, None)) is None:
            break
        head.append(row)
        cells += len(row)
        characters += sum(map(len, row))
    return head
