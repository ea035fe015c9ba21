"""What happens to a kernel that takes more than its share, in real kernels with small limits."""

import asyncio
import time

import pytest

from services.kernels import KernelPool, session
from tests.kernel_cases import (
    ADA,
    BOB,
    alive,
    ended,
    events_of,
    in_pool,
    kernels_below,
    new_launcher,
    new_limits,
    printed,
    start,
    until,
)

MB = 1_000_000
OBEYED = "The cell was stopped; variables and files are kept."
ENDED = "The kernel was ended. Variables are gone; your cells, outputs and files are kept."
# where nothing but the supervisor holds memory down
WATCHED = {"memory_bytes": 250 * MB, "confinement": "none"}
# the interrupt has no effect, not even on its way
DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
STUBBORN = """
import time
while True:
    try: time.sleep(60)
    except BaseException: pass
"""


def after_one(tmp_path, code, before="x = 7", **limits):
    """The last event of `code` run as a second cell, the seconds it took, and what a third cell sees."""

    async def use(pool):
        await ended(pool, before)
        began = time.monotonic()
        events = await events_of(start(pool, code), 60)
        seconds = time.monotonic() - began
        after = await events_of(start(pool, "import os; print('x' in globals(), sorted(os.listdir()))"))
        notes = " ".join(event.get("message", "") for event in after if event.get("status") == "running")
        return events[-1], seconds, printed(after), notes

    return in_pool(tmp_path, use, **limits)


def test_a_cell_that_takes_too_long_is_stopped_and_variables_stay(tmp_path):
    done, seconds, after, _ = after_one(tmp_path, "while True: pass", cell_seconds=1)
    assert (done["status"], done["limit"]) == ("stopped", "time")
    assert done["message"].startswith(f"The cell ran for 1 seconds, the longest a cell may run here. {OBEYED}")
    assert 1 <= seconds < 30
    assert after == "True []\n"


def test_a_cell_that_takes_too_long_and_will_not_stop_loses_its_kernel(tmp_path):
    done, seconds, after, _ = after_one(tmp_path, STUBBORN, cell_seconds=0.5)
    assert (done["status"], done["limit"]) == ("died", "time")
    assert ENDED in done["message"]
    assert 3.5 <= seconds < 30
    assert after == "False []\n"


def test_memory_that_grows_slowly_stops_the_cell(tmp_path):
    grow = "import time\nheld = []\nwhile True: held.append(b'x' * 4_000_000); time.sleep(.03)"
    done, _, after, _ = after_one(tmp_path, grow, **WATCHED)
    assert (done["status"], done["limit"]) == ("stopped", "memory")
    assert "it may hold 250.0 MB" in done["message"] and OBEYED in done["message"]
    assert after.startswith("True")  # over the limit, and yet the owner can look and delete


def test_memory_far_over_ends_the_kernel_at_once(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "STOP_SECONDS", 60)
    code = DEAF + "held = b'x' * 600_000_000\nimport time; time.sleep(60)"
    done, _, after, _ = after_one(tmp_path, code, **WATCHED)
    assert (done["status"], done["limit"]) == ("died", "memory")
    assert ENDED in done["message"]
    assert after.startswith("False")


def test_memory_of_child_processes_counts(tmp_path):
    held = 'import time; x = b"x" * 600_000_000; time.sleep(60)'
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {held!r}])"
    done, *_ = after_one(tmp_path, child, **WATCHED)
    assert done["limit"] == "memory"
    assert done["status"] in {"stopped", "died"}  # as it was just over the limit at a look, or far over


def test_threads_without_end_end_the_kernel(tmp_path):
    bomb = """
import threading, time
while True:
    threading.Thread(target=time.sleep, args=(60,), daemon=True).start(); time.sleep(.01)
"""
    done, *_ = after_one(tmp_path, bomb, threads=60)
    assert (done["status"], done["limit"]) == ("died", "threads")
    assert "it may have 60" in done["message"]


def test_output_without_end_stops_the_cell(tmp_path):
    flood = "import time\nwhile True: print('x' * 10_000); time.sleep(.0005)"
    done, _, after, _ = after_one(tmp_path, flood, flood_bytes=5 * MB)
    assert (done["status"], done["limit"]) == ("stopped", "output")
    assert "5.0 MB is the most" in done["message"]
    assert after == "True []\n"


WRITE = "import time\nfor n in range(1000): open(str(n), 'wb').write(b'x' * %d); time.sleep(.05)"


@pytest.mark.parametrize(
    ("code", "limits"),
    [
        (WRITE % 50_000, {"folder_bytes": 2 * MB}),
        (WRITE % 1, {"folder_files": 40}),
        ("import os, time\nfor n in range(1000): os.makedirs(f'a/{n}'); time.sleep(.05)", {"folder_files": 40}),
    ],
)
def test_a_folder_too_full_stops_the_cell_and_can_be_tidied(tmp_path, code, limits):
    async def use(pool):
        await ended(pool, "x = 7")
        done = (await events_of(start(pool, code)))[-1]
        await until(lambda: pool.status(ADA)["message"])
        warned = pool.status(ADA)["message"]
        look = await ended(pool, "import os, shutil, time; time.sleep(.7); print(x, len(os.listdir()) > 0)")
        tidy = await ended(pool, "for n in os.listdir(): shutil.rmtree(n) if os.path.isdir(n) else os.remove(n)")
        await until(lambda: not pool.status(ADA)["message"])
        return done, warned, look, tidy[1]["status"]

    done, warned, (text, _), tidied = in_pool(tmp_path, use, **limits)
    assert (done["status"], done["limit"]) == ("stopped", "folder")
    assert OBEYED in done["message"]
    assert "Delete files you don't need any more" in warned
    assert (text, tidied) == ("7 True\n", "ok")


def test_a_folder_that_goes_on_growing_is_emptied(tmp_path):
    data = tmp_path / "rows.csv"
    data.write_text("a")
    flood = """
import itertools, signal
signal.signal(signal.SIGINT, signal.SIG_IGN)  # stopping it has no effect
for n in itertools.count():
    open(f'{n}.bin', 'wb').write(b'x' * 200_000)
"""

    async def use(pool):
        await ended(pool, "1", inputs=lambda: {"rows.csv": data})
        done = (await events_of(start(pool, flood)))[-1]
        return done, await events_of(start(pool, "import os; print(os.listdir(), os.listdir('../input'))"))

    done, after = in_pool(tmp_path, use, folder_bytes=5 * MB)
    assert (done["status"], done["limit"]) == ("died", "folder")
    assert "its folder emptied: variables and files are gone" in done["message"]
    assert printed(after) == "[] ['rows.csv']\n"
    assert "files you wrote are gone too" in " ".join(event.get("message", "") for event in after)


def test_a_nest_of_folders_too_deep_to_look_into_is_emptied_and_removed(tmp_path):
    deep = "import os, time\nfor n in range(3000): os.mkdir('d' * 50); os.chdir('d' * 50)\ntime.sleep(20)"

    async def use(pool):
        return (await events_of(start(pool, deep)))[-1]

    done = in_pool(tmp_path, use)
    assert (done["status"], done["limit"]) == ("died", "folder")
    assert "can't be looked into" in done["message"]
    assert not list((tmp_path / "sessions").iterdir())


def test_an_error_for_lack_of_memory_says_how_much_there_is(tmp_path):
    for each in ("y = bytearray(10**9)", "import numpy; numpy.ones(10**9)"):
        done, _, after, _ = after_one(tmp_path, each, memory_bytes=500 * MB)
        assert (done["status"], done["limit"]) == ("error", "memory")
        assert "a kernel may hold 500.0 MB here. Variables are kept." in done["message"]
        assert after == "True []\n"


def test_a_kernel_that_dies_while_idle_says_why_at_once_and_at_the_next_run(tmp_path):
    async def use(pool):
        await ended(pool, "import os, threading; threading.Timer(.3, os._exit, (3,)).start()")
        await until(lambda: not kernels_below(tmp_path))
        gone = time.monotonic()
        await until(lambda: pool.status(ADA)["message"])
        noticed = time.monotonic() - gone
        return noticed, pool.status(ADA), await events_of(start(pool, "1"))

    noticed, status, after = in_pool(tmp_path, use)
    assert noticed < 5
    assert status["state"] == "none"
    assert status["message"] == (
        "The kernel stopped while no cell ran (exit code 3). Variables are gone; your cells, outputs and files are "
        "kept. Run a cell to start a fresh kernel."
    )
    (note,) = (event["message"] for event in after if event.get("status") == "running")
    assert note.startswith("The kernel stopped while no cell ran (exit code 3).")
    assert note.endswith("A fresh kernel was started: earlier variables are gone, files you wrote are kept.")


def test_a_thread_that_eats_memory_between_cells_ends_the_kernel(tmp_path):
    eat = "import threading, time\nthreading.Thread(target=lambda: (time.sleep(.3), keep.append(b'x' * 10**9))).start()"

    async def use(pool):
        await ended(pool, "keep = []\n" + eat)
        await until(lambda: pool.status(ADA)["message"])
        return pool.status(ADA), kernels_below(tmp_path)

    status, kernels = in_pool(tmp_path, use, **WATCHED)
    assert status["state"] == "none"
    assert "it may hold 250.0 MB. The kernel was ended." in status["message"]
    assert not kernels


def test_one_who_goes_over_a_limit_disturbs_no_other(tmp_path):
    async def use(pool):
        await ended(pool, "y = 1", token=BOB)
        run = start(pool, DEAF + "held = b'x' * 10**9\nwhile True: pass")
        beats = []
        while not run.log.done:
            began = time.monotonic()
            beats.append((await ended(pool, "print(y)", token=BOB))[0])
            assert time.monotonic() - began < 20
        pids = kernels_below(tmp_path)
        await asyncio.sleep(0.1)
        return set(beats), run.message, [alive(pid) for pid in pids]

    beats, message, living = in_pool(tmp_path, use, **WATCHED)
    assert beats == {"1\n"}
    assert ENDED in message
    assert living == [True]


def test_a_cell_too_short_to_be_seen_loses_no_files(tmp_path):
    async def use(pool):
        await ended(pool, "1")
        await asyncio.sleep(0.6)  # looked at while idle
        wrote = await ended(pool, "for n in range(70): open(str(n), 'w').close()")
        await asyncio.sleep(2.5)
        return wrote[1], await ended(pool, "import os; print(len(os.listdir('.')))"), pool.status(ADA)

    wrote, (left, _), status = in_pool(tmp_path, use, folder_files=50)
    assert wrote["status"] in ("ok", "stopped")
    assert int(left) == 70
    assert "Delete files you don't need" in status["message"]


def test_a_warm_kernel_and_its_first_text_leave_most_of_the_memory_free(tmp_path):
    """Room that is reserved counts as memory taken: some allocators reserve a gigabyte at the first text."""
    code = """
import pandas as pd
pd.DataFrame({'a': ['b']})
print(int(next(line for line in open('/proc/self/status') if line.startswith('VmData')).split()[1]) // 1000)
"""

    async def use():
        async with (
            new_launcher(tmp_path / "sessions") as launcher,
            KernelPool(launcher.engine, tmp_path / "sessions", new_limits()) as pool,
        ):
            await ended(pool, "1")
            await until(lambda: launcher.warm)
            return await ended(pool, code, token=BOB)

    printed_mb, _ = asyncio.run(use())
    assert 100 < int(printed_mb) < 800
