"""The app twice, confined and not, each with a visitor who has something to lose and one who attacks."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import sqlite3
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.sandbox.house import House
from tests.sandbox.listeners import Listeners
from tests.sandbox.visitor import FIRST_SECONDS, Outcome, Visitor
from tests.served_app import KEPT, free_port, wait_until_served

PRELUDE = """
import ctypes, errno, json, os, signal, socket, struct, subprocess, sys, time, types
# by the C library, past all that Python itself could refuse
libc = ctypes.CDLL(None, use_errno=True)
with_the_lock = ctypes.PyDLL(None, use_errno=True)
with_the_lock.syscall.restype = ctypes.c_long

def checked(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result

def system_call(number, *args):
    wide = (ctypes.c_long(each) if isinstance(each, int) else each for each in (number, *args))
    return checked(with_the_lock.syscall(*wide))

def alone():
    # a child that gives way to another thread waits for ever: it has no other
    sys.setswitchinterval(100)
    time.sleep(0.02)

def fork():
    alone()
    return checked(with_the_lock.fork())

def execute(path, *args):
    array = (ctypes.c_char_p * (len(args) + 1))(*(each.encode() for each in args), None)
    checked(libc.execv(path.encode() if isinstance(path, str) else path, array))

def connect(opened, address):
    checked(libc.connect(opened.fileno(), address, len(address)))
    return opened

def inet(port):
    return struct.pack('=H', socket.AF_INET) + struct.pack('!H4s8x', port, bytes([127, 0, 0, 1]))

def inet6(port):
    mapped = bytes(10) + bytes([255, 255, 127, 0, 0, 1])
    return struct.pack('=H', socket.AF_INET6) + struct.pack('!HI16sI', port, 0, mapped, 0)

def unix(name):
    return struct.pack('=H', socket.AF_UNIX) + name.encode()

def touch(path):
    with open(path, "w") as file:
        file.write(t.word)

t = types.SimpleNamespace(**json.loads({targets!r}))
print(json.dumps([os.getpid(), os.getcwd()]))
"""
VICTIM = """
import json, os
secret = {secret!r}
open('secret.txt', 'w').write(secret)
print(json.dumps([os.getpid(), os.getcwd()]))
"""
# a mistake in an attack's program must not pass for a defence
MISTAKES = {"NameError", "SyntaxError", "AttributeError", "TypeError", "KeyError", "IndexError", "UnboundLocalError"}
# what a kernel may have
MEMORY_MB, FOLDER_MB, FOLDER_FILES, THREADS = 640, 32, 1000, 128


@dataclass
class Side:
    """One of the two apps: who runs in it, what is secret there, and what an attacker is told of it."""

    policy: str
    house: House
    listeners: Listeners
    keeper: Keeper
    app: subprocess.Popen[bytes]
    url: str
    cache: Path
    victim: Visitor
    attacker: Visitor
    secrets: dict[str, str]
    targets: dict[str, Any]
    attacker_pid: int = 0
    attacker_work: Path = Path()

    @property
    def confined(self) -> bool:
        return self.policy == "strict"

    @property
    def word(self) -> str:
        return str(self.targets["word"])

    def prepare(self) -> None:
        """Make the attacker's kernel ready, with a new word by which the next attack's work is known."""
        self.targets["word"] = secrets.token_hex(8)
        ready = self.attacker.run(PRELUDE.format(targets=json.dumps(self.targets)), FIRST_SECONDS)
        assert ready.status == "ok", ready
        pid, work = json.loads(ready.text)
        self.attacker_pid, self.attacker_work = int(pid), Path(work)

    def run(self, code: str) -> Outcome:
        """Run an attack as a cell of the kernel that was made ready."""
        outcome = self.attacker.run(code)
        assert outcome.status in ("ok", "error", "died", "stopped"), f"the attack was not run: {outcome.message}"
        assert outcome.error not in MISTAKES, outcome.outputs
        return outcome

    @property
    def attacker_sockets(self) -> Path:
        """Where the sockets of the attacker's kernel are."""
        return sockets_of(self.attacker_work.parent)


class Keeper:
    """The running `keeper.py`."""

    def __init__(self, house: House, folder: Path, secret: str) -> None:
        program = Path(__file__).with_name("keeper.py").read_text()
        self.folder = folder
        self.process = house.start(
            [house.app_python, "-c", program, folder, secret],
            env={"KEEPER_SECRET": secret},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.told = self._hear()

    def _hear(self) -> dict[str, Any]:
        assert self.process.stdout
        return dict(json.loads(self.process.stdout.readline()))

    def reads(self) -> dict[str, Any]:
        """What its secrets read now."""
        assert self.process.stdin
        self.process.stdin.write(b"\n")
        self.process.stdin.flush()
        return self._hear()

    def close(self) -> None:
        self.process.kill()
        self.process.communicate()


@dataclass(frozen=True)
class Scene:
    confined: Side
    unconfined: Side


@contextlib.contextmanager
def acted(house: House, base: Path) -> Iterator[Scene]:
    """Start everything below `base`, a folder of the owner's; all of it ends with the block."""
    with contextlib.ExitStack() as stack:
        folders = {name: make_folder(house, base / name) for name in ("kept", "sockets", "outside")}
        hidden = secrets.token_hex(8)
        listeners = Listeners(folders["sockets"], hidden)
        stack.callback(listeners.close)
        secret = secrets.token_hex(8)
        keeper = Keeper(house, folders["kept"], secret)
        stack.callback(keeper.close)
        known = {"keeper": secret, "hidden": hidden}
        shared = {
            **listeners.places,
            **keeper.told,
            "keeper": keeper.process.pid,
            "keeper_folder": str(keeper.folder),
            "outside": str(folders["outside"]),
            "house": str(house.root),
            "packages": str(house.kernel_packages),
        }

        def side(policy: str) -> Side:
            cache = make_folder(house, base / policy)
            return stack.enter_context(_side(policy, house, listeners, keeper, cache, known, shared))

        with ThreadPoolExecutor() as threads:
            confined, unconfined = threads.map(side, ("strict", "unconfined"))
        yield Scene(confined, unconfined)


@contextlib.contextmanager
def _side(
    policy: str,
    house: House,
    listeners: Listeners,
    keeper: Keeper,
    cache: Path,
    known: Mapping[str, str],
    shared: Mapping[str, Any],
) -> Iterator[Side]:
    own = {name: secrets.token_hex(8) for name in ("token", "victim", "session")}
    with served(house, policy, cache, HF_TOKEN=f"hf_{own['token']}") as (app, url):
        victim, attacker = Visitor(url), Visitor(url)
        hers = victim.run(VICTIM.format(secret=own["victim"]), FIRST_SECONDS)
        assert hers.status == "ok", hers
        pid, work = json.loads(hers.text)
        folder = Path(work).parent
        make_folder(house, folder.parent / own["session"])
        connection = sockets_of(folder) / "kernel.json"
        key = json.loads(connection.read_text())["key"]
        (index,) = (cache / "catalog").glob("*.sqlite")
        with contextlib.closing(sqlite3.connect(f"file:{index}?mode=ro", uri=True)) as catalog:
            (own["gold"],) = catalog.execute("SELECT answer FROM task ORDER BY length(answer) DESC").fetchone()
        targets = {
            **shared,
            "confined": policy == "strict",
            "app": app.pid,
            "url": url,
            "victim": pid,
            "victim_work": work,
            "victim_connection": str(connection),
            "victim_connection_held": json.loads(connection.read_text()),
            "victim_record": str(folder.with_suffix(".json")),
            "sessions": str(folder.parent),
            "index": str(index),
        }
        known = {**known, **own, "key": key}
        yield Side(policy, house, listeners, keeper, app, url, cache, victim, attacker, known, targets)
        victim.close()
        attacker.close()


def sockets_of(session: Path) -> Path:
    """The folder of a session's sockets, as its record has it."""
    return Path(json.loads(session.with_suffix(".json").read_text())["sockets"])


@contextlib.contextmanager
def served(house: House, policy: str, cache: Path, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The house's app under a kernel policy, unconfined also without limits: its process and its address."""
    port = free_port()
    lifted = 1 if policy == "strict" else 100
    settings = {
        "GRADIO_SERVER_PORT": str(port),
        "CACHE_DIR": str(cache),
        "HOME": str(cache),
        "TASKS_SOURCE": "bundled",
        "KERNEL_POLICY": policy,
        "KERNEL_MAX": "8",
        "KERNEL_PER_ADDRESS": "8",
        "KERNEL_CELL_SECONDS": "60",
        "KERNEL_MEMORY_MB": str(MEMORY_MB * lifted),
        "KERNEL_FOLDER_MB": str(FOLDER_MB * lifted),
        "KERNEL_FOLDER_FILES": str(FOLDER_FILES * lifted),
        "KERNEL_THREADS": str(THREADS * lifted),
    }
    kept = {name: os.environ[name] for name in KEPT if name in os.environ}
    app = house.start([house.app_python, "app.py"], cwd=house.root, env=kept | settings | environment)
    url = f"http://127.0.0.1:{port}/"
    try:
        wait_until_served(url, app)
        yield app, url
    finally:
        app.terminate()
        try:
            app.wait(20)
        except subprocess.TimeoutExpired:
            app.kill()
            app.wait()


def make_folder(house: House, path: Path) -> Path:
    """A folder of the owner's that nobody else may enter."""
    path.mkdir(mode=0o700)
    if house.user is not None:
        os.chown(path, house.user, house.user)
    return path
