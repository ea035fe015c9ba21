"""Rows the library `datasets` reads: from a Hub on this machine and from files, by the real library in its process."""

import csv
import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from services.catalog import Query, open_catalog
from services.catalog.from_datasets import convert
from services.catalog.hub_client import HubError
from services.settings import Settings
from tests.loopback_hub import COMMIT, Fault, LoopbackHub
from tests.synthetic_source import COLUMNS, datasets, rows

ROWS = rows("eval", 0, datasets())[:12]
IDS = [row["task_id"] for row in ROWS]
GOLDS = ["0.10", "1,234", "007", "NA", "", "True", "2017-03-01", "1e-3", "São Paulo", " x", "null", "-0.86"]
README = """---
configs:
- config_name: small
  data_files: [{split: validation, path: lines/small.jsonl}]
- config_name: all
  data_files: [{split: train, path: lines/all.jsonl}]
---
"""


@pytest.fixture
def opened(tmp_path):
    def open_source(what, **others):
        return open_catalog(Settings(tasks_source=f"datasets:{what}", cache_dir=tmp_path / "cache", **others))

    return open_source


@pytest.fixture
def converted(tmp_path):
    """The catalog of a local file or folder, read in this process: the library's import takes seconds."""

    def open_converted(what):
        folder = tmp_path / "cache" / f"rows-{Path(what).name}"
        folder.mkdir(parents=True)
        convert(str(what), folder, "")
        return open_catalog(Settings(tasks_source=str(folder), cache_dir=tmp_path / "cache"))

    return open_converted


@pytest.fixture
def hub(tmp_path, monkeypatch):
    lines = tmp_path / "repository" / "lines"
    lines.mkdir(parents=True)
    (lines / "all.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (lines / "small.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[:5]))
    (lines.parent / "README.md").write_text(README)
    (tmp_path / "sft" / "data").mkdir(parents=True)
    messages = [{"task_id": IDS[n % 2], "messages": [{"role": "user", "content": "q"}], "n_turns": 3} for n in range(5)]
    pq.write_table(pa.Table.from_pylist(messages), tmp_path / "sft" / "data" / "train-00000-of-00001.parquet")
    with LoopbackHub(datasets={"some/tasks": lines.parent, "some/tasks-sft": tmp_path / "sft"}) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.setenv("HF_TOKEN", "hf_the_spaces_own")
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield running


def ids(catalog, **query):
    return [task.task_id for task in catalog.tasks(Query(**query))]


def test_two_apps_on_one_cache_read_the_same_rows_at_once(hub, opened):
    with ThreadPoolExecutor(2) as threads:  # each reads in a process of its own
        first, second = threads.map(opened, ["some/tasks:small"] * 2)
    assert ids(first, split="eval") == ids(second, split="eval") == IDS[:5]
    assert first.status == second.status


def test_a_config_of_a_dataset_on_the_hub_and_its_last_copy(hub, opened):
    catalog = opened("some/tasks:small")
    assert catalog.status.sentence == "Showing 5 tasks of some/tasks:small at revision 0123456, read by datasets."
    assert (catalog.source.dataset, catalog.source.revision) == ("some/tasks", COMMIT)
    assert ids(catalog, split="eval") == IDS[:5]
    assert not any("authorization" in headers for _, _, headers in hub.requests)

    hub.faults.append(Fault("/api/datasets", status=429, headers={"Retry-After": "300"}))
    limited = opened("some/tasks:small")
    assert (limited.status.state, limited.status.wait_seconds, ids(limited)) == ("rate_limited", 300, IDS[:5])
    assert "from the copy kept on this machine, because the Hub limits" in limited.status.sentence


def test_a_pinned_revision_is_read_once_and_a_newer_one_told(hub, opened):
    pinned = opened(f"some/tasks:small@{COMMIT}")
    assert pinned.status.sentence == "Showing 5 tasks of some/tasks:small at revision 0123456, read by datasets."
    hub.requests.clear()
    assert opened(f"some/tasks:small@{COMMIT}").status == pinned.status
    assert hub.requests == []  # a commit doesn't change

    hub.commit = "abc1234" + "0" * 33
    pinned.look_for_newer()
    for thread in threading.enumerate():
        if thread.name == "newer":
            thread.join(10)
    assert pinned.status.newer == "A newer revision of some/tasks exists (abc1234); shown is 0123456."

    vanished = opened(f"some/tasks:all@{COMMIT}")
    assert (vanished.status.state, len(vanished)) == ("not_found", 0)
    assert f"because some/tasks has no revision {COMMIT}, and no copy" in vanished.status.sentence


def test_what_the_hub_does_not_have(hub, opened):
    missing = opened("some/tasks:large")
    assert (missing.status.state, len(missing)) == ("not_found", 0)
    assert "large" in missing.status.sentence

    sft = opened("some/tasks-sft")
    assert sft.status.state == "not_found"
    assert sft.status.sentence == (
        "There are no tasks of some/tasks-sft to show, because it holds 5 trajectories of 2 tasks (`messages`), "
        "without questions and gold answers; the tasks are in some/tasks, and no copy of it is kept on this machine."
    )


def test_a_silent_hub_is_given_up(hub, opened):
    hub.faults.append(Fault(silent=True))
    catalog = opened("some/tasks:all", hub_file_seconds=2)
    assert (catalog.status.state, len(catalog)) == ("timed_out", 0)
    assert "it could not be read within 2 s" in catalog.status.sentence


def test_cells_of_a_csv_file_are_the_text_they_are(tmp_path, opened):
    made = [row | {"answer": gold, "files": str(row["files"])} for row, gold in zip(ROWS, GOLDS, strict=True)]
    with (tmp_path / "test_tasks.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, made[0])
        writer.writeheader()
        writer.writerows(made)
    catalog = opened(tmp_path / "test_tasks.csv")
    read = list(catalog.tasks(Query(split="test")))
    assert [task.answer for task in read] == GOLDS
    assert [list(task.files) for task in read] == [row["files"] for row in ROWS]
    assert [(task.atol, task.difficulty_level) for task in read] == [(1e-3, row["difficulty_level"]) for row in ROWS]
    assert catalog.status.sentence == f"Showing 12 tasks of {tmp_path / 'test_tasks.csv'}, read by datasets."


def test_a_folder_that_save_to_disk_wrote_and_a_file_of_it(tmp_path, converted):
    from datasets import ClassLabel, Dataset, DatasetDict

    whole = Dataset(pa.Table.from_pylist(ROWS, COLUMNS)).cast_column(
        "difficulty_tier", ClassLabel(names=["hard", "easy", "medium"])
    )
    DatasetDict({"dev": whole.select([3, 1]), "train": whole.select(range(5, 9)), "extra": whole}).save_to_disk(
        tmp_path / "saved"
    )
    catalog = converted(tmp_path / "saved")
    assert (ids(catalog, split="eval"), ids(catalog, split="train")) == ([IDS[3], IDS[1]], IDS[5:9])
    assert [task.difficulty_tier for task in catalog.tasks(Query(split="train"))] == [
        row["difficulty_tier"] for row in ROWS[5:9]
    ]
    assert any(line.startswith("data/extra-00000-of-00001.parquet is left out") for line in catalog.status.left_out)

    shutil.copy(next((tmp_path / "saved" / "train").glob("*.arrow")), tmp_path / "rows.arrow")
    assert ids(converted(tmp_path / "rows.arrow"), split="train") == IDS[5:9]


def test_what_is_no_data_is_a_sentence(tmp_path, opened):
    (tmp_path / "broken.json").write_text('{"task_id": [1, ')
    with pytest.raises(HubError, match=r"^datasets can't read it \(") as caught:
        convert(str(tmp_path / "broken.json"), tmp_path / "rows", "")
    assert caught.value.state == "corrupt"
    absent = opened(tmp_path / "absent")
    assert (absent.status.state, len(absent)) == ("not_found", 0)
    assert f"there is no file or folder {tmp_path / 'absent'}" in absent.status.sentence
