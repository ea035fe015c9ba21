"""What stands beside a task: how it wants its answer, what to paste elsewhere, and a doubt that keeps the gold."""

import shlex
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from components.task_view import doubt_of, task_comforts
from services.catalog import Query, Task, open_catalog
from services.catalog.answer_format import asked_format, derived_format
from services.catalog.commands import commands_for
from services.catalog.source import Source
from services.settings import ROOT, Settings
from tests.hub_files import BUCKET, PREFIX, on_hub

HUB = Source(
    "x", None, "FineEnvs/SmolDataEnvs", "6c439f075cf550793b1bfd7b887a41e51f3b23ab", endpoint="https://hub.test"
)
TASK = Task(
    task_id="0000_324_324293_qa_2",
    source_row_id="0000/324/324293.ipynb_qa_2",
    question="What is the mean?",
    answer="1.5",
    reward_mode="numeric",
    atol=0.001,
    rtol=0.01,
    difficulty_level=1,
    difficulty_tier="easy",
    kaggle_dataset="someone/table",
    hf_bucket="owner/bucket",
    bucket_prefix="someone__table",
    files=("a b.csv", "sub/c.csv", "a b.csv"),
    instruction="Find it.\nAnswer as: not this\n  Answer as: a number, 2 decimals \nWrite it.",
    package_tier=0,
    split="test",
)


@pytest.fixture(scope="module")
def bundled(tmp_path_factory):
    return open_catalog(Settings(tasks_source="bundled", cache_dir=tmp_path_factory.mktemp("cache")))


def test_the_prompts_own_line_and_what_the_mode_compares():
    assert asked_format(TASK) == "a number, 2 decimals"
    assert asked_format(replace(TASK, instruction="The answer is one value.")) == ""
    assert derived_format(TASK) == "one number; a number within 1% or 0.001 of the gold counts as right"
    assert derived_format(replace(TASK, reward_mode="")) == "one clean value"


def test_commands_name_the_row_the_files_and_the_index():
    row, files, grade, serve, rollout = commands_for(TASK, HUB, 7, whole_files=True)
    assert f"load_dataset('FineEnvs/SmolDataEnvs', revision='{HUB.revision}', split='test')" in row.text
    sync, one, two = (shlex.split(line) for line in files.text.splitlines())
    assert sync == ["hf", "buckets", "sync", "hf://buckets/owner/bucket/someone__table", "./input"]
    assert one[-2:] == ["input/a b.csv", "https://hub.test/buckets/owner/bucket/resolve/someone__table/a%20b.csv"]
    assert two[-2:] == ["input/c.csv", "https://hub.test/buckets/owner/bucket/resolve/someone__table/sub/c.csv"]
    assert '"{app}"' in grade.text and "'0000_324_324293_qa_2'" in grade.text
    assert "--dataset FineEnvs/SmolDataEnvs-harbor-test " in serve.text
    assert rollout.text.endswith(" --task-index 7")


def test_the_index_counts_the_sorted_ids_of_the_split(bundled):
    tasks = list(bundled.tasks(Query(split="test")))
    ids = sorted(task.task_id for task in tasks)
    assert {task.task_id: bundled.folder_index(task) for task in tasks} == {id: at for at, id in enumerate(ids)}


def test_a_hostile_name_stays_one_literal():
    hostile = replace(TASK, task_id="x'); import os #", files=("$(id); 'x'.csv",), bucket_prefix="`id`")
    row, files, grade = commands_for(hostile, replace(HUB, dataset="o/n"), None, whole_files=True)
    for command in (row, grade):
        compile(command.text, "pasted", "exec")
        assert repr(hostile.task_id) in command.text
    assert shlex.split(files.text.splitlines()[0])[3] == "hf://buckets/owner/bucket/`id`"
    assert shlex.split(files.text.splitlines()[1])[4] == "input/$(id); 'x'.csv"


def test_the_row_of_a_bundled_task_is_loaded_by_what_is_copied(bundled, tmp_path):
    task = bundled.task("demo_iris_qa_1")
    command = commands_for(task, bundled.source, None, whole_files=True)[0]
    script = f"{command.text}\nassert task['question'] == {task.question!r}\nprint(task['answer'])"
    environment = {"HF_HOME": str(tmp_path), "HF_HUB_OFFLINE": "1", "PATH": "/usr/bin:/bin"}
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout.strip() == task.answer, ran.stderr


def test_the_data_files_come_by_what_is_copied(tmp_path):
    contents = {"small.csv": b"a,b\n1,2\n", "year 2/late.csv": b"n\n1\n"}
    with on_hub(tmp_path / "hub", contents) as found:
        source = replace(HUB, endpoint=found.hub.url)
        task = replace(TASK, hf_bucket=BUCKET, bucket_prefix=PREFIX, files=tuple(contents))
        sync, *curls = commands_for(task, source, None, whole_files=True)[1].text.splitlines()
        environment = {
            "HF_HOME": str(tmp_path / "home"),
            "HF_ENDPOINT": found.hub.url,
            "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin",
        }
        for name, lines in {"synced": [sync], "curled": curls}.items():
            folder = tmp_path / name
            folder.mkdir()
            for line in lines:
                ran = subprocess.run(
                    line, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
                )
                assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "synced/input/year 2/late.csv").read_bytes() == contents["year 2/late.csv"]
    assert (tmp_path / "synced/input/small.csv").read_bytes() == contents["small.csv"]
    assert {path.name: path.read_bytes() for path in (tmp_path / "curled/input").iterdir()} == {
        "small.csv": contents["small.csv"],
        "late.csv": contents["year 2/late.csv"],
    }


def test_a_doubt_is_told_without_the_gold(bundled):
    odd = replace(TASK, question="Which country sold the most?", answer="48291.7")
    assert doubt_of(odd) == "The gold is not of the kind that the question asks for."
    assert "checked this task by hand" in doubt_of(replace(TASK, task_id="0000_684_684849_qa_4"))
    assert not [task.task_id for task in bundled.tasks(Query()) if doubt_of(task)]
    assert "48291.7" not in str(task_comforts(bundled, odd))
