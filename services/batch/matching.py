"""A plan: predictions held against the tasks, counted before anything is graded, and the policy that picks the rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, Literal

from services.batch.formats import BrokenRecord, UnreadableFile
from services.batch.predictions import Columns, Prediction, PredictionsFile
from services.batch.store import BatchError, Store, add_row
from services.catalog import SPLITS, Catalog, Query, Task

MOST_ROWS = 1_000_000
MOST_RUNS = 100  # each is counted and compared apart
EXAMPLES = 5
_NAME_LIMIT = 200  # characters of an id, a run's name or a sample number


@dataclass(frozen=True)
class Policy:
    """What to do about rows that come more than once or not at all, and which splits count.

    duplicates: of the rows of a task with the same sample number, or none, grade the `first` or the `last` in each run,
    or all of them as `samples` (for pass@k). Different numbers are different samples, and all are graded.
    missing: `leave out` tasks without a row, or `count as wrong`.
    splits: none means those that the files' own tasks stand in.
    """

    duplicates: Literal["first", "last", "samples"] = "first"
    missing: Literal["leave out", "count as wrong"] = "leave out"
    splits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Count:
    """How many, and the first few: task ids, or the line of each broken record and why it can't be read."""

    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunCounts:
    """One run's rows before grading.

    `matched` rows have a known task of the splits counted, and answer `tasks` different ones with `samples` different
    sample numbers in all; `duplicates` are the other matched rows, whose task and number, or task without a number,
    came before. `missing` are the splits' tasks without a row. `unknown` rows have an id that no task has, those of
    `other_splits` a task of a split that is not counted.
    """

    run: str
    rows: int
    matched: int
    tasks: int
    samples: int
    duplicates: Count
    missing: Count
    unknown: Count
    other_splits: Count


@dataclass(frozen=True)
class Counts:
    """All runs before grading; `splits` are those counted, `broken` the records that can't be read."""

    splits: tuple[str, ...]
    runs: tuple[RunCounts, ...]
    broken: Count

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Plan:
    """Predictions read into a store and matched with the catalog's tasks. `files` say which columns were taken."""

    def __init__(self, store: Store, files: Sequence[PredictionsFile]) -> None:
        self.store = store
        self.files = files

    @classmethod
    def read(
        cls,
        files: Sequence[tuple[str, Path]],
        catalog: Catalog,
        folder: Path,
        columns: Mapping[str, Columns] | None = None,
    ) -> Plan:
        """Read files, each a name and where it is, into a new store in `folder`.

        `columns` holds, by a file's name, columns its reader chose. A run is named by the run column; with several
        files by the file and, after a colon, that column.

        Raises:
            UnreadableFile: one of the files can't be read, or there are over a million rows or 100 runs in all.
            ColumnsUnclear: which columns hold what can't be told; nothing was read.
            BatchError: `folder` can't be written.
        """
        chosen = columns or {}
        opened = [PredictionsFile.open(path, name, chosen.get(name)) for name, path in files]
        with told_as_batch_error(folder):
            try:
                folder.mkdir(parents=True, exist_ok=True)
                store = Store(folder / "batch.sqlite")
            except OSError as error:
                raise _unwritable(folder, error) from error
            try:
                _fill(store, opened, catalog)
            except BaseException:
                store.remove()
                raise
        return cls(store, opened)

    def counts(self, policy: Policy | None = None) -> Counts:
        """What there is of each run under the policy's splits (by default those that occur)."""
        with self.store.connection() as database:
            splits = self._splits(database, policy or Policy())
            runs = [run for (run,) in database.execute("SELECT run FROM row GROUP BY run ORDER BY min(row)")]
            broken = _count(database, "FROM broken", "file || ', ' || line || ': ' || why")
            return Counts(splits, tuple(_run_counts(database, run, splits) for run in runs), broken)

    def choose(self, policy: Policy) -> int:
        """Queue the rows the policy picks, tasks in shuffled order; gives back how many. Verdicts there are go."""
        picked = {
            "first": "SELECT min(row) FROM row GROUP BY run, task, sample",
            "last": "SELECT max(row) FROM row GROUP BY run, task, sample",
            "samples": "SELECT row FROM row",
        }[policy.duplicates]
        with self.store.connection() as database:
            splits = self._splits(database, policy)
            database.executescript("DELETE FROM queue; DELETE FROM expected; DELETE FROM graded; DELETE FROM finding")
            database.execute(
                "INSERT INTO queue SELECT row_number() OVER (ORDER BY task.place, row.row), row.row, row.run, row.task "
                f"FROM row JOIN task USING (task) WHERE {_among(splits)} AND row.row IN ({picked})",
                splits,
            )
            if policy.missing == "count as wrong":
                database.execute(f"INSERT INTO expected SELECT task FROM task WHERE {_among(splits)}", splits)
            (queued,) = database.execute("SELECT count(*) FROM queue").fetchone()
            return int(queued)

    def _splits(self, database: sqlite3.Connection, policy: Policy) -> tuple[str, ...]:
        if policy.splits:
            return policy.splits
        found = database.execute("SELECT DISTINCT split FROM row JOIN task USING (task)")
        return tuple(sorted((split for (split,) in found), key=SPLITS.index))


def facets_of(task: Task) -> tuple[str, ...]:
    """The task's id, then its values of the store's facets."""
    level = str(task.difficulty_level)
    return task.task_id, task.split, task.difficulty_tier, level, task.reward_mode, task.kaggle_dataset


def plain(text: str) -> str:
    """A name as SQLite can keep it: its first 200 characters, half surrogate pairs replaced."""
    return text[:_NAME_LIMIT].encode("utf-8", "replace").decode()


def _fill(store: Store, files: Iterable[PredictionsFile], catalog: Catalog) -> None:
    opened = list(files)
    with store.connection() as database:
        store.add_tasks(database, map(facets_of, catalog.tasks(Query())))
        rows, runs = 0, set()
        for file, stem in zip(opened, _stems(opened), strict=True):
            for each in file:
                rows += 1
                run = _run_name(stem, each, alone=len(opened) == 1)
                if isinstance(each, Prediction):
                    runs.add(plain(run))
                if rows > MOST_ROWS:
                    raise UnreadableFile(f"{file.name}: there are over {MOST_ROWS:,} predictions. Give fewer at once.")
                if len(runs) > MOST_RUNS:
                    column = f" Does {file.columns.run!r} hold the names of runs?" if file.columns.run else ""
                    raise UnreadableFile(f"{file.name}: {MOST_RUNS} runs are the most.{column}")
                _add(database, each, run, file.name)
        database.execute("CREATE INDEX row_task ON row (run, task, sample)")


def _add(database: sqlite3.Connection, each: Prediction | BrokenRecord, run: str, file: str) -> None:
    if isinstance(each, BrokenRecord):
        database.execute("INSERT INTO broken VALUES (?, ?, ?)", (plain(file), each.line, plain(each.why)))
        return
    add_row(database, plain(file), each.line, plain(run), plain(each.sample), plain(each.task_id), each.prediction)


def _stems(files: Iterable[PredictionsFile]) -> list[str]:
    """The files' names without their endings; a, a (2) where they are alike."""
    stems: list[str] = []
    for file in files:
        stem = plain(Path(file.name).stem)[: _NAME_LIMIT - 10]
        alike = (stem if number == 1 else f"{stem} ({number})" for number in count(1))
        stems.append(next(each for each in alike if each not in stems))
    return stems


def _run_name(stem: str, each: Prediction | BrokenRecord, alone: bool) -> str:
    run = each.run if isinstance(each, Prediction) else ""
    if alone:
        return run or stem
    return f"{stem}: {run}" if run else stem


def _run_counts(database: sqlite3.Connection, run: str, splits: tuple[str, ...]) -> RunCounts:
    known = f"FROM row JOIN task USING (task) WHERE run = ? AND {_among(splits)}"
    values = (run, *splits)
    (rows,) = database.execute("SELECT count(*) FROM row WHERE run = ?", (run,)).fetchone()
    matched, tasks, samples = database.execute(
        f"SELECT count(*), count(DISTINCT task), count(DISTINCT task || ' ' || sample) {known}",
        values,
    ).fetchone()
    twice = f"FROM (SELECT row.task_id {known} GROUP BY task, sample HAVING count(*) > 1)"
    absent = f"FROM task WHERE {_among(splits)} AND task NOT IN (SELECT task FROM row WHERE run = ? AND task NOT NULL)"
    outside = f"FROM row JOIN task USING (task) WHERE run = ? AND NOT {_among(splits)}"
    return RunCounts(
        run,
        rows,
        matched,
        tasks,
        samples,
        Count(matched - samples, _count(database, twice, "task_id", values).examples),
        _count(database, absent, "task_id", (*splits, run)),
        _count(database, "FROM row WHERE run = ? AND task IS NULL", "task_id", (run,)),
        _count(database, outside, "row.task_id", values),
    )


def _count(database: sqlite3.Connection, source: str, shown: str, values: tuple[str, ...] = ()) -> Count:
    (count,) = database.execute(f"SELECT count(*) {source}", values).fetchone()
    found = database.execute(f"SELECT DISTINCT {shown} {source} LIMIT {EXAMPLES}", values)
    return Count(count, tuple(str(example) for (example,) in found))


def _among(splits: tuple[str, ...]) -> str:
    return f"task.split IN ({', '.join('?' * len(splits))})"


@contextmanager
def told_as_batch_error(folder: Path) -> Iterator[None]:
    """Turn what SQLite raises for a store in `folder` into a `BatchError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise _unwritable(folder, error) from error


def _unwritable(folder: Path, error: Exception) -> BatchError:
    return BatchError(
        f"The batch can't be written to {folder.name} ({error}). Free some space and give the files again."
    )
