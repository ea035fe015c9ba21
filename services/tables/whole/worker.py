"""A process that answers questions about copies: a JSON request a line on standard input, an answer a line.

The first line of input says the limits; the first of output that the worker is ready.
"""

from __future__ import annotations

import json
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from services.tables.model import TableError
from services.tables.whole import pages
from services.tables.whole.charts import chart
from services.tables.whole.database import connect
from services.tables.whole.limits import confine
from services.tables.whole.open_copy import TABLE, OpenCopy

OPEN_COPIES = 4
MEMORY_SHARE = 0.6  # of the process's memory, for DuckDB
ANSWERS: dict[str, Callable[[OpenCopy, dict[str, Any]], dict[str, Any]]] = {
    "rows": pages.rows,
    "cell": pages.cell,
    "find": pages.find,
    "chart": chart,
}


class Worker:
    """Opens copies as they are asked about and keeps a few open."""

    def __init__(self, limits: dict[str, Any]) -> None:
        self._connection = connect(
            int(limits["memory_bytes"] * MEMORY_SHARE), Path(limits["temporary"]), limits["temporary_bytes"]
        )
        self._open: OrderedDict[Path, OpenCopy] = OrderedDict()

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer, `{"gone": True}` where the copy isn't there any more, or `{"error": sentence}`."""
        folder = Path(request["folder"])
        try:
            if not (folder / TABLE).exists():
                if held := self._open.pop(folder, None):
                    held.close()
                return {"gone": True}
            return ANSWERS[request["what"]](self._copy(folder), request)
        except TableError as error:
            return {"error": str(error)}
        except (MemoryError, duckdb.OutOfMemoryException):
            return {
                "error": "This takes more memory or disk than it may. The rows can still be seen in the file's order."
            }
        except (duckdb.Error, pa.ArrowException, OSError):
            if (folder / TABLE).exists():
                raise
            return {"gone": True}

    def _copy(self, folder: Path) -> OpenCopy:
        if folder not in self._open:
            self._open[folder] = OpenCopy(folder, self._connection)
        self._open.move_to_end(folder)
        while len(self._open) > OPEN_COPIES:
            self._open.popitem(last=False)[1].close()
        return self._open[folder]


def main() -> None:
    limits = json.loads(sys.stdin.readline())
    confine(limits["memory_bytes"], limits["file_bytes"])
    worker = Worker(limits)
    print("{}", flush=True)
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
