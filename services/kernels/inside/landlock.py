"""Which files a confined kernel may use, held by Landlock (landlock(7))."""

import ctypes
import errno
import os
import struct
from collections.abc import Iterable

from . import linux

# the same numbers on every machine
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR, REMOVE_DIR, REMOVE_FILE = (1 << bit for bit in range(6))
MAKE_CHAR, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_BLOCK, MAKE_SYM = (1 << bit for bit in range(6, 13))
REFER, TRUNCATE, IOCTL_DEV = (1 << bit for bit in range(13, 16))

READ = READ_FILE | READ_DIR
WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE
SOCKETS = READ | MAKE_SOCK | REMOVE_FILE
DEVICE = READ_FILE | WRITE_FILE
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV

LEAST = 3  # before this version a file one may only read can be cut to nothing


def version() -> int:
    """The version of Landlock's interface this Linux offers, 0 for none."""
    try:
        return linux.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_VERSION))
    except OSError:
        return 0


def _handled(known: int) -> bytes:
    """struct landlock_ruleset_attr: every right this version knows is refused where no rule grants it."""
    files = (1 << 13) - 1
    files |= REFER if known >= 2 else 0
    files |= TRUNCATE if known >= 3 else 0
    files |= IOCTL_DEV if known >= 5 else 0
    tcp = 3 if known >= 4 else 0  # bind and connect
    scope = 3 if known >= 6 else 0  # abstract sockets of others, signals to others
    size = 24 if known >= 6 else 16 if known >= 4 else 8
    return struct.pack("=QQQ", files, tcp, scope)[:size]


def restrict(rules: Iterable[tuple[str, int]]) -> None:
    """Confine this thread to `rules`, path → rights, for good; paths that do not exist are left out.

    Raises:
        OSError: Linux has no Landlock, too old a one, or a rule can't be made.
    """
    known = version()
    if known < LEAST:
        raise OSError(errno.ENOSYS, f"Landlock {LEAST} or newer is needed, this system has {known or 'none'}")
    attributes = _handled(known)
    handled = struct.unpack_from("=Q", attributes)[0]
    ruleset = linux.syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint32(0))
    try:
        for path, rights in rules:
            try:
                file = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except FileNotFoundError:
                continue
            try:
                granted = rights & handled & (-1 if os.path.isdir(path) else _OF_FILES)  # noqa: PTH112
                rule = struct.pack("=Qi", granted, file)
                linux.syscall(_ADD_RULE, ruleset, ctypes.c_int(_PATH_BENEATH), rule, ctypes.c_uint32(0))
            finally:
                os.close(file)
        linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
        linux.syscall(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)
