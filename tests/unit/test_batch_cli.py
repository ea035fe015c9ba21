"""python -m services.grading --report: the numbers of all lines, as JSON and as Markdown."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES = [
    {"gold": "5", "prediction": "5", "task_id": "a", "split": "test", "difficulty_tier": "easy"},
    {"gold": "5", "prediction": "6", "task_id": "a"},
    {"gold": "0.5", "prediction": 50, "reward_mode": "numeric", "task_id": "b", "split": "test", "tier": "hard"},
    {"gold": "x", "prediction": None, "task_id": "c"},
    {"gold": "x", "prediction": "502 Bad Gateway"},
    {"prediction": "5"},
]


def report(kind, lines, *more):
    given = "".join(json.dumps(line) + "\n" for line in lines)
    command = [sys.executable, "-m", "services.grading", "--report", kind, *more]
    done = subprocess.run(command, cwd=ROOT, input=given, capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_the_numbers_of_all_lines_as_json():
    code, out, _ = report("json", LINES)
    told = json.loads(out)
    (run,) = told["runs"]
    assert code == 1
    assert told["counts"]["broken"] == {"count": 1, "examples": ["6: There is no gold."]}
    assert run["outcomes"] == {"right": 2, "wrong": 1, "not gradable": 0, "no answer": 1, "infrastructure": 1}
    assert (run["tasks"], run["all"]["rate"], run["answered"]["rate"]) == (4, 1.5 / 4, 0.75)
    assert run["apart"] == {"error message": 1, "null": 1}
    assert [(tier["value"], tier["all"]["rate"]) for tier in run["groups"]["tier"]] == [
        ("easy", 0.5),
        ("hard", 1.0),
        ("", 0.0),
    ]
    assert told["versions"]["app"].startswith("smoldataenvs-workbench ")


def test_the_numbers_of_all_lines_as_markdown():
    code, out, said = report("markdown", LINES[:3])
    assert (code, said) == (0, "")
    assert "| pass@1, all | 75.0% (" in out
    assert "| numeric\\_scaled | 1 |" in out
    code, out, _ = report("markdown", [])
    assert (code, out.splitlines()[0]) == (0, "# Batch report")


def test_cautions_and_near_misses_are_counted_with_explain():
    lines = [
        {"gold": "yes", "prediction": "ANSWER: yes", "reward_mode": "exact_bool"},
        {"gold": "5", "prediction": "5 of 7"},
        {"gold": "5", "prediction": "5", "cautions": 3},
    ]
    (run,) = json.loads(report("json", lines, "--explain")[1])["runs"]
    assert (run["explained"], run["cautions"]["several_values"], run["near_misses"]["prefix"]) == (3, 1, 1)
    (run,) = json.loads(report("json", lines)[1])["runs"]
    assert (run["explained"], run["cautions"], run["outcomes"]["right"]) == (0, {}, 2)


@pytest.mark.parametrize("kind", ["json", "markdown"])
def test_a_missing_file_is_named(kind):
    command = [sys.executable, "-m", "services.grading", "--report", kind, "missing.jsonl"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "missing.jsonl can't be read: No such file or directory.\n"
