"""The process that profiles a copy, two columns at once where memory allows.

A JSON request on standard input; lines of JSON on standard output: `{"column": profile}` for each of the columns asked
for, and at last `{"ready": True}` or `{"error": sentence}`.
"""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import duckdb

from services.tables.whole.database import connect
from services.tables.whole.limits import THREADS, confine
from services.tables.whole.numbers import MOST_ROWS
from services.tables.whole.open_copy import OpenCopy
from services.tables.whole.profile import profile_column

MEMORY_SHARE = 0.5  # of the process's memory, for DuckDB


def profile(request: dict[str, Any]) -> None:
    """Profile the columns the request names, saying each as it is done."""
    folder, temporary = Path(request["folder"]), Path(request["temporary"])
    connection = connect(int(request["memory_bytes"] * MEMORY_SHARE), temporary, request["file_bytes"])
    # two columns of half the rows hold what one of the most rows does
    at_once = THREADS if OpenCopy(folder, connection).rows <= MOST_ROWS // THREADS else 1
    own = threading.local()

    def open_own() -> None:
        own.copy = OpenCopy(folder, connection.cursor())

    with ThreadPoolExecutor(at_once, initializer=open_own) as threads:
        for profiled in threads.map(lambda column: profile_column(own.copy, column), request["columns"]):
            print(json.dumps({"column": profiled}), flush=True)


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
