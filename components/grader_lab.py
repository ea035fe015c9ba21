"""The grader lab: any gold, answer, reward mode and tolerances, graded as they are typed."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, astuple
from typing import Any

import gradio as gr

from components.case import NoCase, case_of
from components.pane import pane
from services.catalog.answer_format import mode_format
from services.grading import Case, Grader

THREADS = 4
VISITORS_KEPT = 1000
_NAME_LETTERS = 48
SUPERSEDED = {"error": "A newer text is graded in its place."}


class _Newest:
    """One case of each visitor at a time; of those that wait, the newest alone goes on."""

    def __init__(self) -> None:
        self._visitors: OrderedDict[str, tuple[asyncio.Lock, list[object]]] = OrderedDict()

    async def turn(self, visitor: str) -> tuple[asyncio.Lock, bool]:
        """The visitor's lock, taken, and whether this is still the newest of theirs."""
        mine = object()
        lock, newest = self._visitors.setdefault(visitor, (asyncio.Lock(), []))
        self._visitors.move_to_end(visitor)
        while len(self._visitors) > VISITORS_KEPT:
            self._visitors.popitem(last=False)
        newest[:] = [mine]
        await lock.acquire()
        return lock, newest[0] is mine


def grader_lab(grader: Grader, beside: Sequence[Callable[..., Any]]) -> gr.HTML:
    """Make the pane. Nothing of a case is kept."""
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lab")
    newest = _Newest()

    def graded(case: Case) -> dict[str, Any]:
        given = asdict(case)
        del given["prediction"]
        compared = {"graded_as": mode_format(case.reward_mode, "within the tolerances")}
        return grader.explain(*astuple(case)).as_dict() | given | compared

    async def grade_case(request: dict[str, Any]) -> dict[str, Any]:
        try:
            case = case_of(request)
        except NoCase as error:
            return {"error": str(error)}
        lock, still_newest = await newest.turn(str(request.get("visitor") or "")[:_NAME_LETTERS])
        try:
            if not still_newest:
                return SUPERSEDED
            return await asyncio.get_running_loop().run_in_executor(threads, graded, case)
        finally:
            lock.release()

    return pane("grader_lab", "Grader lab", [grade_case, *beside])
