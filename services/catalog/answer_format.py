"""How a task wants its answer: in the words of its prompt, and by what its reward mode compares."""

from __future__ import annotations

import re

from services.catalog.task import Task

_ASKED = re.compile(r"^[ \t>*-]*answer as:[ \t]*(\S.*?)\s*$", re.IGNORECASE | re.MULTILINE)


def asked_format(task: Task) -> str:
    """What the prompt's own line "Answer as: …" asks for; empty for the many tasks that have none."""
    found = _ASKED.findall(task.instruction)
    return found[-1] if found else ""  # a question quoted above it may hold such a line too


def derived_format(task: Task) -> str:
    """What an answer should look like by the task's reward mode and tolerances, and what is let pass."""
    return mode_format(task.reward_mode, f"within {_percent(task.rtol)} or {task.atol:g} of the gold")


def mode_format(mode: str, near: str = "within the task's tolerances of the gold") -> str:
    """What an answer should look like in a reward mode; `near` says which numbers count as right."""
    number = f"a number {near} counts as right"
    items = f"a list with commas between its items (the grader does not look at their order); in an item {number}"
    return {
        "numeric": f"one number; {number}",
        "flexible": f"one number or a short text; {number}",
        "exact_short": "a short label; letter case and spaces at its ends do not count",
        "exact_bool": "yes or no, or True or False, as the question puts it",
        "list": items,
        "list_csv": items,
    }.get(mode, "one clean value")


def _percent(share: float) -> str:
    return f"{share * 100:g}%"
