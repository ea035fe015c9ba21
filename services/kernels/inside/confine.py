"""Confines the calling process for good: limits, capabilities, files (Landlock), system calls (seccomp)."""

import ctypes
import platform
import resource
import struct
import sys
import sysconfig
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import landlock, linux, seccomp
from .syscalls import NUMBERS

# fmt: off
# what libraries read of the system: the loader, time zones, fonts, names of users and types
SYSTEM = (
    "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig",
    "/usr/share/zoneinfo", "/usr/share/locale", "/usr/share/mime", "/etc/ld.so.cache", "/etc/localtime",
    "/etc/timezone", "/etc/nsswitch.conf", "/etc/passwd", "/etc/group", "/etc/fonts", "/etc/mime.types",
    "/etc/ssl/openssl.cnf",
)
# single files: a grant of /proc/self would let its net/ and task/ through
ABOUT = (
    "/proc/self/status", "/proc/self/stat", "/proc/self/statm", "/proc/self/maps", "/proc/self/cmdline",
    "/proc/self/limits", "/proc/self/fd", "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/filesystems",
    "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu", "/sys/fs/cgroup/cpu.max",
)
# fmt: on
# not /dev/zero: shared memory mapped from it counts toward no limit
DEVICES = ("/dev/null", "/dev/urandom", "/dev/random")

ADDRESS_SPACE = 4 << 30  # beyond the memory that may be written: libraries and files mapped to read
OPEN_FILES = 512
OUT_OF_MEMORY_FIRST = 1000


class NotConfined(Exception):
    """A layer can't be had here; the message is the rest of a sentence."""


@dataclass(frozen=True)
class Policy:
    """What a kernel may use: folders and files to read and to write, where its sockets are made, and how much; and
    folders (and those below) whose names alone it may read.

    With `required` every layer must hold; without, what this system offers is used.
    """

    read: tuple[str, ...]
    write: tuple[str, ...]
    sockets: str
    memory_bytes: int
    file_bytes: int
    required: bool
    listed: tuple[str, ...] = ()


def rules(policy: Policy) -> Iterator[tuple[str, int]]:
    """Every path a kernel under `policy` may use, with Landlock's rights to it."""
    yield from ((path, landlock.READ) for path in (*_python(), *SYSTEM, *ABOUT, *policy.read))
    yield from ((path, landlock.WRITE) for path in policy.write)
    yield from ((path, landlock.DEVICE) for path in DEVICES)
    yield from ((path, landlock.READ_DIR) for path in policy.listed)
    yield policy.sockets, landlock.SOCKETS


def _python() -> Iterator[str]:
    """Where this Python and its packages stand."""
    yield from {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    yield str(Path(sys.base_prefix, "lib"))
    if sys.prefix != sys.base_prefix:
        yield sys.prefix


def confine(policy: Policy) -> None:
    """Confine this process, which must have one thread only. There is no way back.

    Raises:
        NotConfined: a layer can't be had, and `policy` requires it.
    """
    be_ended_first()
    _limit(policy)
    drop_capabilities()
    layers: dict[str, Callable[[], None]] = {
        "Landlock, which guards files": lambda: landlock.restrict(rules(policy)),
        "seccomp, which guards network and processes": seccomp.restrict,
    }
    for layer, restrict in layers.items():
        try:
            if sys.platform != "linux":
                raise OSError(f"{sys.platform} does not have it")
            restrict()
        except (OSError, KeyError) as error:
            if policy.required:
                raise NotConfined(f"{layer}, can't be had here ({error})") from error


def be_ended_first() -> None:
    """Have Linux end this process before any other when memory runs out."""
    try:
        Path("/proc/self/oom_score_adj").write_text(str(OUT_OF_MEMORY_FIRST))
    except OSError:
        return  # not Linux


def _limit(policy: Policy) -> None:
    for limit, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, policy.memory_bytes),
        (resource.RLIMIT_AS, policy.memory_bytes + ADDRESS_SPACE),
        (resource.RLIMIT_FSIZE, policy.file_bytes),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        _, hard = resource.getrlimit(limit)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        try:
            resource.setrlimit(limit, (most, most))
        except (ValueError, OSError):
            if policy.required:
                raise NotConfined("its memory and files can't be limited here") from None


def drop_capabilities() -> None:
    """Give up root's powers, where the app runs with them (capset(2), version 3)."""
    if sys.platform != "linux" or platform.machine() not in NUMBERS:
        return
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0))
    none = ctypes.create_string_buffer(24)
    linux.syscall(NUMBERS[platform.machine()]["capset"], header, none)
