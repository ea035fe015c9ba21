"""Which processes belong to a kernel, and ending all of them. Reads /proc; knows nothing where there is none."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from services.kernels.inside import linux

PROC = Path("/proc")
ROUNDS = 10  # a tree that forks while it is being killed is gone after a few


@dataclass(frozen=True)
class ProcessId:
    """A process beyond its number: `start` (clock ticks since boot) differs when the number is used again."""

    pid: int
    start: int

    def running(self) -> bool:
        return identify(self.pid) == self


def guard_memory() -> None:
    """Close this process's memory, environment and open files to others of its user, ptrace(2) and /proc included."""
    if sys.platform == "linux":
        linux.prctl(linux.PR_SET_DUMPABLE, 0)


def identify(pid: int) -> ProcessId | None:
    """The identity of a live process, or None when it has ended or can't be told apart from a later one."""
    stat = _stat(pid)
    return ProcessId(pid, stat.start) if stat else None


def is_headless(pid: int) -> bool:
    """Whether a process's first thread has ended and others go on: /proc then shows none of its memory and files."""
    fields = _fields(pid)
    return bool(fields) and fields[0] == b"Z" and int(fields[17]) > 1


def kill_tree(kernel: ProcessId | None, root: Path) -> None:
    """Kill a kernel, every process under it or in its session, and those with HOME or current folder in `root`.

    The last find what outlived the kernel: `root` is a random folder of its own, handed down to every child.
    The kernel's number counts only while no later process has it.
    """
    for _ in range(ROUNDS):
        members = _members(kernel.pid if kernel and identify(kernel.pid) in (kernel, None) else 0, root)
        if not members:
            return
        for each in members:
            _kill(each)


@dataclass(frozen=True)
class _Stat:
    parent: int
    session: int
    start: int


def _fields(pid: int) -> list[bytes]:
    """Those of /proc/PID/stat from the third on (proc_pid_stat(5)), none when there is no such process."""
    try:
        text = (PROC / str(pid) / "stat").read_bytes()
    except OSError:
        return []
    # the command name, in brackets, may hold blanks and brackets itself
    return text[text.rindex(b")") + 2 :].split()


def _stat(pid: int) -> _Stat | None:
    """What is known of a process, None for one that has ended, reaped or not."""
    fields = _fields(pid)
    if not fields or fields[0] in (b"Z", b"X"):
        return None
    return _Stat(parent=int(fields[1]), session=int(fields[3]), start=int(fields[19]))


def _members(kernel: int, root: Path) -> list[int]:
    if not PROC.is_dir():
        return []
    own = os.getpid()
    pids = [int(each.name) for each in PROC.iterdir() if each.name.isdigit() and int(each.name) != own]
    stats = {pid: stat for pid in pids if (stat := _stat(pid))}
    found = {pid for pid, stat in stats.items() if kernel and kernel in (pid, stat.session)}
    found |= {pid for pid in stats if _at_home(pid, root)}
    grown = True
    while grown:
        children = {pid for pid, stat in stats.items() if stat.parent in found and pid not in found}
        found |= children
        grown = bool(children)
    return sorted(found)


def _at_home(pid: int, root: Path) -> bool:
    try:
        if (PROC / str(pid) / "cwd").readlink().is_relative_to(root):
            return True
        environment = (PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return False
    return any(each.startswith(b"HOME=" + os.fsencode(root) + b"/") for each in environment.split(b"\0"))


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
