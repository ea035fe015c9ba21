"""The public API, called as programs and agents call it: through gradio_client, plain HTTP and an MCP client."""

import asyncio
import json
import urllib.error
import urllib.request

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from components.case import MAX_ANSWER
from services.catalog import ORDERS, REWARD_MODES, SPLITS, TIERS
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


def test_every_filter_counts(client):
    def total(**filters):
        return client.predict(**filters, api_name="/search_tasks")["total"]

    assert total(mode="list") == total(level="3") == 1
    assert total(file_type="csv") == 3
    assert total(dataset="nobody/nothing") == 0
    shuffled = [client.predict(order="shuffled", seed=7, api_name="/search_tasks")["rows"] for _ in range(2)]
    assert shuffled[0] == shuffled[1]


def test_a_task_is_read_without_its_gold(client):
    task = client.predict("bird_1", api_name="/get_task")
    assert (task["question"], task["files"]) == ("Which flyer is the largest?", ["table.csv"])
    assert "answer" not in task
    assert GOLD not in json.dumps(task)


def test_files_are_listed_with_their_sizes(client):
    assert client.predict("bird_1", api_name="/list_files") == {
        "task_id": "bird_1",
        "files": [{"name": "table.csv", "size": 12, "state": "here", "missing": "", "failure": "", "changed": ""}],
        "note": "",
        "failure": "",
        "wait_seconds": None,
    }


def test_the_gold_can_not_be_searched_for(client):
    assert client.predict(q=GOLD, api_name="/search_tasks")["total"] == 0
    assert client.predict(q=GOLD[:12], api_name="/search_tasks")["total"] == 0


def test_a_file_is_previewed_as_text(client):
    preview = client.predict("half_2", "table.csv", api_name="/preview_file")
    assert [column["name"] for column in preview["columns"]] == ["a", "b"]
    assert preview["rows"] == [["1", "2"], ["3", "4"]]


def test_an_answer_is_graded_rung_by_rung(client):
    right = client.predict("half_2", "50%", api_name="/grade")
    assert (right["reward"], right["method"], right["outcome"]) == (1.0, "numeric_scaled", "right")
    assert client.predict("half_2", "50", api_name="/grade")["cautions"] == ["percent_bridge"]
    wrong = client.predict("half_2", "0.6", api_name="/grade")
    assert (wrong["reward"], wrong["method"], wrong["outcome"]) == (0.0, "miss", "wrong")
    numeric = next(rung for rung in wrong["rungs"] if rung["name"] == "numeric")
    assert (numeric["state"], numeric["prediction"]["value"]) == ("failed", 0.6)


@pytest.mark.parametrize("prediction", [GOLD, f"The answer is {GOLD}.", GOLD.replace("-", " "), "7431", "7400"])
def test_grading_never_tells_the_gold(client, prediction):
    """What it says depends on the gold by states, kinds and the rung that matched alone."""
    verdict = client.predict("bird_1", prediction, api_name="/grade")
    for rung in verdict["rungs"]:
        assert set(rung) == {"name", "state", "prediction"}
    own = json.dumps([rung.pop("prediction") for rung in verdict["rungs"]])
    assert GOLD not in json.dumps(verdict)
    assert "7431" in prediction or "7431" not in own
    assert set(verdict) == {
        *("task_id", "outcome", "reward", "method", "reward_mode", "atol", "rtol", "rungs", "cautions")
    }


MISTAKES = [
    (["nowhere"], "/get_task", "nowhere", "not_found"),
    (["nowhere"], "/list_files", "nowhere", "not_found"),
    (["bird_1", "../../etc/passwd"], "/preview_file", "passwd", "not_found"),
    (["nowhere", "1"], "/grade", "nowhere", "not_found"),
    (["bird_1", "1" * (MAX_ANSWER + 1)], "/grade", "Give the final answer alone", "too_large"),
    (["bird_1", 5], "/grade", r"^prediction should be text\.$", "not_understood"),
    ([None, "1"], "/grade", "^There is no task '' among the tasks shown", "not_found"),
    ([5], "/get_task", r"^task_id should be text\.$", "not_understood"),
    (["bird_1", ["table.csv"]], "/preview_file", r"^name should be text\.$", "not_understood"),
    (["bird_1", "table.csv", "", {}], "/preview_file", r"^offset should be a whole number\.$", "not_understood"),
    ([5], "/search_tasks", r"^q should be text\.$", "not_understood"),
    (["", "Train"], "/search_tasks", '^split should be one of "", train, test, eval', "not_understood"),
    (["", "", ["easy"]], "/search_tasks", '^tier should be one of "", easy, medium, hard', "not_understood"),
]


@pytest.mark.parametrize(("arguments", "endpoint", "sentence", "state"), MISTAKES)
def test_a_mistake_is_answered_by_a_sentence_and_a_state(client, arguments, endpoint, sentence, state):
    with pytest.raises(AppError, match=sentence) as caught:
        client.predict(*arguments, api_name=endpoint)
    assert caught.value.title == state
    assert "Traceback" not in str(caught.value)


def test_a_file_of_this_machine_can_not_be_passed_for_text(url):
    file = {"path": "/etc/passwd", "meta": {"_type": "gradio.FileData"}}
    answer = httpx.post(url + "gradio_api/run/grade", json={"data": ["bird_1", file]})
    assert (answer.status_code, answer.json()["error"]) == (500, "prediction should be text.")


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


FIVE = {"/search_tasks", "/get_task", "/list_files", "/preview_file", "/grade"}


def test_only_the_five_endpoints_are_told_and_reached(client, url):
    info = httpx.get(url + "gradio_api/info", params={"all_endpoints": True}).json()
    assert set(info["named_endpoints"]) == FIVE and not info["unnamed_endpoints"]
    config = httpx.get(url + "config").json()
    assert {each["id"] for each in config["dependencies"]} == set(range(5))
    assert httpx.post(url + "gradio_api/run/predict", json={"data": ["bird_1"], "fn_index": 5}).status_code == 500
    assert httpx.post(url + "gradio_api/run/reveal", json={"data": ["bird_1"]}).status_code >= 400
    assert httpx.get(url + "openapi.json").status_code == 404
    assert GOLD not in json.dumps([info, config])


def test_parameters_are_typed_as_the_dataset_has_them(client):
    info = client.view_api(return_format="dict")["named_endpoints"]["/search_tasks"]
    types = {each["parameter_name"]: each["type"] for each in info["parameters"]}
    for name, known in (("split", SPLITS), ("tier", TIERS), ("mode", REWARD_MODES)):
        assert types[name] == {"enum": ["", *known]}
    assert types["order"] == {"enum": list(ORDERS)}
    assert set(info["returns"][0]["type"]["properties"]) == {"total", "page", "rows", "source", "state", "wait_seconds"}


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


def over_mcp(url, talk):
    """What `talk` returns, a coroutine function given an MCP client's session."""

    async def session():
        async with (
            streamable_http_client(url + "gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as client,
        ):
            await client.initialize()
            return await talk(client)

    return asyncio.run(asyncio.wait_for(session(), 120))


def test_the_five_are_mcp_tools_that_say_what_they_do_and_take(url):
    async def offers(client):
        return await client.list_tools(), await client.list_resources(), await client.list_prompts()

    tools, resources, prompts = over_mcp(url, offers)
    assert not resources.resources and not prompts.prompts
    assert {f"/{tool.name}" for tool in tools.tools} == FIVE
    for tool in tools.tools:
        assert tool.description.endswith("."), tool.name
        assert all(each["description"] for each in tool.inputSchema["properties"].values()), tool.name
    required = {tool.name: tool.inputSchema.get("required", []) for tool in tools.tools}
    assert required["preview_file"] == ["task_id", "name"]
    assert not required["search_tasks"]


def test_an_agent_finds_reads_and_grades_over_mcp(url):
    calls = [
        ("search_tasks", {"split": "train", "q": "LARGEST"}),
        ("get_task", {"task_id": "bird_1"}),
        ("list_files", {"task_id": "bird_1"}),
        ("preview_file", {"task_id": "bird_1", "name": "table.csv"}),
        ("grade", {"task_id": "bird_1", "prediction": "Größter Vogel"}),
    ]

    async def talk(client):
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    results = over_mcp(url, talk)
    texts = [content.text for result in results for content in result.content]
    assert not any(result.isError for result in results) and GOLD not in "".join(texts)
    found, task, files, preview, verdict = map(json.loads, texts)
    assert found["rows"][0]["task_id"] == "bird_1"
    assert task["question"] == "Which flyer is the largest?"
    assert files["files"][0]["size"] == 12
    assert preview["rows"] == [["1", "2"], ["3", "4"]]
    assert (verdict["outcome"], verdict["reward"], verdict["method"]) == ("wrong", 0.0, "miss")
    assert "größter vogel" in texts[4]


def test_what_a_tool_can_not_answer_is_said_in_a_sentence(url):
    mistakes = [
        ("get_task", {"task_id": "nowhere"}, "There is no task 'nowhere' among the tasks shown."),
        ("preview_file", {"task_id": "bird_1", "name": "../../../etc/passwd"}, "(state: not_found)"),
        ("preview_file", {"task_id": "bird_1", "name": "/etc/passwd"}, "(state: not_found)"),
        ("search_tasks", {"tier": "Easy"}, "'Easy' is not one of ['', 'easy', 'medium', 'hard']"),
        ("grade", {"task_id": "bird_1"}, "'prediction' is a required property"),
        ("grade", {"task_id": "bird_1", "prediction": {"path": "/etc/passwd"}}, "is not of type 'string'"),
        ("reveal", {"task_id": "bird_1"}, "Unknown tool"),
    ]

    async def talk(client):
        return [await client.call_tool(name, arguments) for name, arguments, _ in mistakes]

    for result, (name, _, sentence) in zip(over_mcp(url, talk), mistakes, strict=True):
        (content,) = result.content
        assert result.isError and sentence in content.text, name
        assert "Traceback" not in content.text and GOLD not in content.text
