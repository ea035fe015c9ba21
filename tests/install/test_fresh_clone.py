"""The README's two commands in a fresh clone."""

import os
import signal
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.served_app import served_app

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.long, pytest.mark.timeout(2400)]


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clone") / "workbench"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    return folder


def test_make_run_serves_the_page(clone, tmp_path):
    subprocess.run(["make", "setup"], cwd=clone, check=True)
    with served_app({}, tmp_path, command=["make", "run"], cwd=clone) as (url, process):
        with urllib.request.urlopen(url) as answer:
            assert b"SmolDataEnvs Workbench" in answer.read()
        os.killpg(process.pid, signal.SIGTERM)


def test_make_test_passes(clone):
    ended = subprocess.run(["make", "test"], cwd=clone, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout[-4000:]
    assert " passed" in ended.stdout
    assert " failed" not in ended.stdout
