"""The chosen task: its question, tags, sources, prompt and files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import gradio as gr

from components.pane import pane
from components.task_browser import query_from
from services.catalog import Catalog, Task, UnknownTask
from services.catalog.links import source_links
from services.datafiles import DataFileError, DataFiles


def public_task(task: Task) -> dict[str, Any]:
    """The task's columns without its gold answer."""
    shown = asdict(task)
    del shown["answer"]
    return shown


def task_reader(catalog: Catalog, datafiles: DataFiles) -> Callable[[str], dict[str, Any]]:
    """A function from a task id to all the page may know of that task; raises `UnknownTask`."""

    def read(task_id: str) -> dict[str, Any]:
        task = catalog.task(task_id)
        try:
            files = [{"name": file.name, "size": file.size} for file in datafiles.list(task)]
            files_note = "" if task.files else "The dataset names no files for this task; these stand in its folder."
        except DataFileError as error:
            files, files_note = [], str(error)
        links = source_links(task, catalog.source.dataset or None)
        return public_task(task) | {
            "input_files": files,
            "files_note": files_note,
            "links": [{"label": label, "url": url} for label, url in links],
        }

    return read


def task_view(catalog: Catalog, datafiles: DataFiles) -> gr.HTML:
    """Make the pane. Its `read_task` answers the task and its neighbours in the list the filters give."""
    read = task_reader(catalog, datafiles)

    def read_task(request: dict[str, Any]) -> dict[str, Any]:
        task_id = str(request.get("task_id") or "")
        try:
            task = read(task_id)
        except UnknownTask as error:
            return {"error": str(error)}
        filters = request.get("filters")
        near = catalog.neighbours(query_from(filters if isinstance(filters, dict) else {}), task_id)
        return {"task": task, "neighbours": asdict(near)}

    return pane("task_view", "Task", [read_task])
