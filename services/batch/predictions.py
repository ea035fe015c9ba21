"""Predictions from a file: which columns hold them, and one prediction at a time, as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from services.batch.formats import VALUE_LIMIT, BrokenRecord, RecordFile, UnreadableFile, open_records

TASK_ID = ("task_id", "taskid", "instance_id", "task", "id", "problem_id", "question_id", "example_id")
# one of the first decides; of the second, several in one file can't be told apart
PREDICTION = ("prediction", "predicted_answer", "final_answer", "model_answer", "predicted", "pred")
PREDICTION_PERHAPS = ("answer", "response", "output", "completion", "model_output", "submission")
SAMPLE = (
    *("sample", "sample_id", "sample_number", "sample_index", "sample_idx", "rollout", "rollout_id", "rollout_number"),
    *("attempt", "attempt_id", "attempt_number", "trial", "trial_id", "k"),
)
RUN = ("run", "run_name", "run_id", "model", "model_name")
OF_THE_DATASET = {"reward_mode", "source_row_id"}  # beside these, `answer` is the gold


@dataclass(frozen=True)
class Columns:
    """The columns that hold each part; an empty name is a part the file doesn't have."""

    task_id: str
    prediction: str
    sample: str = ""
    run: str = ""

    @property
    def used(self) -> tuple[str, ...]:
        return tuple(name for name in (self.task_id, self.prediction, self.sample, self.run) if name)


class ColumnsUnclear(ValueError):
    """Which columns hold task id and prediction can't be told; the message is a sentence.

    `file` is the file's name, `columns` all its columns, `found` those that are clear (an empty name where not).
    """

    def __init__(self, message: str, file: str, columns: tuple[str, ...], found: Columns) -> None:
        super().__init__(message)
        self.file = file
        self.columns = columns
        self.found = found


@dataclass(frozen=True)
class Prediction:
    """One answer to a task. `prediction` is None where the file has no value; `sample` and `run` may be empty."""

    line: int
    task_id: str
    prediction: str | None
    sample: str = ""
    run: str = ""


def find_columns(columns: tuple[str, ...], file: str) -> Columns:
    """The columns by their names, letter case and punctuation aside.

    Raises:
        ColumnsUnclear: none, or more than one, may hold the task id or the prediction.
    """
    named: dict[str, list[str]] = {}
    for column in columns:
        named.setdefault(re.sub(r"[\W_]+", "_", column.strip().lower()).strip("_"), []).append(column)

    def first(names: tuple[str, ...]) -> str:
        return next((named[name][0] for name in names if len(named.get(name, ())) == 1), "")

    perhaps = [name for name in PREDICTION_PERHAPS if name in named]
    if OF_THE_DATASET & named.keys() and "answer" in perhaps:
        perhaps.remove("answer")
    prediction = first(PREDICTION) or (first((perhaps[0],)) if len(perhaps) == 1 else "")
    found = Columns(first(TASK_ID), prediction, first(SAMPLE), first(RUN))
    unclear = [part for part, name in (("task id", found.task_id), ("prediction", prediction)) if not name]
    if unclear:
        listed = ", ".join(columns[:20]) + (f" and {len(columns) - 20:,} more" if len(columns) > 20 else "")
        message = f"Which column of {file} holds the {' and which the '.join(unclear)}? It has {listed}."
        raise ColumnsUnclear(message, file, columns, found)
    return found


@dataclass(frozen=True)
class PredictionsFile:
    """An opened file and the columns read from it."""

    name: str
    columns: Columns
    _file: RecordFile

    @classmethod
    def open(cls, path: Path, name: str, columns: Columns | None = None) -> PredictionsFile:
        """Open a file; its columns are found by their names unless given.

        Raises:
            UnreadableFile: see `open_records`; or a column given isn't there, or is there twice.
            ColumnsUnclear: see `find_columns`.
        """
        file = open_records(path, name)
        chosen = columns or find_columns(file.columns, name)
        for column in chosen.used:
            times = file.columns.count(column)
            if times != 1:
                raise UnreadableFile(f"{name} has {'no column' if not times else f'{times} columns'} {column!r}.")
        return cls(name, chosen, file)

    @property
    def all_columns(self) -> tuple[str, ...]:
        return self._file.columns

    def __iter__(self) -> Iterator[Prediction | BrokenRecord]:
        columns = self.columns
        for record in self._file.records(columns.used):
            if isinstance(record, BrokenRecord):
                yield record
                continue
            values = record.values
            task_id = (values.get(columns.task_id) or "").strip()
            answer = values.get(columns.prediction)
            if not task_id:
                yield BrokenRecord(record.line, f"There is no task id in {columns.task_id!r}.")
            elif columns.prediction not in values:
                yield BrokenRecord(record.line, f"There is no {columns.prediction!r}.")
            elif answer is not None and len(answer) > VALUE_LIMIT:
                why = f"The answer has over {VALUE_LIMIT:,} characters, the most that can be graded."
                yield BrokenRecord(record.line, why)
            else:
                yield Prediction(
                    record.line,
                    task_id,
                    answer,
                    (values.get(columns.sample) or "").strip(),
                    (values.get(columns.run) or "").strip(),
                )
