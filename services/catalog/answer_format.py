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
    near = f"a number within {_percent(task.rtol)} or {task.atol:g} of the gold counts as right"
    return {
        "numeric": f"one number; {near}",
        "flexible": f"one number or a short text; {near}",
        "exact_short": "a short label; letter case and spaces at its ends do not count",
        "exact_bool": "yes or no, or True or False, as the question puts it",
        "list": f"a list with commas between its items, in any order; in an item {near}",
        "list_csv": f"a list with commas between its items, in any order; in an item {near}",
    }.get(task.reward_mode, "one clean value")


def _percent(share: float) -> str:
    return f"{share * 100:g}%"
