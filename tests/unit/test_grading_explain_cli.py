"""python -m services.grading --explain: the same lines, with cautions and near misses."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINES = [
    {"gold": "28x28x1", "prediction": "28x28", "reward_mode": "exact_short", "task_id": "t1"},
    {"gold": "yes", "prediction": "ANSWER: yes", "reward_mode": "exact_bool"},
    {"gold": "68.4", "prediction": 68.4, "question": "Which cereal has the highest rating?"},
    {"gold": "68.4", "prediction": "68.4", "question": ["Which?"]},
    {"gold": "5", "cautions": "old", "near_misses": "old", "prediction": ["5"]},
]


def run(*arguments):
    command = [sys.executable, "-m", "services.grading", *arguments]
    given = "\n".join(json.dumps(line) for line in LINES).encode()
    done = subprocess.run(command, cwd=ROOT, input=given, capture_output=True, timeout=60)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_cautions_and_near_misses_are_added_and_nothing_else_changes():
    code, rows = run("--explain")
    _, plain = run()
    assert code == 1
    assert [[each["kind"] for each in row.get("cautions", [])] for row in rows] == [
        ["dimensions"],
        [],
        ["gold_and_question"],
        [],
        [],
    ]
    assert rows[1]["near_misses"] == [
        {"kind": "prefix", "edit": "Leave out “ANSWER:”.", "answer": "yes", "method": "exact"}
    ]
    assert rows[3]["error"] == "question is a list or an object; it should be text."
    assert rows[4] == {"gold": "5", "prediction": ["5"], "error": rows[4]["error"], "line": 5}
    for row, without in zip(rows[:3], plain[:3], strict=True):
        assert "cautions" not in without
        assert {name: row[name] for name in without} == without
