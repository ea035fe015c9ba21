"""`python -m services.kernels run`: outputs as JSON lines, and how it ended as the exit code."""

import json
import os
import subprocess
import sys

from tests.kernel_cases import KERNEL_PYTHON


def run(tmp_path, code, *arguments, typed="", **settings):
    program = tmp_path / "program.py"
    program.write_text(code)
    command = [sys.executable, "-m", "services.kernels", "run", str(program), *arguments]
    env = os.environ | {"TASKS_SOURCE": "bundled", "CACHE_DIR": str(tmp_path / "cache")} | settings
    ended = subprocess.run(command, capture_output=True, text=True, env=env, check=False, timeout=60, input=typed)
    return ended.returncode, [json.loads(line) for line in ended.stdout.splitlines()], ended.stderr


def test_a_program_finds_its_tasks_files_and_its_outputs_come_as_json(tmp_path):
    code = "import pandas as pd\niris = pd.read_csv('../input/iris.csv')\nprint(len(iris))\niris['species'].nunique()"
    returned, outputs, _ = run(tmp_path, code, "--task", "demo_iris_qa_1", "--policy", "strict")
    assert returned == 0
    assert outputs[0] == {"output_type": "stream", "name": "stdout", "text": "150\n"}
    assert outputs[1]["data"] == {"text/plain": "3"}
    assert not list((tmp_path / "cache" / "sessions").iterdir())


def test_a_limit_is_exit_code_2_with_its_sentence(tmp_path):
    returned, _, said = run(tmp_path, "while True: pass", KERNEL_CELL_SECONDS="1")
    assert returned == 2
    assert "the longest a cell may run" in said


def test_code_that_can_not_be_confined_is_not_run_and_exit_code_3(tmp_path):
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\n[ "$3" = warm ] && exit 1\nexec {KERNEL_PYTHON} "$1" "$2" kernel null -f "$6"\n')
    python.chmod(0o755)
    returned, outputs, said = run(tmp_path, "print(1)", "--policy", "strict", KERNEL_PYTHON=str(python))
    assert (returned, outputs) == (3, [])
    assert "Kernels are off" in said


def test_what_can_not_be_read_is_said(tmp_path):
    returned, outputs, said = run(tmp_path, "1", "--task", "no_such_task")
    assert (returned, outputs) == (1, [])
    assert "no_such_task" in said


def test_input_takes_a_line_of_standard_input_and_ends_with_it(tmp_path):
    returned, outputs, said = run(tmp_path, "print(input('Name? ').upper())\ninput('Again? ')", typed="ada\n")
    assert "ADA" in "".join(output.get("text", "") for output in outputs)
    assert "Name?" in said and "Again?" in said
    assert "standard input has ended" in said
    assert returned == 1 and "error" in {output["output_type"] for output in outputs}
