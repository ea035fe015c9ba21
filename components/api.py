"""The public API: search tasks, read one (gold withheld), preview a file, grade an answer. Never running code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import gradio as gr
from gradio.events import api

from components.data_preview import file_previewer
from components.grade_panel import GradeAnswer
from components.task_view import task_reader
from services.catalog import ORDERS, Catalog, Query, UnknownTask
from services.datafiles import DataFiles

MAX_PAGE_SIZE = 200


def public_api(catalog: Catalog, datafiles: DataFiles, grade: GradeAnswer) -> None:
    """Register the endpoints on the Blocks being built. A caller's mistake comes back as a `gr.Error` sentence."""
    read = task_reader(catalog, datafiles)
    preview = file_previewer(catalog, datafiles)

    def search_tasks(
        q: str = "",
        split: str = "",
        tier: str = "",
        dataset: str = "",
        mode: str = "",
        order: str = "as listed",
        page: int = 1,
        page_size: int = 50,
    ) -> dict[str, Any]:
        """Find tasks. Empty filters match all; order: `as listed`, `curriculum`, `shuffled`; pages count from 1."""
        given = {"q": q, "split": split, "tier": tier, "dataset": dataset, "mode": mode, "order": order}
        query = Query.from_text({name: _text(name, value) for name, value in given.items()})
        if order and query.order != order:
            raise _mistake(f"order should be one of {', '.join(ORDERS)}.")
        size = max(1, min(MAX_PAGE_SIZE, _whole("page_size", page_size)))
        found = catalog.search(query, page=max(0, _whole("page", page) - 1), size=size)
        shown = {"source": catalog.status.sentence, "state": catalog.status.state}
        return {"total": found.total, "page": found.page + 1, "rows": [asdict(row) for row in found.rows], **shown}

    def read_task(task_id: str) -> dict[str, Any]:
        """One task by its id, with its files and links and without its gold answer."""
        try:
            return read(_text("task_id", task_id))
        except UnknownTask as error:
            raise _mistake(str(error)) from None

    def preview_file(task_id: str, name: str, table: str = "", offset: int = 0) -> dict[str, Any]:
        """Fifty rows of one of a task's files as text, from row `offset` on (counted from 0)."""
        file, sheet = _text("name", name), _text("table", table)
        return _or_error(preview(_text("task_id", task_id), file, sheet or None, _whole("offset", offset)))

    async def grade_answer(task_id: str, prediction: str) -> dict[str, Any]:
        """Grade an answer to a task: reward, method, and what every rung of the ladder found."""
        return _or_error(await grade(_text("task_id", task_id), prediction))

    endpoints: list[Callable[..., Any]] = [search_tasks, read_task, preview_file, grade_answer]
    for endpoint in endpoints:
        api(endpoint, api_name=endpoint.__name__, concurrency_limit=None, api_visibility="public")


def _or_error(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        raise _mistake(str(answer["error"]))
    return answer


def _text(name: str, value: object) -> str:
    """The argument as declared: a client may send any JSON, and null for nothing."""
    if value is None or isinstance(value, str):
        return value or ""
    raise _mistake(f"{name} should be text.")


def _whole(name: str, value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise _mistake(f"{name} should be a whole number.") from None


def _mistake(sentence: str) -> gr.Error:
    return gr.Error(sentence, print_exception=False)
