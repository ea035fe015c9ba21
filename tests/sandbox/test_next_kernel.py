"""What a kernel leaves behind for the next: code that would run in it, knowledge of others, harm to what starts it."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.kernels.session_folder import sweep
from tests.sandbox.effects import outside, writes
from tests.sandbox.house import House
from tests.sandbox.scene import PRELUDE, Side, make_folder, served
from tests.sandbox.visitor import FIRST_SECONDS, Visitor

# the word, written where no confined kernel may write, or nothing at all
PAYLOAD = """
code = f'''
try:
    with open({f"{t.outside}/{t.word}"!r}, "w") as file: file.write({t.word!r})
except OSError: pass
'''
planted = []
def plant(path, text=code):
    path = os.path.expanduser(path)
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'x') as file: file.write(text)
    except OSError: return
    planted.append(path)
lib = f'python{sys.version_info.major}.{sys.version_info.minor}/site-packages'
"""
OWN = (
    PAYLOAD
    + """
for name in ('sitecustomize', 'usercustomize', 'inside', 'ipykernel', 'ipykernel_launcher', 'json', 'numpy'):
    for folder in ('.', '~', '..', f'~/.local/lib/{lib}'): plant(f'{folder}/{name}.py')
plant(f'~/.local/lib/{lib}/own.pth', 'import usercustomize')
for folder in (os.environ['IPYTHONDIR'], '~/.ipython'):
    plant(f'{folder}/profile_default/startup/00.py')
    for name in ('ipython_config.py', 'ipython_kernel_config.py'): plant(f'{folder}/profile_default/{name}')
for folder in ('.', '~/.jupyter'): plant(f'{folder}/ipython_kernel_config.py')
for folder in ('.', os.environ['MPLCONFIGDIR'], '~/.config/matplotlib'):
    plant(f'{folder}/matplotlibrc', 'backend: module://usercustomize')
plant('pyvenv.cfg', 'home = .')
print(len(planted))
"""
)
SHARED = (
    PAYLOAD
    + """
for folder in (f'{t.packages}', f'{t.house}/services/kernels', f'{t.house}/services/kernels/inside'):
    for name in ('sitecustomize', 'usercustomize', 'ipykernel_launcher'): plant(f'{folder}/{name}.py')
plant(f'{t.packages}/zz.pth', 'import usercustomize')
for folder in ('etc/ipython', 'share/ipython'): plant(f'{sys.prefix}/{folder}/ipython_kernel_config.py')
for folder in ('/etc/ipython', '/usr/local/etc/ipython'): plant(f'{folder}/ipython_kernel_config.py')
print(json.dumps(planted))
"""
)


def test_code_left_in_ones_own_folders_runs_confined_or_not_at_all(scene):
    ran = {}
    for side in (scene.unconfined, scene.confined):
        side.prepare()
        check = writes(outside)(side)
        planted = side.run(OWN)
        assert int(planted.text) > 10
        side.attacker.ask("restart")
        side.attacker.run("import matplotlib.pyplot, json, numpy", FIRST_SECONDS)
        ran[side.policy] = check(planted)
    assert ran == {"unconfined": True, "strict": False}


def test_code_left_for_everyone_runs_in_no_other_kernel(scene):
    ran = {}
    for side in (scene.confined, scene.unconfined):  # the control's plants stand where both find them
        side.prepare()
        check = writes(outside)(side)
        planted = side.run(SHARED)
        for _ in range(2):  # one may have been started before
            Visitor(side.url).run("import matplotlib", FIRST_SECONDS)
        ran[side.policy] = check(planted)
        side.run("for path in planted: os.unlink(path)")
    assert ran == {"unconfined": True, "strict": False}


# every word of one's own memory that looks like a session's name
OTHERS = """
import ctypes, os, re
found = set()
for line in open('/proc/self/maps'):
    span, rights = line.split()[:2]
    start, end = (int(each, 16) for each in span.split('-'))
    if rights.startswith('rw') and '[v' not in line and end - start < 1 << 29:
        found |= set(re.findall(rb'sessions/([0-9a-f]{32})/', ctypes.string_at(start, end - start)))
print(*(each.decode() for each in found))
"""
# events told to what the other waits with, if this kernel was given it too, about each descriptor the other may know
WAKE = """
import ctypes, os, struct
waits = min(fd for fd in range(3, 256) if os.path.islink(f'/proc/self/fd/{fd}') and
            'eventpoll' in os.readlink(f'/proc/self/fd/{fd}'))
for number in range(3, 32):
    end, other = os.pipe(); os.write(other, b'x')
    ctypes.CDLL(None).epoll_ctl(waits, 1, end, struct.pack('=Iii', 1, number, 0))
"""


def _forked(side: Side) -> tuple[Visitor, str]:
    """A visitor whose kernel is forked from another process than the app, and the name of their folder."""
    visitor = Visitor(side.url)
    for _ in range(20):
        parent, folder = visitor.run("import os; print(os.getppid(), os.getcwd())", FIRST_SECONDS).text.split()
        if int(parent) != side.app.pid:
            return visitor, Path(folder).parent.name
        time.sleep(1)  # until that process is ready, the app starts kernels itself
        visitor.ask("restart")
    raise AssertionError("no kernel was forked from another process than the app")


@pytest.fixture
def forked(scene):
    return [_forked(scene.confined) for _ in range(4)]


def test_a_kernel_is_not_forked_with_the_names_of_other_sessions(forked):
    *elders, (visitor, own) = forked
    found = visitor.run(OTHERS).text.split()
    assert own in found  # names are found this way
    assert not {name for _, name in elders} & set(found)


def test_a_kernel_can_t_hold_up_what_forks_the_next(scene, forked):
    (attacker, _), (other, _), *_ = forked
    other.run("kept = 1")
    attacker.run(WAKE)
    began = time.monotonic()
    for _ in range(2):
        assert Visitor(scene.confined.url).run("print(1)", FIRST_SECONDS).text == "1\n"
    assert time.monotonic() - began < 5
    assert other.run("print(kept)").text == "1\n"


# lets go of its parent, ignores the signals it may, and leaves a process behind where it can
STAY = """
libc.prctl(1, 0)
for number in range(1, 32):
    if number not in (signal.SIGKILL, signal.SIGSTOP): signal.signal(number, signal.SIG_IGN)
print('ready', flush=True)
if not fork():
    try: time.sleep(60)
    finally: os._exit(0)
"""


@pytest.mark.long
def test_nothing_of_a_kernel_outlives_an_app_that_is_killed(house, base):
    policies = ("unconfined", "strict")
    with ThreadPoolExecutor() as threads:
        left = threads.map(lambda policy: _left_by_a_killed_app(house, policy, base / f"killed-{policy}"), policies)
        assert dict(zip(policies, left, strict=True)) == {"unconfined": True, "strict": False}
    for policy in policies:
        sweep(base / f"killed-{policy}" / "sessions")
        assert list((base / f"killed-{policy}" / "sessions").iterdir()) == []


def _left_by_a_killed_app(house: House, policy: str, cache: Path) -> bool:
    """Whether processes of a visitor's are there five seconds after the app was killed; ends them."""
    make_folder(house, cache)
    with served(house, policy, cache) as (app, url):
        visitor = Visitor(url)
        visitor.run(PRELUDE.format(targets='{"word": ""}'), FIRST_SECONDS)
        assert "ready" in visitor.run(STAY).text
        app.kill()
        app.wait()
        end = time.monotonic() + 5
        while (found := _at_work_below(cache)) and time.monotonic() < end:
            time.sleep(0.1)
        for pid in found:
            os.kill(pid, signal.SIGKILL)
        return bool(found)


def _at_work_below(folder: Path) -> list[int]:
    """Numbers of the processes whose current folder is below this one."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (each / "cwd").readlink().is_relative_to(folder):
                found.append(int(each.name))
    return found
