"""The chosen task: its question, tags, sources, prompt and files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import gradio as gr

from components.pane import pane
from components.progress import task_picker
from components.queries import query_from
from services.catalog import Catalog, Task, UnknownTask
from services.catalog.answer_format import asked_format, derived_format
from services.catalog.commands import HARBOR_OF, commands_for
from services.catalog.doubtful import doubted_by_readers
from services.catalog.links import new_discussion, source_links
from services.datafiles import DataFileError, DataFiles
from services.grading.gold_and_question import gold_caution

MOST_NAMED = 10
ASKING_THREADS = 16


def public_task(task: Task) -> dict[str, Any]:
    """The task's columns without its gold answer."""
    shown = asdict(task)
    del shown["answer"]
    return shown


def task_reader(catalog: Catalog, datafiles: DataFiles, *, ask: bool = True) -> Callable[[str], dict[str, Any]]:
    """A function from a task id to all the page may know of that task; raises `UnknownTask`.

    Without `ask` it does not wait for the Hub: `files_pending` says that more may be known of the files by asking.
    """

    def read(task_id: str) -> dict[str, Any]:
        task = catalog.task(task_id)
        links = source_links(task, catalog.source.dataset or None)
        return (
            public_task(task)
            | {"links": [{"label": label, "url": url} for label, url in links]}
            | {"files_pending": not ask and datafiles.on_hub}
            | input_files(task, datafiles, ask=ask)
        )

    return read


def input_files(task: Task, datafiles: DataFiles, *, ask: bool) -> dict[str, Any]:
    """The task's files and what is to be said of them, the Hub asked or not.

    `{"input_files": [{"name", "size", "state", "done", "missing", "failure", "changed"}], "files_note": sentences,
    "files_failure": the state in which asking failed, or empty, "files_seconds": to wait, where the Hub says so}`
    """
    failure = datafiles.ask(task) if ask and datafiles.on_hub else None
    notes = [str(failure)] if failure else []
    try:
        files = datafiles.list(task, ask=ask and not datafiles.on_hub)
    except DataFileError as error:
        return {"input_files": [], "files_note": str(error)} | _failed(error)
    if files and not task.files:
        notes.append("The dataset names no files for this task; these stand in its folder.")
    if files and (more := datafiles.unnamed(task)):
        named = ", ".join(more[:MOST_NAMED]) + (", …" if len(more) > MOST_NAMED else "")
        notes.append(f"The task's folder holds {len(more)} more that the task does not name: {named}.")
    keys = ("name", "size", "state", "done", "missing", "failure", "changed")
    return {
        "input_files": [{key: getattr(file, key) for key in keys} for file in files],
        "files_note": " ".join(notes),
    } | _failed(failure)


def _failed(error: DataFileError | None) -> dict[str, Any]:
    return {"files_failure": error.state if error else "", "files_seconds": getattr(error, "seconds", None)}


def task_comforts(catalog: Catalog, task: Task) -> dict[str, Any]:
    """What helps to solve a task, take it elsewhere and doubt it; nothing in it tells the gold.

    `{"answer_as": {"asked", "derived"}, "doubt": sentence or "", "commands": [{"label", "language", "text", "note"}],
    "report": {"dataset", "revision", "url"}}`; the url is empty where there is nowhere to open a discussion.
    """
    source = catalog.source
    index = catalog.folder_index(task) if source.dataset == HARBOR_OF else None
    commands = commands_for(task, source, index, whole_files=not catalog.status.left_out)
    return {
        "answer_as": {"asked": asked_format(task), "derived": derived_format(task)},
        "doubt": doubt_of(task),
        "commands": [asdict(command) for command in commands],
        "report": {
            "dataset": source.dataset or source.name,
            "revision": source.revision,
            "url": new_discussion(source.dataset) if source.dataset else "",
        },
    }


def doubt_of(task: Task) -> str:
    """Why the gold is doubtful, without telling it; empty where nothing speaks against it."""
    reasons = []
    if doubted_by_readers(task):
        reasons.append("A person who checked this task by hand doubts its gold.")
    if gold_caution(task.answer, task.question):
        reasons.append("The gold is not of the kind that the question asks for.")
    return " ".join(reasons)


def task_view(catalog: Catalog, datafiles: DataFiles) -> gr.HTML:
    """Make the pane. Its `read_task` answers the task and its neighbours in the list the filters give, at once; its
    `files` what the Hub says of the task's files, which may take a while; its `pick_task` an easy one to begin with.
    """
    read = task_reader(catalog, datafiles, ask=False)

    def read_task(request: dict[str, Any]) -> dict[str, Any]:
        task_id = str(request.get("task_id") or "")
        try:
            task = read(task_id)
        except UnknownTask as error:
            return {"error": str(error)}
        filters = request.get("filters")
        query = query_from(filters if isinstance(filters, dict) else {})
        near = catalog.neighbours(replace(query, without=query.without - {task_id}), task_id)
        return {"task": task | task_comforts(catalog, catalog.task(task_id)), "neighbours": asdict(near)}

    # Threads of its own: a Hub that is silent must not take those the rest of the page needs.
    threads = ThreadPoolExecutor(ASKING_THREADS, thread_name_prefix="files")

    def ask(task_id: str) -> dict[str, Any]:
        try:
            return input_files(catalog.task(task_id), datafiles, ask=True)
        except UnknownTask as error:
            return {"error": str(error)}

    async def files(request: dict[str, Any]) -> dict[str, Any]:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, ask, str(request.get("task_id") or ""))

    return pane("task_view", "Task", [read_task, files, task_picker(catalog)])
