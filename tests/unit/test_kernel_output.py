"""However much a cell prints, its log is bounded, its end arrives, and the app goes on meanwhile."""

import asyncio
import json
import time

import pytest

from tests.kernel_cases import ended, events_of, in_pool, outputs, printed, start, until

LIMIT = 100_000


@pytest.mark.parametrize(
    ("code", "head", "tail"),
    [
        ("for n in range(200_000): print('line', n)", "line 0\nline 1\n", "line 199998\nline 199999\n"),
        ("print('A' + 'x' * 30_000_000 + 'Z')", "Axx", "xxZ\n"),
    ],
)
def test_a_flood_is_cut_in_the_middle_and_the_app_lives_on(tmp_path, code, head, tail):
    async def use(pool):
        longest, beat = 0.0, time.monotonic()

        async def heart():
            nonlocal longest, beat
            while True:
                await asyncio.sleep(0.01)
                longest, beat = max(longest, time.monotonic() - beat), time.monotonic()

        heart_task = asyncio.create_task(heart())
        run = start(pool, code)
        live = await events_of(run, 60)
        heart_task.cancel()
        return live, await events_of(run), run.log.size, longest

    live, replayed, size, longest = in_pool(tmp_path, use, output_bytes=LIMIT)
    for events in (live, replayed):
        text = printed(events)
        assert text.startswith(head)
        assert text.endswith(tail)
        assert " cut here …" in text
        assert len(text) < 1.2 * LIMIT
        assert events[-1]["status"] == "ok"
    assert size < 2 * LIMIT
    assert longest < 2


def test_an_error_is_told_in_full_after_a_flood(tmp_path):
    async def use(pool):
        return await events_of(start(pool, "for n in range(50_000): print('line', n)\n1 / 0"))

    events = in_pool(tmp_path, use, output_bytes=LIMIT)
    error = outputs(events)[-1]
    assert error["ename"] == "ZeroDivisionError"
    assert "line 49999" in printed(events)


def test_progress_drawn_again_and_again_takes_no_room(tmp_path):
    code = """
import sys, time
for n in range(20_001):
    sys.stdout.write(f'\\r{n:6d} of 20000')
    if n % 500 == 0: sys.stdout.flush(); time.sleep(0.005)
"""

    async def use(pool):
        run = start(pool, code)
        await events_of(run)
        return await events_of(run), run.log.size

    events, size = in_pool(tmp_path, use, output_bytes=LIMIT)
    assert printed(events).endswith("\r 20000 of 20000")
    assert " cut here …" not in printed(events)
    assert size < LIMIT


def test_a_picture_too_large_is_a_sentence_and_the_next_one_is_shown(tmp_path):
    code = """
from IPython.display import display
display({'text/html': 'x' * 5_000_000}, raw=True)
display({'text/html': '<b>small</b>', 'text/plain': 'small'}, raw=True)
"""

    async def use(pool):
        return await events_of(start(pool, code))

    large, small = outputs(in_pool(tmp_path, use, output_bytes=LIMIT))
    assert "5.0 MB (text/html) is not shown" in large["data"]["text/plain"]
    assert small["data"]["text/html"] == "<b>small</b>"


def test_what_a_cells_thread_says_after_its_end_is_kept_with_it(tmp_path):
    late = """
import threading, time
from IPython.display import display
def speak():
    time.sleep(0.5); print('late'); display('shown')
    threading.Thread(target=print, args=('later',)).start()
threading.Thread(target=speak).start(); print('now')
"""
    own = "print('newer'); time.sleep(1); own = threading.Thread(target=print, args=('own',)); own.start(); own.join()"

    async def use(pool):
        run = start(pool, late)
        at_end = await events_of(run)
        newer = await events_of(start(pool, own))
        await until(lambda: "later" in json.dumps(run.log.outputs()))
        return at_end, await events_of(run), newer

    at_end, later, newer = in_pool(tmp_path, use)
    assert (printed(at_end), printed(later), printed(newer)) == ("now\n", "now\nlate\nlater\n", "newer\nown\n")
    assert [output["data"]["text/plain"] for output in outputs(later) if "data" in output] == ["'shown'"]
    assert [event["event"] for event in later].index("done") == len(later) - 1
    assert [event["seq"] for event in later] == sorted({event["seq"] for event in later})


def test_all_that_a_dying_kernel_sent_arrives(tmp_path):
    code = """
import os, time
for n in range(100_000):
    print('line', n)
print('last words', flush=True)
time.sleep(0.2)  # libzmq sends in its own time
os._exit(3)
"""

    async def use(pool):
        return await events_of(start(pool, code))

    events = in_pool(tmp_path, use, output_bytes=LIMIT)
    assert printed(events).endswith("line 99999\nlast words\n")
    assert (events[-1]["status"], "exit code 3" in events[-1]["message"]) == ("died", True)


def test_figures_that_are_not_numbers_reach_the_page_as_json(tmp_path):
    async def use(pool):
        code = "from IPython.display import display; display({'application/json': {'a': float('nan')}}, raw=True); 1"
        return start(pool, code)

    async def lines(pool):
        run = await use(pool)
        await events_of(run)
        return b"".join([line async for line in run.log.follow()])

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    text = in_pool(tmp_path, lines)
    shown = [json.loads(line, parse_constant=refuse) for line in text.splitlines()]
    assert shown[-1]["status"] in ("ok", "error")


@pytest.mark.parametrize("data", ["[1]", "None"])
def test_a_reply_that_makes_no_sense_ends_its_cell_all_the_same(tmp_path, data):
    code = f"get_ipython().payload_manager.write_payload({{'source': 'page', 'data': {data}}}); print('said')"

    async def use(pool):
        return await ended(pool, code)

    text, done = in_pool(tmp_path, use)
    assert (text, done["status"]) == ("said\n", "ok")
