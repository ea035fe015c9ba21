"""The dataset's own grader beside ours, where the app was told to run it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple
from typing import Any

from components.case import NoCase, case_of
from services.grading import Grader
from services.reference import ReferenceGrader


def beside(grader: Grader, reference: ReferenceGrader | None) -> list[Callable[[dict[str, Any]], dict[str, Any]]]:
    """A pane's function `reference_verdict`, from a case to what the dataset's own grader says of it; none if off.

    It answers `{reward, method, revision, why_not, disagrees}`, and blocks at its first call until the grader is there.
    """
    if reference is None:
        return []

    def reference_verdict(request: dict[str, Any]) -> dict[str, Any]:
        try:
            case = astuple(case_of(request))
        except NoCase as error:
            return {"error": str(error)}
        theirs, ours = reference.grade(*case), grader.grade(*case, explain=False)
        return theirs.as_dict() | {"disagrees": theirs.disagrees(ours.reward, ours.method)}

    return [reference_verdict]
