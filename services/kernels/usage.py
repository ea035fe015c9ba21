"""What a kernel takes of the machine: memory and threads of its processes, room of its folder."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from services.kernels.processes import PROC

BLOCK = 512  # bytes; the unit of st_blocks, stat(3)
DEEPEST = 64  # folders in folders


@dataclass(frozen=True)
class ProcessUse:
    """Of a process and all under it: `memory` in bytes that no file backs, and the number of threads."""

    memory: int
    threads: int


def process_use(pid: int) -> ProcessUse | None:
    """What the tree of processes takes; None when it has ended, or where there is no /proc."""
    memory = threads = 0
    seen, queue = {pid}, [pid]
    while queue:
        member = queue.pop()
        try:
            status = (PROC / str(member) / "status").read_bytes()
            tasks = list((PROC / str(member) / "task").iterdir())
        except OSError:
            continue
        memory += _memory(status)
        threads += len(tasks)
        children = _children(tasks) - seen
        seen |= children
        queue += children
    return ProcessUse(memory, threads) if threads else None


def own_memory(pid: int) -> int:
    """Bytes of memory that no file backs, of one process alone; 0 when it has ended, or where there is no /proc."""
    try:
        return _memory((PROC / str(pid) / "status").read_bytes())
    except OSError:
        return 0


def _memory(status: bytes) -> int:
    fields = dict(line.split(b":", 1) for line in status.splitlines() if b":" in line)
    # all are missing for a process that has ended and was not yet asked for its exit code
    names = (b"RssAnon", b"RssShmem", b"VmSwap")
    return 1024 * sum(int(fields[name].split()[0]) for name in names if name in fields)


def _children(tasks: list[Path]) -> set[int]:
    found: set[int] = set()
    for task in tasks:
        try:
            found.update(map(int, (task / "children").read_bytes().split()))
        except OSError:
            continue
    return found


@dataclass(frozen=True)
class FolderUse:
    """Of all in a folder: `size` in bytes on disk, number of `files` and folders; `unseen` when a part stays hidden.

    Hidden is what lies more than 64 folders deep or in a folder without permission to read.
    """

    size: int = 0
    files: int = 0
    unseen: bool = False


def processor_seconds(pid: int) -> float:
    """Processor time a process has used so far; 0 when it has ended, or where there is no /proc."""
    try:
        fields = (PROC / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return 0.0


def unnamed_use(pid: int, roots: Iterable[Path], most_of_one: int) -> int:
    """Bytes on disk of files a process made below `roots` and keeps open or mapped without a name any more.

    How large one is that is mapped only can't be known here: it counts as `most_of_one`.
    """
    below = tuple(f"{root}/".encode() for root in roots)
    sizes: dict[bytes, int] = {}
    try:
        for descriptor in (PROC / str(pid) / "fd").iterdir():
            with contextlib.suppress(OSError):
                about = descriptor.stat()
                if stat.S_ISREG(about.st_mode) and about.st_nlink == 0:
                    sizes[str(about.st_ino).encode()] = BLOCK * about.st_blocks
        for line in (PROC / str(pid) / "maps").read_bytes().splitlines():
            fields = line.split(maxsplit=5)
            if len(fields) == 6 and fields[5].endswith(b" (deleted)") and fields[5].startswith(below):
                sizes.setdefault(fields[4], most_of_one)
    except OSError:
        pass
    return sum(sizes.values())


def folder_use(roots: Iterable[Path], most: FolderUse) -> FolderUse:
    """What is below `roots` together; the walk ends early once it is past `most`. Follows no link."""
    size = files = 0
    unseen = False
    queue = [(os.fspath(root), 0) for root in roots]
    while queue and size <= most.size and files <= most.files and not unseen:
        folder, depth = queue.pop()
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            # anything else is a folder that went, or became something else, since its name was read
            unseen = error.errno in (errno.EACCES, errno.ENAMETOOLONG)
            continue
        try:
            with os.scandir(handle) as entries:
                for entry in entries:
                    files += 1
                    try:
                        size += BLOCK * entry.stat(follow_symlinks=False).st_blocks
                        inner = entry.is_dir(follow_symlinks=False)
                    except OSError:
                        continue
                    if inner and depth < DEEPEST:
                        queue.append((f"{folder}/{entry.name}", depth + 1))
                    elif inner:
                        unseen = True
                    if size > most.size or files > most.files:
                        break
        finally:
            os.close(handle)
    return FolderUse(size, files, unseen)
