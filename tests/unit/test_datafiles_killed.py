"""An app killed at any moment leaves every file absent or whole, and the next start goes on."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hub_files import on_hub, task
from tests.loopback_hub import Fault

ROOT = Path(__file__).resolve().parents[2]
FILES = {f"{number}.bin": os.urandom(400_000) for number in range(4)}
# What an app does: the task's files, one after another
FETCH = """
import sys
from pathlib import Path
from services.catalog.source import Source
from services.datafiles import DataFiles
from tests.hub_files import task
files = DataFiles(Source("the Hub", None, "org/name", endpoint=sys.argv[1]), Path(sys.argv[2]), 30)
print("ready", flush=True)
print(all(isinstance(each, Path) for each in files.inputs(task(*sys.argv[3:])).values()), flush=True)
"""


def fetching(hub):
    command = [sys.executable, "-c", FETCH, hub.hub.url, str(hub.cache), *FILES]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": str(ROOT)})
    assert process.stdout.readline() == b"ready\n"
    return process


@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.long)])
def test_a_killed_download_leaves_no_half_file(tmp_path, kills):
    chance = random.Random(kills)
    with on_hub(tmp_path, FILES) as hub:
        hub.hub.faults.append(Fault("/resolve/", drip=1_000_000))  # a file takes 0.4 s
        for _ in range(kills):
            process = fetching(hub)
            time.sleep(chance.uniform(0, 0.7))
            process.send_signal(signal.SIGKILL)
            process.wait()
            process.stdout.close()
            assert all(content in FILES.values() for content in hub.whole())
            if len(hub.whole()) == len(FILES):
                for path in (hub.cache / "files" / "whole").rglob("*.bin"):
                    path.unlink()
        hub.hub.faults.clear()
        found = hub.files(30).inputs(task(*FILES))
        assert {name: path.read_bytes() for name, path in found.items()} == FILES
        assert hub.parts() == []
