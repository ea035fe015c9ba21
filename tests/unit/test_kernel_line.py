"""More visitors than kernels: who waits, what they are told, who goes."""

import asyncio
import os
import time

from services.kernels import pool as pools
from tests.kernel_cases import (
    ADA,
    BOB,
    CYD,
    alive,
    ended,
    events_of,
    in_pool,
    kernels_below,
    printed,
    start,
    until,
    until_running,
)

LOOP = "print('on', flush=True)\nwhile True: pass"
DAN, EVE = "d" * 48, "e" * 48


def told(events):
    return [event["message"] for event in events if event.get("status") == "waiting" and "message" in event]


def test_those_in_line_are_told_their_number_and_served_in_order(tmp_path):
    async def use(pool):
        running = [start(pool, LOOP, token=token) for token in (ADA, BOB)]
        for run in running:
            await until_running(run)
        order = []

        async def waits(token):
            run = start(pool, "import time; time.sleep(.3); print(time.monotonic())", token=token)
            events = await events_of(run, 30)
            order.append(token)
            return events

        line = []
        for token in (CYD, DAN, EVE):
            line.append(asyncio.create_task(waits(token)))
            await asyncio.sleep(0.05)
        states = [pool.status(token)["state"] for token in (CYD, DAN, EVE)]
        left = await pool.stop(DAN)
        await pool.stop(ADA)
        most, done = 0, asyncio.gather(*line)
        while not done.done():
            most = max(most, len(kernels_below(tmp_path)))
            await asyncio.sleep(0.02)
        return await done, order, states, left.message, most, pool.status(ADA)

    (cyd, dan, eve), order, states, left, most, ada = in_pool(tmp_path, use, kernels=2)
    assert states == ["waiting"] * 3
    rest = "Your cell starts by itself once one is free; Stop leaves the line."
    assert told(cyd)[0] == f"You are number 1 in line: all 2 kernels are running cells. {rest}"
    assert told(dan) == [f"You are number 2 in line: all 2 kernels are running cells. {rest}"]
    assert [text[:20] for text in told(eve)][:2] == ["You are number 3 in ", "You are number 2 in "]
    assert (left, dan[-1]["status"], dan[-1]["message"]) == ("Stopped: you left the line.", "stopped", "Stopped.")
    assert order == [DAN, CYD, EVE]
    assert [float(printed(events)) > 0 for events in (cyd, eve)] == [True] * 2
    assert most <= 2
    assert (ada["state"], "make room for another visitor or tab" in ada["message"]) == ("none", True)


def test_a_kernel_between_two_cells_of_a_row_is_not_taken(tmp_path):
    async def use(pool):
        await ended(pool, "n = 0")
        waiting = start(pool, "1", token=BOB)
        for _ in range(8):
            await asyncio.sleep(0.1)
            await ended(pool, "n += 1")
        kept = await ended(pool, "print(n)")
        return kept[0], (await events_of(waiting))[-1]["status"]

    assert in_pool(tmp_path, use, kernels=1) == ("8\n", "ok")


def test_who_goes_away_loses_the_place(tmp_path, monkeypatch):
    monkeypatch.setattr(pools, "ABSENT_SECONDS", 2.0)

    async def use(pool):
        running = start(pool, LOOP)
        await until_running(running)
        gone, asks, follows = (start(pool, "1", token=token) for token in (BOB, CYD, DAN))
        reading = asyncio.create_task(events_of(follows))
        while not gone.log.done:
            pool.status(CYD)
            await asyncio.sleep(0.1)
        lost = (await events_of(gone))[-1]
        here = not asks.log.done, not follows.log.done
        await pool.stop(ADA)
        return lost, here, (await reading)[-1]["status"], pool.status(BOB)["state"]

    lost, here, served, state = in_pool(tmp_path, use, kernels=1)
    assert (lost["status"], "You lost your place in line" in lost["message"]) == ("stopped", True)
    assert here == (True, True)
    assert (served, state) == ("ok", "none")


def test_another_task_keeps_the_place_among_the_kernels(tmp_path):
    async def use(pool):
        await until_running(start(pool, LOOP, task="one"))
        waiting = start(pool, "1", token=BOB)
        await until(lambda: waiting.log.last_seq >= 0)
        switched = await ended(pool, "print('other')", task="two")
        return switched, waiting.log.done

    (text, done), _ = in_pool(tmp_path, use, kernels=1)
    assert (text, done["status"]) == ("other\n", "ok")


def test_one_address_has_only_so_many_kernels(tmp_path):
    async def use(pool):
        def at(address, token, code="1"):
            return pool.run(token, "task", "cell", code, dict, address)

        first = at("9.9.9.9", ADA, LOOP)
        await until_running(first)
        await events_of(at("9.9.9.9", BOB))
        await events_of(at("8.8.8.8", CYD))
        third = await events_of(at("9.9.9.9", DAN))
        ended_one = pool.status(BOB)["message"]
        running = at("9.9.9.9", DAN, LOOP)
        await until_running(running)
        refused = await events_of(at("9.9.9.9", EVE))
        return third[-1]["status"], ended_one, refused, pool.status(CYD)["state"], len(kernels_below(tmp_path))

    third, ended_one, (refused,), other, kernels = in_pool(tmp_path, use, kernels=4, per_address=2)
    assert third == "ok"
    assert "your network address started another and may have 2 at once" in ended_one
    assert refused["status"] == "refused"
    assert "has 2 kernels already" in refused["message"]
    assert (other, kernels) == ("idle", 3)


def test_a_waiting_kernel_is_claimed_at_once_and_never_twice(tmp_path, monkeypatch):
    monkeypatch.setattr("services.kernels.ahead.PAUSE_SECONDS", 0.2)
    rows = tmp_path / "rows.csv"
    rows.write_text("a")

    async def use(pool):
        seen, seconds = [], []
        for token in (ADA, BOB):
            await until(lambda: len(pool._ahead) == 1 and pool._ahead._waiting[0].start.done())
            (ready,) = {each.engine.pid for each in pool._ahead._waiting}
            began = time.monotonic()
            code = "import os; print(os.getpid(), *os.listdir('../input'), *os.listdir())"
            text, _ = await ended(pool, code, token=token, inputs=lambda: {"rows.csv": rows})
            seconds.append(time.monotonic() - began)
            seen.append((text, ready))
        await asyncio.sleep(0.6)
        return seen, seconds, len(kernels_below(tmp_path))

    seen, seconds, kernels = in_pool(tmp_path, use, kernels=2, waiting=1)
    assert [text for text, _ in seen] == [f"{pid} rows.csv\n" for _, pid in seen]
    assert seen[0] != seen[1]
    assert max(seconds) < 5
    assert kernels == 2  # none waits where visitors have them all


def test_a_waiting_kernel_that_died_is_replaced(tmp_path):
    async def use(pool):
        await until(lambda: len(pool._ahead) == 1 and pool._ahead._waiting[0].start.done())
        engine = pool._ahead._waiting[0].engine
        dead = engine.pid
        os.kill(dead, 9)
        await until(lambda: not engine.alive)
        text, done = await ended(pool, "import os; print(os.getpid())")
        await until(lambda: len(kernels_below(tmp_path)) == 2)
        return dead, int(text), done["status"]

    dead, pid, status = in_pool(tmp_path, use, kernels=2, waiting=1)
    assert not alive(dead)
    assert (pid != dead, status) == (True, "ok")


def test_starts_ahead_that_fail_are_tried_less_and_less(tmp_path, monkeypatch):
    monkeypatch.setattr("services.kernels.ahead.FIRST_RETRY_SECONDS", 0.3)
    started = []

    async def use(pool):
        prepare = pool._ahead.prepare
        pool._ahead._retry_seconds = 0.3
        pool._ahead.prepare = lambda: (started.append(time.monotonic()), prepare())[1]
        await asyncio.sleep(4)
        return list((tmp_path / "sessions").iterdir())

    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nexit 1\n")
    python.chmod(0o755)
    assert not in_pool(tmp_path, use, python=python, kernels=4, waiting=2)
    assert 3 <= len(started) <= 6
