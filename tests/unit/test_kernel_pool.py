"""Who has a kernel, how many there may be, which one goes, and what its owner is told."""

import asyncio
import os
import signal
import subprocess
import sys
import time

from services.kernels import InputsUnavailable, KernelPool, Launcher
from services.kernels.probe import Held
from services.settings import Settings
from tests.kernel_cases import (
    ADA,
    BOB,
    CYD,
    alive,
    ended,
    events_of,
    full_disk,
    in_pool,
    kernels_below,
    new_launcher,
    new_pool,
    printed,
    start,
    until,
    until_running,
)

LOOP = "print('on', flush=True)\nwhile True: pass"


def test_six_visitors_start_at_once_and_do_not_see_each_other(tmp_path):
    tokens = [f"{n:048x}" for n in range(6)]

    async def use(pool):
        first = [start(pool, f"mine = {n}", token=token) for n, token in enumerate(tokens)]
        seen = [await events_of(run, 60) for run in first]
        second = [start(pool, "import os; print(mine, os.getpid())", token=token) for token in tokens]
        texts = [printed(await events_of(run)).split() for run in second]
        try:
            pool.find(tokens[1], first[0].run_id)
        except LookupError as error:
            strange = str(error)
        return [events[-1]["status"] for events in seen], texts, strange, pool.status(tokens[0])["runs"]

    statuses, texts, strange, runs = in_pool(tmp_path, use, kernels=6)
    assert statuses == ["ok"] * 6
    assert [text[0] for text in texts] == list("012345")
    assert len({text[1] for text in texts}) == 6
    assert "run the cell again" in strange
    assert [(run["cell_id"], run["done"]) for run in runs] == [("cell", True)] * 2


def test_another_task_gets_a_fresh_kernel_and_no_file_of_the_last(tmp_path):
    async def use(pool):
        await ended(pool, "x = 1; open('answer.txt', 'w').write('7')", task="one")
        answers = [pool.answer(ADA, "one"), pool.answer(ADA, "two"), pool.answer(BOB, "one")]
        running = start(pool, LOOP, task="one")
        await until_running(running)
        events = await events_of(start(pool, "import os; print('x' in globals(), os.listdir())", task="two"))
        return answers, (await events_of(running))[-1], events, pool.answer(ADA, "two"), pool.status(ADA)

    answers, done, events, answer, status = in_pool(tmp_path, use)
    assert answers == ["7", None, None]
    assert (done["status"], "another task was run" in done["message"]) == ("stopped", True)
    assert printed(events) == "False []\n"
    (note,) = (event["message"] for event in events if event.get("status") == "running")
    assert note == "A fresh kernel was started for this task; the variables of the previous task are gone."
    assert answer is None
    assert (status["state"], status["task_id"], status["message"]) == ("idle", "two", "")


def test_the_kernel_unused_for_longest_makes_room_and_its_owner_is_told(tmp_path):
    async def use(pool):
        for token in (ADA, BOB):
            await ended(pool, "1", token=token)
        await ended(pool, "1", token=ADA)
        await ended(pool, "1", token=CYD)
        states = [pool.status(token) for token in (ADA, BOB, CYD, BOB)]
        kernels = len(kernels_below(tmp_path))
        await ended(pool, "1", token=BOB)
        return [(each["state"], each["message"]) for each in states], kernels, pool.status(BOB)["message"]

    states, kernels, after = in_pool(tmp_path, use, kernels=2)
    assert [state for state, _ in states] == ["idle", "none", "idle", "none"]
    assert "make room for another visitor or tab" in states[1][1]
    assert states[3] == states[1]  # a page that asks again, after a reload, is told again
    assert (kernels, after) == (2, "")


def test_an_unused_kernel_is_ended_and_one_that_runs_is_not(tmp_path):
    async def use(pool):
        pid, _ = await ended(pool, "import os; print(os.getpid())")
        running = start(pool, "import time; print('on', flush=True); time.sleep(8); print('off')", token=BOB)
        await until_running(running)
        await until(lambda: not alive(int(pid)))
        return pool.status(ADA), pool.status(BOB)["state"], printed(await events_of(running))

    status, other, text = in_pool(tmp_path, use, idle_seconds=1)
    assert status["state"] == "none"
    assert "ended after 1 seconds without use" in status["message"]
    assert (other, text) == ("busy", "on\noff\n")


def test_asking_for_the_state_is_no_use_of_a_kernel(tmp_path):
    async def use(pool):
        await ended(pool, "1")
        began = time.monotonic()
        while pool.status(ADA)["state"] != "none":
            assert time.monotonic() - began < 10
            await asyncio.sleep(0.05)

    in_pool(tmp_path, use, idle_seconds=0.5)


def test_kernels_are_off_where_they_must_be_confined_and_can_not(tmp_path, monkeypatch):
    """With every layer taken away, which the probe finds out by attacking."""
    settings = Settings(gradio_server_name="0.0.0.0", cache_dir=tmp_path, kernel_waiting=0)
    monkeypatch.setattr("services.kernels.launch.policy_of", lambda folder, how, limits: None)

    async def use():
        launcher = Launcher.from_settings(settings)
        async with launcher, KernelPool.from_settings(settings, launcher) as pool:
            first = await events_of(start(pool, "1"))
            return first, await events_of(start(pool, "1", token=BOB)), pool.status(BOB), launcher.held

    first, second, status, held = asyncio.run(use())
    assert held.layers == ()
    assert first[-1]["status"] == "died" and "Kernels are off" in first[-1]["message"]
    assert second[-1]["status"] == "refused" and "read a file of another folder" in second[-1]["message"]
    assert status["message"] == second[-1]["message"]
    assert not kernels_below(tmp_path)


def test_a_restart_on_a_full_disk_says_so(tmp_path):
    async def use(pool):
        await ended(pool, "import os; os.write(2, b'said earlier')")
        with full_disk():
            told = await pool.restart(ADA)
        return told, await ended(pool, "print(2)")

    told, (after, _) = in_pool(tmp_path, use)
    assert told == "The kernel could not be started: File too large. Run the cell again; your cells are kept."
    assert after == "2\n"


def test_kernels_are_off_where_no_folder_can_be_made(tmp_path):
    (tmp_path / "full").touch()

    async def main():
        async with new_launcher(tmp_path / "full" / "sessions") as launcher:
            while launcher.held is None:  # noqa: ASYNC110 - what is awaited is its own business
                await asyncio.sleep(0.02)
            return launcher.refusal, launcher.report()["off"]

    refusal, off = asyncio.run(main())
    assert "the test of the sandbox could not be run" in refusal
    assert off == refusal


def test_the_sandbox_holds_where_strangers_can_come(tmp_path):
    settings = Settings(gradio_server_name="0.0.0.0", cache_dir=tmp_path, kernel_waiting=0)

    async def use():
        launcher = Launcher.from_settings(settings)
        async with launcher, KernelPool.from_settings(settings, launcher) as pool:
            return await ended(pool, "import os; print(os.cpu_count() > 0)"), launcher.held

    (text, end), held = asyncio.run(use())
    assert (text, end["status"]) == ("True\n", "ok")
    assert held == Held(("files", "network", "processes", "memory"))


def test_a_run_goes_on_with_nobody_reading(tmp_path):
    async def use(pool):
        run = start(pool, "import time\nfor n in range(5): print(n, flush=True); time.sleep(.05)")
        reader = run.log.follow()
        await anext(reader)
        await reader.aclose()
        await until(lambda: run.log.done)
        return await events_of(run), await events_of(pool.find(ADA, run.run_id))

    first, second = in_pool(tmp_path, use)
    assert first == second
    assert printed(first) == "0\n1\n2\n3\n4\n"
    numbers = [event["seq"] for event in first]
    assert numbers == sorted(set(numbers))
    assert [event["event"] for event in first].index("done") == len(first) - 1


def test_a_kernel_starts_without_a_missing_file_and_has_it_after_a_restart(tmp_path):
    rows = tmp_path / "rows.csv"
    rows.write_text("a\n")
    late: dict[str, object] = {"late.csv": "late.csv is not on the Hub."}
    code = "import os\nprint(sorted(os.listdir('../input')))"

    def inputs():
        return {"rows.csv": rows} | late

    async def use(pool):
        first = await events_of(start(pool, code, inputs=inputs))
        late["late.csv"] = rows
        second = await events_of(start(pool, code, inputs=inputs))
        await pool.restart(ADA)
        return [first, second, await events_of(start(pool, code, inputs=inputs))]

    runs = in_pool(tmp_path, use)
    assert [printed(events) for events in runs] == ["['rows.csv']\n"] * 2 + ["['late.csv', 'rows.csv']\n"]
    told = [event["message"] for event in runs[0] if event["event"] == "status" and event["status"] == "running"]
    assert told == [
        "Missing in ../input: late.csv. late.csv is not on the Hub. The kernel runs without; restart it to try again."
    ]
    assert not any("Missing" in event.get("message", "") for event in runs[1] + runs[2])


def test_files_that_cannot_come_and_a_python_that_is_missing_are_said(tmp_path):
    def missing():
        raise InputsUnavailable("The kernel was not started: rows.csv could not be fetched.")

    async def use(pool):
        return (await ended(pool, "1", inputs=missing))[1], pool.status(ADA)["state"], (await ended(pool, "1"))[1]

    refused, state, again = in_pool(tmp_path, use)
    assert (refused["status"], refused["message"]) == ("refused", str(InputsUnavailable(refused["message"])))
    assert "rows.csv could not be fetched" in refused["message"]
    assert (state, again["status"]) == ("none", "ok")

    async def without_python():
        async with new_pool(tmp_path / "sessions", tmp_path / "no" / "python") as pool:
            return (await ended(pool, "1"))[1]

    died = asyncio.run(without_python())
    assert died["status"] == "died"
    assert "there is no Python at" in died["message"]


def test_a_start_that_fails_says_why_and_leaves_nothing(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'No module named ipykernel' >&2\nexit 1\n")
    python.chmod(0o755)

    async def use():
        async with new_pool(tmp_path / "sessions", python) as pool:
            began = time.monotonic()
            done = (await ended(pool, "1"))[1]
            return done, time.monotonic() - began, pool.status(ADA)["state"]

    done, seconds, state = asyncio.run(use())
    assert (done["status"], state) == ("died", "none")
    assert "No module named ipykernel" in done["message"]
    assert seconds < 30


APP = """
import asyncio, sys
from pathlib import Path
from tests.kernel_cases import new_pool

async def main():
    async with new_pool(Path(sys.argv[1]), confinement="none") as pool:
        run = pool.run("a" * 48, "task", "cell", %r, dict)
        async for line in run.log.follow():
            sys.stdout.buffer.write(line); sys.stdout.flush()

asyncio.run(main())
"""
WITH_CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], start_new_session=True)
print('pids', os.getpid(), child.pid, flush=True)
while True: time.sleep(1)
"""


def test_no_kernel_outlives_an_app_that_is_killed_and_the_next_app_clears_up(tmp_path):
    sessions = tmp_path / "sessions"
    app = subprocess.Popen([sys.executable, "-c", APP % WITH_CHILD, sessions], stdout=subprocess.PIPE, text=True)
    line = next(line for line in app.stdout if "pids" in line)
    kernel, child = (int(word) for word in line.split("pids ")[1].split("\\n")[0].split())
    os.kill(app.pid, signal.SIGKILL)
    app.wait()
    app.stdout.close()

    async def next_app():
        await until(lambda: not alive(kernel), 5)
        left = list(sessions.iterdir())
        async with new_pool(sessions):
            return left

    assert len(asyncio.run(next_app())) == 2
    assert not alive(child)
    assert not list(sessions.iterdir())
