"""A process of the same user with something to keep: a secret in every place a process can have one.

It tells where on one line, then what its secrets read now on a line for every line it is sent.
"""

import ctypes
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

PR_SET_PTRACER, ANYONE = 0x59616D61, -1


def main(folder: Path, secret: str) -> None:
    # where only a parent may look into a process, no attack on this one could succeed
    ctypes.CDLL(None).prctl(PR_SET_PTRACER, ctypes.c_ulong(ANYONE), 0, 0, 0)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    memory = ctypes.create_string_buffer(secret.encode())
    unlinked = folder / "unlinked"
    unlinked.write_text(secret)
    held = unlinked.open("r+")
    unlinked.unlink()
    os.chdir(folder)
    (folder / "kept.txt").write_text(secret)
    threading.Thread(target=come_and_go, args=(folder / f"moving-{secret}",), daemon=True).start()
    tell({"address": ctypes.addressof(memory), "length": len(secret), "descriptor": held.fileno()})
    for _ in sys.stdin:
        held.seek(0)
        tell({"memory": memory.value.decode(errors="replace"), "unlinked": held.read()})


def come_and_go(path: Path) -> None:
    while True:
        path.touch()
        path.unlink()
        time.sleep(0.02)


def tell(what: dict[str, object]) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), os.environ["KEEPER_SECRET"])
