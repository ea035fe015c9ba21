"""Taking more of what a machine has only so much of: threads, files, space, descriptors."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import Check, Effect, Probe, watched
from tests.sandbox.scene import FOLDER_FILES, FOLDER_MB, THREADS, Side
from tests.sandbox.visitor import TASK, Outcome

FAR = 3  # times a limit
# long enough for a supervisor to see it
HOLD = "\nprint('had', flush=True)\ntime.sleep(3 if t.confined else 0)\nprint('kept')"


def keeps(taken: Probe, limit: int) -> Effect:
    """More than twice the limit is taken, and still had by the time it is all over."""

    def before(side: Side) -> Check:
        seen = watched(side, lambda: int(str(taken(side))) > 2 * limit)

        def check(outcome: Outcome) -> bool:
            return seen(outcome) and "kept" in outcome.text

        return check

    return before


def _of_process(name: str) -> Probe:
    """How many entries a folder of the attacker's /proc/PID has."""

    def probe(side: Side) -> object:
        with contextlib.suppress(OSError):
            return len(list(Path(f"/proc/{side.attacker_pid}/{name}").iterdir()))
        return 0

    return probe


def _files(place: Callable[[Side], Path]) -> Probe:
    return lambda side: sum(len(folders) + len(files) for _, folders, files in os.walk(place(side)))


def _bytes(place: Callable[[Side], Path]) -> Probe:
    def probe(side: Side) -> object:
        total = 0
        for parent, _, files in os.walk(place(side)):
            for name in files:
                with contextlib.suppress(OSError):
                    total += os.lstat(f"{parent}/{name}").st_blocks * 512
        return total

    return probe


def _unnamed_bytes(side: Side) -> int:
    """Bytes of the open files of any of the attacker's threads that have no name any more."""
    sizes = {}
    for descriptor in Path(f"/proc/{side.attacker_pid}/task").glob("*/fd/*"):
        with contextlib.suppress(OSError):
            found = descriptor.stat()
            if found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                sizes[found.st_ino] = found.st_blocks * 512
    return sum(sizes.values())


def _hidden_bytes(side: Side) -> Check:
    """The attack gets back more than the limit from where it hid it."""
    return lambda outcome: int(outcome.text.strip() or 0) > 2 * FOLDER_MB << 20


def _depth(folder: Path) -> int:
    """How many folders are one in another."""
    depth, here = 0, os.open(folder, os.O_RDONLY)
    try:
        while True:
            below = os.open("deeper", os.O_RDONLY, dir_fd=here)
            os.close(here)
            here, depth = below, depth + 1
    except OSError:
        return depth
    finally:
        os.close(here)


def _session(side: Side) -> Path:
    return side.attacker_work.parent


def _sockets(side: Side) -> Path:
    return side.attacker_sockets


def _from_scratch(side: Side) -> None:
    """Leave the attacker's session, which ends it with its folder."""
    side.attacker.task = "demo_tips_qa_1" if side.attacker.task == TASK else TASK


of_kernel = partial(Attack, undo=_from_scratch)

ATTACKS = [
    of_kernel(
        "threads",
        f"""
import threading
threading.stack_size(32768)
for _ in range({FAR * THREADS}): threading.Thread(target=time.sleep, args=(6,), daemon=True).start()
"""
        + HOLD,
        keeps(_of_process("task"), THREADS),
    ),
    of_kernel(
        "open files",
        """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
held = [os.open('/dev/null', os.O_RDONLY) for _ in range(1600)]
"""
        + HOLD,
        keeps(_of_process("fd"), 512),
    ),
    of_kernel(
        "a big file",
        f"""
with open('big', 'wb') as file:
    for _ in range({FAR * FOLDER_MB}): file.write(bytes(1 << 20))
"""
        + HOLD,
        keeps(_bytes(_session), FOLDER_MB << 20),
    ),
    of_kernel(
        "big files",
        f"""
for number in range({2 * FAR}):
    with open(f'big-{{number}}', 'wb') as file: os.posix_fallocate(file.fileno(), 0, {FOLDER_MB // 2} << 20)
"""
        + HOLD,
        keeps(_bytes(_session), FOLDER_MB << 20),
    ),
    of_kernel(
        "big files without names",
        f"""
held = []
for number in range({2 * FAR}):
    held.append(open('big', 'wb')); os.unlink('big')
    os.posix_fallocate(held[-1].fileno(), 0, {FOLDER_MB // 2} << 20)
"""
        + HOLD,
        keeps(_unnamed_bytes, FOLDER_MB << 20),
    ),
    of_kernel(
        "big files without names, in a thread with open files of its own",
        f"""
import threading
def hold():
    system_call(436, 1 << 20, 1 << 21, 2)
    held = []
    for number in range({2 * FAR}):
        held.append(open('big', 'wb')); os.unlink('big')
        held[-1].write(bytes({FOLDER_MB // 2} << 20))
    time.sleep(4)
threading.Thread(target=hold, daemon=True).start()
time.sleep(1)
"""
        + HOLD,
        keeps(_unnamed_bytes, FOLDER_MB << 20),
    ),
    of_kernel(
        "big files without names, on their way over a socket",
        f"""
end, other = socket.socketpair()
for number in range({2 * FAR}):
    with open('big', 'wb') as file:
        os.unlink('big'); file.write(bytes({FOLDER_MB // 2} << 20)); file.flush()
        socket.send_fds(end, [b'x'], [file.fileno()])
time.sleep(3 if t.confined else 0)
print(sum(os.fstat(socket.recv_fds(other, 1, 1)[1][0]).st_size for number in range({2 * FAR})))
""",
        _hidden_bytes,
    ),
    of_kernel(
        "a big file in the home folder",
        f"""
with open(os.path.expanduser('~/big'), 'wb') as file: os.posix_fallocate(file.fileno(), 0, {FAR * FOLDER_MB} << 20)
"""
        + HOLD,
        keeps(_bytes(_session), FOLDER_MB << 20),
    ),
    of_kernel(
        "a big file beside the sockets",
        f"""
from ipykernel.kernelapp import IPKernelApp
place = os.path.dirname(IPKernelApp.instance().abs_connection_file)
with open(f'{{place}}/big', 'wb') as file: os.posix_fallocate(file.fileno(), 0, {FAR * FOLDER_MB} << 20)
"""
        + HOLD,
        keeps(_bytes(_sockets), FOLDER_MB << 20),
    ),
    of_kernel(
        "many files",
        f"for number in range({FAR * FOLDER_FILES}): open(f'file-{{number}}', 'w').close()" + HOLD,
        keeps(_files(_session), FOLDER_FILES),
    ),
    of_kernel(
        "many names of one file",
        f"""
open('one', 'w').close()
for number in range({FAR * FOLDER_FILES}): os.link('one', f'name-{{number}}')
"""
        + HOLD,
        keeps(_files(_session), FOLDER_FILES),
    ),
    of_kernel(
        "folders in folders",
        f"""
for number in range({FAR * FOLDER_FILES}):
    os.mkdir('deeper'); os.chdir('deeper')
"""
        + HOLD.replace("3 if t.confined else 0", "3"),
        keeps(lambda side: _depth(side.attacker_work), FOLDER_FILES),
        unconfined="no kernel is let keep folders that can't be looked into, confined or not",
    ),
    of_kernel(
        "many sockets",
        f"""
from ipykernel.kernelapp import IPKernelApp
place = os.path.dirname(IPKernelApp.instance().abs_connection_file)
for number in range({FAR * FOLDER_FILES}):
    opened = socket.socket(socket.AF_UNIX); opened.bind(f'{{place}}/{{number}}'); opened.close()
"""
        + HOLD,
        keeps(_files(_sockets), FOLDER_FILES),
    ),
]
