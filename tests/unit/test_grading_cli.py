"""python -m services.grading: a verdict a line, and a bad line does not end the run."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments, given=b""):
    command = [sys.executable, "-m", "services.grading", *arguments]
    done = subprocess.run(command, cwd=ROOT, input=given, capture_output=True, timeout=60)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr.decode()


def test_every_line_comes_out_in_order_with_its_verdict_or_its_error():
    lines = [
        '{"gold": "28x28x1", "prediction": "28x28", "reward_mode": "exact_short", "task_id": "t1", "seed": 7}',
        "",
        '{"gold": "5"',
        '{"gold": "5", "prediction": 5.10, "rtol": 0.05}',
        '{"gold": "5", "prediction": null, "id": 12345678901234567890}',
        '{"prediction": "5", "reward": 1.0}',
        '{"gold": "5", "prediction": ["5"]}',
        '{"gold": "5", "prediction": "5", "atol": "wide"}',
        '{"gold": 1, "prediction": "1.0009", "x": 1e400}',
        '{"gold": "5.10", "prediction": 5.10, "reward_mode": "exact_short"}',
        "[1]",
    ]
    code, rows, _ = run(given="\n".join(lines).encode() + b"\n\xff\n")
    assert code == 1
    assert [(row.get("reward"), row.get("method")) for row in rows] == [
        (1.0, "math_verify"),
        (None, None),
        (1.0, "numeric"),
        (0.0, "miss"),
        (None, None),
        (None, None),
        (None, None),
        (1.0, "numeric"),
        (1.0, "exact"),
        (None, None),
        (None, None),
    ]
    assert (rows[0]["task_id"], rows[0]["seed"], rows[3]["id"]) == ("t1", 7, 12345678901234567890)
    assert [rung["name"] for rung in rows[0]["rungs"]] == ["exact", "numeric", "numeric_scaled", "list", "math_verify"]
    assert rows[7]["x"] == "1e400"
    assert [(row["line"], row["error"]) for row in rows if "error" in row] == [
        (3, "The line is not JSON: Expecting ',' delimiter (character 13)."),
        (6, "There is no gold."),
        (7, "prediction is a list or an object; it should be text."),
        (8, "atol should be a number, zero or more."),
        (11, "The line is JSON, but not an object with gold and prediction."),
        (12, "The line is not UTF-8 text."),
    ]


def test_a_file_of_good_lines_ends_with_0_and_a_missing_file_is_named(tmp_path):
    answers = tmp_path / "answers.jsonl"
    answers.write_text('\ufeff{"gold": "0.5", "prediction": "50", "reward_mode": "numeric"}', encoding="utf-8")
    code, rows, _ = run(str(answers))
    assert (code, rows[0]["method"]) == (0, "numeric_scaled")
    code, rows, said = run(str(tmp_path / "missing.jsonl"))
    assert (code, rows) == (2, [])
    assert said == f"{tmp_path}/missing.jsonl can't be read: No such file or directory.\n"
