"""The process that reads the file: a JSON request on standard input, a JSON answer on standard output."""

from __future__ import annotations

import ctypes
import json
import resource
import sys
from pathlib import Path
from typing import Any

from services.tables import scratch
from services.tables.model import Reading, TableError
from services.tables.window import read_preview, read_readers

# from <linux/prctl.h> and <linux/sched.h>
_PR_SET_NO_NEW_PRIVS = 38
_CLONE_NEWUSER, _CLONE_NEWNET = 0x1000_0000, 0x4000_0000


def limit(memory_bytes: int, cpu_seconds: int) -> None:
    """Bound this process: memory, CPU time, no file may be written, and no program it starts gains rights."""
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def leave_network() -> None:
    """Go where there is no network and from where there is no way back to more rights, as far as this system allows."""
    libc = ctypes.CDLL(None)
    if hasattr(libc, "prctl"):
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if hasattr(libc, "unshare") and libc.unshare(_CLONE_NEWNET) != 0:
        libc.unshare(_CLONE_NEWUSER | _CLONE_NEWNET)  # where making a network takes rights of its own


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
