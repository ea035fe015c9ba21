"""The grade panel: an answer box, the verdict and the ladder, and the gold once it may be seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr

from components.case import MAX_ANSWER
from components.pane import pane
from services.catalog import Catalog, UnknownTask
from services.grading import Grader

GRADING_THREADS = 16


GradeAnswer = Callable[[str, object], Awaitable[dict[str, Any]]]


def answer_grader(catalog: Catalog, grader: Grader) -> GradeAnswer:
    """A coroutine function from a task id and an answer to the verdict on it, every rung explained, and the gold.

    What can't be graded comes back as `{"error": sentence}`.
    """
    # Threads of its own: answers that keep the symbolic workers busy must not take those the rest of the page needs.
    threads = ThreadPoolExecutor(GRADING_THREADS, thread_name_prefix="grade")

    def grade(task_id: str, prediction: object) -> dict[str, Any]:
        if not isinstance(prediction, str):
            return {"error": "The answer was not graded: it should be text."}
        if len(prediction) > MAX_ANSWER:
            return {
                "error": f"The answer was not graded: it has {len(prediction):,} characters, and "
                f"{MAX_ANSWER:,} is the most that can be graded. Give the final answer alone."
            }
        try:
            task = catalog.task(str(task_id))
        except UnknownTask as error:
            return {"error": str(error)}
        explained = grader.explain(
            task.answer, prediction, task.reward_mode, task.atol, task.rtol, question=task.question
        )
        return explained.as_dict() | {
            "task_id": task.task_id,
            "gold": task.answer,
            "reward_mode": task.reward_mode,
            "atol": task.atol,
            "rtol": task.rtol,
        }

    async def grade_in_thread(task_id: str, prediction: object) -> dict[str, Any]:
        return await asyncio.get_running_loop().run_in_executor(threads, grade, task_id, prediction)

    return grade_in_thread


def grade_panel(catalog: Catalog, grade_answer: GradeAnswer, beside: Sequence[Callable[..., Any]]) -> gr.HTML:
    """Make the pane. Its `grade` and `reveal` are the only ways a gold answer reaches the page."""

    async def grade(request: dict[str, Any]) -> dict[str, Any]:
        return await grade_answer(str(request.get("task_id") or ""), request.get("prediction"))

    def reveal(request: dict[str, Any]) -> dict[str, Any]:
        task_id = str(request.get("task_id") or "")
        try:
            return {"gold": catalog.task(task_id).answer}
        except UnknownTask as error:
            return {"error": str(error)}

    return pane("grade_panel", "Grade", [grade, reveal, *beside])
