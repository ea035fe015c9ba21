"""The list of variables: what the kernel holds, told beside the cells and without running their code."""

import asyncio

from services.kernels.engine import Head, Variable
from tests.kernel_cases import ADA, ended, events_of, in_pool, start, until_running

VALUES = r"""
import pandas as pd, numpy as np, datetime
class Loud:
    called = []
    def __repr__(self): Loud.called.append('repr'); return 'loud'
    def __len__(self): Loud.called.append('len'); return 3
    def __getattr__(self, name): Loud.called.append(name); raise AttributeError(name)
loud = Loud()
frame = pd.DataFrame({'size': [1.5, float('nan')], 'who <b>': ['a', loud], 'day': pd.to_datetime(['2020-02-29', None])})
series = frame['size']
array = np.arange(6).reshape(2, 3)
text = 'x' * 500
half = '\ud83d'
items = [1, 'two', [3], loud]
table = {'a': 1}
number = 10 ** 400
flag = True
_private = 1
def area(): ...
"""


def test_variables_are_told_with_type_shape_and_value(tmp_path):
    async def use(pool):
        await ended(pool, VALUES)
        found = await pool.variables(ADA, "task")
        heads = [await pool.head(ADA, "task", name) for name in ("frame", "array", "series", "items", "no such name")]
        asked, done = await ended(pool, "print(Loud.called, 'after')")
        return found, heads, asked, done["execution_count"]

    found, heads, asked, count = in_pool(tmp_path, use)
    assert found.variables == [
        Variable("array", "ndarray of int64", "2 × 3", "0, 1, 2, 3, 4, 5", True),
        Variable("flag", "bool", "", "True", False),
        Variable("frame", "DataFrame", "2 × 3", "size, who <b>, day", True),
        Variable("half", "str", "1 long", "'\\ud83d'", False),
        Variable("items", "list", "4 items", "[1, 'two', …, <Loud>]", False),
        Variable("loud", "Loud", "", "", False),
        Variable("number", "int", "", "an integer of 1329 bits", False),
        Variable("series", "Series of float64", "2", "1.5, nan", True),
        Variable("table", "dict", "1 item", "{'a': 1}", False),
        Variable("text", "str", "500 long", "'" + "x" * 119 + "…", False),
    ]
    assert found.count == 10
    rows = [["1.5", "a", "2020-02-29 00:00:00"], ["nan", "<Loud>", "NaT"]]
    assert heads == [
        Head((2, 3), ["size", "who <b>", "day"], ["0", "1"], rows),
        Head((2, 3), ["0", "1", "2"], ["0", "1"], [["0", "1", "2"], ["3", "4", "5"]]),
        Head((2, 1), ["size"], ["0", "1"], [["1.5"], ["nan"]]),
        None,
        None,
    ]
    assert (asked, count) == ("[] after\n", 2)  # no code of theirs ran, and no cell was counted


def test_much_is_cut_and_a_running_cell_is_not_held_up(tmp_path):
    many = (
        "import pandas as pd\nfor i in range(300): globals()[f'v{i:03}'] = i\n"
        "wide = pd.DataFrame([['y' * 1000] * 50] * 50)"
    )

    async def use(pool):
        before = await pool.variables(ADA, "task")
        await ended(pool, many)
        found, wide = await pool.variables(ADA, "task"), await pool.head(ADA, "task", "wide")
        run = start(pool, "print('on', flush=True)\nimport time; time.sleep(1)")
        await until_running(run)
        during = await asyncio.wait_for(pool.variables(ADA, "task"), 0.5)
        done = (await events_of(run))[-1]
        return before, found, wide, during, done["status"]

    before, found, wide, during, status = in_pool(tmp_path, use)
    assert (before, during, status) == (None, None, "ok")
    assert (len(found.variables), found.variables[-1].name, found.count) == (200, "v198", 302)
    assert (wide.shape, len(wide.rows), {len(row) for row in wide.rows}) == ((50, 50), 10, {30})
    assert wide.rows[0][0] == "y" * 120 + "…"
