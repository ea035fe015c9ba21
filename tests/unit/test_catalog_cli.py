"""`python -m services.catalog`, as an operator runs it."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.loopback_hub import Fault, LoopbackHub
from tests.synthetic_source import write_source

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "services.catalog"]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    write_source(folder)
    return folder


@pytest.fixture(scope="module")
def catalog_command(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")

    def run(*arguments, **environment):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TASKS_"))}
        return subprocess.run(
            [*COMMAND, *map(str, arguments)],
            cwd=ROOT,
            env={**kept, "CACHE_DIR": str(cache), **environment},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run


def test_json_holds_all_rows_under_the_datasets_columns(catalog_command, source):
    arguments = ["--source", source, "--split", "eval", "--tier", "hard", "--mode", "numeric", "--json"]
    answer = json.loads(catalog_command(*arguments).stdout)
    table = pq.read_table(source / "data" / "eval-00000-of-00001.parquet").to_pylist()
    wanted = [row for row in table if (row["difficulty_tier"], row["reward_mode"]) == ("hard", "numeric")]
    assert answer == {"total": len(wanted), "rows": [row | {"split": "eval"} for row in wanted]}

    page = json.loads(catalog_command("--source", source, "--json", "--page", 3, "--order", "curriculum").stdout)
    assert (page["total"], len(page["rows"])) == (5394, 50)
    assert {row["difficulty_tier"] for row in page["rows"]} == {"easy"}


def test_the_table_shows_counts_and_rows(catalog_command):
    ended = catalog_command("--source", "bundled", "--file-type", "xlsx")
    lines = ended.stdout.splitlines()
    assert ended.returncode == 0 and ended.stderr == ""
    assert lines[0].startswith("Showing ") and lines[0].endswith(" tasks of the bundled suite.")
    total = next(int(line.split()[0]) for line in lines if line.endswith(" tasks"))
    assert total >= 1 and len(lines) == lines.index(f"{total} tasks") + 1 + total


def test_an_unknown_value_finds_nothing_and_names_the_known(catalog_command, source):
    ended = catalog_command("--source", source, "--split", "validation", "--dataset", "kenya", "--json")
    assert ended.returncode == 2
    assert json.loads(ended.stdout) == {"total": 0, "rows": []}
    assert "--split 'validation' is unknown: it is one of train, test, eval." in ended.stderr
    assert "--dataset 'kenya' is unknown: it is one of 471, such as owner" in ended.stderr


def test_an_unusable_source_or_cache_is_a_sentence(catalog_command, tmp_path):
    ended = catalog_command("--source", tmp_path / "nowhere")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("TASKS_SOURCE=") and "existing folder" in ended.stderr
    (tmp_path / "file").write_text("")
    ended = catalog_command("--source", "bundled", CACHE_DIR=str(tmp_path / "file"))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "Set CACHE_DIR to a folder that can." in ended.stderr and "Traceback" not in ended.stderr


def test_a_silent_hub_holds_up_neither_start_nor_end(catalog_command):
    with LoopbackHub() as hub:
        hub.faults.append(Fault(silent=True))
        began = time.monotonic()
        ended = catalog_command("--source", "auto", HF_ENDPOINT=hub.url)
        assert time.monotonic() - began < 15  # 3 s, and imports on a busy machine; the client alone takes 23 s
    assert ended.returncode == 0
    assert "tasks of the bundled suite, because the Hub did not answer within 1 s" in ended.stdout


def test_two_processes_build_one_index(source, tmp_path):
    environment = {**os.environ, "CACHE_DIR": str(tmp_path), "TASKS_SOURCE": str(source)}
    started = [
        subprocess.Popen([*COMMAND, "--q", "kenya"], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    first, second = (process.communicate(timeout=60)[0] for process in started)
    assert first == second and "337 tasks, page 1 of 7" in first
    assert [path.suffix for path in (tmp_path / "catalog").iterdir()] == [".sqlite"]
