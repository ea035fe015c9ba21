"""Questions a cell asks: answered, masked, stopped, found again, and refused where nobody is there to answer."""

import asyncio
import json

import pytest

from services.kernels import run_program
from tests.kernel_cases import ADA, ended, events_of, in_pool, new_launcher, outputs, printed, start

ASK = "name = input('who? ')\nprint('hello', name)"


async def asked(run, after=-1):
    """The question a run asks, once it does."""

    async def read():
        async for lines in run.log.follow(after):
            for event in map(json.loads, lines.splitlines()):
                if event["event"] == "input_request":
                    return event

    return await asyncio.wait_for(read(), 20)


async def replayed(run):
    """All events of a run as they are told again after its end."""
    await events_of(run)
    return await events_of(run)


def kinds(events):
    return [event["event"] for event in events]


def test_a_question_is_answered_and_stays_as_text(tmp_path):
    async def use(pool):
        run = start(pool, ASK)
        question = await asked(run)
        found_again = await asked(run)  # by a page that was reloaded
        answered = pool.answer_input(ADA, run.run_id, "Ada \U0001f984")
        twice = pool.answer_input(ADA, run.run_id, "Bob")
        return question, found_again, (answered, twice), await replayed(run)

    question, found_again, answered, events = in_pool(tmp_path, use)
    assert (question["prompt"], question["password"]) == ("who? ", False)
    assert found_again == question
    assert answered == (True, False)
    assert printed(events) == "who? Ada \U0001f984\nhello Ada \U0001f984\n"
    assert events[-1]["status"] == "ok"
    assert not {"input_request", "input_ended"} & set(kinds(events))


def test_a_password_is_never_seen(tmp_path):
    code = "import getpass\nword = getpass.getpass('word: ')\nprint(len(word), word[::-1])"

    async def use(pool):
        run = start(pool, code)
        question = await asked(run)
        pool.answer_input(ADA, run.run_id, "s3cret")
        return question, printed(await events_of(run))

    question, text = in_pool(tmp_path, use)
    assert question["password"] is True
    assert text == "word: ••••••\n6 terc3s\n"


def test_a_debugger_asks_through_the_same_box(tmp_path):
    async def use(pool):
        run = start(pool, "def half(n):\n    breakpoint()\n    return n / 2\nhalf(14)")
        first = await asked(run)
        pool.answer_input(ADA, run.run_id, "p n * 3")
        second = await asked(run, after=first["seq"])
        pool.answer_input(ADA, run.run_id, "c")
        return (first["prompt"], second["prompt"]), await replayed(run)

    prompts, events = in_pool(tmp_path, use)
    assert all(prompt.endswith("db> ") for prompt in prompts)
    assert "42" in printed(events)
    assert outputs(events)[-1]["data"]["text/plain"] == "7.0"


def test_stop_restart_and_death_end_a_question(tmp_path):
    async def use(pool):
        stopped = start(pool, "x = 5\n" + ASK)
        await asked(stopped)
        said = (await pool.stop(ADA)).message
        late = pool.answer_input(ADA, stopped.run_id, "Ada")
        kept = await ended(pool, "print(x)")
        restarted = start(pool, ASK)
        await asked(restarted)
        await pool.restart(ADA)
        dying = start(pool, "import os, threading\nthreading.Timer(0.5, os._exit, [1]).start()\n" + ASK)
        await asked(dying)
        ends = [await replayed(run) for run in (stopped, restarted, dying)]
        return said, late, kept[0], ends

    said, late, kept, ends = in_pool(tmp_path, use)
    assert (said, late, kept) == ("Stopped. Variables are kept.", False, "5\n")
    assert [events[-1]["status"] for events in ends] == ["stopped", "stopped", "died"]
    for events in ends:
        assert not {"input_request", "input_ended"} & set(kinds(events))
    # an error, or a line of text where the interrupt meets IPython at work on one
    assert "KeyboardInterrupt" in json.dumps(outputs(ends[0])[-1])


def test_only_its_own_run_takes_an_answer(tmp_path):
    async def use(pool):
        idle = start(pool, "1")
        await events_of(idle)
        run = start(pool, ASK)
        await asked(run)
        wrong = [
            pool.answer_input(ADA, idle.run_id, "no"),
            pool.answer_input("b" * 48, run.run_id, "no"),
        ]
        pool.answer_input(ADA, run.run_id, "Ada")
        return wrong, printed(await events_of(run))

    wrong, text = in_pool(tmp_path, use)
    assert wrong == [False, False]
    assert text.endswith("hello Ada\n")


@pytest.mark.parametrize("call", ["input('who? ')", "__import__('getpass').getpass()"])
def test_a_program_nobody_watches_is_told_so(tmp_path, call):
    run = asyncio.run(run_program(new_launcher(tmp_path / "sessions").engine, tmp_path / "sessions", call, {}))
    (error,) = run.outputs
    assert run.status == "error"
    assert "input() can't be answered: nobody watches this run." in error["evalue"]
    assert "kernelbase" not in "".join(error["traceback"])
