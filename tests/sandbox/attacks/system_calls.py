"""System calls a kernel has no use for, made raw.

Each has arguments Linux itself finds fault with, so that nothing comes of it unconfined. A policy refuses it before
anyone looks at them, with another error: many of these calls are root's only, and could not be seen to succeed. Those
that Linux refuses to an ordinary user with the policy's own error before all else are left out. Numbers: unistd.h.
"""

from __future__ import annotations

import errno
from dataclasses import dataclass

NOWHERE = 1  # an address that can't be read


@dataclass(frozen=True)
class SystemCall:
    """A call by its number on each machine, None where there is none."""

    name: str
    x86_64: int | None
    aarch64: int | None
    arguments: tuple[int, ...]

    def number(self, machine: str) -> int | None:
        return {"x86_64": self.x86_64, "aarch64": self.aarch64}[machine]


CALLS = [
    SystemCall("io_uring_setup", 425, 425, (4, NOWHERE)),
    SystemCall("io_uring_enter", 426, 426, (-1, 0, 0, 0, 0, 0)),
    SystemCall("io_uring_register", 427, 427, (-1, 0, 0, 0)),
    SystemCall("unshare", 272, 97, (0xFFF,)),
    SystemCall("setns", 308, 268, (-1, 0)),
    SystemCall("mount", 165, 40, (NOWHERE, NOWHERE, NOWHERE, 0, NOWHERE)),
    SystemCall("umount2", 166, 39, (NOWHERE, -1)),
    SystemCall("bpf", 321, 280, (0, NOWHERE, 1 << 20)),
    SystemCall("keyctl", 250, 219, (-1, 0, 0, 0, 0)),
    SystemCall("add_key", 248, 217, (NOWHERE, NOWHERE, NOWHERE, 0, 0)),
    SystemCall("request_key", 249, 218, (NOWHERE, NOWHERE, NOWHERE, 0)),
    SystemCall("userfaultfd", 323, 282, (-1,)),
    SystemCall("perf_event_open", 298, 241, (NOWHERE, 0, 0, 0, 0)),
    SystemCall("memfd_create", 319, 279, (NOWHERE, 0)),
    SystemCall("memfd_secret", 447, 447, (-1,)),
    SystemCall("clone3", 435, 435, (NOWHERE, 0)),
    SystemCall("pidfd_open", 434, 434, (-1, 0)),
    SystemCall("pidfd_send_signal", 424, 424, (-1, 0, 0, 0)),
    SystemCall("pidfd_getfd", 438, 438, (-1, 0, 0)),
    SystemCall("process_madvise", 440, 440, (-1, 0, 0, 0, 0)),
    SystemCall("process_mrelease", 448, 448, (-1, 0)),
    SystemCall("process_vm_readv", 310, 270, (-1, 0, 0, 0, 0, 1)),
    SystemCall("kcmp", 312, 272, (-1, -1, 0, 0, 0)),
    SystemCall("ptrace", 101, 117, (16, -1, 0, 0)),
    SystemCall("execve", 59, 221, (NOWHERE, 0, 0)),
    SystemCall("execveat", 322, 281, (-1, NOWHERE, 0, 0, 0)),
    SystemCall("setpriority", 141, 140, (-1, 0, 0)),
    SystemCall("ioprio_set", 251, 30, (-1, 0, 0)),
    SystemCall("move_pages", 279, 239, (0, 1, NOWHERE, 0, 0, -1)),
    SystemCall("migrate_pages", 256, 238, (-1, 0, 0, 0)),
    SystemCall("name_to_handle_at", 303, 264, (-100, NOWHERE, NOWHERE, NOWHERE, 0)),
    SystemCall("inotify_init1", 294, 26, (-1,)),
    SystemCall("inotify_add_watch", 254, 27, (-1, NOWHERE, 0)),
    SystemCall("shmget", 29, 194, (0, 0, 0o1000)),
    SystemCall("semget", 64, 190, (0, -1, 0o1000)),
    SystemCall("msgrcv", 70, 188, (-1, NOWHERE, -1, 0, 0)),
    SystemCall("mq_open", 240, 180, (NOWHERE, 0, 0, 0)),
    SystemCall("landlock_create_ruleset", 444, 444, (NOWHERE, 1, 0)),
    SystemCall("open_tree", 428, 428, (-1, NOWHERE, 0)),
    SystemCall("mount_setattr", 442, 442, (-1, NOWHERE, 0, NOWHERE, 0)),
    SystemCall("listmount", 458, 458, (NOWHERE, 0, 0, 0)),
    SystemCall("statmount", 457, 457, (NOWHERE, 0, 0, 0)),
    SystemCall("lsm_list_modules", 461, 461, (NOWHERE, NOWHERE, 0)),
    SystemCall("setxattr", 188, 5, (NOWHERE, NOWHERE, NOWHERE, 0, 0)),
    SystemCall("setxattrat", 463, 463, (-1, NOWHERE, 0, NOWHERE, NOWHERE, 0)),
    SystemCall("mknodat", 259, 33, (-1, NOWHERE, 0, 0)),
    SystemCall("personality", 135, 92, (0,)),
    SystemCall("vmsplice", 278, 75, (-1, 0, 0, -1)),
    SystemCall("remap_file_pages", 216, 234, (1, 0, 0, 0, 0)),
    SystemCall("chroot", 161, 51, (NOWHERE,)),
    SystemCall("quotactl", 179, 60, (-1, 0, 0, 0)),
    SystemCall("sysfs", 139, None, (-1, 0, 0)),
    SystemCall("adjtimex", 159, 171, (NOWHERE,)),
    SystemCall("clock_settime", 227, 112, (-1, NOWHERE)),
    SystemCall("a call of the x32 kind", 0x40000000 + 39, None, ()),
    SystemCall("a call past all tables", 100_000, 100_000, ()),
    SystemCall("socket of a virtual machine", 41, 198, (40, -1, 0)),
]

# what a policy says of a call: not allowed, or not there
REFUSALS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EAFNOSUPPORT}

PROGRAM = """
results = []
for number, arguments in {calls!r}:
    try: system_call(number, *arguments)
    except OSError as error: results.append(error.errno)
    else: results.append(0)
print(json.dumps(results))
"""
