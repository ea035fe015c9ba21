"""Which system calls a confined kernel may make, as data, and the seccomp filter that holds it to them (seccomp(2)).

What is not named is refused: calls as old as these tables with EPERM, newer ones with ENOSYS as an older Linux does.
"""

import ctypes
import errno
import os
import platform
import struct
from dataclasses import dataclass

from . import linux
from .syscalls import AUDIT_ARCH, NEWEST, NUMBERS, X32_BIT

# fmt: off
ALLOWED = frozenset((
    # files: which ones is Landlock's business
    "read", "write", "readv", "writev", "pread64", "pwrite64", "preadv", "pwritev", "preadv2", "pwritev2", "open",
    "openat", "creat", "close", "dup", "dup2", "dup3", "pipe", "pipe2", "lseek", "stat", "fstat",
    "lstat", "newfstatat", "statx", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents",
    "getdents64", "getcwd", "chdir", "fchdir", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat", "rename", "renameat",
    "renameat2", "link", "linkat", "symlink", "symlinkat", "truncate", "ftruncate", "fsync", "fdatasync",
    "sync_file_range", "fadvise64", "readahead", "sendfile", "copy_file_range", "splice", "tee", "flock", "umask",
    "statfs", "fstatfs",
    # memory
    "mprotect", "munmap", "mremap", "madvise", "brk", "msync", "mlock", "munlock", "membarrier", "get_mempolicy",
    # this process and its threads
    "exit", "exit_group", "getpid", "getppid", "gettid", "getuid", "geteuid", "getgid", "getegid", "getresuid",
    "getresgid", "getgroups", "getpgrp", "getpgid", "getsid", "set_tid_address", "set_robust_list", "get_robust_list",
    "rseq", "futex", "futex_waitv", "sched_yield", "sched_getaffinity", "sched_getparam", "sched_getscheduler",
    "sched_getattr", "sched_get_priority_max", "sched_get_priority_min", "sched_rr_get_interval", "getrlimit",
    "setrlimit", "getrusage", "times", "sysinfo", "uname", "getcpu", "capget", "arch_prctl", "wait4", "waitid", "pause",
    # time, and signals to itself
    "alarm", "setitimer", "getitimer", "timer_create", "timer_settime", "timer_gettime", "timer_getoverrun",
    "timer_delete", "timerfd_create", "timerfd_settime", "timerfd_gettime", "nanosleep", "clock_nanosleep",
    "clock_gettime", "clock_getres", "gettimeofday", "time", "rt_sigaction", "rt_sigprocmask", "rt_sigreturn",
    "rt_sigpending", "rt_sigtimedwait", "rt_sigsuspend", "sigaltstack", "signalfd", "signalfd4", "restart_syscall",
    # waiting for events
    "poll", "ppoll", "select", "pselect6", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_wait", "epoll_pwait",
    "epoll_pwait2", "eventfd", "eventfd2",
    # sockets the app connects to; `connect` itself is refused, and so is `sendmsg`: a file sent over a socket and not
    # yet taken counts nowhere
    "bind", "listen", "accept", "accept4", "getsockname", "getpeername", "getsockopt", "shutdown", "sendto", "recvfrom",
    "recvmsg", "recvmmsg", "getrandom",
))
# Answered with success and not done. Modes and owners: shutil.copy and zipfile fail without; Landlock does not cover
# them. Scheduling: libzmq aborts when it may not set that of its threads.
PRETENDED = frozenset((
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "futimesat",
    "utimensat", "sched_setparam", "sched_setscheduler", "sched_setattr",
))
# fmt: on

# Refused with another error than EPERM: callers fall back, or say something better.
REFUSED = {
    "clone3": errno.ENOSYS,  # its flags are in memory, where a filter can't read; callers fall back to clone
    "memfd_create": errno.ENOSYS,
    "pidfd_open": errno.ENOSYS,
    "connect": errno.EACCES,
    "fallocate": errno.EOPNOTSUPP,  # it fills a disk before anyone can look; callers fall back to writing
    # extended attributes, which Landlock does not cover: as on a file system without them, or shutil.copytree fails
    **dict.fromkeys((f"{of}{verb}xattr" for of in ("", "l", "f") for verb in ("get", "list", "set")), errno.EOPNOTSUPP),
}


@dataclass(frozen=True)
class Check:
    """Let a call through when `argument` & `mask` is one of `values` (with `unless`: none of them); else `error`."""

    argument: int
    values: frozenset[int]
    error: int
    mask: int = 0xFFFFFFFF
    unless: bool = False


CLONE_THREAD, CLONE_FILES = 0x10000, 0x400
CLONE_NAMESPACES = 0x7E020080
CLOSE_RANGE_UNSHARE = 2
MAP_SHARED_ANONYMOUS = 0x21
MAP_GROWSDOWN = 0x100
SOCK_TYPE = 0xF
UNIX, STREAM = 1, 1


def checks(pid: int) -> dict[str, tuple[Check, ...]]:
    """Calls allowed to the process `pid` for some arguments only; all checks of a call must pass."""
    me, me_or_0 = frozenset({pid}), frozenset({0, pid})
    threads = CLONE_THREAD | CLONE_FILES
    sockets = (
        Check(0, frozenset({UNIX}), errno.EAFNOSUPPORT),
        # a datagram socket sends to any path without connecting
        Check(1, frozenset({STREAM}), errno.EACCES, SOCK_TYPE),
    )
    return {
        "kill": (Check(0, me, errno.EPERM),),
        "tgkill": (Check(0, me, errno.EPERM),),
        # threads, no processes; no namespaces of its own, and no open files that those of the process don't show
        "clone": (Check(0, frozenset({threads}), errno.EPERM, threads | CLONE_NAMESPACES),),
        "close_range": (Check(2, frozenset({CLOSE_RANGE_UNSHARE}), errno.EPERM, CLOSE_RANGE_UNSHARE, unless=True),),
        "prlimit64": (Check(0, me_or_0, errno.EPERM),),
        "sched_setaffinity": (Check(0, me_or_0, 0),),
        # F_SETOWN, F_SETSIG, F_SETOWN_EX and F_NOTIFY have Linux send signals for the caller
        "fcntl": (Check(1, frozenset({8, 10, 15, 1026}), errno.EPERM, unless=True),),
        # TCGETS and TIOCGWINSZ (is it a terminal?), FIONREAD, FIONBIO, FIONCLEX, FIOCLEX, FICLONE
        "ioctl": (Check(1, frozenset({0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451, 0x40049409}), errno.ENOTTY),),
        "socket": sockets,
        "socketpair": sockets,
        # SO_SNDBUF and SO_RCVBUF: what waits in a socket is memory that counts as nobody's
        "setsockopt": (Check(2, frozenset({7, 8}), errno.EPERM, unless=True),),
        # neither shared anonymous memory nor what grows downwards counts toward RLIMIT_DATA
        "mmap": (
            Check(3, frozenset({MAP_SHARED_ANONYMOUS}), errno.ENOMEM, MAP_SHARED_ANONYMOUS, unless=True),
            Check(3, frozenset({MAP_GROWSDOWN}), errno.ENOMEM, MAP_GROWSDOWN, unless=True),
        ),
        # PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME, PR_GET_SECCOMP, PR_CAPBSET_READ, PR_GET_NO_NEW_PRIVS, PR_SET_VMA.
        # Not PR_SET_PDEATHSIG: with it a kernel would outlive the app
        "prctl": (Check(0, frozenset({3, 15, 16, 21, 23, 39, 0x53564D41}), errno.EINVAL),),
    }


# classic BPF (linux/filter.h, linux/seccomp.h)
_LOAD, _AND, _JUMP, _EQUAL, _GREATER, _AT_LEAST, _RETURN = 0x20, 0x54, 0x05, 0x15, 0x25, 0x35, 0x06
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_SET_MODE_FILTER = 1


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def _error(number: int) -> bytes:
    return _step(_RETURN, _ERROR | number)


def _checked(each: Check) -> list[bytes]:
    """Go on past the end when the check passes, else return its error."""
    steps = [_step(_LOAD, _ARGUMENTS + 8 * each.argument), _step(_AND, each.mask)]
    values = sorted(each.values)
    for place, value in enumerate(values):
        steps.append(_step(_EQUAL, value, len(values) - place, 0))  # over the other values and one step more
    if each.unless:
        steps.append(_step(_JUMP, 1))  # none of them: over the error
    return [*steps, _error(each.error)]


def program(machine: str, pid: int) -> bytes:
    """The filter for one process, in classic BPF; `machine` as `platform.machine()` says it.

    Raises:
        KeyError: this machine's numbers are not known.
    """
    numbers = NUMBERS[machine]
    steps = [
        *(_step(_LOAD, _ARCH), _step(_EQUAL, AUDIT_ARCH[machine], 1, 0), _step(_RETURN, _KILL)),
        *(_step(_LOAD, _NUMBER), _step(_AT_LEAST, X32_BIT, 0, 1), _error(errno.ENOSYS)),
        *(_step(_GREATER, NEWEST, 0, 1), _error(errno.ENOSYS)),
    ]
    for name, tests in checks(pid).items():
        block = [step for each in tests for step in _checked(each)] + [_step(_RETURN, _ALLOW)]
        steps += [_step(_EQUAL, numbers[name], 0, len(block)), *block]
    refused = dict.fromkeys(PRETENDED, 0) | REFUSED
    for name, number in sorted(numbers.items()):
        if name in ALLOWED:
            steps += [_step(_EQUAL, number, 0, 1), _step(_RETURN, _ALLOW)]
        elif name in refused:
            steps += [_step(_EQUAL, number, 0, 1), _error(refused[name])]
    return b"".join([*steps, _error(errno.EPERM)])


def restrict() -> None:
    """Hold this process to the policy, for good. It must have one thread only.

    Raises:
        OSError: Linux has no seccomp filters, or does not let them be set.
        KeyError: this machine's system calls are not known.
    """
    code = program(platform.machine(), os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    linux.prctl(linux.PR_SET_NO_NEW_PRIVS, 1)
    described = struct.pack("HxxxxxxP", len(code) // 8, ctypes.addressof(buffer))
    number = NUMBERS[platform.machine()]["seccomp"]
    linux.syscall(number, ctypes.c_uint(_SET_MODE_FILTER), ctypes.c_uint(0), described)
