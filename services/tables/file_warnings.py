"""What may mislead a reader of a delimited file as a whole: encoding, line ends, quotes, where its table begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from services.tables.arguments import Arguments, merged, reading_arguments, written
from services.tables.line_ends import line_ends
from services.tables.model import TableWarning
from services.tables.warnings import Collector


def file_warnings(checked: Collector, most_bytes: int) -> Iterator[TableWarning]:
    """Those of the file that was checked; its line ends are counted in the first `most_bytes`."""
    dialect = checked.dialect
    encoding = dialect.encoding.name

    def warning(kind: str, text: str, cure: Arguments | None = None) -> TableWarning:
        arguments = merged([reading_arguments(dialect, checked.shape), cure or {}])
        return TableWarning(kind, text, (), written(arguments))

    if encoding == "utf-8-sig":
        yield warning(
            "BOM",
            "The file begins with a byte order mark. pandas passes over it; other readers make it part of the first "
            "column's name.",
            {"encoding": "utf-8-sig"},
        )
    elif encoding not in ("utf-8", "ascii"):
        yield warning("encoding", f"The text is {encoding}, not UTF-8.")
    if dialect.skipped:
        lines = f"{dialect.skipped:,} line{'s' if dialect.skipped > 1 else ''}"
        yield warning("title rows", f"{lines} of title or comment above the table.")
    if not dialect.names:
        yield warning(
            "no header",
            "The first row seems to hold data and no names: the columns are numbered. If it is the header, say so.",
        )
    if not encoding.startswith(("utf-16", "utf-32")):
        ends = line_ends(dialect.path, most_bytes)
        if len(ends) > 1:
            lone = "CR" in ends and ends["CR"] < sum(ends.values()) - ends["CR"]
            yield warning(
                "line ends",
                f"Lines end in more than one way: {', '.join(f'{count:,} in {name}' for name, count in ends.items())}"
                + (". A lone CR in a cell breaks its row in two." if lone else ". pandas reads them all."),
                {"lineterminator": "\n"} if lone else None,
            )


def stray_quotes(lenient: Collector, rows: int, where: Sequence[int]) -> TableWarning:
    """The file is read with quotes as text, since they join rows: `rows` is how many there would be otherwise."""
    return TableWarning(
        "stray quotes",
        f"A stray quote swallows rows: taken as quotes they leave {rows:,} row{'' if rows == 1 else 's'}, taken as "
        f"text {lenient.shape.rows:,}. They are shown as text.",
        tuple(where),
        written(reading_arguments(lenient.dialect, lenient.shape)),
    )
