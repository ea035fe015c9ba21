"""What a notebook for data analysis needs works in a confined kernel; what can't work says so in one sentence."""

import asyncio
import re
from dataclasses import replace

import pytest

from services.kernels import KernelPool, Launcher, Limits
from services.kernels.inside import manners
from services.settings import Settings
from tests.kernel_cases import KERNEL_PYTHON, events_of, outputs, printed, start, until

# cell → what its outputs must show: the type of one of them, or a text printed
WORKS = {
    "%matplotlib inline\nimport matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()": "image/png",
    "%%time\nprint(sum(range(10)))": "45\nCPU times",
    "%timeit -n 10 -r 2 sum(range(10))": "2 runs, 10 loops each",
    "import pandas as pd\npd.set_option('display.max_rows', 5)\npd.DataFrame({'a': range(100)})": "text/html",
    "import sqlite3\ndb = sqlite3.connect('rows.db')\ndb.execute('create table t (a)')\n"
    "db.executemany('insert into t values (?)', [(1,), (41,)]); db.commit()\n"
    "print(db.execute('select sum(a) from t').fetchone())": "(42,)",
    "from sklearn.ensemble import RandomForestClassifier\nfrom sklearn.datasets import load_iris\n"
    "from sklearn.model_selection import cross_val_score\nX, y = load_iris(return_X_y=True)\n"
    "forest = RandomForestClassifier(20, random_state=0, n_jobs=-1)\n"
    "print(cross_val_score(forest, X, y, n_jobs=2).mean() > .9)": "True",
    "import statsmodels.formula.api as smf, numpy as np\nx = np.arange(20.)\n"
    "print(smf.ols('y ~ x', {'x': x, 'y': 3 * x + 1}).fit().params.round(6).tolist())": "[1.0, 3.0]",
    "import seaborn as sns\nsns.histplot(x=[1, 2, 2, 3]); plt.show()": "image/png",
    "import plotly.express as px\npx.scatter(x=[1], y=[2])": "application/vnd.plotly.v1+json",
    "pd.DataFrame({'a': [1]}).to_parquet('a.parquet'); print(pd.read_parquet('a.parquet').a.sum())": "1",
    "pd.DataFrame({'a': [2]}).to_excel('a.xlsx'); print(pd.read_excel('a.xlsx').a.sum())": "2",
    "import shutil, zipfile, tempfile, os\nshutil.copy('a.parquet', 'b.parquet')\n"
    "with zipfile.ZipFile('a.zip', 'w') as z: z.write('b.parquet')\nprint(zipfile.ZipFile('a.zip').namelist())\n"
    "with tempfile.TemporaryDirectory() as d: print(sorted(os.listdir(shutil.copytree('.', d + '/all')))[:3])": (
        "['a.parquet', 'a.xlsx', 'a.zip']"
    ),
    "from concurrent.futures import ThreadPoolExecutor\n"
    "print(sum(ThreadPoolExecutor(4).map(lambda n: n * n, range(5))))": "30",
    "import numpy as np\nprint(np.linalg.svd(np.eye(300))[1].sum())": "300.0",
    "import asyncio\nasync def later(): await asyncio.sleep(.01); return 'awaited'\nprint(await later())": "awaited",
    "import time, random, uuid, datetime, zoneinfo\nprint(datetime.datetime(2020, 7, 1, "
    "tzinfo=zoneinfo.ZoneInfo('Europe/Paris')).utcoffset())": "2:00:00",
    "%%capture kept\nprint('hidden')": "",
    "import tracemalloc, cProfile\ncProfile.run('sum(range(10))')": "function calls",
    "from joblib import Parallel, delayed\nprint(Parallel(n_jobs=2)(delayed(abs)(-n) for n in range(3)))": "[0, 1, 2]",
    "import os; print(sorted(os.listdir('..'))[:2])": "['home', 'input']",
    "%prun -q sum(range(10))\nprint(kept.stdout)": "hidden",
}

SAYS = {
    "!ls": manners.PROGRAMS,
    "files = !ls": manners.PROGRAMS,
    "%%bash\nls": manners.PROGRAMS,
    "%pip install lightgbm": manners.PACKAGES,
    "!pip install lightgbm": manners.PROGRAMS,
    "import subprocess; subprocess.run(['ls'])": manners.PROGRAMS,
    "import os; os.system('ls')": manners.PROGRAMS,
    "import os; os.fork()": manners.PROCESSES,
    "from multiprocessing import Pool\nPool(2)": manners.PROCESSES,
    "from multiprocessing import Process\nProcess(target=print).start()": manners.PROCESSES,
    "from concurrent.futures import ProcessPoolExecutor\nProcessPoolExecutor(2).submit(print)": manners.PROCESSES,
    "import urllib.request; urllib.request.urlopen('http://example.com')": manners.NETWORK,
    "import pandas as pd; pd.read_csv('https://example.com/rows.csv')": manners.NETWORK,
    "import socket; socket.create_connection(('127.0.0.1', 80))": manners.NETWORK,
    "import tqdm": manners.PACKAGES,
    "exit()": "A cell can't end its kernel.",
}


@pytest.fixture(scope="module", params=[pytest.param("cold", marks=pytest.mark.long), "forked"])
def ran(request, tmp_path_factory):
    """Every cell above, run in one confined kernel: cell → its events."""
    sessions = tmp_path_factory.mktemp("manners") / "sessions"
    limits = replace(Limits.from_settings(Settings()), waiting=0)
    launcher = Launcher(KERNEL_PYTHON, sessions, limits, "required")

    async def use():
        if request.param == "cold":
            async with KernelPool(launcher.engine, sessions, limits) as pool:
                return await run_all(pool)
        async with launcher, KernelPool(launcher.engine, sessions, limits) as pool:
            await until(lambda: launcher.warm, 60)
            return await run_all(pool)

    async def run_all(pool):
        return {cell: await events_of(start(pool, cell), 60) for cell in [*WORKS, *SAYS]}

    return asyncio.run(use())


@pytest.mark.parametrize("cell", WORKS)
def test_it_works(ran, cell):
    events = ran[cell]
    assert events[-1]["status"] == "ok", outputs(events)
    kinds = {kind for output in outputs(events) for kind in output.get("data", ())}
    assert WORKS[cell] in printed(events) or WORKS[cell] in kinds


@pytest.mark.parametrize("cell", SAYS)
def test_it_says_what_to_do_instead(ran, cell):
    events = ran[cell]
    assert events[-1]["status"] == "error"
    said = "".join(output.get("text") or "\n".join(output["traceback"]) for output in outputs(events))
    last = re.sub(r"\x1b\[[0-9;]*m", "", said).rstrip().splitlines()[-1]
    assert SAYS[cell] in last
    assert "site-packages" not in said and "lib/python" not in said
