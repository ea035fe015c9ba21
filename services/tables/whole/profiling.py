"""The process that profiles a copy, column by column.

A JSON request on standard input; lines of JSON on standard output: `{"column": profile}` for each of the columns asked
for, and at last `{"ready": True}` or `{"error": sentence}`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import duckdb

from services.tables.whole.database import connect
from services.tables.whole.limits import confine
from services.tables.whole.open_copy import OpenCopy
from services.tables.whole.profile import profile_column

MEMORY_SHARE = 0.5  # of the process's memory, for DuckDB


def profile(request: dict[str, Any]) -> None:
    """Profile the columns the request names, saying each as it is done."""
    folder, temporary = Path(request["folder"]), Path(request["temporary"])
    connection = connect(int(request["memory_bytes"] * MEMORY_SHARE), temporary, request["file_bytes"])
    copy = OpenCopy(folder, connection)
    for column in request["columns"]:
        print(json.dumps({"column": profile_column(copy, column)}), flush=True)


def main() -> None:
    request = json.load(sys.stdin)
    confine(request["memory_bytes"], request["file_bytes"], request["cpu_seconds"])
    try:
        profile(request)
        print(json.dumps({"ready": True}), flush=True)
    except (MemoryError, duckdb.OutOfMemoryException):
        said = "Profiling the table takes more memory or disk than it may. What was found so far is kept."
        print(json.dumps({"error": said}), flush=True)


if __name__ == "__main__":
    main()
