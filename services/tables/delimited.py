"""Delimited text: the delimiter told from the first rows, every cell as it stands in the file."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from services.tables.dtypes import NA_WORDS, decimal_commas, leading_zeros
from services.tables.encoding import SAMPLE_BYTES, Encoding, detect
from services.tables.model import Reading, Row, Table, TableError, numbers
from services.tables.names import pandas_names

SCAN_BYTES = 32 * 1024 * 1024  # rows of a file up to this size are counted, those of a longer one estimated
ESTIMATE_ROWS = 1000
LONGEST_LINE = 32 * 1024 * 1024  # characters
LONGEST_CELL = 16 * 1024 * 1024  # characters; a quote that is never closed ends here
_DELIMITERS = ",;\t|"
_SUFFIX_DELIMITER = {".tsv": "\t", ".tab": "\t", ".psv": "|"}
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "white space"}


@dataclass
class Shape:
    """What a pass over the rows found. Row numbers count data rows from 1."""

    header: list[str]
    rows: int = 0
    whole: bool = True  # every row of the file was seen
    widest: int = 0
    long: list[int] = field(default_factory=list)
    long_count: int = 0
    short: list[int] = field(default_factory=list)
    short_count: int = 0
    extra_filled: bool = False  # a field beyond the header holds something
    multiline: int | None = None  # first row that spans several lines

    @property
    def trailing_delimiter(self) -> bool:
        return self.widest == len(self.header) + 1 and not self.extra_filled

    @property
    def row_names(self) -> bool:
        """As R writes a table: every row has one field more than the header, and it is the first that has no name."""
        return self.extra_filled and self.widest == len(self.header) + 1 and self.long_count == self.rows

    @property
    def columns(self) -> list[str]:
        if self.trailing_delimiter:
            return self.header
        if self.row_names:
            return ["", *self.header]
        return self.header + [""] * (self.widest - len(self.header))


@dataclass
class Dialect:
    """How to take a file's lines apart."""

    path: Path
    encoding: Encoding
    delimiter: str
    skipped: int = 0  # blank lines before the header

    def records(self) -> Iterator[tuple[list[str], int]]:
        """Each record that isn't a blank line, header first, with the number of lines it spans."""
        csv.field_size_limit(LONGEST_CELL)
        with self.path.open(encoding=self.encoding.name, errors=self.encoding.errors, newline="") as file:
            reader = csv.reader(
                _lines(iter(lambda: file.readline(LONGEST_LINE), "")),
                delimiter=self.delimiter,
                skipinitialspace=self.delimiter == " ",
            )
            line = 0
            try:
                for record in reader:
                    if not _blank(record):
                        yield record, reader.line_num - line
                    line = reader.line_num
            except csv.Error:
                raise TableError(
                    f"A cell that starts after line {line + 1:,} is longer than {LONGEST_CELL:,} characters: "
                    "a quote there may never be closed."
                ) from None
            except UnicodeError:
                raise TableError(f"After line {line + 1:,} the file is no longer {self.encoding.name}.") from None


def open_delimited(path: Path, reading: Reading | None = None) -> Table:
    """Open a delimited file; rows come from the start. Lines of prose come as one column."""
    dialect, prose = sniff(path)
    if prose:
        return open_lines(path)
    shape = survey(dialect)
    width = len(shape.columns)
    rows = ((record + [None] * (width - len(record)))[:width] for record in _data(dialect))
    total = shape.rows if shape.whole else _estimate(dialect, path)
    return Table(
        kind="delimited",
        columns=shape.columns,
        rows=rows,
        total_rows=total,
        exact=shape.whole,
        encoding=dialect.encoding.name,
        delimiter=_NAMES[dialect.delimiter],
        notes=_notes(dialect, shape),
    )


def open_lines(path: Path) -> Table:
    """Open plain text as a table of one column, a line a row."""
    encoding = detect(path)

    def lines() -> Iterator[Row]:
        with path.open(encoding=encoding.name, errors=encoding.errors) as file:
            for line in _lines(iter(lambda: file.readline(LONGEST_LINE), "")):
                yield [line.rstrip("\n")]

    small = path.stat().st_size <= SCAN_BYTES
    return Table(
        kind="text",
        columns=["line"],
        rows=lines(),
        total_rows=sum(1 for _ in lines()) if small else None,
        exact=small,
        dtypes=["text"],
        encoding=encoding.name,
        notes=["Plain text, shown line by line."],
    )


def delimited_readers(path: Path, target: str) -> dict[str, str]:
    """The pandas expression that reads the file at `target` as the preview shows it; empty for plain text."""
    dialect, prose = sniff(path)
    if prose:
        return {}
    shape = survey(dialect)
    sample = list(islice(_data(dialect), ESTIMATE_ROWS))
    columns = [[row[at] if at < len(row) else None for row in sample] for at in range(len(shape.columns))]
    arguments = [repr(target)]
    if dialect.delimiter != ",":
        arguments.append("sep=" + ('r"\\s+"' if dialect.delimiter == " " else repr(dialect.delimiter)))
    if dialect.encoding.name not in {"utf-8", "utf-8-sig"}:
        arguments.append(f"encoding={dialect.encoding.name!r}")
    if dialect.encoding.replaced:
        arguments.append("encoding_errors='replace'")
    if dialect.delimiter != "," and decimal_commas(columns):
        arguments.append("decimal=','")
    names = pandas_names(shape.columns)
    if shape.trailing_delimiter:
        arguments.append("index_col=False")
    elif shape.widest > len(shape.header) and not shape.row_names:
        arguments.append(f"skiprows={dialect.skipped + 1}, names={names!r}")
    if shape.row_names:
        names = ["", *pandas_names(shape.header)]
    codes = [name for name, column in zip(names, columns, strict=True) if name and leading_zeros(column)]
    if codes:
        arguments.append("dtype={" + ", ".join(f"{name!r}: str" for name in codes) + "}")
    return {"": f"pd.read_csv({', '.join(arguments)})"}


def sniff(path: Path) -> tuple[Dialect, bool]:
    """How the file is written, and whether it is prose and no table.

    The delimiter is the one under which most of the first rows have as many fields as the header (or one more).
    """
    encoding = detect(path)
    with path.open(encoding=encoding.name, errors="replace", newline="") as file:
        text = file.read(SAMPLE_BYTES)
    lines = text.splitlines(keepends=True)
    if len(lines) > 1 and len(text) == SAMPLE_BYTES:
        lines.pop()
    skipped = next((at for at, line in enumerate(lines) if line.strip()), 0)
    sample = lines[skipped : skipped + 200]
    suffix = path.suffix.lower()
    promised = _SUFFIX_DELIMITER.get(suffix)
    scores = {delimiter: _agreement(sample, delimiter, promised == delimiter) for delimiter in _DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    if scores[best][0] > 0:
        return Dialect(path, encoding, best, skipped), False
    if suffix not in {".csv", ".tsv", ".psv", ".tab"}:
        agreed = _agreement(sample, " ", False)
        if agreed[0] >= 0.95 and len(sample) > 1:
            return Dialect(path, encoding, " ", skipped), False
        return Dialect(path, encoding, ",", skipped), True
    return Dialect(path, encoding, promised or ",", skipped), False


def survey(dialect: Dialect) -> Shape:
    """Count rows and fields: of the whole file up to 32 MB, else of its first rows.

    Raises:
        TableError: the file holds no header.
    """
    records = dialect.records()
    header, _ = next(records, (None, 0))
    if header is None:
        raise TableError("The file holds blank lines only.")
    if dialect.delimiter == " " and header[-1] == "":
        header = header[:-1]
    shape = Shape(header=header, widest=len(header))
    if dialect.path.stat().st_size > SCAN_BYTES:
        shape.whole = False
        records = islice(records, ESTIMATE_ROWS)
    for number, (record, lines) in enumerate(records, 1):
        shape.rows = number
        fields = len(record)
        if fields > len(header):
            shape.widest = max(shape.widest, fields)
            shape.long_count += 1
            shape.long += [number] if len(shape.long) < 5 else []
            shape.extra_filled = shape.extra_filled or any(record[len(header) :])
        elif fields < len(header):
            shape.short_count += 1
            shape.short += [number] if len(shape.short) < 5 else []
        if lines > 1 and shape.multiline is None:
            shape.multiline = number
    return shape


def _lines(lines: Iterator[str]) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if len(line) >= LONGEST_LINE:
            raise TableError(f"Line {number:,} is longer than {LONGEST_LINE:,} characters: too long for a preview.")
        yield line


def _blank(record: list[str]) -> bool:
    return not record or (len(record) == 1 and record[0] != "" and not record[0].strip(" \t"))


def _data(dialect: Dialect) -> Iterator[Row]:
    return (list(record) for record, _ in islice(dialect.records(), 1, None))


def _agreement(lines: list[str], delimiter: str, promised: bool) -> tuple[float, bool, int]:
    """How well the delimiter fits: share of rows that agree with the header, promised by the name, header fields."""
    try:
        rows = csv.reader(lines, delimiter=delimiter, skipinitialspace=delimiter == " ")
        counts = [len(row) for row in rows if not _blank(row)]
    except csv.Error:
        return 0, promised, 0
    if not counts or counts[0] < 2:
        # Names of a header may be missing, but not when every other delimiter explains it
        return 0, promised, 0
    agree = [count in (counts[0], counts[0] + 1) for count in counts[1:]] or [True]
    return sum(agree) / len(agree) or 0.01, promised, counts[0]


def _estimate(dialect: Dialect, path: Path) -> int:
    """Rows of the whole file, from how many its first bytes hold."""
    with path.open("rb") as file:
        head = file.read(4 * SAMPLE_BYTES)
    text = head.decode(dialect.encoding.name, "replace")
    records = sum(1 for row in csv.reader(text.splitlines(keepends=True), delimiter=dialect.delimiter) if row)
    return round(records * path.stat().st_size / len(head))


def _notes(dialect: Dialect, shape: Shape) -> list[str]:
    notes = []
    if dialect.encoding.replaced:
        notes.append("Some bytes are not UTF-8; each is shown as \ufffd.")
    if shape.trailing_delimiter:
        notes.append(
            f"{shape.long_count:,} of {shape.rows:,} rows end with a delimiter that the header lacks; without "
            "index_col=False pandas would shift every column under the wrong name."
        )
    elif shape.row_names:
        notes.append(
            "Rows have one field more than the header: the first column has no name, and pandas makes it the index."
        )
    elif shape.long_count:
        notes.append(f"More fields than the header: {numbers(shape.long, shape.long_count)}.")
    if shape.short_count:
        notes.append(f"Fewer fields than the header: {numbers(shape.short, shape.short_count)}.")
    if shape.multiline is not None:
        notes.append(
            f"Row {shape.multiline:,} spans several lines inside quotes; if that isn't meant, a stray quote there "
            "swallows rows."
        )
    sample = list(islice(_data(dialect), ESTIMATE_ROWS))
    words = sorted({cell for row in sample for cell in row if cell in NA_WORDS})
    if words:
        notes.append(f"pandas reads {', '.join(words)} as missing; here the words are shown as they stand.")
    doubled = [name for name, count in Counter(shape.header).items() if count > 1 and name]
    if doubled:
        shown = ", ".join(map(repr, doubled[:3]))
        notes.append(f"Column names that stand more than once: {shown}; pandas numbers them.")
    return notes
