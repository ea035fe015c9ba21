"""python -m services.tables FILE [--rows N] [--table T] [--encoding E] [--delimiter D] [--no-header]
[--profile] [--json]"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from services.tables import Preview, Reading, TableError, preview
from services.tables.whole.report import as_lines, profile_file


def main() -> int:
    """Print a preview. Exit code 1 with a sentence where the file can't be shown."""
    parser = argparse.ArgumentParser(prog="python -m services.tables", description="The first rows of a file, as text.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--rows", type=int, default=50, help="rows to show, at most 1,000 (default 50)")
    parser.add_argument("--offset", type=int, default=0, help="first row to show, counted from 0")
    parser.add_argument("--table", help="sheet or table to show (default: the first)")
    parser.add_argument("--encoding", help="Python codec of the text (default: told from its bytes)")
    parser.add_argument("--delimiter", help="one character, or 'tab' (default: told from the first rows)")
    parser.add_argument("--no-header", action="store_true", help="the first row is data")
    parser.add_argument("--no-quotes", action="store_true", help="quotes are plain text")
    parser.add_argument("--profile", action="store_true", help="what every column holds, over the whole file")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    try:
        if given.profile:
            profile = profile_file(given.file, given.table, _reading(given))
            lines = [json.dumps(profile, ensure_ascii=False)] if given.json else map(_plain_line, as_lines(profile))
            print(*lines, sep="\n")
            return 0
        shown = preview(given.file, rows=given.rows, offset=given.offset, table=given.table, reading=_reading(given))
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    print(json.dumps(shown.as_dict(), ensure_ascii=False) if given.json else as_text(shown))
    return 0


def _reading(given: argparse.Namespace) -> Reading:
    return Reading(
        encoding=given.encoding,
        delimiter="\t" if given.delimiter in ("tab", "\\t") else given.delimiter,
        header=False if given.no_header else None,
        quotes=False if given.no_quotes else None,
    )


def as_text(shown: Preview) -> str:
    """The preview for a terminal: what the file is, then tab-separated rows; a missing cell is ∅."""
    facts = [shown.kind, f"{shown.size:,} bytes"]
    if shown.total_rows is not None:
        facts.append(f"{'' if shown.exact else 'about '}{shown.total_rows:,} rows × {shown.total_columns:,} columns")
    facts += [fact for fact in (shown.encoding, shown.delimiter) if fact]
    lines = [", ".join(facts)]
    if len(shown.tables) > 1:
        lines.append("tables: " + ", ".join(f"[{name}]" if name == shown.table else name for name in shown.tables))
    lines += [f"note: {note}" for note in shown.notes]
    if shown.sampled is not None:
        lines.append(f"note: Types are told from {shown.sampled:,} rows.")
    if shown.warned is not None:
        lines.append(f"note: The warnings are of the first {shown.warned:,} rows.")
    lines += [
        f"warning: {_plain(each.text)}" + f" [{each.arguments}]" * bool(each.arguments) for each in shown.warnings
    ]
    if shown.columns:
        columns = [shown.columns[at] for at in shown.shown]
        if len(columns) < shown.total_columns:
            lines.append(f"note: {len(columns):,} of {shown.total_columns:,} columns are printed.")
        lines += ["", "\t".join(_plain(column.name) for column in columns)]
        lines.append("\t".join(f"{column.dtype}{'~' if column.estimated else ''}" for column in columns))
        lines += ["\t".join("∅" if cell is None else _plain(cell) for cell in row) for row in shown.rows]
    return "\n".join(lines)


def _plain_line(line: str) -> str:
    return "\t".join(map(_plain, line.split("\t")))


def _plain(cell: str) -> str:
    """The cell on one line, without the control characters that drive a terminal."""
    return "".join(character if character.isprintable() else repr(character)[1:-1] for character in cell)


if __name__ == "__main__":
    try:
        code = main()
        print(end="", flush=True)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
        if not isinstance(error, BrokenPipeError):  # which means the reader, such as `head`, has seen enough
            print(f"The output can't be written: {error.strerror}.", file=sys.stderr)
            code = 1
    sys.exit(code)
