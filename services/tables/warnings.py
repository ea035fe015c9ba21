"""What may mislead a reader of delimited text, row by row, and the read_csv arguments that read it right."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from services.tables.arguments import Arguments, column_keys, merged, named, reading_arguments, written
from services.tables.column_check import ColumnCheck
from services.tables.column_findings import column_findings
from services.tables.dialect import Dialect
from services.tables.findings import Finding, quoted
from services.tables.model import TableWarning, numbers
from services.tables.names import doubled, look_alikes, pandas_names, plain, unseen
from services.tables.shape import FIRST_ROWS, Shape

BLOCK_ROWS = 1000
BLOCK_CELLS = 500_000
MOST_NAMES = 50  # of columns, that an argument lists
# Findings whose cure changes what the cells say, or which words are missing: a choice of the one who reads the file.
CHOICES = frozenset({"missing words", "date order", "numbers as text", "names", "spaces"})


@dataclass
class _Rows:
    """Rows that have something in common: how many, and the first few."""

    count: int = 0
    first: list[int] = field(default_factory=list)

    def add(self, number: int) -> None:
        self.count += 1
        if len(self.first) < FIRST_ROWS:
            self.first.append(number)


class Collector:
    """Takes the rows of a file block by block.

    `header` names the columns (`Dialect.header`); `swallowing` are the first rows that seem to be several, joined by
    quotes.
    """

    def __init__(self, dialect: Dialect, header: list[str]) -> None:
        self.dialect = dialect
        self.shape = Shape(header, widest=len(header))
        self._columns: list[ColumnCheck] = []
        self._numbers = range(0)
        self._block: list[list[str]] = []
        self.block_rows = max(1, min(BLOCK_ROWS, BLOCK_CELLS // max(1, len(header))))
        self._lines = 0
        self._spread, self._swallowing, self._nul, self._broken = _Rows(), _Rows(), _Rows(), _Rows()
        self._spaced = self._cells = 0

    @property
    def lines(self) -> int:
        """How many lines the rows take, those within quotes included."""
        return self._lines

    @property
    def swallowing(self) -> list[int]:
        return self._swallowing.first

    def block(self, rows: list[list[str]]) -> None:
        """Take the next rows as `Dialect.rows` gives them, at best `block_rows` at once."""
        if not rows:
            return
        start = self.shape.rows + 1
        self._numbers, self._block = range(start, start + len(rows)), rows
        self.shape.block(self._numbers, self._block)
        text = "\n".join(map("\t".join, self._block))
        self._lines += text.count("\n") + 1
        marks = [("\0", self._nul), ("\ufffd", self._broken)]
        for mark, marked in marks:
            if mark in text:
                self._note(marked, lambda cell, mark=mark: mark in cell)  # type: ignore[misc]
        if text.count("\n") >= len(self._block) or "\r" in text:
            self._note(self._spread, lambda cell: "\n" in cell or "\r" in cell)
            self._note(self._swallowing, self._swallows)
        self._check_columns()

    def found(self) -> tuple[TableWarning, ...]:
        """The warnings of all rows so far."""
        base = reading_arguments(self.dialect, self.shape)
        return tuple(
            TableWarning(
                each.kind,
                each.text,
                tuple(each.rows),
                "" if each.cure is None else written(merged([base, each.cure])),
            )
            for each in self._findings()
        )

    def arguments(self) -> str:
        """Those of the one read_csv that reads the file as it stands, with every cure but those of `CHOICES`."""
        base = reading_arguments(self.dialect, self.shape)
        cures = [each.cure for each in self._findings() if each.cure and each.kind not in CHOICES]
        return written(merged([base, *cures]))

    def _check_columns(self) -> None:
        width = len(self.shape.header) + (1 if self.shape.row_names else 0)
        while len(self._columns) < width:
            self._columns.append(ColumnCheck())
        for check, cells in zip(self._columns, zip_longest(*self._block), strict=False):
            check.block(self._numbers, cells)
        if not self._cells:
            later = [cell for row in self._block for cell in row[1:] if cell]
            self._cells, self._spaced = len(later), sum(cell[0] == " " for cell in later)

    @property
    def _all_spaced(self) -> bool:
        return self._spaced * 10 > self._cells * 9

    def _note(self, rows: _Rows, test: Callable[[str], bool]) -> None:
        for number, cells in zip(self._numbers, self._block, strict=True):
            if any(map(test, cells)):
                rows.add(number)

    def _swallows(self, cell: str) -> bool:
        """Whether a cell of several lines holds one that looks like a row of the table."""
        fewest = max(1, len(self.shape.header) - 1)
        return any(line.count(self.dialect.delimiter) >= fewest for line in cell.splitlines()[1:])

    def _findings(self) -> Iterator[Finding]:
        yield from self._of_shape()
        yield from self._of_text()
        names = self.shape.columns
        if self.dialect.names:
            yield from self._of_names(self.shape.header)
        keys = column_keys(self.dialect, self.shape)[: len(self._columns)]
        shown = [name or str(key) for name, key in zip(names, keys, strict=False)]
        yield from column_findings(self._columns, keys, shown, self.dialect.delimiter)

    def _of_shape(self) -> Iterator[Finding]:
        shape = self.shape
        if shape.trailing_delimiter:
            yield Finding(
                "trailing delimiters",
                f"{shape.long_count:,} of {shape.rows:,} rows end with a delimiter that the header lacks; without "
                "index_col=False pandas would shift every column under the wrong name.",
                shape.long,
            )
        elif shape.row_names:
            yield Finding(
                "row names",
                "Rows have one field more than the header: the first has no name, and pandas makes it the index.",
            )
        elif shape.long_count:
            where = numbers(shape.long, shape.long_count)
            yield Finding("ragged rows", f"More fields than the header: {where}.", shape.long)
        if shape.short_count:
            where = numbers(shape.short, shape.short_count)
            yield Finding(
                "ragged rows", f"Fewer fields than the header: {where}. To pandas the rest is missing.", shape.short
            )

    def _of_text(self) -> Iterator[Finding]:
        if self._broken.count and self.dialect.encoding.errors == "replace":
            yield Finding(
                "mixed encodings",
                f"Some bytes are not {self.dialect.encoding.name}, and each is shown as \ufffd: "
                f"{numbers(self._broken.first, self._broken.count)}.",
                self._broken.first,
                {"encoding_errors": "replace"},
            )
        if self._spread.count:
            rows = self._swallowing if self.swallowing else self._spread
            why = (
                "and a line of it looks like a row: a stray quote may swallow rows"
                if self.swallowing
                else "which is right where a cell is meant to hold line breaks"
            )
            yield Finding(
                "stray quotes" if self.swallowing else "line breaks",
                f"The {self._lines:,} lines below the header make {self.shape.rows:,} rows: "
                f"{numbers(rows.first, rows.count)} span{'s' if rows.count == 1 else ''} several lines inside quotes, "
                f"{why}.",
                rows.first,
                None if self.swallowing else {},
            )
        if self._nul.count:
            where = numbers(self._nul.first, self._nul.count)
            yield Finding("NUL bytes", f"Cells hold NUL bytes: {where}.", self._nul.first)
        if self._all_spaced:
            yield Finding(
                "spaces",
                "Cells begin with a space after the delimiter, which pandas keeps as part of the text.",
                cure={"skipinitialspace": True},
            )

    def _of_names(self, names: list[str]) -> Iterator[Finding]:
        if twice := doubled(names):
            yield Finding("names", f"Column names that stand more than once: {quoted(twice)}; pandas numbers them.")
        blank = [at for at, name in enumerate(names) if not name.strip()]
        if blank:
            given = pandas_names(names)
            yield Finding("names", f"Columns without a name: pandas calls them {quoted([given[at] for at in blank])}.")
        for one, other in look_alikes(names)[:3]:
            yield Finding("names", f"The column names {one!r} and {other!r} look alike, but differ.", cure=None)
        odd = unseen(names)
        if self._all_spaced:
            odd = [name for name in odd if name.lstrip(" ") != plain(name)]  # told of already
        if odd:
            clean: Arguments | None = None
            if len(names) <= MOST_NAMES and not self.shape.row_names:
                clean = named(self.dialect, pandas_names([plain(name) for name in self.shape.columns]))
            yield Finding(
                "names",
                f"Column names with spaces at an end, line breaks or characters that don't show: {quoted(odd)}.",
                cure=clean,
            )
