"""How delimited text is written: told from its start and its middle, or as the visitor says."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from services.tables.encoding import SAMPLE_BYTES, Encoding, choose
from services.tables.header import has_names, title_rows
from services.tables.model import Reading, TableError

LONGEST_LINE = 32 * 1024 * 1024  # characters
LONGEST_CELL = 16 * 1024 * 1024  # characters; a quote that is never closed ends here
_SAMPLE_LINES = 200
_DELIMITERS = ",;\t|"
_SUFFIX_DELIMITER = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_SEP_LINE = re.compile(r"\ufeff?\"?sep=(.)\"?\s*", re.IGNORECASE)  # Excel's own first line
WHITE_SPACE = " "  # as a delimiter: any run of it


@dataclass(frozen=True)
class Dialect:
    """How to take a file's lines apart.

    `skipped` lines are no part of the table: they stand above its header, or its first row where it has none. `above`
    is how many records and blank lines end with the header.
    """

    path: Path
    encoding: Encoding
    delimiter: str
    skipped: int = 0
    names: bool = True
    quotes: bool = True
    above: int = 1

    @property
    def reading(self) -> Reading:
        return Reading(self.encoding.name, self.delimiter, self.names, self.quotes)

    def records(self, place: int = 0, above: int | None = None) -> Iterator[list[str]]:
        """Each record that isn't a blank line, header first; or those from the byte `place` on, `above` lines down.

        Raises:
            TableError: a cell or a line is too long, or the bytes are no longer of the encoding.
        """
        line = above = self.skipped if above is None else above
        # a mark of the byte order stands at the start alone
        encoding = "utf-8" if place and self.encoding.name == "utf-8-sig" else self.encoding.name
        with self.path.open("rb") as raw:
            raw.seek(place)
            file = io.TextIOWrapper(raw, encoding, self.encoding.errors, newline="")
            lines = whole_lines(iter(partial(file.readline, LONGEST_LINE), ""))
            try:
                for _ in range(0 if place else self.skipped):
                    next(lines, None)
                for record, read, _ in parse(lines, self.delimiter, self.quotes):
                    line = above + read
                    yield record
            except csv.Error:
                raise TableError(
                    f"A cell that starts after line {line + 1:,} is longer than {LONGEST_CELL:,} characters: "
                    "a quote there may never be closed."
                ) from None
            except UnicodeError:
                raise TableError(f"After line {line + 1:,} the file is no longer {self.encoding.name}.") from None

    def header(self) -> list[str]:
        """The columns' names; their numbers, as pandas gives them, where the file has none.

        Raises:
            TableError: the file holds no header.
        """
        first = next(self.records(), None)
        if first is None:
            raise TableError("The file holds blank lines only.")
        if self.delimiter == WHITE_SPACE and first[-1] == "":
            first = first[:-1]
        return first if self.names else [str(at) for at in range(len(first))]

    def rows(self) -> Iterator[list[str]]:
        """The records below the header."""
        records = self.records()
        if self.names:
            next(records, None)
        return records


def sniff(path: Path, reading: Reading) -> Dialect | None:
    """How the file is written, where `reading` doesn't say; None for prose.

    The delimiter is the one under which most of the sampled rows have as many fields as the header (or one more).

    Raises:
        TableError: the reading can't be.
    """
    encoding = choose(path, reading.encoding)
    start, middle = _samples(path, encoding)
    quotes = reading.quotes is not False
    said = _SEP_LINE.fullmatch(start[0]) if start else None
    skipped = 1 if said else 0
    start = start[skipped:]
    delimiter = reading.delimiter
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0'):
        raise TableError("The delimiter must be one character, and no quote or line end.")
    if delimiter is None and said:
        delimiter = said[1]
    if delimiter is None:
        delimiter = _delimiter(path, start, middle, quotes)
        if delimiter is None:
            return None
    parsed = list(parse(iter(start), delimiter, quotes))
    rows = [row for row, _, _ in parsed]
    titles = title_rows(rows, comments_only=delimiter == WHITE_SPACE)
    above = skipped + (parsed[titles][2] if titles < len(parsed) else 0)
    if titles:
        skipped += parsed[titles - 1][1]
    names = reading.header
    if names is None:
        names = len(rows) <= titles or has_names(rows[titles:])
    return Dialect(path, encoding, delimiter, skipped, names, quotes, above)


def whole_lines(lines: Iterator[str]) -> Iterator[str]:
    """The lines, as long as none is too long to hold."""
    for number, line in enumerate(lines, 1):
        if len(line) >= LONGEST_LINE:
            raise TableError(f"Line {number:,} is longer than {LONGEST_LINE:,} characters: too long for a preview.")
        yield line


def parse(lines: Iterator[str], delimiter: str, quotes: bool) -> Iterator[tuple[list[str], int, int]]:
    """Each record that isn't a blank line, and how many lines, and how many records and blank lines, end with it."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        skipinitialspace=delimiter == WHITE_SPACE,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
    )
    for number, record in enumerate(reader, 1):
        if len(record) > 1 or not _blank(record):
            yield record, reader.line_num, number


def _samples(path: Path, encoding: Encoding) -> tuple[list[str], list[str]]:
    """Whole lines from the start of the file, and from the middle of one that goes on beyond them."""
    with path.open(encoding=encoding.name, errors="replace", newline="") as file:
        text = file.read(SAMPLE_BYTES)
    lines = list(io.StringIO(text, newline=""))
    if len(lines) > 1 and len(text) == SAMPLE_BYTES:
        lines.pop()
    middle: list[str] = []
    size = path.stat().st_size
    if size > 3 * SAMPLE_BYTES and not encoding.name.startswith(("utf-16", "utf-32")):
        with path.open("rb") as raw:
            raw.seek(size // 2)
            part = raw.read(SAMPLE_BYTES // 4).decode(encoding.name, "replace")
        middle = list(io.StringIO(part, newline=""))[1:-1]
    return lines[:_SAMPLE_LINES], middle[:_SAMPLE_LINES]


def _delimiter(path: Path, start: list[str], middle: list[str], quotes: bool) -> str | None:
    suffix = path.suffix.lower()
    promised = _SUFFIX_DELIMITER.get(suffix)
    scores = {each: (*_agreement(start, middle, each, quotes), promised == each) for each in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda each: (scores[each][0], scores[each][2], scores[each][1]))
    if scores[best][0] > 0:
        return best
    if suffix in {".csv", ".tsv", ".psv", ".tab"}:
        return promised or ","
    return WHITE_SPACE if len(start) > 1 and _agreement(start, middle, WHITE_SPACE, quotes)[0] >= 0.95 else None


def _agreement(start: list[str], middle: list[str], delimiter: str, quotes: bool) -> tuple[float, int]:
    """How well the delimiter fits: the share of rows that agree with the header, and the header's fields."""
    try:
        rows = [row for row, *_ in parse(iter(start), delimiter, quotes)]
        later = [len(row) for row, *_ in parse(iter(middle), delimiter, quotes)]
    except csv.Error:
        return 0, 0
    rows = rows[title_rows(rows, comments_only=delimiter == WHITE_SPACE) :]
    if not rows or len(rows[0]) < 2:
        # Names of a header may be missing, but not when every other delimiter explains it
        return 0, 0
    width = len(rows[0])

    def share(counts: list[int]) -> float:
        same, wider = counts.count(width), counts.count(width + 1)
        # Blanks within a field at a fixed place look like another field
        return (max(same, wider) if delimiter == WHITE_SPACE else same + wider) / len(counts)

    parts = [share(counts) for counts in ([len(row) for row in rows[1:]], later) if counts] or [1.0]
    return sum(parts) / len(parts) or 0.01, width


def _blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and record[0] != "" and not record[0].strip(" \t"))
