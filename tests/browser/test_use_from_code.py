"""The view on using the app from code: what it shows is copied from the page and run, exactly as it stands."""

import json
import subprocess
import sys

from playwright.sync_api import expect


def ran(command, code):
    ended = subprocess.run(command, input=code, text=True, capture_output=True, timeout=120)
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


# runs on its own: the browser's driver holds this thread's event loop
TOOLS_OF = """
import asyncio
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

async def tools_of(config):
    (server,) = config["mcpServers"].values()
    assert server["type"] == "http"
    async with (
        streamable_http_client(server["url"]) as (read, write, _),
        ClientSession(read, write) as client,
    ):
        await client.initialize()
        return [tool.name for tool in (await client.list_tools()).tools]
"""


def test_every_snippet_runs_as_shown(new_visitor, app):
    page = new_visitor("?task=demo_iris_qa_1", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("link", name="Use it from code").click()
    view = page.get_by_role("region", name="Use it from code")
    expect(view.get_by_role("heading", name="MCP")).to_be_visible()
    code = {}
    for title in view.locator("section.card:has(pre) h2").all_text_contents():
        view.get_by_role("button", name=f"Copy: {title}", exact=True).click()
        expect(view.get_by_role("status")).to_have_text("Copied")
        code[title] = page.evaluate("navigator.clipboard.readText()")
        assert code[title] == view.get_by_role("group", name=f"Code: {title}", exact=True).text_content()
        assert app in code[title]

    python = ran([sys.executable, "-"], code.pop("Python")).splitlines()
    assert python[0].startswith("21 easy tasks, such as ['demo_gapminder_qa_1'")
    assert python[1].startswith("What is the mean petal length of the species virginica")
    assert python[2] == "iris.csv 3878 bytes, here"
    assert python[3].startswith("['sepal length (cm)'")
    assert python[4:] == ["wrong 0.0 miss"]
    failure = ran([sys.executable, "-"], code.pop("Python: when something can't be answered"))
    assert failure.splitlines()[0] == "not_found"
    assert failure.splitlines()[1].startswith("There is no task 'no-such-task'")
    graded = json.loads(ran(["bash"], code.pop("curl: in one request")))["data"][0]
    assert (graded["task_id"], graded["outcome"]) == ("demo_iris_qa_1", "wrong")
    event, data = ran(["bash"], code.pop("curl: with named arguments")).strip().splitlines()
    assert event == "event: complete"
    assert json.loads(data.removeprefix("data: "))[0]["total"] == 21
    config = code.pop("MCP")
    tools = ran([sys.executable, "-"], f"{TOOLS_OF}\nprint(asyncio.run(tools_of({config})))")
    assert tools == "['search_tasks', 'get_task', 'list_files', 'preview_file', 'grade']\n"
    assert not code


def test_the_view_fits_a_phone_and_follows_the_task(new_visitor):
    page = new_visitor("?view=code", width=390, height=844)
    view = page.get_by_role("region", name="Use it from code")
    expect(view.get_by_role("group", name="Code: Python", exact=True)).to_contain_text("/get_task")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.goto(page.url + "&task=demo_stocks_qa_1")
    expect(view.get_by_role("group", name="Code: Python", exact=True)).to_contain_text('"demo_stocks_qa_1"')


def test_without_the_app_the_view_says_so_and_tries_again(page):
    expect(page.get_by_role("region", name="Task", exact=True)).to_be_visible()
    page.route("**/component_server/**", lambda route: route.abort())
    page.get_by_role("link", name="Use it from code").click()
    view = page.get_by_role("region", name="Use it from code")
    expect(view).to_contain_text("The snippets did not come. The app did not answer.")
    page.unroute("**/component_server/**")
    view.get_by_role("button", name="Try again").click()
    expect(view.get_by_role("heading", name="MCP")).to_be_visible()
