"""Reading a file in a child process, so that a hostile one fails its preview and nothing else."""

from __future__ import annotations

import json
import math
import stat
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from services.tables.children import ask, limits
from services.tables.model import Preview, Reading, TableError

MAX_ROWS = 1000
MAX_COLUMNS = 1000
MAX_OFFSET = 2**53  # beyond any table; larger ones overflow the readers
_SPECIAL = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


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
    _check(path)
    held_to = limits()
    request |= {
        "path": str(path.absolute()),
        "memory_bytes": held_to.memory_mb * 1024**2,
        "cpu_seconds": math.ceil(held_to.seconds),
    }
    result: dict[str, Any] = json.loads(ask(json.dumps(request).encode()))
    if "error" in result:
        raise TableError(result["error"])
    return result


def _check(path: Path) -> None:
    """Let a regular file through, or a link to one; anything else could block whoever opens it."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        if path.is_symlink():
            raise TableError("This is a link to a file that isn't there.") from None
        raise TableError("The file can't be read: No such file or directory.") from None
    except (OSError, ValueError) as error:
        raise TableError(f"The file can't be read: {getattr(error, 'strerror', None) or error}.") from None
    if stat.S_ISDIR(mode):
        raise TableError("This is a folder, not a file.")
    if not stat.S_ISREG(mode):
        what = next((name for is_it, name in _SPECIAL if is_it(mode)), "something special")
        raise TableError(f"This is {what}, not a regular file.")
