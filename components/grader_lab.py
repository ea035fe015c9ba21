"""The grader lab: any gold, answer, reward mode and tolerances, graded as they are typed."""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr

from components.grade_panel import MAX_ANSWER
from components.pane import pane
from services.grading import Grader

THREADS = 4
VISITORS_KEPT = 1000
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


def grader_lab(grader: Grader) -> gr.HTML:
    """Make the pane. Nothing of a case is kept."""
    threads = ThreadPoolExecutor(THREADS, thread_name_prefix="lab")
    newest = _Newest()

    def graded(gold: str, prediction: str, mode: str, atol: float, rtol: float) -> dict[str, Any]:
        case = {"gold": gold, "reward_mode": mode, "atol": atol, "rtol": rtol}
        return grader.explain(gold, prediction, mode, atol, rtol).as_dict() | case

    async def grade_case(request: dict[str, Any]) -> dict[str, Any]:
        gold, prediction, mode = (request.get(name) for name in ("gold", "prediction", "reward_mode"))
        atol, rtol = (_tolerance(request.get(name)) for name in ("atol", "rtol"))
        if not (isinstance(gold, str) and isinstance(prediction, str) and isinstance(mode, str)):
            return {"error": "Not graded: gold, answer and reward mode should be text."}
        if atol is None or rtol is None:
            return {"error": "Not graded: a tolerance is a number, zero or more."}
        if max(len(gold), len(prediction)) > MAX_ANSWER:
            return {"error": f"Not graded: {MAX_ANSWER:,} characters is the most that can be graded."}
        lock, still_newest = await newest.turn(str(request.get("visitor") or ""))
        try:
            if not still_newest:
                return SUPERSEDED
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(threads, graded, gold, prediction, mode, atol, rtol)
        finally:
            lock.release()

    return pane("grader_lab", "Grader lab", [grade_case])


def _tolerance(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        return None
    return float(value)
