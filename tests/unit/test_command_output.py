"""The command lines, when what reads their output has seen enough, or the disk it goes to is full."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "pyproject.toml"
COMMANDS = {
    "catalog": (["--source", "bundled", "--json"], b""),
    "grading": ([], b'{"gold": "1", "prediction": "1"}\n'),
    "tables": ([str(TABLE)], b""),
}


def run(name, cache, output):
    arguments, given = COMMANDS[name]
    command = [sys.executable, "-m", f"services.{name}", *arguments]
    environment = os.environ | {"CACHE_DIR": str(cache)}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, input=given, stdout=output, stderr=subprocess.PIPE, timeout=60, check=False
    )
    return done.returncode, done.stderr.decode()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_reader_that_left_ends_the_command_quietly(name, tmp_path):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as output:
        assert run(name, tmp_path, output) == (0, "")


@pytest.mark.parametrize("name", COMMANDS)
def test_a_full_disk_is_told_in_a_sentence(name, tmp_path):
    with Path("/dev/full").open("wb") as output:
        code, said = run(name, tmp_path, output)
    assert code != 0
    assert said.count("\n") == 1
    assert "No space left on device." in said
