"""How programs and agents use the app: snippets about one task, to be copied and run as they stand."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from typing import Any

import gradio as gr

from components.pane import pane
from services.catalog import Catalog, Query, Task, UnknownTask
from services.catalog.source import Source

APP = "{app}"  # stands for the app's address, ending in a slash, which the browser knows
SOME_ANSWER = "42"

PYTHON = """\
# pip install gradio_client
from gradio_client import Client

app = Client("{app}", verbose=False)  # app.view_api() tells every parameter

found = app.predict(tier="easy", page_size=5, api_name="/search_tasks")
print(found["total"], "easy tasks, such as", [row["task_id"] for row in found["rows"]])

task = app.predict(%(task)s, api_name="/get_task")
print(task["question"])

files = app.predict(task["task_id"], api_name="/list_files")["files"]
for file in files:
    print(file["name"], file["size"], "bytes,", file["state"])
if files:
    preview = app.predict(task["task_id"], files[0]["name"], api_name="/preview_file")
    print([column["name"] for column in preview["columns"]], preview["rows"][:1])

verdict = app.predict(task["task_id"], %(answer)s, api_name="/grade")
print(verdict["outcome"], verdict["reward"], verdict["method"])
"""
FAILURE = """\
from gradio_client import Client
from gradio_client.exceptions import AppError

app = Client("{app}", verbose=False)
try:
    app.predict("no-such-task", api_name="/get_task")
except AppError as failure:
    print(failure.title)  # the state, for programs: not_found
    print(failure.message)  # the sentence, for people
"""
CURL = """\
curl -s "{app}gradio_api/run/grade" \\
  -H "Content-Type: application/json" -d %(body)s
"""
CURL_NAMED = """\
id=$(curl -s "{app}gradio_api/call/v2/search_tasks" \\
  -H "Content-Type: application/json" -d '{"tier": "easy", "page_size": 5}' | cut -d '"' -f 4)
curl -s "{app}gradio_api/call/search_tasks/$id"
"""
MCP = {"mcpServers": {"smoldataenvs": {"type": "http", "url": f"{APP}gradio_api/mcp/"}}}
ROW = """\
# pip install datasets
from datasets import load_dataset

rows = load_dataset(%(dataset)s, revision=%(revision)s, split=%(split)s)
row = next(row for row in rows if row["task_id"] == %(task)s)
print(row["question"], row["files"])
"""


def use_from_code(catalog: Catalog) -> gr.HTML:
    """Make the pane. Its `snippets` answers those about the task asked for, or about an easy one."""

    def snippets(request: dict[str, Any]) -> dict[str, Any]:
        task: Task | None
        try:
            task = catalog.task(str(request.get("task_id") or ""))
        except UnknownTask:
            task = next(catalog.tasks(Query(order="curriculum"), page=0, size=1), None)
        if task is None:
            return {"error": "There is no task to show this with."}
        return {"task_id": task.task_id, "snippets": list(code_snippets(catalog.source, task))}

    return pane("use_from_code", "Use it from code", [snippets])


def code_snippets(source: Source, task: Task) -> Iterator[dict[str, str]]:
    """`{"title", "note", "code"}` of each snippet; in its code `{app}` stands for the app's address."""
    named = {"task": json.dumps(task.task_id), "answer": json.dumps(SOME_ANSWER)}
    body = json.dumps({"data": [task.task_id, SOME_ANSWER]})
    yield _snippet(
        "Python", "All five endpoints: search, get a task, list its files, preview one, grade.", PYTHON % named
    )
    yield _snippet("Python: when something can't be answered", "A failure has a state and a sentence.", FAILURE)
    yield _snippet(
        "curl: in one request",
        "Arguments go in their order; the answer is `data[0]`. A failure has status 500, and its state as `title`.",
        CURL % {"body": shlex.quote(body)},
    )
    yield _snippet("curl: with named arguments", "Ask, then fetch the answer by its id.", CURL_NAMED)
    yield _snippet(
        "MCP",
        "Add this to your MCP client's servers (transport: streamable HTTP). The five endpoints are its tools.",
        json.dumps(MCP, indent=2) + "\n",
    )
    if source.dataset and source.revision:
        row = {"dataset": json.dumps(source.dataset), "revision": json.dumps(source.revision)}
        row |= {"split": json.dumps(task.split), "task": named["task"]}
        yield _snippet("The row, without this app", "It holds the gold too, as `answer`.", ROW % row)


def _snippet(title: str, note: str, code: str) -> dict[str, str]:
    return {"title": title, "note": note, "code": code}
