"""Cells in a real kernel: what they give, how they stop, and what is left of them."""

import asyncio
import json
import os
import platform
import stat
import time
from pathlib import Path

import pytest

from services.kernels import session
from services.kernels.provisioner import library_environment
from tests.kernel_cases import (
    ADA,
    BOB,
    KERNEL_PYTHON,
    alive,
    ended,
    events_of,
    in_pool,
    kernels_below,
    outputs,
    printed,
    start,
    until,
    until_running,
)

SEVERAL = """
import sys
from IPython.display import display, Markdown
import matplotlib.pyplot as plt
print('out'); sys.stdout.flush(); print('err', file=sys.stderr); sys.stderr.flush()
shown = display(Markdown('*one*'), display_id='d1')
shown.update(Markdown('*two*'))
plt.plot([1, 2]); plt.show()
40 + 2
"""
VALIDATE = """
import json, nbformat
outputs = json.loads(%r)
for output in outputs: del output['transient']
cell = nbformat.v4.new_code_cell(outputs=outputs)
nbformat.validate(nbformat.v4.new_notebook(cells=[cell])); print('valid')
"""
EXIT = {"x86_64": 60, "aarch64": 93}.get(platform.machine(), 60)  # unistd.h; of the calling thread only
CATCH_ALL = """
import time
print('on', flush=True)
while True:
    try: time.sleep(60)
    except BaseException: pass
"""


def test_the_outputs_of_a_cell_are_nbformat_ones(tmp_path):
    async def use(pool):
        several, failed = await events_of(start(pool, SEVERAL)), await events_of(start(pool, "1 / 0"))
        kept = json.dumps([output | {"transient": None} for output in outputs(several) + outputs(failed)])
        return several, failed, await ended(pool, VALIDATE % kept)

    several, failed, (valid, _) = in_pool(tmp_path, use)
    assert valid == "valid\n"
    out, err, shown, figure, result = outputs(several)
    assert out == {"output_type": "stream", "name": "stdout", "text": "out\n"}
    assert err == {"output_type": "stream", "name": "stderr", "text": "err\n"}
    assert (shown["output_type"], shown["data"]["text/markdown"]) == ("display_data", "*one*")
    assert shown["transient"] == {"display_id": "d1"}
    updates = [event["output"] for event in several if event["event"] == "update_display_data"]
    assert [(each["data"]["text/markdown"], each["transient"]) for each in updates] == [("*two*", {"display_id": "d1"})]
    assert figure["data"]["image/png"].startswith("iVBOR")
    assert result == {"output_type": "execute_result", "data": {"text/plain": "42"}, "metadata": {}} | {
        "execution_count": 1
    }
    assert several[-1] | {"seconds": 0} == {
        "seq": several[-1]["seq"],
        "event": "done",
        "status": "ok",
        "execution_count": 1,
        "seconds": 0,
    }
    (error,) = outputs(failed)
    assert set(error) == {"output_type", "ename", "evalue", "traceback"}
    assert (error["output_type"], error["ename"], error["evalue"]) == (
        "error",
        "ZeroDivisionError",
        "division by zero",
    )
    assert "site-packages" not in "".join(error["traceback"])
    assert failed[-1]["status"] == "error"


def test_variables_stay_and_cells_run_in_the_order_they_came(tmp_path):
    async def use(pool):
        runs = [start(pool, f"seen = globals().get('seen', []) + [{n}]; print(seen)") for n in range(5)]
        broken = start(pool, "raise ValueError")
        after = start(pool, "print(len(seen))")
        return [await events_of(run) for run in [*runs, broken, after]]

    every = in_pool(tmp_path, use)
    assert [printed(events) for events in every[:5]] == [f"{list(range(n + 1))}\n" for n in range(5)]
    assert every[1][0]["status"] == "waiting"
    assert [events[-1]["execution_count"] for events in every] == [1, 2, 3, 4, 5, 6, 7]
    # an error stops no cell that was sent already
    assert (printed(every[6]), every[6][-1]["status"]) == ("5\n", "ok")


def test_a_kernel_knows_nothing_of_the_apps_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("TZ", "Asia/Tokyo")

    async def use(pool):
        return await ended(pool, "import os, json; print(json.dumps(dict(os.environ) | {'cwd': os.getcwd()}))")

    environment = json.loads(in_pool(tmp_path, use)[0])
    assert "hf_secret" not in environment.values()
    assert environment["TZ"] == "Asia/Tokyo"
    assert Path(environment["HOME"]) == Path(environment["cwd"]).parent / "home"
    added = {"IPYTHONDIR", "MPLCONFIGDIR", "HOME", "TMPDIR", "PATH", "JPY_PARENT_PID", "cwd"}
    added |= set(library_environment(KERNEL_PYTHON, {}))
    terminal = {"TERM", "CLICOLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "PAGER", "GIT_PAGER", "MPLBACKEND"}
    assert set(environment) - added - terminal - {"LANG", "LC_ALL", "TZ"} <= {
        "PYDEVD_USE_FRAME_EVAL",
        "LC_CTYPE",
        "KMP_INIT_AT_FORK",
        "KMP_DUPLICATE_LIB_OK",
    }


def test_inputs_are_there_to_read_and_the_originals_are_safe(tmp_path):
    original = tmp_path / "rows.csv"
    original.write_text("a\n1\n")
    original.chmod(0o644)

    async def use(pool):
        read = await ended(pool, "print(open('../input/rows.csv').read())", inputs=lambda: {"rows.csv": original})
        spoil = "import os; os.chmod('../input/rows.csv', 0o666); open('../input/rows.csv', 'w').write('spoilt')"
        await ended(pool, spoil)
        return read[0]

    assert in_pool(tmp_path, use) == "a\n1\n\n"
    assert original.read_text() == "a\n1\n"
    assert stat.S_IMODE(original.stat().st_mode) == 0o644


@pytest.mark.parametrize(
    ("death", "how"),
    [
        ("os._exit(1)", "exit code 1"),
        ("os.kill(os.getpid(), 9)", "it was killed, often for lack of memory (SIGKILL)"),
        ("import ctypes; ctypes.string_at(0)", "segmentation fault (SIGSEGV)"),
        pytest.param(f"import ctypes; ctypes.CDLL(None).syscall({EXIT}, 0)", "SIGKILL", id="the main thread alone"),
    ],
)
def test_a_kernel_that_dies_is_told_at_once_and_replaced(tmp_path, death, how):
    async def use(pool):
        await ended(pool, "import os; x = 1; open('kept.txt', 'w').write('here')")
        began = time.monotonic()
        events = await events_of(start(pool, f"import time; print('last words', flush=True); time.sleep(.2); {death}"))
        seconds = time.monotonic() - began
        after = await events_of(start(pool, "print(open('kept.txt').read(), 'x' in globals())"))
        return events, seconds, pool.status(ADA)["state"], after

    events, seconds, state, after = in_pool(tmp_path, use)
    assert printed(events) == "last words\n"
    assert events[-1]["status"] == "died"
    assert how in events[-1]["message"]
    assert "Run a cell to start a fresh kernel" in events[-1]["message"]
    assert seconds < 10
    assert printed(after) == "here False\n"
    assert after[-1]["execution_count"] == 1
    assert any("files you wrote are kept" in event.get("message", "") for event in after)
    assert state == "idle"


def test_a_stopped_cell_keeps_variables_and_says_nothing_in_the_next(tmp_path):
    noisy = "x = 7\nimport itertools\nfor n in itertools.count(): print('noise', n)"

    async def use(pool):
        found = []
        for _ in range(5):
            run = start(pool, noisy)
            await until_running(run)
            said = (await pool.stop(ADA)).message
            found.append(((await events_of(run))[-1]["status"], said, await ended(pool, "print('next', x)")))
        return found

    for status, said, (text, done) in in_pool(tmp_path, use):
        assert (status, said) == ("stopped", "Stopped. Variables are kept.")
        assert (text, done["status"]) == ("next 7\n", "ok")


def test_stop_works_at_any_moment_of_a_cell(tmp_path):
    """However soon after its start a loop is stopped, it stops and the kernel lives on."""

    async def use(pool):
        await ended(pool, "x = 0")
        said = []
        for n in range(16):
            run = start(pool, "while True: x += 1")
            await asyncio.sleep(n / 2000)
            said.append((await pool.stop(ADA)).message)
            await events_of(run)
        return said, await ended(pool, "print('x' in globals())")

    said, (kept, _) = in_pool(tmp_path, use)
    assert set(said) <= {"Stopped. Variables are kept.", "Stopped."}
    assert kept == "True\n"


def test_a_cell_that_will_not_stop_goes_on_until_its_kernel_is_ended(tmp_path):
    async def use(pool):
        run = start(pool, "kept = open('kept.txt', 'w').write('here')\n" + CATCH_ALL)
        waiting = start(pool, "1")
        await until_running(run)
        offer, offered = await timed(pool.stop(ADA))
        going_on = not run.log.done, pool.status(ADA)
        end, ending = await timed(pool.stop(ADA, end=True))
        done, waited = [(await events_of(each))[-1] for each in (run, waiting)]
        after = await ended(pool, "print(open('kept.txt').read(), 'kept' in globals())")
        return offer, offered, going_on, end, ending, done, waited, after, pool.status(ADA)["offer"]

    offer, offered, going_on, end, ending, done, waited, after, offer_left = in_pool(tmp_path, use)
    assert offer.offer and "it has ignored the interrupt for 3 s" in offer.message
    assert 3 <= offered < 10
    assert (going_on[0], going_on[1]["state"], going_on[1]["offer"]) == (True, "busy", True)
    assert (end.message, end.offer) == (
        "Kernel ended. Variables are gone; your cells, outputs and files are kept.",
        False,
    )
    assert ending < 10
    assert (done["status"], done["message"]) == ("stopped", end.message)
    assert waited["status"] == "stopped"
    assert after[0] == "here False\n"
    assert not offer_left


def test_the_offer_to_end_the_kernel_goes_when_the_cell_ends_by_itself(tmp_path):
    stubborn = """
import time
print('on', flush=True)
end = time.time() + 4.5
while time.time() < end:
    try: time.sleep(.1)
    except KeyboardInterrupt: pass
"""

    async def use(pool):
        run = start(pool, stubborn)
        await until_running(run)
        offer = await pool.stop(ADA)
        done = (await events_of(run))[-1]
        return (
            offer.offer,
            done,
            pool.status(ADA)["offer"],
            await pool.stop(ADA, end=True),
            await ended(pool, "print(end > 0)"),
        )

    offered, done, offer_left, late, (kept, _) = in_pool(tmp_path, use)
    assert offered and not offer_left
    assert done["status"] == "ok"
    assert "caught the interrupt" in done["message"]
    assert late.message == "Nothing is running."
    assert kept == "True\n"


def test_a_cell_known_to_run_is_interrupted_once(tmp_path, monkeypatch):
    """What it does about the interrupt is not interrupted."""
    monkeypatch.setattr(session, "STOP_SECONDS", 60)
    tidies = """
import time
print('on', flush=True)
try: time.sleep(60)
except KeyboardInterrupt: time.sleep(1.5); print('tidied')
"""

    async def use(pool):
        run = start(pool, tidies)
        await until_running(run)
        await pool.stop(ADA)
        return await events_of(run)

    assert printed(in_pool(tmp_path, use)) == "on\ntidied\n"


def test_a_kernel_is_ended_while_its_interrupt_is_awaited(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "STOP_SECONDS", 60)

    async def use(pool):
        run = start(pool, CATCH_ALL)
        await until_running(run)
        first = asyncio.create_task(pool.stop(ADA))
        await asyncio.sleep(0.3)
        (second, seconds) = await timed(pool.stop(ADA, end=True))
        return (await first).message, second.message, seconds, (await events_of(run))[-1]["message"]

    first, second, seconds, told = in_pool(tmp_path, use)
    assert first == second == told == "Kernel ended. Variables are gone; your cells, outputs and files are kept."
    assert seconds < 20


def test_a_restart_ends_a_cell_that_ignores_the_interrupt(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "STOP_SECONDS", 60)

    async def use(pool):
        run = start(pool, CATCH_ALL)
        await until_running(run)
        stop = asyncio.create_task(pool.stop(ADA))
        await asyncio.sleep(0.3)
        said, seconds = await timed(pool.restart(ADA))
        return (
            said,
            seconds,
            (await events_of(run))[-1]["message"],
            (await stop).offer,
            (await ended(pool, "print(1)"))[0],
        )

    said, seconds, told, offer, after = in_pool(tmp_path, use)
    assert "The kernel was restarted" in said
    assert told == "The kernel was restarted."
    assert seconds < 20 and not offer
    assert after == "1\n"


def test_children_end_with_the_kernel_wherever_they_hide(tmp_path):
    hide = """
import subprocess, sys, os
sleep = [sys.executable, '-c', 'import time; time.sleep(600)']
own_session = subprocess.Popen(sleep, start_new_session=True)
elsewhere = subprocess.Popen(sleep, start_new_session=True, cwd='/', env={})
deeper = 'import subprocess, sys; print(subprocess.Popen(%r, start_new_session=True, cwd="/", env={}).pid)' % sleep
middle = [sys.executable, '-c', deeper]
orphan = subprocess.Popen(middle, stdout=subprocess.PIPE, text=True, start_new_session=True, cwd='/', env={})
print(own_session.pid, elsewhere.pid, orphan.stdout.readline().strip(), flush=True)
"""

    async def use(pool):
        text, _ = await ended(pool, hide)
        pids = [int(each) for each in text.split()]
        return pids, [alive(pid) for pid in pids]

    pids, before = in_pool(tmp_path, use, confinement="none")
    assert before == [True] * 3
    assert [alive(pid) for pid in pids] == [False] * 3


def test_the_socket_folder_is_short_private_and_goes(tmp_path):
    def look():
        (record,) = (tmp_path / "sessions").glob("*.json")
        sockets = Path(json.loads(record.read_text())["sockets"])
        modes = [stat.S_IMODE(folder.stat().st_mode) & 0o777 for folder in (sockets, record.with_suffix(""))]
        return sockets, modes, list(sockets.iterdir())

    async def use(pool):
        await ended(pool, "1")
        return look()

    sockets, modes, inside = in_pool(tmp_path, use)
    assert modes == [0o700, 0o700]
    assert {"kernel.json", "k-1"} <= {each.name for each in inside}
    assert max(len(os.fsencode(each)) for each in inside) < 107
    assert not sockets.exists()
    assert not list((tmp_path / "sessions").iterdir())


async def timed(work):
    began = time.monotonic()
    return await work, time.monotonic() - began


def open_files():
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("times", [4, pytest.param(50, marks=pytest.mark.long)])
def test_run_and_restart_over_and_over(tmp_path, times):
    async def use(pool):
        counts = []
        for n in range(times):
            text, done = await ended(pool, f"print({n}, 'x' in globals()); x = 1")
            counts.append((text, done["execution_count"]))
            assert "restarted" in await pool.restart(ADA)
        return counts, open_files()

    before = open_files()
    counts, after = in_pool(tmp_path, use)
    assert counts == [(f"{n} False\n", 1) for n in range(times)]
    # what one living kernel needs, not ten
    assert after - before < 60


def test_a_restart_ends_what_runs_and_waits_and_takes_what_comes_meanwhile(tmp_path):
    async def use(pool):
        running = start(pool, "print('on', flush=True)\nwhile True: pass")
        waiting = start(pool, "1")
        await until_running(running)
        restarts = [asyncio.create_task(pool.restart(ADA)) for _ in range(2)]
        await asyncio.sleep(0)
        newer = start(pool, "import os; print(os.getpid())")
        await asyncio.gather(*restarts)
        kernels = [pid for pid in map(int, printed(await events_of(newer)).split()) if alive(pid)]
        return [(await events_of(run))[-1] for run in (running, waiting)], kernels, (await ended(pool, "print(2)"))[0]

    done, kernels, after = in_pool(tmp_path, use)
    assert [(each["status"], each["message"]) for each in done] == [("stopped", "The kernel was restarted.")] * 2
    assert len(kernels) == 1
    assert after == "2\n"


def test_restarts_without_end_wait_for_one_kernel(tmp_path):
    async def use(pool):
        new_engine, made = pool._new_engine, []
        pool._new_engine = lambda folder: made.append(folder) or new_engine(folder)
        await ended(pool, "1")
        made.clear()
        told = await asyncio.gather(*(pool.restart(ADA) for _ in range(50)))
        return made, set(told), await ended(pool, "print(2)")

    made, told, (after, _) = in_pool(tmp_path, use)
    assert len(made) == 1
    assert [each.partition(":")[0] for each in told] == ["The kernel was restarted"]
    assert after == "2\n"


def test_more_cells_than_anyone_waits_for_are_refused(tmp_path):
    async def use(pool):
        await ended(pool, "1")
        runs = [start(pool, "import time; time.sleep(60)") for _ in range(60)]
        refused = [(await events_of(run))[-1] for run in runs if run.log.done]
        await pool.stop(ADA)
        return refused, await ended(pool, "print(2)")

    refused, (after, _) = in_pool(tmp_path, use)
    assert [each["status"] for each in refused] == ["refused"] * 10
    assert refused[0]["message"].startswith("50 cells wait for this kernel already")
    assert after == "2\n"


def test_nothing_is_left_when_the_pool_closes_while_kernels_start_or_restart(tmp_path):
    async def use(pool):
        runs = []
        for n in range(4):
            runs.append(start(pool, "1", token=f"{n:048x}"))
            await asyncio.sleep(0.15)
        await until(lambda: runs[0].log.done)
        restart = asyncio.create_task(pool.restart(f"{0:048x}"))
        await asyncio.sleep(0.1)
        return runs, restart

    async def all_of_it(pool):
        runs, restart = await use(pool)
        await pool.__aexit__(None, None, None)
        return [run.log.done for run in runs], await restart

    done, restarted = in_pool(tmp_path, all_of_it)
    assert done == [True] * 4
    assert "ended while it restarted" in restarted
    assert not kernels_below(tmp_path)
    assert not list((tmp_path / "sessions").iterdir())


@pytest.mark.parametrize("kernels", [3, pytest.param(20, marks=pytest.mark.long)])
def test_ended_kernels_leave_no_open_file_and_no_task(tmp_path, kernels):
    async def use(pool):
        await ended(pool, "1", token=BOB)
        files, tasks = open_files(), len(asyncio.all_tasks())
        for n in range(kernels):
            await ended(pool, "1", token=f"{n:048x}")
        await until(lambda: open_files() <= files and len(asyncio.all_tasks()) <= tasks)

    in_pool(tmp_path, use, kernels=1)
