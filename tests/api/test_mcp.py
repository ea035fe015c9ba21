"""The MCP server, as an agent's own client meets it: five tools, answers in JSON, failures in sentences."""

import asyncio
import json

import pytest
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from tests.folder_source import row, write_rows
from tests.served_app import served_app

GOLD = "quetzalcoatlus-7431"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mcp")
    write_rows(folder / "source", {"train": [row("bird_1", question="Größter Flieger?", answer=GOLD)]})
    with served_app({"TASKS_SOURCE": str(folder / "source")}, folder / "cache") as (address, _):
        yield address


def in_session(url, talk):
    async def session():
        async with (
            streamable_http_client(url + "gradio_api/mcp/") as (read, write, _),
            ClientSession(read, write) as client,
        ):
            await client.initialize()
            return await talk(client)

    return asyncio.run(asyncio.wait_for(session(), 120))


def call(url, name, arguments):
    """Whether the call failed, and the text of its one answer."""
    result = in_session(url, lambda client: client.call_tool(name, arguments))
    (content,) = result.content
    return result.isError, content.text


def test_five_tools_say_what_they_do_and_take(url):
    async def offers(client):
        return await client.list_tools(), await client.list_resources(), await client.list_prompts()

    tools, resources, prompts = in_session(url, offers)
    assert not resources.resources and not prompts.prompts
    assert [tool.name for tool in tools.tools] == ["search_tasks", "get_task", "list_files", "preview_file", "grade"]
    for tool in tools.tools:
        assert tool.description.endswith("."), tool.name
        assert all(each["description"] for each in tool.inputSchema["properties"].values()), tool.name
    required = {tool.name: tool.inputSchema.get("required", []) for tool in tools.tools}
    assert required["preview_file"] == ["task_id", "name"]
    assert not required["search_tasks"]


def test_an_agent_finds_reads_and_grades(url):
    def answer(tool, **arguments):
        failed, text = call(url, tool, arguments)
        assert not failed, text
        assert GOLD not in text
        return json.loads(text)

    assert answer("search_tasks", split="train", q="FLIEGER")["rows"][0]["task_id"] == "bird_1"
    assert answer("get_task", task_id="bird_1")["question"] == "Größter Flieger?"
    assert answer("list_files", task_id="bird_1")["files"][0]["size"] == 12
    assert answer("preview_file", task_id="bird_1", name="table.csv")["rows"] == [["1", "2"], ["3", "4"]]
    verdict = answer("grade", task_id="bird_1", prediction="condor")
    assert (verdict["outcome"], verdict["reward"], verdict["method"]) == ("wrong", 0.0, "miss")


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("get_task", {"task_id": "nowhere"}, "There is no task 'nowhere' among the tasks shown."),
        ("preview_file", {"task_id": "bird_1", "name": "../../../etc/passwd"}, "(state: not found)"),
        ("preview_file", {"task_id": "bird_1", "name": "/etc/passwd"}, "(state: not found)"),
        ("search_tasks", {"tier": "Easy"}, "'Easy' is not one of ['', 'easy', 'medium', 'hard']"),
        ("grade", {"task_id": "bird_1"}, "'prediction' is a required property"),
        ("grade", {"task_id": "bird_1", "prediction": {"path": "/etc/passwd"}}, "is not of type 'string'"),
        ("reveal", {"task_id": "bird_1"}, "Unknown tool"),
    ],
)
def test_what_can_not_be_answered_is_said_in_a_sentence(url, name, arguments, sentence):
    failed, text = call(url, name, arguments)
    assert failed and sentence in text
    assert "Traceback" not in text and GOLD not in text
