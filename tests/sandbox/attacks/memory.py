"""Taking more memory than a kernel may have, by each way there is to get some."""

from __future__ import annotations

import contextlib
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import Check, watched
from tests.sandbox.scene import MEMORY_MB, Side

TAKEN_MB = MEMORY_MB + 448
OVER_MB = MEMORY_MB + 256  # what it may have, with the libraries it shares with other kernels


def is_taken(side: Side) -> Check:
    """The kernel's resident memory passes what it may have."""
    return watched(side, lambda: resident_mb(side.attacker_pid) > OVER_MB)


def resident_mb(pid: int) -> int:
    """What a process holds now, shared memory with it; 0 once it is gone."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) // 1024
    return 0


# each holds parts of 64 MB and touches every page of them
TAKE = f"""
import mmap
def take(make):
    held = []
    for number in range({TAKEN_MB // 64}):
        part = memoryview(make(number)).cast('B')
        part[::4096] = bytes(len(part[::4096]))
        held.append(part)
    time.sleep(0.05)
size = 64 << 20
libc.mmap.restype = libc.shmat.restype = ctypes.c_void_p
def mapped(flags, fd=-1, rights=3):
    address = libc.mmap(None, ctypes.c_size_t(size), rights, flags, fd, ctypes.c_long(0))
    if address == ctypes.c_void_p(-1).value: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return (ctypes.c_char * size).from_address(address)
"""


def _let_go(side: Side) -> None:
    side.attacker.ask("restart")


takes = partial(Attack, effect=is_taken, undo=_let_go)

ATTACKS = [
    takes("memory by Python", TAKE + "take(lambda number: bytearray(size))"),
    takes(
        "20 GB at once",
        f"""
import numpy
held = numpy.zeros(20 << 30, 'u1'); held[: {TAKEN_MB} << 20 : 4096] = 1
time.sleep(0.05)
""",
    ),
    takes("memory shared with nobody", TAKE + "take(lambda number: mmap.mmap(-1, size))"),
    takes("memory shared by /dev/zero", TAKE + "take(lambda number: mapped(1, os.open('/dev/zero', os.O_RDWR)))"),
    takes("memory of its own by /dev/zero", TAKE + "take(lambda number: mapped(2, os.open('/dev/zero', os.O_RDONLY)))"),
    takes("memory that grows downwards, as stacks do", TAKE + "take(lambda number: mapped(0x0122))"),
    takes(
        "memory that grows downwards, at one stroke",
        TAKE + "size = 2 << 30\nctypes.memset(mapped(0x0122), 1, size)",
    ),
    takes(
        "memory made writable later",
        TAKE
        + """
def later(number):
    part = mapped(0x22, rights=0)
    checked(libc.mprotect(ctypes.c_void_p(ctypes.addressof(part)), ctypes.c_size_t(size), 3))
    return part
take(later)
""",
    ),
    takes(
        "memory by a file without a name",
        TAKE
        + """
def file(number):
    fd = checked(libc.memfd_create(b'x', 0)); os.truncate(fd, size)
    return mapped(1, fd)
take(file)
""",
    ),
    takes(
        "memory by files in /dev/shm",
        TAKE
        + """
def file(number):
    fd = os.open(f'/dev/shm/{t.word}', os.O_RDWR | os.O_CREAT, 0o600); os.unlink(f'/dev/shm/{t.word}')
    os.truncate(fd, size)
    return mapped(1, fd)
take(file)
""",
    ),
    takes(
        "System V shared memory",
        TAKE
        + """
def segment(number):
    found = checked(libc.shmget(0, ctypes.c_size_t(size), 0o1600))
    address = libc.shmat(found, None, 0); libc.shmctl(found, 0, None)
    return (ctypes.c_char * size).from_address(address)
take(segment)
""",
    ),
    takes(
        "the stack of a thread",
        TAKE
        + f"""
import threading
threading.stack_size({TAKEN_MB} << 20)
def use():
    lowest = None
    for line in open('/proc/self/maps'):
        start, end = (int(each, 16) for each in line.split()[0].split('-'))
        if end - start >= {TAKEN_MB} << 20: lowest = start
    for at in range(lowest + 8192, lowest + ({TAKEN_MB - 16} << 20), 4096): ctypes.memset(at, 1, 1)
thread = threading.Thread(target=use); thread.start(); thread.join()
""",
    ),
]
