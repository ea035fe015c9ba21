"""A profile on a terminal: progress on one line, then a line for each column."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from services.tables.model import Reading, TableError
from services.tables.whole.copies import Source
from services.tables.whole.limits import Limits
from services.tables.whole.tables import WholeTables

ASK_SECONDS = 0.2


def profile_file(path: Path, table: str | None = None, reading: Reading | None = None) -> dict[str, Any]:
    """The finished profile of a table of a file, `{"rows", "columns": […]}`, each column with its `name`.

    The copy is made in a temporary folder. Where standard error is a terminal it shows how far the work is.

    Raises:
        TableError: the table can't be copied or profiled.
    """
    with tempfile.TemporaryDirectory(prefix="tables-") as folder:
        tables = WholeTables(Limits(Path(folder), max_bytes=2**50))
        try:
            source = Source(path, table, reading or Reading())
            while (answer := tables.profile(source)).get("state") in {"copying", "profiling"}:
                _show(f"{answer['state']} {100 * answer['done'] // max(1, answer['total'])} %")
                time.sleep(ASK_SECONDS)
            _show("")
            if "error" in answer:
                raise TableError(answer["error"])
            names = tables.names(source)
            columns = [{"name": names[each["column"]], **each} for each in answer["columns"]]
            return {"rows": tables.whole(source)["rows"], "columns": columns}
        finally:
            tables.close()


def as_lines(profile: dict[str, Any]) -> list[str]:
    """The profile as text, a column a line, values separated by tabs."""
    shown = ("name", "type", "missing", "blank", "distinct", "min", "max", "mean", "top")
    lines = [f"{profile['rows']:,} rows × {len(profile['columns']):,} columns", "", "\t".join(shown)]
    for column in profile["columns"]:
        top = ", ".join(f"{value} ({count:,})" for value, count in column["top"])
        about = "about " if "distinct" in column["approximate"] else ""
        facts = [column[key] for key in ("missing", "blank", "distinct", "min", "max", "mean")]
        texts = ["" if fact is None else f"{fact:,}" if isinstance(fact, int) else str(fact) for fact in facts]
        texts[2] = about + texts[2]
        lines.append("\t".join([column["name"], column["type"], *texts, top]))
    return lines


def _show(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
