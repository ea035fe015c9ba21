"""The public API, also offered as MCP tools: search tasks, get one, list and preview its files, grade an answer.

It never runs code, and no answer holds or tells a gold.
"""

# Annotations are left as types: Gradio reads the schemas of the endpoints from them.
import asyncio
import functools
import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Literal, TypeVar, get_args

import gradio as gr
from gradio.events import api

from components.api_answers import FoundTasks, Graded, Link, PublicTask, Refusal, TaskFiles, graded, task_files
from components.case import MAX_ANSWER
from components.data_preview import file_previewer
from components.grade_panel import GradeAnswer
from components.task_browser import source_status
from components.task_view import input_files, public_task
from services.catalog import Catalog, Query, Task, UnknownTask
from services.catalog.links import source_links
from services.datafiles import DataFiles

MAX_PAGE_SIZE = 200
FILE_THREADS = 16

Split = Literal["", "train", "test", "eval"]
Tier = Literal["", "easy", "medium", "hard"]
Mode = Literal["", "numeric", "exact_short", "list", "flexible", "exact_bool", "list_csv"]
Order = Literal["as listed", "curriculum", "shuffled"]
Answer = TypeVar("Answer")


def public_api(catalog: Catalog, datafiles: DataFiles, grade_answer: GradeAnswer) -> None:
    """Register the endpoints on the Blocks being built. What can't be answered is raised as a `Refusal`."""
    reach = _Reach(catalog, datafiles)

    def search_tasks(
        q: str = "",
        split: Split = "",
        tier: Tier = "",
        level: str = "",
        mode: Mode = "",
        dataset: str = "",
        file_type: str = "",
        order: Order = "as listed",
        seed: int = 0,
        page: int = 1,
        page_size: int = 50,
    ) -> FoundTasks:
        """Find data-analysis tasks by filters and text, page by page. A task must pass every filter; "" passes all.

        Args:
            q: Text to find in the question, task id, dataset or a file's name. Letter case doesn't matter.
            split: Split of the dataset.
            tier: Difficulty tier.
            level: Difficulty level, from 1 to 5.
            mode: Reward mode: how an answer is compared with the gold first.
            dataset: Whole name of the Kaggle dataset, as owner/slug.
            file_type: Ending of one of the task's files, such as csv.
            order: As listed in the dataset, curriculum (easiest first), or shuffled by the seed.
            seed: The same seed always gives the same shuffled order.
            page: Page to show, from 1. A page past the end is the last one.
            page_size: Tasks on a page, from 1 to 200.
        """
        _one_of("split", split, Split)
        _one_of("tier", tier, Tier)
        _one_of("mode", mode, Mode)
        _one_of("order", order, Order)
        given = {"q": q, "split": split, "tier": tier, "level": level, "mode": mode, "dataset": dataset}
        given |= {"file_type": file_type, "order": order, "seed": str(_whole("seed", seed))}
        query = Query.from_text({name: _text(name, value) for name, value in given.items()})
        size = max(1, min(MAX_PAGE_SIZE, _whole("page_size", page_size)))
        found = catalog.search(query, page=max(0, _whole("page", page) - 1), size=size)
        status = source_status(catalog)
        return {
            "total": found.total,
            "page": found.page + 1,
            "rows": [asdict(row) for row in found.rows],
            "source": catalog.status.sentence,
            "state": status["state"],
            "wait_seconds": status["wait_seconds"],
        }

    def get_task(task_id: str) -> PublicTask:
        """Get one task: its question, the full prompt for an agent, how answers are graded, and where it comes from.
        The gold answer is withheld.

        Args:
            task_id: Id of the task, as search_tasks gives it.
        """
        task = reach.task(task_id)
        links: list[Link] = [
            {"label": label, "url": url} for label, url in source_links(task, catalog.source.dataset or None)
        ]
        return {**public_task(task), "links": links}  # type: ignore[typeddict-item]

    async def list_files(task_id: str) -> TaskFiles:
        """List a task's data files: name, size in bytes, and whether each is here, still to be fetched, or missing.

        Args:
            task_id: Id of the task, as search_tasks gives it.
        """
        return await reach.in_thread(reach.files, reach.task(task_id))

    async def preview_file(task_id: str, name: str, table: str = "", offset: int = 0) -> dict[str, Any]:
        """Read fifty rows of one of a task's data files as the text that stands in it, with its columns and their
        estimated types. A file on the Hub is fetched first, which may take a while.

        Args:
            task_id: Id of the task, as search_tasks gives it.
            name: Name of the file, as list_files gives it.
            table: Sheet or table of the file; "" for the first.
            offset: First row to show, counted from 0.
        """
        task, file, sheet, start = reach.task(task_id), _text("name", name), _text("table", table), offset
        return await reach.in_thread(reach.preview, task, file, sheet, _whole("offset", start))

    async def grade(task_id: str, prediction: str) -> Graded:
        """Grade an answer to a task with the deterministic ladder: exact, numeric, list, symbolic. Reward is 1 or 0;
        it is null where the comparison could not be run, which is not a wrong answer. The gold is not told.

        Args:
            task_id: Id of the task, as search_tasks gives it.
            prediction: The final answer alone: a bare number, a short label, yes or no, or a comma-separated list.
        """
        task = reach.task(task_id)
        if not isinstance(prediction, str):
            raise Refusal("prediction should be text.", "not_understood")
        state = "too_large" if len(prediction) > MAX_ANSWER else "not_gradable"
        return graded(_or_refused(await grade_answer(task.task_id, prediction), state))

    endpoints: list[Callable[..., Any]] = [search_tasks, get_task, list_files, preview_file, grade]
    for endpoint in endpoints:
        # outside the queue: one request is enough to call it, and nobody waits for another's
        api(endpoint, api_name=endpoint.__name__, queue=False, concurrency_limit=None, api_visibility="public")


def answer_mcp_in_json(page: gr.Blocks) -> None:
    """Have the MCP server of the mounted `page` write answers as JSON; Gradio writes them as Python does."""
    server = page.mcp_server_obj
    if server is None:
        raise RuntimeError(page.mcp_error or "The page was mounted without its MCP server.")
    text = server.types.TextContent

    def as_json(data: list[Any], root_url: str) -> list[Any]:
        return [text(type="text", text=json.dumps(each, ensure_ascii=False)) for each in data]

    server.postprocess_output_data = as_json  # type: ignore[method-assign]


class _Reach:
    """What the endpoints reach of tasks and their files; a failure is a `Refusal` with its state."""

    def __init__(self, catalog: Catalog, datafiles: DataFiles) -> None:
        self._catalog = catalog
        self._datafiles = datafiles
        self._preview = file_previewer(catalog, datafiles)
        # Threads of its own: a Hub that is silent must not take those the rest of the page needs.
        self._threads = ThreadPoolExecutor(FILE_THREADS, thread_name_prefix="api")

    async def in_thread(self, call: Callable[..., Answer], *arguments: Any) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self._threads, functools.partial(call, *arguments))

    def task(self, task_id: object) -> Task:
        try:
            return self._catalog.task(_text("task_id", task_id))
        except UnknownTask as error:
            raise Refusal(str(error), "not_found") from None

    def files(self, task: Task) -> TaskFiles:
        found = input_files(task, self._datafiles, ask=True)
        if found["files_failure"] and not found["input_files"]:
            raise Refusal(found["files_note"], found["files_failure"], found["files_seconds"])
        return task_files(task.task_id, found)

    def preview(self, task: Task, name: str, table: str, offset: int) -> dict[str, Any]:
        return _or_refused(self._preview(task.task_id, name, table or None, offset), "not_readable")


def _or_refused(answer: dict[str, Any], state: str) -> dict[str, Any]:
    if "error" in answer:
        raise Refusal(str(answer["error"]), str(answer.get("state", state)), answer.get("seconds"))
    return answer


def _one_of(name: str, value: object, choices: Any) -> None:
    """A client may send any JSON, and null for nothing."""
    if value is not None and value not in get_args(choices):
        listed = ", ".join(choice or '""' for choice in get_args(choices))
        raise Refusal(f"{name} should be one of {listed}.", "not_understood")


def _text(name: str, value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    raise Refusal(f"{name} should be text.", "not_understood")


def _whole(name: str, value: Any) -> int:
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise Refusal(f"{name} should be a whole number.", "not_understood") from None
