"""The starter code of every bundled task, run by the kernels' own Python beside that task's files."""

import json
import subprocess

import pytest

from components.starter import starter_for
from services.catalog import Query, open_catalog
from services.datafiles import DataFiles
from services.settings import Settings
from services.tables import Reading
from services.tables.window import read_preview
from tests.folder_source import row, write_rows

# Runs each task's code in its own working folder and prints the columns and length of every table it made. The keys of
# a JSON object, pandas' index, are a column without a name to the preview.
RUN_ALL = """
import json, os, sys
import pandas as pd
def columns(frame):
    return [""] * (not isinstance(frame.index, pd.RangeIndex)) + list(map(str, frame.columns))
made = {}
for task_id, code in json.load(sys.stdin).items():
    os.chdir(f"{sys.argv[1]}/{task_id}/work")
    space = {}
    exec(code, space)
    made[task_id] = [[columns(each), len(each)] for each in space.values() if isinstance(each, pd.DataFrame)]
json.dump(made, sys.stdout)
"""


def opened(source, cache):
    settings = Settings(tasks_source=str(source), cache_dir=cache)
    catalog = open_catalog(settings)
    return settings, catalog, DataFiles(catalog.source, cache, deadline_seconds=10)


def tables_of(path):
    first = read(path, None)
    return [first, *(read(path, table) for table in first.tables[1:])]


def read(path, table):
    return read_preview(path, 1, 0, table, wanted=None, reading=Reading())


def test_starter_code_of_every_bundled_task_loads_all_its_tables(tmp_path):
    settings, catalog, datafiles = opened("bundled", tmp_path / "cache")
    starter = starter_for(catalog, datafiles)
    tasks = {(task.bucket_prefix, task.files): task for task in catalog.tasks(Query())}.values()
    codes, expected = {}, {}
    for task in tasks:
        inputs = datafiles.inputs(task)
        (tmp_path / task.task_id / "work").mkdir(parents=True)
        (tmp_path / task.task_id / "input").mkdir()
        for name, path in inputs.items():
            (tmp_path / task.task_id / "input" / name).symlink_to(path)
        codes[task.task_id] = starter({"task_id": task.task_id})["code"]
        shown = [table for path in inputs.values() for table in tables_of(path)]
        expected[task.task_id] = [[[column.name for column in each.columns], each.total_rows] for each in shown]
    done = subprocess.run(
        [settings.kernel_python, "-c", RUN_ALL, tmp_path],
        input=json.dumps(codes),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == expected
    assert len(expected) >= 20
    assert max(map(len, expected.values())) == 3


@pytest.fixture
def half_there(tmp_path):
    """A task of two files that are there, under one base name, one that isn't, and one that is refused."""
    files = {"p/a.csv": b"x;y\n1;2\n", "p/sub/a.csv": b"z\n1\n"}
    named = row("half", bucket_prefix="p", files=["a.csv", "sub/a.csv", "gone.tsv", "../out.csv"])
    write_rows(tmp_path / "source", {"train": [named], "test": [row("t")], "eval": [row("e")]}, files)
    _, catalog, datafiles = opened(tmp_path / "source", tmp_path / "cache")
    return starter_for(catalog, datafiles)


def test_a_file_that_is_not_here_is_read_by_its_name_and_a_refused_one_never(half_there):
    assert half_there({"task_id": "half"}) == {
        "code": "import pandas as pd\n\n"
        "a = pd.read_csv('../input/a.csv', sep=';')\n"
        "sub__a = pd.read_csv('../input/sub__a.csv')\n"
        "gone = pd.read_csv('../input/gone.tsv', sep='\\t')\n"
        "a.head()\n"
    }


def test_starter_code_of_one_file_names_it_as_the_kernel_does(half_there):
    assert half_there({"task_id": "half", "name": "sub/a.csv"}) == {
        "code": "import pandas as pd\n\nsub__a = pd.read_csv('../input/sub__a.csv')\nsub__a.head()\n"
    }
    assert half_there({"task_id": "nowhere"}) == {
        "error": "There is no task 'nowhere' among the tasks shown. It may stand in another source."
    }
