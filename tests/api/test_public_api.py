"""The public API, called as an agent would: through gradio_client over HTTP."""

import json
import urllib.error
import urllib.request

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from tests.folder_source import row, write_rows
from tests.served_app import served_app

GOLD = "quetzalcoatlus-7431"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    tasks = [
        row("bird_1", question="Which flyer is the largest?", answer=GOLD, reward_mode="exact_short"),
        row("half_2", question="What share is it?", answer="0.5", difficulty_tier="hard", difficulty_level=3),
    ]
    write_rows(folder / "source", {"train": tasks, "test": [row("other_3", answer="3, 4", reward_mode="list")]})
    with served_app({"TASKS_SOURCE": str(folder / "source")}, folder / "cache") as (address, _):
        yield address


@pytest.fixture(scope="module")
def client(url):
    return Client(url, verbose=False)


def test_search_filters_and_pages(client):
    found = client.predict(split="train", tier="hard", api_name="/search_tasks")
    assert (found["total"], [row["task_id"] for row in found["rows"]]) == (1, ["half_2"])
    assert client.predict(q="largest", api_name="/search_tasks")["rows"][0]["task_id"] == "bird_1"
    second = client.predict(page=2, page_size=2, api_name="/search_tasks")
    assert (second["total"], second["page"], len(second["rows"])) == (3, 2, 1)


def test_a_task_is_read_without_its_gold(client):
    task = client.predict("bird_1", api_name="/read_task")
    assert task["question"] == "Which flyer is the largest?"
    assert task["input_files"] == [
        {"name": "table.csv", "size": 12, "state": "here", "done": None, "missing": "", "changed": ""}
    ]
    assert (task["files_note"], task["files_failed"]) == ("", False)
    assert "answer" not in task
    assert GOLD not in json.dumps(task)


def test_the_gold_can_not_be_searched_for(client):
    assert client.predict(q=GOLD, api_name="/search_tasks")["total"] == 0
    assert client.predict(q=GOLD[:12], api_name="/search_tasks")["total"] == 0


def test_a_file_is_previewed_as_text(client):
    preview = client.predict("half_2", "table.csv", api_name="/preview_file")
    assert [column["name"] for column in preview["columns"]] == ["a", "b"]
    assert preview["rows"] == [["1", "2"], ["3", "4"]]


def test_an_answer_is_graded_rung_by_rung(client):
    right = client.predict("half_2", "50%", api_name="/grade_answer")
    assert (right["reward"], right["method"], right["outcome"]) == (1.0, "numeric_scaled", "right")
    wrong = client.predict("half_2", "0.6", api_name="/grade_answer")
    assert (wrong["reward"], wrong["method"], wrong["outcome"]) == (0.0, "miss", "wrong")
    assert len(wrong["rungs"]) >= 4


@pytest.mark.parametrize(
    ("arguments", "endpoint", "sentence"),
    [
        (["nowhere"], "/read_task", "nowhere"),
        (["bird_1", "../../etc/passwd"], "/preview_file", "passwd"),
        (["nowhere", "1"], "/grade_answer", "nowhere"),
        ([None, "1"], "/grade_answer", "^There is no task '' among the tasks shown"),
        ([5], "/read_task", r"^task_id should be text\.$"),
        (["bird_1", ["table.csv"]], "/preview_file", r"^name should be text\.$"),
        (["bird_1", "table.csv", "", {}], "/preview_file", r"^offset should be a whole number\.$"),
        ([5], "/search_tasks", r"^q should be text\.$"),
        (["", "", "", "", "", "easiest"], "/search_tasks", "^order should be one of as listed, curriculum, shuffled"),
        (["", "", "", "", "", "as listed", "two"], "/search_tasks", r"^page should be a whole number\.$"),
    ],
)
def test_a_mistake_is_answered_by_a_sentence(client, arguments, endpoint, sentence):
    with pytest.raises(AppError, match=sentence) as caught:
        client.predict(*arguments, api_name=endpoint)
    assert "Traceback" not in str(caught.value)


def _served(url, body):
    request = urllib.request.Request(url + "gradio_api/component_server", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def test_whatever_a_script_sends_to_the_pages_own_functions_is_answered_in_a_sentence(url):
    with urllib.request.urlopen(url + "config") as answer:
        components = json.load(answer)["components"]
    functions = [(each["id"], name) for each in components for name in each["props"].get("server_fns") or []]
    assert {name for _, name in functions} >= {"search", "read_task", "preview", "starter_code", "grade", "reveal"}
    for component, name in functions:
        for data in (None, 5, "bird_1", [{"task_id": "bird_1"}]):
            body = {"session_hash": "a", "component_id": component, "fn_name": name, "data": data}
            assert _served(url, body) == {"error": "The request was not understood: it should be one JSON object."}
    view = next(component for component, name in functions if name == "read_task")
    body = {"session_hash": "a", "component_id": view, "fn_name": "read_task"}
    answer = _served(url, body | {"data": {"task_id": "bird_1", "filters": [1, "tier"]}})
    assert (answer["task"]["task_id"], answer["neighbours"]["total"]) == ("bird_1", 3)
    assert len(_served(url, body | {"data": {"task_id": "x" * 1_000_000}})["error"]) < 200


def test_only_the_four_endpoints_are_public(client):
    named = client.view_api(return_format="dict")["named_endpoints"]
    assert set(named) == {"/search_tasks", "/read_task", "/preview_file", "/grade_answer"}


def test_nothing_can_be_uploaded(url):
    answer = httpx.post(url + "gradio_api/upload", files={"files": ("some.txt", b"more than a byte")})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "path", ["web/../demo/data/train-00000-of-00001.parquet", "web/%2e%2e/demo/README.md", "gradio_api/file=app.py"]
)
def test_no_file_of_the_app_is_served_but_what_the_browser_needs(url, path):
    request = urllib.request.Request(url + path)
    with pytest.raises(urllib.error.HTTPError) as caught:
        urllib.request.urlopen(request)
    assert caught.value.code in {403, 404}
