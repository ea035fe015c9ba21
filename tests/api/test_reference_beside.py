"""The dataset's own grader beside ours, on the whole app over a loopback Hub: agreed with, disagreed with, counted."""

import json
import secrets
from pathlib import Path

import httpx
import pytest

from tests.loopback_hub import COMMIT, LoopbackHub
from tests.page_functions import functions_of
from tests.served_app import served_app

STAND_IN = (Path(__file__).resolve().parents[1] / "data" / "reference_grader.py").read_text()
# another rule for one gold alone
DISAGREES = """
agreeing = grade
def grade(gold, *given, **named):
    return {"reward": 0.0, "method": "miss"} if gold == "5.552" else agreeing(gold, *given, **named)
"""


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reference")
    (folder / "repository").mkdir()
    (folder / "repository" / "grader.py").write_text(STAND_IN + DISAGREES)
    with LoopbackHub(datasets={"FineEnvs/SmolDataEnvs": folder / "repository"}) as hub:
        settings = {"REFERENCE_GRADER": "true", "TASKS_REVISION": COMMIT, "HF_ENDPOINT": hub.url}
        with served_app(settings, folder / "cache") as (url, _), httpx.Client(base_url=url, timeout=120) as client:
            yield client


@pytest.mark.parametrize("pane", ["grade_panel", "grader_lab"])
def test_the_two_verdicts_stand_side_by_side(http, pane):
    call = functions_of(http, pane)
    case = {"gold": "1,234.5", "prediction": "1234.5", "reward_mode": "numeric", "atol": 0.001, "rtol": 0.001}
    agreed = {"reward": 1.0, "method": "numeric", "revision": COMMIT, "why_not": "", "disagrees": False}
    assert call("reference_verdict", case) == agreed
    disagreed = {"reward": 0.0, "method": "miss", "revision": COMMIT, "why_not": "", "disagrees": True}
    assert call("reference_verdict", case | {"gold": "5.552", "prediction": "5.552"}) == disagreed
    assert call("reference_verdict", {"gold": 1})["error"] == (
        "Not graded: gold, answer and reward mode should be text."
    )


def test_a_batch_counts_where_the_two_disagree(http):
    call, token = functions_of(http, "batch_report"), secrets.token_hex(24)
    answers = [("demo_iris_qa_1", "5.552"), ("demo_iris_qa_2", "x"), ("demo_stocks_qa_1", "2018-01-01")]
    data = "".join(json.dumps({"task_id": id, "prediction": answer}) + "\n" for id, answer in answers)
    headers = {"Content-Type": "application/octet-stream", "Visitor-Token": token}
    assert http.post("batch/file", params={"name": "run.jsonl"}, headers=headers, content=data).status_code == 200
    call("read_files", {"token": token})
    call("grade_batch", {"token": token})
    while call("batch_progress", {"token": token})["progress"]["state"] not in {"done", "failed"}:
        pass
    (run,) = call("read_report", {"token": token})["report"]["runs"]
    assert run["reference"] == {"agrees": 2, "disagrees": 1}
    found = call("batch_rows", {"token": token, "filters": {"reference": "disagrees"}})
    assert [row["task_id"] for row in found["rows"]] == ["demo_iris_qa_1"]
