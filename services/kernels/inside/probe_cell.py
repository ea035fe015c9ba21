"""Sent as a cell to a throw-away kernel: tries what the sandbox must stop, and tells what it could do."""

import ctypes
import json  # noqa: F401 - for the call that is put after this text
import mmap
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

# Python's own functions are taught to refuse before Linux is asked
libc = ctypes.CDLL(None, use_errno=True)


def can(action: Callable[[], Any]) -> bool:
    try:
        return bool(action())
    except (OSError, MemoryError, ValueError):
        return False


def connect(family: int, address: bytes) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as client:
        return bool(libc.connect(client.fileno(), address, len(address)) == 0)


def send_datagram(port: int) -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"x", ("127.0.0.1", port))


def fork() -> bool:
    pid = libc.fork()
    if pid == 0:
        os._exit(0)
    return bool(pid > 0)


def attack(targets: dict[str, Any]) -> dict[str, list[str]]:
    """What of each layer could be done to `targets`: paths, ports, the app's process, more memory than is allowed."""
    secret, app = Path(targets["secret"]), targets["app"]
    inet = b"\x02\x00" + targets["tcp"].to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
    unix = b"\x01\x00" + os.fsencode(targets["unix"]) + b"\0"
    private, shared = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS
    attempts: dict[str, dict[str, Callable[[], Any]]] = {
        "files": {
            "read a file of another folder": secret.read_text,
            "list another folder": lambda: list(secret.parent.iterdir()),
            "read the app's environment": Path(f"/proc/{app}/environ").read_bytes,
            "write into another folder": lambda: Path(targets["beside"]).write_text("x"),
        },
        "network": {
            "connect over TCP": lambda: connect(socket.AF_INET, inet),
            "send over UDP": lambda: send_datagram(targets["udp"]),
            "connect to a socket of another folder": lambda: connect(socket.AF_UNIX, unix),
        },
        "processes": {
            "start a process": fork,
            "signal the app": lambda: libc.kill(app, 0) == 0,
            "get hold of the app": lambda: libc.syscall(434, app, 0) >= 0,  # pidfd_open, so numbered on every machine
        },
        "memory": {
            "take memory beyond the limit": lambda: mmap.mmap(-1, targets["memory"], flags=private),
            "take shared memory": lambda: mmap.mmap(-1, 1 << 20, flags=shared),
        },
    }
    return {layer: [name for name, action in each.items() if can(action)] for layer, each in attempts.items()}
