"""Running what the limits and filters of the kernel's own process would not bind, or what outlives it."""

from __future__ import annotations

import contextlib
import os
import signal
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import Check, proof, soon, writes
from tests.sandbox.scene import Side

runs = partial(Attack, effect=writes(proof))


def _lives_on(side: Side) -> Check:
    """A process whose command holds the attack's word runs, no child of the kernel's."""
    return lambda _: soon(side, lambda: bool(_with_word(side)))


def _with_word(side: Side) -> list[int]:
    word, found = side.word.encode(), []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word in (each / "cmdline").read_bytes():
                found.append(int(each.name))
    return found


def _end(side: Side) -> None:
    for pid in _with_word(side):
        os.kill(pid, signal.SIGKILL)


# mov eax, 2 (fork, among the calls of 32-bit programs); int 0x80; ret
IN_32_BITS = """
import mmap
code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(bytes.fromhex('b802000000cd80c3'))
alone()
child = ctypes.PYFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
if child < 0: raise OSError(-child, os.strerror(-child))
"""
CHILD = """
if not child:
    try: touch(t.word)
    finally: os._exit(0)
os.waitpid(child, 0)
"""
SHELL = "'sh', '-c', f'echo {t.word} > {t.word}'"

ATTACKS = [
    runs("fork", "child = os.fork()" + CHILD),
    runs("fork by the C library", "child = fork()" + CHILD),
    runs("raw fork", "alone(); child = system_call(57) if os.uname().machine == 'x86_64' else fork()" + CHILD),
    runs(
        "raw clone",
        "alone(); child = system_call(56 if os.uname().machine == 'x86_64' else 220, 17, 0, 0, 0, 0)" + CHILD,
    ),
    runs(
        "raw clone3",
        "alone(); child = system_call(435, struct.pack('11Q', 0, 0, 0, 0, 17, 0, 0, 0, 0, 0, 0), 88)" + CHILD,
    ),
    runs(
        "vfork",
        """
alone()
child = checked(with_the_lock.vfork())
if not child:
    try: touch(t.word)
    finally: os._exit(0)
""",
    ),
    runs("32-bit fork", IN_32_BITS + CHILD, machines=("x86_64",)),
    runs(
        "posix_spawn by the C library",
        f"""
child = ctypes.c_int()
args = (ctypes.c_char_p * 4)(*(each.encode() for each in ({SHELL})), None)
refused = libc.posix_spawn(ctypes.byref(child), b'/bin/sh', None, None, args, (ctypes.c_char_p * 1)(None))
if refused: raise OSError(refused, os.strerror(refused))
os.waitpid(child.value, 0)
""",
    ),
    runs("subprocess", f"subprocess.run([{SHELL}], check=True)"),
    runs("os.system", "os.system(f'echo {t.word} > {t.word}')"),
    runs("system by the C library", "checked(libc.system(f'echo {t.word} > {t.word}'.encode()))"),
    runs("popen by the C library", "libc.popen(f'echo {t.word} > {t.word}'.encode(), b'r'); time.sleep(0.1)"),
    runs("a shell line of the notebook", "get_ipython().system(f'echo {t.word} > {t.word}')"),
    runs(
        "multiprocessing",
        """
import multiprocessing
worker = multiprocessing.get_context('fork').Process(target=touch, args=(t.word,)); worker.start(); worker.join()
""",
    ),
    runs("the kernel's own process becomes a shell", f"execute('/bin/sh', {SHELL})"),
    runs(
        "the kernel's own process becomes a shell, by the loader",
        f"""
import glob
(loader, *_) = glob.glob('/lib64/ld-linux-*.so.*') + glob.glob('/lib/ld-linux-*.so.*') + ['/lib64/ld-linux-x86-64.so.2']
execute(loader, loader, '/bin/sh', *[{SHELL}][1:])
""",
    ),
    runs(
        "the kernel's own process becomes another Python",
        "execute(sys.executable, sys.executable, '-c', f'open({t.word!r}, \"w\").write({t.word!r})')",
    ),
    runs(
        "a program written by a cell",
        f"""
import shutil
shutil.copyfile('/bin/sh', 'own'); os.chmod('own', 0o755); execute('own', {SHELL})
""",
    ),
    runs(
        "a program of the kernels' Python, written by a cell",
        """
import shutil
shutil.copyfile(os.path.realpath(sys.executable), 'own'); os.chmod('own', 0o755)
execute('own', 'own', '-c', f'open({t.word!r}, "w").write({t.word!r})')
""",
    ),
    runs(
        "a program in memory",
        f"""
memory = checked(libc.memfd_create(b'own', 0))
os.write(memory, open('/bin/sh', 'rb').read())
args = (ctypes.c_char_p * 4)(*(each.encode() for each in ({SHELL})), None)
checked(libc.fexecve(memory, args, (ctypes.c_char_p * 1)(None)))
""",
    ),
    Attack(
        "a daemon",
        """
if not fork():
    os.setsid()
    if not fork():
        os.chdir('/')
        execute('/bin/sh', 'sh', '-c', f'sleep 60; : {t.word}')
    os._exit(0)
os.wait()
""",
        _lives_on,
        undo=_end,
    ),
]
