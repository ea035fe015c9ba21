"""Run as a cell of a throw-away kernel: tries what the sandbox must stop, by system calls, and prints what it could do.

`TARGETS`, an assignment put before this text, holds the paths, ports and numbers to try it on.
"""

import ctypes
import json
import mmap
import os
import socket

libc = ctypes.CDLL(None, use_errno=True)
TARGETS: dict  # noqa: B032 - given by the app


def can(action):
    try:
        return action() is not False
    except (OSError, MemoryError, ValueError):
        return False


def read_secret():
    with open(TARGETS["secret"]) as file:
        file.read(1)


def write_beside():
    with open(TARGETS["beside"], "w") as file:
        file.write("x")


def send_datagram():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"x", ("127.0.0.1", TARGETS["udp"]))


def connect(family, kind, address):
    """By libc: Python's own functions are taught to refuse before Linux is asked."""
    with socket.socket(family, kind) as client:
        return libc.connect(client.fileno(), address, len(address)) == 0


def fork():
    pid = libc.fork()
    if pid == 0:
        os._exit(0)
    return pid > 0


def signal_app():
    return libc.kill(TARGETS["app"], 0) == 0


def open_app():
    return libc.syscall(434, TARGETS["app"], 0) >= 0  # pidfd_open, the same number on every machine


def take(size, flags):
    with mmap.mmap(-1, size, flags=flags):
        return True


inet = b"\x02\x00" + TARGETS["tcp"].to_bytes(2, "big") + bytes([127, 0, 0, 1]) + bytes(8)
unix = b"\x01\x00" + os.fsencode(TARGETS["unix"]) + b"\0"
done = {
    "files": [name for name, action in {
        "read a file of another folder": read_secret,
        "list another folder": lambda: os.listdir(os.path.dirname(TARGETS["secret"])),
        "read the app's environment": lambda: open(f"/proc/{TARGETS['app']}/environ").close(),
        "write into another folder": write_beside,
    }.items() if can(action)],
    "network": [name for name, action in {
        "connect over TCP": lambda: connect(socket.AF_INET, socket.SOCK_STREAM, inet),
        "send over UDP": send_datagram,
        "connect to a socket of another folder": lambda: connect(socket.AF_UNIX, socket.SOCK_STREAM, unix),
    }.items() if can(action)],
    "processes": [name for name, action in {
        "start a process": fork,
        "signal the app": signal_app,
        "get hold of the app": open_app,
    }.items() if can(action)],
    "memory": [name for name, action in {
        "take memory beyond the limit": lambda: take(TARGETS["memory"], mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS),
        "take shared memory": lambda: take(1 << 20, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS),
    }.items() if can(action)],
}
print(json.dumps(done))
