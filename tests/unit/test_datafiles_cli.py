"""`python -m services.datafiles`, as an operator runs it."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.folder_source import row, write_rows
from tests.hub_files import BUCKET, PREFIX, on_hub
from tests.loopback_hub import COMMIT, Fault

ROOT = Path(__file__).resolve().parents[2]
DATASET = "someone/tasks"


@pytest.fixture
def command(tmp_path):
    named = row("t1", bucket_prefix=PREFIX, hf_bucket=BUCKET, files=["a.csv", "big.csv", "gone.csv"])
    whole = row("t2", bucket_prefix=PREFIX, hf_bucket=BUCKET, files=[])
    write_rows(tmp_path / "tasks", {"train": [named, whole], "test": [row("t")], "eval": [row("e")]})
    with on_hub(tmp_path, {"a.csv": b"a\n1\n", "big.csv": b"1\n" * 500_000}) as hub:
        hub.hub.datasets[DATASET] = (tmp_path / "tasks").resolve()
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TASKS_", "HUB_"))}
        environment = kept | {
            "CACHE_DIR": str(hub.cache),
            "TASKS_DATASET": DATASET,
            "TASKS_REVISION": COMMIT,
            "HF_ENDPOINT": hub.hub.url,
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }

        def run(*arguments, **options):
            line = [sys.executable, "-m", "services.datafiles", *arguments]
            options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
            return subprocess.run(line, cwd=ROOT, env=environment, text=True, timeout=60, check=False, **options)

        yield hub, run


def test_fetch_says_what_came_and_what_did_not_and_status_what_is_there(command):
    hub, run = command
    hub.hub.faults.append(Fault("big.csv", drip=1_000_000, times=1))
    terminal, ours = pty.openpty()
    fetched = run("fetch", "t1", "--source", "hub", stderr=ours)
    os.close(ours)
    shown = os.read(terminal, 100_000).decode()
    os.close(terminal)
    lines = fetched.stdout.splitlines()
    assert (fetched.returncode, lines[0]) == (1, "t1: 3 files, 1.0 MB known")
    assert [line.split("\t")[:2] for line in lines[1:]] == [["a.csv", "4"], ["big.csv", "1000000"]]
    assert "\rbig.csv: 0." in shown
    assert "of 1.0 MB · in all" in shown
    assert "gone.csv: gone.csv is not on the Hub" in shown

    status = run("status", "t1", "--source", "hub")
    assert (status.returncode, status.stderr) == (1, "")
    lines = status.stdout.splitlines()
    assert lines[0].startswith("Cache: ")
    assert lines[1:3] == ["Whole: 2 files, 1.0 MB of 20,000.0 MB", "In part: 0 files, 0.0 MB"]
    assert lines[4:6] == ["a.csv: here, 0.0 MB.", "big.csv: here, 1.0 MB."]
    assert run("status", "t2", "--source", "hub").returncode == 0


def test_an_unknown_task_and_source_are_mistakes_told(command):
    _, run = command
    unknown = run("fetch", "nowhere", "--source", "bundled")
    assert (unknown.returncode, "nowhere" in unknown.stderr, unknown.stdout) == (2, True, "")
    assert run("fetch", "t1", "--source", "/no/such/folder").stderr.startswith("TASKS_SOURCE=/no/such/folder can't be")
