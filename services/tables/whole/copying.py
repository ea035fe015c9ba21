"""The process that copies a table whole: every cell as text, in an Arrow file whose columns are c0, c1, ….

A JSON request on standard input; lines of JSON on standard output: `{"done": bytes}` now and then, and at last
`{"ready": …}` or `{"error": sentence}`. The copy's rows stand in the order of the file; None is no value, "" a blank.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pyarrow as pa

from services.tables import sqlite
from services.tables.model import Reading, Row, Table, TableError, TableWarning
from services.tables.whole.fast_copy import fast_copy
from services.tables.whole.limits import THREADS, confine
from services.tables.whole.opening import open_whole

GROUP_CELLS = 2_000_000
MAX_GROUP_ROWS = 20_000
GROUP_CHARACTERS = 32_000_000
PROGRESS_SECONDS = 0.2

Progress = Callable[[int], None]


def copy_table(path: Path, target: Path, table: str | None, reading: Reading, progress: Progress) -> dict[str, Any]:
    """Copy a table of the file at `path` to `target`: `{"rows", "names", "dtypes", "warnings", "checked"}`.

    `checked` is whether the warnings are of every row.

    Raises:
        TableError: the file is broken from its first row on, or holds no table.
    """
    opened = open_whole(path, table, reading)
    warnings = [*opened.warnings, *(TableWarning("note", note) for note in opened.notes)]
    rows = fast_copy(path, target, opened, progress)
    if rows is None:
        rows, broken = _copy_rows(opened, path.stat().st_size, target, progress)
        if broken and not any(broken in warning.text for warning in warnings):
            warnings.append(TableWarning("broken", f"{broken} The rows before are kept.", (rows + 1,)))
    return {
        "rows": rows,
        "names": opened.columns,
        "dtypes": opened.dtypes,
        "warnings": [asdict(each) for each in warnings],
        "checked": opened.check is None,
    }


def _copy_rows(opened: Table, size: int, target: Path, progress: Progress) -> tuple[int, str]:
    """Copy row by row; how many there were, and what broke off the reading."""
    width = len(opened.columns)
    schema = pa.schema([(f"c{at}", pa.string()) for at in range(width)])
    per_group = max(1, min(MAX_GROUP_ROWS, GROUP_CELLS // width))
    rows = characters = held = 0
    broken = ""
    group: list[Row] = []
    with pa.OSFile(str(target), "wb") as file, pa.ipc.new_file(file, schema) as writer:
        try:
            for row in opened.rows:
                group.append(row)
                held += sum(map(len, filter(None, row)))
                if len(group) == per_group or held > GROUP_CHARACTERS:
                    writer.write_batch(_arrow(group, schema))
                    rows, characters = rows + len(group), characters + held
                    group, held = [], 0
                    progress(min(size, size * rows // opened.total_rows if opened.total_rows else characters))
        except TableError as error:
            if not rows + len(group):
                raise
            broken = str(error)
        if group:
            writer.write_batch(_arrow(group, schema))
    return rows + len(group), broken


def _arrow(group: list[Row], schema: pa.Schema) -> pa.RecordBatch:
    columns = list(zip(*group, strict=True))
    try:
        arrays = [pa.array(column, pa.string()) for column in columns]
    except UnicodeEncodeError:  # half of a surrogate pair, which JSON may escape
        arrays = [pa.array([cell and _whole_text(cell) for cell in column], pa.string()) for column in columns]
    return pa.record_batch(arrays, schema=schema)


def _whole_text(cell: str) -> str:
    return cell.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def answer(request: dict[str, Any], progress: Progress) -> dict[str, Any]:
    """The copy's facts, or the sentence of what went wrong."""
    reading = Reading(**request["reading"])
    # a view may take as long as the copy: this process has a deadline of its own
    sqlite.QUERY_SECONDS = request["seconds"]
    try:
        return {
            "ready": copy_table(Path(request["path"]), Path(request["target"]), request["table"], reading, progress)
        }
    except TableError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "Reading the whole file takes more memory than it may. The first rows can still be seen."}
    except OSError as error:
        return {
            "error": f"The whole file can't be copied: {error.strerror or error}. The first rows can still be seen."
        }


def main() -> None:
    request = json.load(sys.stdin)
    confine(request["memory_bytes"], request["file_bytes"], request["cpu_seconds"])
    pa.set_cpu_count(THREADS)
    last = 0.0

    def progress(done: int) -> None:
        nonlocal last
        if time.monotonic() - last > PROGRESS_SECONDS:
            last = time.monotonic()
            print(json.dumps({"done": done}), flush=True)

    print(json.dumps(answer(request, progress)), flush=True)


if __name__ == "__main__":
    main()
