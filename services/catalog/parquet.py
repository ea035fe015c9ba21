"""Read tasks from `data/{split}-*.parquet`, and say of every row or file left out where and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from services.catalog.query import encodable
from services.catalog.task import REWARD_MODES, SPLITS, TIERS, Task

BATCH = 2000
SENTENCES = 20
DEFAULT_TOLERANCE = 1e-3  # the reference grader's own
UNREADABLE = (pa.ArrowException, OSError, ValueError)


class _BadValue(ValueError):
    """A value a task can't have; the message says what it is and should be."""


@dataclass
class Findings:
    """What reading found: sentences on what was left out (the first few, then a count), a remark on what was kept."""

    sentences: list[str] = field(default_factory=list)
    more: int = 0
    unknown_modes: Counter[str] = field(default_factory=Counter)
    first_unknown_mode: str = ""

    def leave_out(self, sentence: str) -> None:
        if len(self.sentences) < SENTENCES:
            self.sentences.append(sentence)
        else:
            self.more += 1

    @property
    def left_out(self) -> list[str]:
        return [*self.sentences, f"And {self.more:,} more."] if self.more else list(self.sentences)

    @property
    def remark(self) -> str:
        """A sentence on rows kept although the grader's rules don't name their reward mode, or an empty text."""
        if not self.unknown_modes:
            return ""
        modes = ", ".join(repr(mode[:40]) for mode, _ in self.unknown_modes.most_common(3))
        total = self.unknown_modes.total()
        rows = "row has" if total == 1 else "rows have"
        return f"{total:,} {rows} an unknown reward_mode ({modes}; first in {self.first_unknown_mode}); kept."


def task_files(folder: Path) -> dict[str, list[Path]]:
    """The parquet files of each split, in order."""
    return {split: sorted((folder / "data").glob(f"{split}-*.parquet")) for split in SPLITS}


def read_tasks(folder: Path, findings: Findings) -> Iterator[Task]:
    """Yield the good tasks of all splits as listed, each id once. Nothing is raised for bad input: see `findings`."""
    files = task_files(folder)
    known = {path for paths in files.values() for path in paths}
    for path in sorted((folder / "data").glob("*.parquet")):
        if path not in known:
            findings.leave_out(
                f"data/{encodable(path.name)} is left out: its name begins with none of train-, test- and eval-."
            )
    seen: set[str] = set()
    for split, paths in files.items():
        if not paths:
            findings.leave_out(f"The split {split} is empty: there is no file data/{split}-*.parquet.")
        for path in paths:
            yield from _read_file(path, split, seen, findings)


def _read_file(path: Path, split: str, seen: set[str], findings: Findings) -> Iterator[Task]:
    name, row = f"data/{encodable(path.name)}", 0
    if not path.is_file():
        findings.leave_out(f"{name} can't be read: it is a folder, a device or a broken link; it is left out.")
        return
    where = "it is truncated or no parquet file"
    try:
        with pq.ParquetFile(path) as file:
            where = "from row 1 on"
            problem = _schema_problem(file)
            if problem:
                findings.leave_out(f"{name}: {problem}; the whole file is left out ({file.metadata.num_rows:,} rows).")
                return
            if not file.metadata.num_rows:
                findings.leave_out(f"{name} has no rows: nothing of the split {split} is in it.")
            for values in _rows(file):
                row += 1
                where = f"from row {row + 1:,} on"
                task = _task(values, split, f"{name}, row {row:,}", seen, findings)
                if task:
                    seen.add(task.task_id)
                    yield task
    except UNREADABLE as error:
        findings.leave_out(f"{name} can't be read: {where} ({type(error).__name__}); what is unread is left out.")


def _rows(file: pq.ParquetFile) -> Iterator[tuple[Any, ...]]:
    """The values of each row, in the order of `COLUMNS`; group by group, so that those before a damaged one are had."""
    for group in range(file.num_row_groups):
        for batch in file.iter_batches(BATCH, row_groups=[group], columns=list(COLUMNS)):
            columns = batch.to_pydict()
            yield from zip(*(columns[column] for column in COLUMNS), strict=True)


def _task(values: tuple[Any, ...], split: str, place: str, seen: set[str], findings: Findings) -> Task | None:
    read: dict[str, Any] = {}
    for (column, (_, convert)), value in zip(COLUMNS.items(), values, strict=True):
        try:
            read[column] = convert(value)
        except _BadValue as error:
            findings.leave_out(f"{place}, column {column}: {error}; the row is left out.")
            return None
    if read["task_id"] in seen:
        findings.leave_out(f"{place}, column task_id: {read['task_id'][:80]!r} stands here again; the row is left out.")
        return None
    mode = read["reward_mode"]
    if mode and mode not in REWARD_MODES:
        findings.first_unknown_mode = findings.first_unknown_mode or place
        findings.unknown_modes[mode] += 1
    return Task(**read, split=split)


def _needed_text(value: str | None) -> str:
    if not value or not value.strip():
        raise _BadValue("is empty")
    return value


def _text(value: str | None) -> str:
    return value or ""


def _tier(value: str | None) -> str:
    if value not in TIERS:
        raise _BadValue(f"is {str(value)[:40]!r}, not one of {', '.join(TIERS)}")
    return value


def _whole(value: float | None) -> int:
    if value is None or not 0 <= value <= 1000 or value != int(value):
        raise _BadValue(f"is {'empty' if value is None else value}, not a whole number (0 to 1000)")
    return int(value)


def _tolerance(value: float | None) -> float:
    if value is None:
        return DEFAULT_TOLERANCE
    if not math.isfinite(value) or value < 0:
        raise _BadValue(f"is {value}, not a tolerance (0 or more)")
    return float(value)


def _names(value: list[str | None] | None) -> tuple[str, ...]:
    return tuple(name for name in value or () if name)


def _is_text(kind: pa.DataType) -> bool:
    if types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _is_number(kind: pa.DataType) -> bool:
    return bool(types.is_integer(kind) or types.is_floating(kind))


def _is_names(kind: pa.DataType) -> bool:
    return bool((types.is_list(kind) or types.is_large_list(kind)) and _is_text(kind.value_type))


# Named by what a reader is told to expect.
TYPES: dict[str, Callable[[pa.DataType], bool]] = {
    "text": _is_text,
    "a number": _is_number,
    "a list of text": _is_names,
}
COLUMNS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "task_id": ("text", _needed_text),
    "source_row_id": ("text", _text),
    "question": ("text", _needed_text),
    "answer": ("text", _text),
    "reward_mode": ("text", _text),
    "atol": ("a number", _tolerance),
    "rtol": ("a number", _tolerance),
    "difficulty_level": ("a number", _whole),
    "difficulty_tier": ("text", _tier),
    "kaggle_dataset": ("text", _needed_text),
    "hf_bucket": ("text", _text),
    "bucket_prefix": ("text", _text),
    "files": ("a list of text", _names),
    "instruction": ("text", _text),
    "package_tier": ("a number", _whole),
}


def _schema_problem(file: pq.ParquetFile) -> str:
    """The first missing column, or column of a wrong type and its first row with a value; empty when there is none."""
    schema = file.schema_arrow
    for column, (expected, _) in COLUMNS.items():
        found = schema.get_all_field_indices(column)
        if len(found) != 1:
            return f"the column {column} is missing" if not found else f"there are {len(found)} columns {column}"
        kind = schema.field(found[0]).type
        if not (TYPES[expected](kind) or types.is_null(kind)):
            return f"column {column}, row {_first_value(file, column):,}: holds {kind} where {expected} is expected"
    return ""


def _first_value(file: pq.ParquetFile, column: str) -> int:
    row = 0
    for batch in file.iter_batches(BATCH, columns=[column]):
        for value in batch.column(0).is_valid().to_pylist():
            row += 1
            if value:
                return row
    return 1
