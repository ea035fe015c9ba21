"""Completion and inspection: what a free kernel knows of its variables, soon, and nothing that holds up a cell."""

import asyncio
import re
import time

import pytest

from services.kernels.engine import Completions
from services.kernels.messages import completions_of, inspection_of
from tests.kernel_cases import ADA, ended, events_of, in_pool, new_pool, start, until_running

SETUP = """
import pandas as pd, numpy as np
df = pd.DataFrame({'sepal_length': [1.0], 'petal width': ['a']})
def area(width, height=2):
    'Width times height.'
    return width * height
"""


def texts(found):
    return [text for text, _ in found.matches]


@pytest.mark.parametrize(
    ("code", "replaced", "expected"),
    [
        ("df.", "", {"sepal_length", "groupby", "head"}),
        ("df.sepal_le", "sepal_le", {"sepal_length"}),
        ("df['sepal_length'].me", "me", {"mean", "median"}),
        ("x = df['petal width'].str.upp", "upp", {"upper"}),
        ("df['", "", {"sepal_length", "petal width"}),
        ("pd.read_c", "read_c", {"read_csv", "read_clipboard"}),
        ("area(wid", "wid", {"width="}),
        ("'\U0001f984'; np.arang", "arang", {"arange"}),
        ("open('../inp", "./inp", {"./input/"}),
        ("nothing_of_this_name.", "", set()),
    ],
)
def test_what_could_be_typed(kernel, code, replaced, expected):
    found = kernel.ask("complete", code, len(code))
    assert code[found.start : found.end] == replaced
    assert expected <= set(texts(found))
    assert len(set(texts(found))) == len(found.matches)


def test_the_middle_of_code_is_completed_too(kernel):
    code = "first = 1\ndf.sepal_ + 1"
    found = kernel.ask("complete", code, code.index(" +"))
    assert (code[found.start : found.end], texts(found)) == ("sepal_", ["sepal_length"])


def test_signature_and_documentation_of_a_name(kernel):
    code = "x = area(3)"
    for cursor in (code.index("area") + 2, code.index("(") + 1):
        text = kernel.ask("inspect", code, cursor)
        assert "area(width, height=2)" in plain(text)
        assert "Width times height." in text
    assert kernel.ask("inspect", "nothing_of_this_name", 5) == ""
    assert "site-packages" not in kernel.ask("inspect", "pd.read_csv", 8)


def plain(text):
    return re.sub(r"\x1b\[[\d;]*m", "", text)


def test_answers_come_soon_also_the_first(tmp_path):
    async def use(pool):
        await ended(pool, SETUP)
        seconds = []
        for code in ("df.", "pd.DataFrame(da", "import os\nos.path.jo"):
            began = time.monotonic()
            assert await pool.complete(ADA, "task", code, len(code)) is not None
            seconds.append(time.monotonic() - began)
        return seconds

    assert max(in_pool(tmp_path, use)) < 3


def test_without_a_free_kernel_of_the_task_nothing_is_asked(tmp_path):
    async def use(pool):
        found = [await pool.complete(ADA, "task", "pri", 3)]
        run = start(pool, "print('on', flush=True)\nimport time; time.sleep(4)")
        await until_running(run)
        began = time.monotonic()
        found.append(await pool.complete(ADA, "task", "pri", 3))
        inspected = await pool.inspect(ADA, "task", "print", 3)
        seconds = time.monotonic() - began
        await events_of(run)
        found.append(await pool.complete(ADA, "another task", "pri", 3))
        free = await pool.complete(ADA, "task", "pri", 3)
        done = (await ended(pool, "import os; os._exit(0)"))[1]
        found.append(await pool.complete(ADA, "task", "pri", 3))
        return found, inspected, seconds, free, done["status"]

    found, inspected, seconds, free, status = in_pool(tmp_path, use)
    assert (found, inspected, status) == ([None] * 4, "", "died")
    assert seconds < 3
    assert "print" in texts(free)


def test_a_slow_answer_is_given_up_and_the_next_cell_runs(tmp_path):
    slow = (
        "class Slow:\n    def __dir__(self):\n        import time; time.sleep(6)\n        return ['a']\nslow = Slow()"
    )

    async def use(pool):
        await ended(pool, slow)
        asked = asyncio.create_task(pool.complete(ADA, "task", "slow.", 5))
        await asyncio.sleep(0.3)
        text, _ = await ended(pool, "print('ran')")
        return await asked, text

    assert in_pool(tmp_path, use) == (Completions(5, 5, []), "ran\n")


class Asked:
    """A pool with one kernel, asked from tests that are no coroutines."""

    def __init__(self, loop, pool):
        self._loop, self._pool = loop, pool

    def ask(self, what, code, cursor):
        return self._loop.run_until_complete(getattr(self._pool, what)(ADA, "task", code, cursor))


@pytest.fixture(scope="module")
def kernel(tmp_path_factory):
    with asyncio.Runner() as runner:
        loop = runner.get_loop()
        pool = new_pool(tmp_path_factory.mktemp("help") / "sessions")
        loop.run_until_complete(pool.__aenter__())
        loop.run_until_complete(ended(pool, SETUP))
        yield Asked(loop, pool)
        loop.run_until_complete(pool.__aexit__(None, None, None))


def test_half_a_letter_is_told_as_something_that_can_be_sent():
    half = "\ud83d"
    matches = {"matches": [half], "cursor_start": 0, "cursor_end": 0, "metadata": {}}
    help_text = {"found": True, "data": {"text/plain": half}}
    assert completions_of("", matches).matches == [("?", "")]
    assert inspection_of(help_text) == "?"
