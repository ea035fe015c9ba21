"""The report of answers that bring their own golds, as `python -m services.grading` grades them."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from services.batch.apart import outcome_of
from services.batch.matching import EXAMPLES, Count, Counts, plain, told_as_batch_error
from services.batch.report import build_report
from services.batch.store import Graded, Store, add_row, queue_all, record, record_findings
from services.batch.versions import Versions, app_version, grader_version

# Of each facet the names a line may give it.
_FACETS = (
    ("split",),
    ("tier", "difficulty_tier"),
    ("level", "difficulty_level"),
    ("mode", "reward_mode"),
    ("dataset", "kaggle_dataset"),
)


def report_of_lines(answers: Iterable[Mapping[str, Any]], explained: bool) -> dict[str, Any]:
    """The report (see `build_report`) of graded lines; one without `reward` counts as broken.

    Of `explained` lines the cautions and near misses are counted.
    A line may name its `task_id`, `run`, `sample` and facets. Lines of one task are its samples; a line without a task
    id is a task of its own.

    Raises:
        BatchError: no temporary file can be written.
    """
    broken: list[str] = []
    count = 0
    with tempfile.TemporaryDirectory() as folder, told_as_batch_error(Path(folder)):
        store = Store(Path(folder) / "batch.sqlite")
        with store.connection() as database:
            for number, answer in enumerate(answers, 1):
                if "reward" in answer:
                    _keep(store, database, number, answer, explained)
                    continue
                count += 1
                if len(broken) < EXAMPLES:
                    broken.append(f"{answer.get('line')}: {answer.get('error')}")
            queue_all(database)
        versions = Versions(grader_version(), "golds of the lines themselves", "", app_version())
        return build_report(store, versions, Counts((), (), Count(count, tuple(broken))))


def _keep(store: Store, database: sqlite3.Connection, number: int, answer: Mapping[str, Any], explained: bool) -> None:
    task_id = _named(answer, ("task_id",)) or f"line {number}"
    store.add_tasks(database, [(task_id, *(_named(answer, names) for names in _FACETS))])
    given = answer.get("prediction")
    prediction = None if given is None else str(given)
    run = _named(answer, ("run",)) or "answers"
    row = add_row(database, "", number, run, _named(answer, ("sample",)), task_id, prediction)
    outcome, kind = outcome_of(answer["outcome"], prediction)
    record(database, row, Graded(outcome, answer["reward"], answer["method"], "", kind))
    if explained:
        record_findings(database, row, (_kinds(answer, "cautions"), _kinds(answer, "near_misses")))


def _named(answer: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((plain(str(answer[name])) for name in names if answer.get(name) is not None), "")


def _kinds(answer: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(finding["kind"] for finding in answer[name])
