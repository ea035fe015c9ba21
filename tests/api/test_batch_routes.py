"""A batch's routes over HTTP, on the whole app: files in, rows out, and who may not."""

import csv
import io
import json
import secrets

import httpx
import pytest

from tests.page_functions import functions_of
from tests.served_app import served_app

BYTES = {"Content-Type": "application/octet-stream"}


@pytest.fixture(scope="module")
def http(tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    with served_app({"BATCH_MB": "1"}, cache) as (url, _), httpx.Client(base_url=url, timeout=60) as client:
        yield client


@pytest.fixture
def token():
    return secrets.token_hex(24)


def send(http, token, name, data, **headers):
    return http.post(
        "batch/file", params={"name": name}, headers={**BYTES, "Visitor-Token": token, **headers}, content=data
    )


def test_a_file_comes_in_and_one_too_large_does_not(http, token):
    answer = send(http, token, "söme & odd.csv", b"task_id,prediction\n")
    assert (answer.status_code, answer.json()) == (200, {"name": "söme & odd.csv", "size": 19})
    answer = send(http, token, "big.csv", b"x" * 1_100_000)
    assert (answer.status_code, answer.json()["detail"]) == (
        413,
        "big.csv was not taken in: 1 MB in all is the most. Give fewer rows or columns.",
    )


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/plain"}, 415),
        ({"Origin": "https://elsewhere.example"}, 403),
        ({"Host": "rebound.example"}, 403),
        ({"Visitor-Token": "short"}, 400),
    ],
)
def test_a_foreign_page_can_not_send_files(http, token, headers, status):
    assert send(http, token, "a.csv", b"x", **headers).status_code == status
    assert http.post("batch/export", json={"token": token, "kind": "csv"}).status_code == 404


def test_an_export_is_asked_for_in_known_terms(http, token):
    assert http.post("batch/export", json={"token": token, "kind": "exe"}).status_code == 400
    assert (
        http.post("batch/export", json={"token": token, "kind": "csv"}, headers={"Origin": "null"}).status_code == 403
    )


@pytest.fixture(scope="module")
def call(http):
    return functions_of(http, "batch_report")


def test_a_batch_from_file_to_rows(http, call, token):
    odd = "=1+1 \ud800"  # a formula to a spreadsheet, and half a surrogate pair
    golds = [("demo_iris_qa_1", "5.552"), ("demo_iris_qa_1", odd), ("no_such_task", "1")]
    rows = "".join(json.dumps({"task_id": id, "prediction": answer}) + "\n" for id, answer in golds)
    assert send(http, token, "run.jsonl", rows.encode()).status_code == 200
    state = call("read_files", {"token": token})
    (run,) = state["counts"]["runs"]
    assert (run["rows"], run["matched"], run["unknown"]["count"]) == (3, 2, 1)
    policy = {"duplicates": "samples"}
    assert call("grade_batch", {"token": token, "policy": policy})["policy"]["duplicates"] == "samples"
    while call("batch_progress", {"token": token})["progress"]["state"] != "done":
        pass
    report = call("read_report", {"token": token})["report"]
    assert report["runs"][0]["outcomes"] | {"right": 1, "wrong": 1} == report["runs"][0]["outcomes"]
    found = call("batch_rows", {"token": token, "filters": {"outcome": "wrong"}})
    assert [row["prediction"] for row in found["rows"]] == ["=1+1 \ufffd"]
    opened = call("batch_row", {"token": token, "row": found["rows"][0]["row"]})
    assert (opened["method"], opened["gold"], opened["prediction"]) == ("miss", "5.552", odd)
    written = http.post("batch/export", json={"token": token, "kind": "csv"})
    table = list(csv.DictReader(io.StringIO(written.text)))
    assert [(row["prediction"], row["reward"], row["method"]) for row in table] == [
        ("5.552", "1.0", "exact"),
        ("=1+1 \\ud800", "0.0", "miss"),
    ]
    assert all("math-verify" in row["grader"] and row["app"] for row in table)
    told = http.post("batch/export", json={"token": token, "kind": "md"}).text
    assert told.startswith("# Batch report") and "50.0%" in told
    assert call("batch_row", {"token": "0" * 48, "row": 1})["gone"]


def test_numbers_and_names_no_batch_has_are_answered(http, call, token):
    rows = json.dumps({"task_id": "demo_iris_qa_1", "prediction": "5.552"})
    assert send(http, token, "run.jsonl", rows.encode()).status_code == 200
    call("read_files", {"token": token})
    call("grade_batch", {"token": token})
    while call("batch_progress", {"token": token})["progress"]["state"] != "done":
        pass
    assert call("batch_row", {"token": token, "row": 10**30})["error"] == "This row is not here any more."
    assert call("batch_rows", {"token": token, "page": 10**30})["total"] == 1
    assert call("batch_rows", {"token": token, "filters": {"run": "\ud800"}})["total"] == 0
    assert call("batch_rows", {"token": token, "flips": {"first": "\ud800", "second": "run"}})["total"] == 0


def test_what_is_no_request_is_answered_in_words(call, token):
    for name in ("read_files", "grade_batch", "batch_rows", "batch_row", "batch_progress", "count_again", "stop_batch"):
        for request in ({}, {"token": 5}, {"token": token, "filters": [1], "policy": 3, "columns": "x", "row": "y"}):
            assert call(name, request)["error"]
