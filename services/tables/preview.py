"""Reading a file in a child process, so that a hostile one fails its preview and nothing else."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from services.tables.model import Preview, Reading, TableError

SECONDS = 20
MEMORY_BYTES = 1024**3  # address space
MAX_ROWS = 1000
MAX_COLUMNS = 1000
MAX_OFFSET = 2**53  # beyond any table; larger ones overflow the readers
CHILDREN = 4  # at once; more wait their turn
_ROOT = Path(__file__).resolve().parents[2]
_turn = threading.BoundedSemaphore(CHILDREN)


def preview(
    path: Path,
    *,
    rows: int = 50,
    offset: int = 0,
    table: str | None = None,
    columns: Sequence[int] | None = None,
    reading: Reading | None = None,
) -> Preview:
    """Some rows of a file as text: `rows` (at most 1,000) from row `offset` (from 0) of one of its tables.

    `columns` are those wanted, by number from 0 (at most 1,000; the first 200 where none are named; numbers beyond the
    table are passed over). `reading` says how delimited text is taken apart, where the file's own signs mislead.

    Raises:
        TableError: the file is missing, no regular file, broken, or too slow or too large to read; or there is no such
            table, or the reading can't be.
    """
    request = {
        "rows": max(0, min(rows, MAX_ROWS)),
        "offset": max(0, min(offset, MAX_OFFSET)),
        "table": table,
        "columns": None if columns is None else [*dict.fromkeys(columns)][:MAX_COLUMNS],
        "reading": None if reading is None else asdict(reading),
    }
    return Preview.from_dict(_ask(path, request)["preview"])


def readers(path: Path, target: str, *, reading: Reading | None = None) -> dict[str, str]:
    """For each table of the file ("" where it has but one), the expression that reads it as the preview shows it.

    `target` is where the code will find the file, `reading` as for `preview`. The expressions use `pd`, and some of
    them `json`, `Path` or `sqlite3`. Empty where pandas has no reader for the file.

    Raises:
        TableError: as for `preview`.
    """
    found: dict[str, str] = _ask(path, {"target": target, "reading": reading and asdict(reading)})["readers"]
    return found


def _ask(path: Path, request: dict[str, Any]) -> dict[str, Any]:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise TableError("This is no regular file.")
    except OSError as error:
        raise TableError(f"The file can't be read: {error.strerror or error}.") from None
    limits = {"path": str(path.absolute()), "memory_bytes": MEMORY_BYTES, "cpu_seconds": SECONDS}
    command = [sys.executable, "-m", "services.tables.child"]
    # One thread and the system's allocator: others reserve address space by the gigabyte
    environment = {
        "PATH": os.defpath,
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONUTF8": "1",
    }
    try:
        with _turn:
            done = subprocess.run(
                command,
                input=json.dumps(request | limits).encode(),
                capture_output=True,
                cwd=_ROOT,
                env=environment,
                timeout=SECONDS,
            )
    except subprocess.TimeoutExpired:
        raise TableError(f"Reading the file took longer than {SECONDS} seconds and was stopped.") from None
    if done.returncode != 0:
        raise TableError("Reading the file failed: its content breaks the reader or takes too much memory.")
    result: dict[str, Any] = json.loads(done.stdout)
    if "error" in result:
        raise TableError(result["error"])
    return result
