"""The task browser: filters, search and the list, whose rows come page by page."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import gradio as gr

from components.pane import pane
from components.progress import Answer, progress_counts, task_picker
from components.queries import query_from
from services.catalog import Catalog

PAGE_SIZE = 50
TRY_SECONDS = 20.0  # a proxy may end an answer that takes a minute: the page asks again


def source_status(catalog: Catalog) -> dict[str, Any]:
    """What the page says of the source shown, and whether trying again could bring another."""
    status = catalog.status
    return {
        "status": " ".join(filter(None, (status.sentence, status.newer))),
        "left_out": list(status.left_out),
        "state": status.state,
        "advice": status.advice,
        "wait_seconds": catalog.seconds_until_next_try,
    }


def task_list(catalog: Catalog) -> Answer:
    """A pane's function `search`: from filters, `page` and `task` to one page of rows, never with a gold in them.

    Without a `page` it is the one with `task` on it; with a `task` its neighbours in the list come too.
    """

    def search(request: dict[str, Any]) -> dict[str, Any]:
        query = query_from(request)
        wanted = str(request.get("page") or "1")  # counted from 1, as in the address
        number = max(0, int(wanted) - 1) if wanted.isdecimal() and len(wanted) < 9 else 0
        task_id = str(request.get("task") or "")
        near = catalog.neighbours(replace(query, without=query.without - {task_id}), task_id) if task_id else None
        if near and near.position is not None and not request.get("page"):
            number = near.position // PAGE_SIZE
        page = catalog.search(query, page=number, size=PAGE_SIZE)
        return {
            "total": page.total,
            "page": page.page,
            "pages": max(1, -(-page.total // PAGE_SIZE)),
            "rows": [vars(row) for row in page.rows],
            "neighbours": near and asdict(near),
            "facets": {name: values for name, values in catalog.facets(query).items() if name != "dataset"},
            **source_status(catalog),
        }

    return search


def task_browser(catalog: Catalog) -> gr.HTML:
    """Make the pane."""

    def datasets(request: dict[str, Any]) -> dict[str, Any]:
        return {"datasets": catalog.datasets(str(request.get("text") or ""))}

    def try_again(_: dict[str, Any]) -> dict[str, Any]:
        """Ask for the source of the settings once more; `trying` while there is no answer yet."""
        before = catalog.source
        ended = catalog.try_again(TRY_SECONDS)
        return source_status(catalog) | {"trying": not ended, "changed": catalog.source != before}

    functions = [task_list(catalog), datasets, try_again, progress_counts(catalog), task_picker(catalog)]
    return pane("task_browser", "Tasks", functions)
