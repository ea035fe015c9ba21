"""The process that reads the file: a JSON request on standard input, a JSON answer on standard output."""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

from services.tables import scratch
from services.tables.bare_process import leave_network
from services.tables.model import Reading, TableError
from services.tables.window import read_preview, read_readers


def limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Bound this process: memory and CPU time, and no file may be written."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """The preview, the readers, or the sentence of a `TableError`."""
    path = Path(request["path"])
    try:
        reading = Reading(**request["reading"]) if request["reading"] else Reading()
        if "target" in request:
            return {"readers": read_readers(path, request["target"], reading)}
        read = read_preview(
            path, request["rows"], request["offset"], request["table"], wanted=request["columns"], reading=reading
        )
        return {"preview": read.as_dict()}
    except TableError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "Reading the file takes more memory than a preview may use."}
    except UnicodeError as error:
        return {"error": f"The file can't be read as text: {error.args[-1]}."}
    except OSError as error:
        return {"error": f"The file can't be read: {error.strerror or error}."}


def main() -> None:
    scratch.reserve()
    leave_network()
    if not (asked := sys.stdin.buffer.read()):
        return  # started ahead, and not needed
    request = json.loads(asked)
    limit(request["memory_bytes"], request["cpu_seconds"])
    text = json.dumps(answer(request), ensure_ascii=False)
    # half of a surrogate pair, which JSON may escape, is no text that can be sent on
    text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    sys.stdout.buffer.write(text.encode())


if __name__ == "__main__":
    main()
