"""What an attack that succeeds leaves to be seen from outside the kernel.

An effect is called before the attack and gives a check to be called after it.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

from tests.sandbox.scene import Side
from tests.sandbox.visitor import Outcome

Check = Callable[[Outcome], bool]
Effect = Callable[[Side], Check]
Probe = Callable[[Side], object]

# seconds until what an attack did is seen: where it should be, a busy machine may be waited for
CONFINED_WITHIN, UNCONFINED_WITHIN = 0.1, 3.0


def soon(side: Side, condition: Callable[[], bool]) -> bool:
    """Whether it comes true in time."""
    end = time.monotonic() + (CONFINED_WITHIN if side.confined else UNCONFINED_WITHIN)
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def leaks(secret: str) -> Effect:
    """The visitor is sent a secret of this name."""
    return lambda side: lambda outcome: side.secrets[secret] in outcome.lines


def tells(fact: Callable[[Side], str]) -> Effect:
    """The visitor is told something of the machine that only outside is known."""

    def before(side: Side) -> Check:
        known = fact(side)
        assert known
        return lambda outcome: known in outcome.text

    return before


def changes(probe: Probe) -> Effect:
    """Something outside is no longer what it was."""

    def before(side: Side) -> Check:
        was = probe(side)
        return lambda _: soon(side, lambda: probe(side) != was)

    return before


def is_heard(side: Side) -> Check:
    """A listener hears the attack's word."""
    word = side.word.encode()
    return lambda _: soon(side, lambda: word in side.listeners.heard)


def watched(side: Side, probe: Callable[[], bool]) -> Check:
    """Look all the while the attack runs; whether it was ever so."""
    done, seen = threading.Event(), threading.Event()

    def watch() -> None:
        while not done.wait(0.005):
            if probe():
                seen.set()

    watcher = threading.Thread(target=watch)
    watcher.start()

    def check(_: Outcome) -> bool:
        soon(side, seen.is_set)
        done.set()
        watcher.join()
        return seen.is_set()

    return check


def stops(target: str) -> Effect:
    """A process is stopped by a signal; it is let go on at once, as the app is needed to tell how the attack went."""

    def before(side: Side) -> Check:
        pid = side.targets[target]

        def stopped() -> bool:
            is_stopped = state(pid) == "T"
            if is_stopped:
                os.kill(pid, signal.SIGCONT)
            return is_stopped

        return watched(side, stopped)

    return before


def writes(place: Callable[[Side], Path]) -> Effect:
    """A file is there that was not, or the attack's word is in it."""

    def before(side: Side) -> Check:
        path = place(side)
        word = side.word.encode()
        return lambda _: soon(side, lambda: path.is_file() and word in path.read_bytes())

    return before


def outside(side: Side) -> Path:
    """Where attacks are told to write: a folder of the same user's that is no kernel's."""
    return side.keeper.folder.parent / "outside" / side.word


def proof(side: Side) -> Path:
    """A file in the attacker's own folder, where anything may be written, by those who may do it."""
    return side.attacker_work / side.word


def state(pid: int) -> str:
    """A process's state letter (proc_pid_stat(5)), empty once it is gone."""
    return _stat(pid)[0]


def _stat(pid: int) -> list[str]:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return [""]


def status(target: str, field: str) -> Probe:
    """A line of a process's /proc/PID/status."""

    def probe(side: Side) -> object:
        lines = Path(f"/proc/{side.targets[target]}/status").read_text().splitlines()
        return next(line for line in lines if line.startswith(f"{field}:"))

    return probe


def stat(target: str, number: int) -> Probe:
    """A field of a process's /proc/PID/stat by its number there, from 3 on."""
    return lambda side: _stat(side.targets[target])[number - 3]


def limits(target: str) -> Probe:
    """A process's resource limits."""
    return lambda side: Path(f"/proc/{side.targets[target]}/limits").read_text()


def file(place: Callable[[Side], Path]) -> Probe:
    """A file's or folder's content, mode, owner, links and times; None while it is not there."""

    def probe(side: Side) -> object:
        path = place(side)
        try:
            found = path.lstat()
            content = sorted(path.iterdir()) if path.is_dir() else path.read_bytes()
        except OSError:
            return None
        return content, found.st_mode, found.st_uid, found.st_nlink, found.st_mtime_ns, found.st_ino

    return probe


def kept_file(side: Side) -> Path:
    return side.keeper.folder / "kept.txt"
