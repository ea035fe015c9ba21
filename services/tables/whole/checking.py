"""The process that looks through every row of a table for what may mislead its reader.

A JSON request on standard input; on standard output `{"ready": warnings}` or `{"error": sentence}`.
"""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from services.tables.model import Reading, TableError
from services.tables.scratch import MEMBER_BYTES
from services.tables.whole.limits import confine
from services.tables.whole.opening import open_whole

NICENESS = 10  # nobody waits for it


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The warnings of every row, or the sentence of what went wrong."""
    try:
        opened = open_whole(Path(request["path"]), request["table"], Reading(**request["reading"]))
        found = opened.warnings if opened.check is None else opened.check()
        return {"ready": [asdict(each) for each in found]}
    except TableError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "Looking through every row takes more memory than it may."}
    except OSError as error:
        return {"error": f"Not every row can be looked through: {error.strerror or error}."}


def main() -> None:
    request = json.load(sys.stdin)
    os.nice(NICENESS)
    confine(request["memory_bytes"], MEMBER_BYTES, request["cpu_seconds"])
    print(json.dumps(answer(request)), flush=True)


if __name__ == "__main__":
    main()
