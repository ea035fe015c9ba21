"""The batch: files of predictions in, what there is of them before grading, and the numbers and rows after."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import Any, Literal, cast
from weakref import WeakValueDictionary

import gradio as gr

from components.grade_panel import GradeAnswer
from components.pane import pane
from services.batch import FILTERS, Batch, BatchError, Batches, Columns, ColumnsUnclear, Policy, UnreadableFile
from services.batch.visitors import Visitor
from services.catalog import SPLITS

PAGE = 50
THREADS = 8
_MOST_PAGES = 10**6
_MOST_ROWS = 10**9
_GONE = {"error": "The batch is not here any more. Choose the files again.", "gone": True}


Answer = dict[str, Any]


class _Turns:
    """What a visitor asks for, one after the other: reading files takes long, and none may take all the threads.

    The threads are the batches' own, so that they never take those the rest of the page needs.
    """

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="batch-page")
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def of(self, answer: Callable[[Answer], Answer]) -> Callable[[Answer], Coroutine[Any, Any, Answer]]:
        """`answer` in the visitor's turn; a batch that can't be read or kept is told in a sentence."""

        @functools.wraps(answer)
        async def in_turn(request: Answer) -> Answer:
            async with self._locks.setdefault(_token(request), asyncio.Lock()):
                try:
                    return await asyncio.get_running_loop().run_in_executor(self._threads, answer, request)
                except BatchError as error:
                    return {"error": str(error)}

        return in_turn


def batch_report(batches: Batches, grade: GradeAnswer) -> gr.HTML:
    """Make the pane. Files come in, and rows go out, by routes of their own."""
    turns = _Turns()

    def batch_of(request: Answer) -> Batch | None:
        visitor = batches.visitor(_token(request))
        return visitor.batch if visitor else None

    def batch_state(request: dict[str, Any]) -> dict[str, Any]:
        """What is here of this visitor: their files, the counts of a plan, the progress of a batch."""
        visitor = batches.visitor(_token(request))
        if visitor is None:
            return {"files": [], "counts": None, "progress": None, "policy": None}
        return _state(visitor)

    def remove_file(request: dict[str, Any]) -> dict[str, Any]:
        number = request.get("number")
        if isinstance(number, int):
            batches.remove_file(_token(request), number)
        return batch_state(request)

    def example_file(_: dict[str, Any]) -> dict[str, Any]:
        return {"csv": batches.example()}

    def read_files(request: dict[str, Any]) -> dict[str, Any]:
        """Match the files with the tasks: the state, or which columns of a file are in question."""
        try:
            batches.read(_token(request), _columns(request.get("columns")))
        except ColumnsUnclear as unclear:
            return {
                "unclear": {
                    "message": str(unclear),
                    "file": unclear.file,
                    "columns": unclear.columns,
                    "found": asdict(unclear.found),
                }
            }
        except (UnreadableFile, BatchError) as error:
            return {"error": str(error)}
        return batch_state(request)

    def count_again(request: dict[str, Any]) -> dict[str, Any]:
        visitor = batches.visitor(_token(request))
        if visitor is None or visitor.plan is None:
            return _GONE
        return {"counts": visitor.plan.counts(_policy(request)).as_dict()}

    def grade_batch(request: dict[str, Any]) -> dict[str, Any]:
        batches.start(_token(request), _policy(request))
        return batch_state(request)

    def stop_batch(request: dict[str, Any]) -> dict[str, Any]:
        batch = batch_of(request)
        if batch is None:
            return _GONE
        batch.stop()
        return {"progress": batch.progress().as_dict()}

    def go_on(request: dict[str, Any]) -> dict[str, Any]:
        batch = batches.go_on(_token(request))
        return {"progress": batch.progress().as_dict()} if batch else _GONE

    def batch_progress(request: dict[str, Any]) -> dict[str, Any]:
        batch = batch_of(request)
        return {"progress": batch.progress().as_dict()} if batch else _GONE

    def read_report(request: dict[str, Any]) -> dict[str, Any]:
        """The numbers so far, and the progress that goes with them."""
        batch = batch_of(request)
        if batch is None:
            return _GONE
        progress, report = batch.look()
        return {"progress": progress.as_dict(), "report": report}

    def batch_rows(request: dict[str, Any]) -> dict[str, Any]:
        """A page of graded rows, or (`flips`) of the tasks that two runs differ on."""
        batch = batch_of(request)
        if batch is None:
            return _GONE
        page = request.get("page")
        offset = PAGE * (page if isinstance(page, int) and 0 < page < _MOST_PAGES else 0)
        flips = request.get("flips")
        if isinstance(flips, dict):
            first, second, won = (_text(flips.get(name) or "") for name in ("first", "second", "won"))
            only = cast(Literal["first", "second", ""], won if won in {"first", "second"} else "")
            found = batch.flips(first, second, only, offset, PAGE)
            return {"total": found.total, "page_size": PAGE, "flips": [flip.as_dict() for flip in found.flips]}
        given = request.get("filters")
        filters = {name: _text(given[name]) for name in FILTERS if given.get(name)} if isinstance(given, dict) else {}
        rows = batch.rows(filters, offset, PAGE)
        return {"total": rows.total, "page_size": PAGE, "rows": [row.as_dict() for row in rows.rows]}

    async def batch_row(request: dict[str, Any]) -> dict[str, Any]:
        """One row's whole answer, graded again with every rung explained."""
        found = await turns.of(row_of)(request)
        row = found.get("row")
        if row is None:
            return found
        if row.prediction is None:
            return {"error": "The file has no value here, so there is nothing to grade."}
        return await grade(row.task_id, row.prediction) | {"prediction": row.prediction}

    def row_of(request: dict[str, Any]) -> dict[str, Any]:
        batch, number = batch_of(request), request.get("row")
        if batch is None or not isinstance(number, int):
            return _GONE
        try:
            return {"row": batch.row(min(max(number, 0), _MOST_ROWS))}
        except (KeyError, BatchError):
            return {"error": "This row is not here any more."}

    functions = [
        batch_state,
        remove_file,
        example_file,
        read_files,
        count_again,
        grade_batch,
        stop_batch,
        go_on,
        batch_progress,
        read_report,
        batch_rows,
    ]
    return pane("batch_report", "Batch", [*map(turns.of, functions), batch_row])


def _state(visitor: Visitor) -> dict[str, Any]:
    with visitor.lock:
        taken = visitor.plan.files if visitor.plan else [None] * len(visitor.files)
        return {
            "files": [
                {"name": file.name, "size": file.size}
                | ({"columns": read.all_columns, "found": asdict(read.columns)} if read else {})
                for file, read in zip(visitor.files, taken, strict=True)
            ],
            "counts": visitor.plan.counts(visitor.batch.policy if visitor.batch else None).as_dict()
            if visitor.plan
            else None,
            "progress": visitor.batch.progress().as_dict() if visitor.batch else None,
            "policy": asdict(visitor.batch.policy) if visitor.batch else None,
        }


def _token(request: Mapping[str, Any]) -> str:
    return str(request.get("token") or "")


def _text(value: object) -> str:
    """As the batch keeps names: half surrogate pairs replaced."""
    return str(value).encode("utf-8", "replace").decode()


def _policy(request: Mapping[str, Any]) -> Policy:
    """The policy asked for; what it doesn't name, or names wrongly, is the default."""
    given = request.get("policy")
    if not isinstance(given, dict):
        return Policy()
    duplicates, missing, splits = (given.get(name) for name in ("duplicates", "missing", "splits"))
    return Policy(
        duplicates if duplicates in ("first", "last", "samples") else "first",
        missing if missing in ("leave out", "count as wrong") else "leave out",
        tuple(split for split in SPLITS if split in splits) if isinstance(splits, list) else (),
    )


def _columns(given: object) -> dict[str, Columns]:
    """By a file's name, the columns a person chose."""
    if not isinstance(given, dict):
        return {}
    return {
        str(file): Columns(*(str(chosen.get(part) or "") for part in ("task_id", "prediction", "sample", "run")))
        for file, chosen in given.items()
        if isinstance(chosen, dict)
    }
