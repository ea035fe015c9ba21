"""System calls the standard library does not offer, by ctypes: no compiler and no package is needed at run time."""

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36
PR_SET_NO_NEW_PRIVS = 38


def syscall(number: int, *arguments: object) -> int:
    """Make a system call; its result.

    Raises:
        OSError: it failed.
    """
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return result


def prctl(option: int, argument: int) -> None:
    """prctl(2) with one argument.

    Raises:
        OSError: it failed.
    """
    zero = ctypes.c_ulong(0)
    if _libc.prctl(option, ctypes.c_ulong(argument), zero, zero, zero) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
