"""The log of one run keeps its promises whatever is sent: bounds, order, one `done`, replay."""

import asyncio
import json
import tracemalloc

import pytest

from services.kernels.engine import ClearOutput, Output
from services.kernels.run_log import RunLog

LIMIT = 20_000
DONE = {"status": "ok", "execution_count": 1, "seconds": 0.1}


def stream(text, name="stdout"):
    return Output({"output_type": "stream", "name": name, "text": text})


def shown(text, display_id=None, update=False):
    transient = {} if display_id is None else {"display_id": display_id}
    data = {"text/html": text}
    return Output({"output_type": "display_data", "data": data, "metadata": {}, "transient": transient}, update)


def failure(text):
    return Output({"output_type": "error", "ename": "E", "evalue": text, "traceback": [text]})


def logged(*sent, finish=True):
    """A log that was sent these, and the events it replays."""

    async def main():
        log = RunLog(LIMIT)
        log.status("running")
        for each in sent:
            log.emit(each)
        if finish:
            log.finish(DONE)
            return log, [json.loads(line) async for lines in log.follow() for line in lines.splitlines()]
        return log, []

    return asyncio.run(main())


def texts(events):
    return "".join(event["output"].get("text", "") for event in events if event["event"] == "output")


def test_no_kind_of_output_grows_without_bound():
    floods = {
        "text": [stream("x" * 1000) for _ in range(2000)],
        "two streams in turn": [stream("x", ("stdout", "stderr")[n % 2]) for n in range(50_000)],
        "displays": [shown("x" * 1000) for _ in range(2000)],
        "empty displays": [shown("") for _ in range(20_000)],
        "wide metadata": [
            Output({"output_type": "display_data", "data": {}, "metadata": {"m": "x" * 9000}}) for _ in range(500)
        ],
        "errors": [failure("x" * 5000) for _ in range(2000)],
        "errors and text": [each for _ in range(2000) for each in (stream("x" * 500), failure("no"))],
        "updates of many displays": [shown("x" * 500, f"d{n}", update=True) for n in range(5000)],
        "clears that wait": [ClearOutput(wait=True) for _ in range(20_000)],
        "clears": [each for _ in range(5000) for each in (stream("x"), ClearOutput(wait=False))],
    }
    # pictures may take ten times the text, an error that much again
    sizes = {name: logged(*sent)[0].size for name, sent in floods.items()}
    assert {name: size for name, size in sizes.items() if size > 13 * LIMIT} == {}
    assert sizes["text"] < 2 * LIMIT
    assert sizes["two streams in turn"] < 3 * LIMIT
    assert sizes["clears that wait"] < 1000
    assert sizes["clears"] < 1000


def test_what_is_kept_takes_no_more_memory_than_its_lines():
    def update(number):
        transient = {"display_id": "x" * 10 * LIMIT + str(number)}
        return Output({"output_type": "display_data", "data": {}, "metadata": {}, "transient": transient}, True)

    def nested():
        return shown([{}] * LIMIT)

    tracemalloc.start()
    for many in (map(update, range(100)), (nested() for _ in range(50))):
        before, _ = tracemalloc.get_traced_memory()
        log, _ = logged(*many, finish=False)
        assert tracemalloc.get_traced_memory()[0] - before < 15 * LIMIT
        assert log.size > 0
        del log
    tracemalloc.stop()


def test_what_no_browser_can_read_is_no_output():
    for number in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="JSON"):
            logged(shown(number))


def test_only_the_newest_update_of_a_display_counts_however_large():
    updates = [shown("x" * (6 * LIMIT) + str(n), "d", update=True) for n in range(10)]
    _, events = logged(*updates)
    (update,) = (event for event in events if event["event"] == "update_display_data")
    assert update["output"]["data"]["text/html"].endswith("x9")
    assert update["output"]["transient"] == {"display_id": "d"}


def test_cleared_output_is_gone_at_once_or_with_the_next_output():
    _, at_once = logged(stream("old"), ClearOutput(wait=False))
    assert texts(at_once) == ""
    _, waiting = logged(stream("old"), ClearOutput(wait=True))
    assert texts(waiting) == "old"
    _, replaced = logged(stream("old"), ClearOutput(wait=True), stream("new"))
    assert texts(replaced) == "new"


def test_text_of_both_streams_keeps_its_order():
    _, events = logged(stream("a"), stream("b"), stream("c", "stderr"), stream("d"))
    assert [(event["output"]["name"], event["output"]["text"]) for event in events if event["event"] == "output"] == [
        ("stdout", "ab"),
        ("stderr", "c"),
        ("stdout", "d"),
    ]


def test_a_second_follower_gets_all_and_one_in_the_middle_the_rest():
    async def main():
        log = RunLog(LIMIT)

        async def read(after=-1):
            return [json.loads(line) async for lines in log.follow(after) for line in lines.splitlines()]

        early = asyncio.create_task(read())
        for n in range(5):
            log.emit(shown(str(n)))
            await asyncio.sleep(0)
        middle = asyncio.create_task(read(after=2))
        await asyncio.sleep(0)
        log.emit(shown("5"))
        log.finish(DONE)
        log.emit(shown("late"))
        return await early, await middle, await read()

    early, middle, late = asyncio.run(main())
    assert [event["seq"] for event in middle] == sorted(event["seq"] for event in middle)
    assert [event["output"]["data"]["text/html"] for event in middle[:-1]] == ["3", "4", "5", "late"]
    for events in (early, late):
        assert [event["output"]["data"]["text/html"] for event in events[:-1]] == ["0", "1", "2", "3", "4", "5", "late"]
    for events in (early, middle, late):
        assert [event["event"] for event in events].count("done") == 1
        assert events[-1] | DONE == events[-1]


def test_half_a_letter_of_two_does_not_end_the_stream():
    _, events = logged(stream("broken \ud800 letter"))
    assert texts(events) == "broken ? letter"
