"""Harming other processes: signals, limits, priorities, debugging."""

from __future__ import annotations

import ctypes
import os
import platform
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import Check, changes, limits, stat, status, stops
from tests.sandbox.scene import Side

SCHEDULING = 41  # fields of /proc/PID/stat
NICE = 19


def _priority(side: Side) -> object:
    """The app's I/O class and priority."""
    number = {"x86_64": 252, "aarch64": 31}[platform.machine()]
    return ctypes.CDLL(None).syscall(number, 1, side.app.pid)


def _processors(side: Side) -> None:
    os.sched_setaffinity(side.app.pid, os.sched_getaffinity(0))


def _memory_of_keeper(side: Side) -> object:
    return side.keeper.reads()["memory"]


def _place_of_keeper(side: Side) -> object:
    return Path(f"/proc/{side.keeper.process.pid}/oom_score_adj").read_text()


def _own_place(side: Side) -> Check:
    return lambda _: Path(f"/proc/{side.attacker_pid}/oom_score_adj").read_text() == "777\n"


signal_app = partial(Attack, effect=stops("app"))

ATTACKS = [
    signal_app("signal to the app by kill", "os.kill(t.app, signal.SIGSTOP)"),
    signal_app("signal to the app's process group", "os.killpg(t.app, signal.SIGSTOP)"),
    signal_app("signal to the app by tgkill", "checked(libc.tgkill(t.app, t.app, signal.SIGSTOP))"),
    signal_app(
        "signal to the app by tkill",
        "system_call({'x86_64': 200, 'aarch64': 130}[os.uname().machine], t.app, int(signal.SIGSTOP))",
    ),
    signal_app(
        "signal to the app by sigqueue", "checked(libc.sigqueue(t.app, int(signal.SIGSTOP), ctypes.c_void_p(0)))"
    ),
    signal_app(
        "signal to the app by pidfd",
        "signal.pidfd_send_signal(os.pidfd_open(t.app), signal.SIGSTOP)",
    ),
    Attack("signal to another visitor's kernel", "os.kill(t.victim, signal.SIGSTOP)", stops("victim")),
    Attack(
        "signal to another process as the owner of a pipe",
        """
import fcntl
end, other = os.pipe()
fcntl.fcntl(end, fcntl.F_SETOWN, t.keeper); fcntl.fcntl(end, 10, int(signal.SIGSTOP))
fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(other, b'x')
""",
        stops("keeper"),
    ),
    Attack(
        "signal to another process as the owner of a pipe, by F_SETOWN_EX",
        """
import fcntl
end, other = os.pipe()
fcntl.fcntl(end, 15, struct.pack('ii', 1, t.keeper)); fcntl.fcntl(end, 10, int(signal.SIGSTOP))
fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
os.write(other, b'x')
""",
        stops("keeper"),
    ),
    Attack(
        "signal to another process as the owner of a socket",
        """
import fcntl
end, other = socket.socketpair()
fcntl.ioctl(end, 0x8901, struct.pack('i', t.keeper)); fcntl.fcntl(end, 10, int(signal.SIGSTOP))
fcntl.fcntl(end, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)
other.send(b'x')
""",
        stops("keeper"),
    ),
    Attack(
        "signal to another process as the owner of a lease",
        """
import fcntl
file = open('leased', 'w'); file.close(); file = open('leased')
fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
fcntl.fcntl(file, fcntl.F_SETOWN, t.keeper); fcntl.fcntl(file, 10, int(signal.SIGSTOP))
try: os.open('leased', os.O_WRONLY | os.O_NONBLOCK)
except BlockingIOError: pass
""",
        stops("keeper"),
    ),
    Attack(
        "attaching to another process",
        "checked(libc.ptrace(0x4206, t.keeper, 0, 0)); time.sleep(0.5)",
        changes(status("keeper", "TracerPid")),
    ),
    Attack(
        "writing another process's memory by process_vm_writev",
        """
buffer = ctypes.create_string_buffer(t.word.encode())
here = (ctypes.c_size_t * 2)(ctypes.addressof(buffer), 16); there = (ctypes.c_size_t * 2)(t.address, 16)
checked(libc.process_vm_writev(t.keeper, here, 1, there, 1, 0))
""",
        changes(_memory_of_keeper),
    ),
    Attack(
        "writing another process's memory by /proc",
        """
with open(f'/proc/{t.keeper}/mem', 'r+b', buffering=0) as memory:
    memory.seek(t.address); memory.write(t.word.encode())
""",
        changes(_memory_of_keeper),
    ),
    Attack(
        "limits of the app",
        """
import resource
soft, hard = resource.prlimit(t.app, resource.RLIMIT_CORE)
resource.prlimit(t.app, resource.RLIMIT_CORE, (4096 if soft != 4096 else 8192, hard))
""",
        changes(limits("app")),
    ),
    Attack(
        "limits of another visitor's kernel",
        "import resource\nresource.prlimit(t.victim, resource.RLIMIT_NICE, (0, 0))\n"
        "soft, hard = resource.prlimit(t.victim, resource.RLIMIT_NOFILE)\n"
        "resource.prlimit(t.victim, resource.RLIMIT_NOFILE, (soft - 1, hard))",
        changes(limits("victim")),
    ),
    Attack(
        "processors of the app",
        "os.sched_setaffinity(t.app, {min(os.sched_getaffinity(0))})",
        changes(status("app", "Cpus_allowed_list")),
        undo=_processors,
    ),
    Attack(
        "scheduling of another process",
        "os.sched_setscheduler(t.keeper, os.SCHED_BATCH, os.sched_param(0))",
        changes(stat("keeper", SCHEDULING)),
    ),
    Attack(
        "priority of another process", "os.setpriority(os.PRIO_PROCESS, t.keeper, 7)", changes(stat("keeper", NICE))
    ),
    Attack(
        "I/O priority of the app",
        "system_call({'x86_64': 251, 'aarch64': 30}[os.uname().machine], 1, t.app, (3 << 13) | (os.getpid() & 1))",
        changes(_priority),
    ),
    Attack(
        "what is killed first when memory is short",
        "open(f'/proc/{t.keeper}/oom_score_adj', 'w').write('999')",
        changes(_place_of_keeper),
    ),
    Attack("one's own place when memory is short", "open('/proc/self/oom_score_adj', 'w').write('777')", _own_place),
]
