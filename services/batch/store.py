"""A batch on disk: predictions, the tasks they answer and what grading said, in one SQLite file.

One thread writes; any thread reads through connections of its own. Memory stays small however many rows there are.
"""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from services.batch.apart import RowOutcome
from services.catalog import SPLITS, TIERS
from services.grading.verdict import shown

FACETS = ("split", "tier", "level", "mode", "dataset")
FILTERS = (*FACETS, "run", "task_id", "outcome", "method", "apart", "caution", "near_miss", "reference")
REASON_SHOWN = 1000
Beside = Literal["agrees", "disagrees", "no verdict"]  # what the dataset's own grader said, where it was asked
Findings = tuple[tuple[str, ...], tuple[str, ...]]  # kinds of a row's cautions, and of its near misses

# An answer is kept as bytes: SQLite's text can't hold every text that JSON can.
# place puts tasks in a shuffled order, so that the tasks of a run stopped early are a fair sample of all.
# expected holds the tasks that count as wrong where a run has no row of them.
# A row is part of the batch once it is in queue, by the policy chosen; position is its turn.
_SCHEMA = f"""
CREATE TABLE task (task INTEGER PRIMARY KEY, task_id TEXT NOT NULL UNIQUE, place REAL NOT NULL, {", ".join(FACETS)});
CREATE TABLE row (row INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, run TEXT NOT NULL,
  sample TEXT NOT NULL, task_id TEXT NOT NULL, task INTEGER, prediction BLOB);
CREATE TABLE broken (file TEXT NOT NULL, line INTEGER NOT NULL, why TEXT NOT NULL);
CREATE TABLE queue (position INTEGER PRIMARY KEY, row INTEGER NOT NULL, run TEXT NOT NULL, task INTEGER NOT NULL);
CREATE TABLE expected (task INTEGER PRIMARY KEY);
CREATE TABLE graded (row INTEGER PRIMARY KEY, run TEXT NOT NULL, task INTEGER NOT NULL,
  outcome TEXT NOT NULL, reward REAL, method TEXT NOT NULL,
  reason TEXT NOT NULL, apart TEXT NOT NULL, explained INTEGER NOT NULL DEFAULT 0,
  reference TEXT NOT NULL DEFAULT '');
CREATE TABLE finding (row INTEGER NOT NULL, sort TEXT NOT NULL, kind TEXT NOT NULL, UNIQUE (row, sort, kind));
CREATE INDEX finding_kind ON finding (sort, kind, row);
CREATE VIEW first AS SELECT run, task, min(row) AS row FROM graded GROUP BY run, task;
"""
_WHERE = {
    **{name: f"task.{name} = ?" for name in FACETS},
    "task_id": "task.task_id = ?",
    **{name: f"graded.{name} = ?" for name in ("run", "outcome", "method", "apart", "reference")},
    "caution": "graded.row IN (SELECT row FROM finding WHERE sort = 'caution' AND kind = ?)",
    "near_miss": "graded.row IN (SELECT row FROM finding WHERE sort = 'near_miss' AND kind = ?)",
}
GRADED_ROWS = "FROM graded JOIN task ON task.task = graded.task"
_WITH_ANSWERS = f"{GRADED_ROWS} JOIN row ON row.row = graded.row"
_SHOWN = (
    "row.row, row.file, row.line, row.run, row.sample, row.task_id, row.prediction, "
    + ", ".join(f"task.{name}" for name in FACETS)
    + ", graded.outcome, graded.reward, graded.method, graded.reason, graded.apart, graded.reference, "
    "(SELECT group_concat(sort || ':' || kind, '|') FROM finding WHERE finding.row = row.row)"
)


class BatchError(Exception):
    """The batch can't be kept on disk, or is gone from it; the message is a sentence for the person."""


@dataclass(frozen=True)
class Graded:
    """What grading said of one row. `apart` is the failure the answer is shaped like, or empty."""

    outcome: RowOutcome
    reward: float | None
    method: str
    reason: str
    apart: str = ""


@dataclass(frozen=True)
class Waiting:
    """A row whose turn it is."""

    position: int
    row: int
    task_id: str
    prediction: str | None


@dataclass(frozen=True)
class BatchRow:
    """A graded row; never its gold. `prediction` is None where the file had no value."""

    row: int
    file: str
    line: int
    run: str
    sample: str
    task_id: str
    prediction: str | None
    split: str
    tier: str
    level: str
    mode: str
    dataset: str
    outcome: RowOutcome
    reward: float | None
    method: str
    reason: str
    apart: str
    reference: Beside | Literal[""]
    cautions: tuple[str, ...]
    near_misses: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """The row as JSON's own types; a long answer is cut as a verdict's texts are."""
        answer = None if self.prediction is None else shown(self.prediction)
        return asdict(self) | {"prediction": answer}


@dataclass(frozen=True)
class RowsPage:
    """Rows `offset` to `offset + len(rows)` of `total` that pass the filters."""

    total: int
    offset: int
    rows: list[BatchRow]

    def as_dict(self) -> dict[str, Any]:
        return {"total": self.total, "offset": self.offset, "rows": [row.as_dict() for row in self.rows]}


class Store:
    """The SQLite file of one batch."""

    def __init__(self, path: Path) -> None:
        """Make a new, empty store at `path`."""
        self.path = path
        self._shuffle = random.Random(0)
        path.touch()
        with self.connection() as database:
            database.execute("PRAGMA journal_mode = WAL")  # so that reading never waits for writing
            database.executescript(_SCHEMA)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection of the caller's own; what it wrote is kept when the block ends well.

        Raises:
            BatchError: the store was removed.
        """
        if not self.path.exists():
            raise BatchError("This batch was closed, and its rows are gone. Give the files again.")
        database = sqlite3.connect(self.path, timeout=60)
        try:
            database.execute("PRAGMA synchronous = OFF")  # a temporary file: nothing is lost that a crash leaves
            database.execute("PRAGMA cache_size = -8000")
            with database:
                yield database
        finally:
            database.close()

    def remove(self) -> None:
        """Delete the store's files."""
        for ending in ("", "-wal", "-shm"):
            self.path.with_name(self.path.name + ending).unlink(missing_ok=True)

    def add_tasks(self, database: sqlite3.Connection, tasks: Iterable[tuple[str, ...]]) -> None:
        """Add tasks: task id, then split, tier, level, mode and dataset as text; one that is there stays as it is."""
        marks = ", ".join("?" * len(FACETS))
        insert = f"INSERT OR IGNORE INTO task (task_id, place, {', '.join(FACETS)}) VALUES (?, ?, {marks})"
        database.executemany(insert, ((task_id, self._shuffle.random(), *facets) for task_id, *facets in tasks))

    def waiting(self, database: sqlite3.Connection, select: str, size: int) -> Iterator[list[Waiting]]:
        """The queued rows, `size` at a time, in their order. `select` is a condition on them (on `graded`, if any)."""
        position = -1
        while True:
            found = database.execute(
                "SELECT queue.position, row.row, row.task_id, row.prediction FROM queue "
                "JOIN row ON row.row = queue.row "
                f"LEFT JOIN graded ON graded.row = row.row WHERE queue.position > ? AND {select} "
                "ORDER BY queue.position LIMIT ?",
                (position, size),
            ).fetchall()
            if not found:
                return
            position = found[-1][0]
            yield [Waiting(place, row, task_id, as_text(data)) for place, row, task_id, data in found]

    def rows(self, filters: Mapping[str, str], offset: int = 0, limit: int = 50) -> RowsPage:
        """Graded rows that pass every filter (see `FILTERS`; an empty value is no filter), as they stand in the files.

        Raises:
            KeyError: there is no such filter.
        """
        where, values = _condition(filters)
        with self.connection() as database:
            (total,) = database.execute(f"SELECT count(*) {GRADED_ROWS} WHERE {where}", values).fetchone()
            found = database.execute(
                f"SELECT {_SHOWN} {_WITH_ANSWERS} WHERE {where} ORDER BY graded.row LIMIT ? OFFSET ?",
                (*values, max(0, limit), max(0, offset)),
            )
            return RowsPage(total, offset, [_batch_row(row) for row in found])

    def rows_numbered(self, numbers: Iterable[int]) -> dict[int, BatchRow]:
        """The graded rows of these numbers."""
        wanted = list(numbers)
        marks = ", ".join("?" * len(wanted))
        with self.connection() as database:
            found = database.execute(f"SELECT {_SHOWN} {_WITH_ANSWERS} WHERE graded.row IN ({marks})", wanted)
            return {row.row: row for row in map(_batch_row, found)}

    def each_row(self, filters: Mapping[str, str]) -> Iterator[BatchRow]:
        """Every graded row that passes the filters, one at a time."""
        where, values = _condition(filters)
        with self.connection() as database:
            for row in database.execute(f"SELECT {_SHOWN} {_WITH_ANSWERS} WHERE {where} ORDER BY graded.row", values):
                yield _batch_row(row)


def add_row(
    database: sqlite3.Connection, file: str, line: int, run: str, sample: str, task_id: str, prediction: str | None
) -> int:
    """Add a prediction, of the task with its id if there is one; gives back its number. Names are text SQLite takes."""
    values = (file, line, run, sample, task_id, task_id, as_bytes(prediction))
    added = database.execute(
        "INSERT INTO row (file, line, run, sample, task_id, task, prediction) "
        "VALUES (?, ?, ?, ?, ?, (SELECT task FROM task WHERE task_id = ?), ?)",
        values,
    )
    assert added.lastrowid is not None
    return added.lastrowid


def queue_all(database: sqlite3.Connection) -> None:
    """Queue every row, as they stand."""
    database.execute("INSERT INTO queue SELECT row, row, run, task FROM row")


def record(database: sqlite3.Connection, row: int, graded: Graded) -> None:
    """Keep what grading said of a row, in place of what it said before."""
    values = (graded.outcome, graded.reward, graded.method, graded.reason[:REASON_SHOWN], graded.apart, row)
    database.execute(
        "INSERT OR REPLACE INTO graded SELECT row, run, task, ?, ?, ?, ?, ?, 0, '' FROM row WHERE row = ?", values
    )


def record_findings(database: sqlite3.Connection, row: int, findings: Findings) -> None:
    """Keep what a graded row was found to have, each kind once."""
    cautions, near_misses = findings
    found = [(row, "caution", kind) for kind in cautions] + [(row, "near_miss", kind) for kind in near_misses]
    database.executemany("INSERT OR IGNORE INTO finding VALUES (?, ?, ?)", found)
    database.execute("UPDATE graded SET explained = 1 WHERE row = ?", (row,))


def record_beside(database: sqlite3.Connection, row: int, beside: Beside) -> None:
    """Keep whether the dataset's own grader agrees on a graded row."""
    database.execute("UPDATE graded SET reference = ? WHERE row = ?", (beside, row))


def ordered(facet: str, sizes: Mapping[str, int]) -> list[str]:
    """A facet's values: splits, tiers and levels in their own order, modes and datasets the largest first."""
    if facet in {"mode", "dataset"}:
        return sorted(sizes, key=lambda value: (-sizes[value], value))
    own = (*SPLITS, *TIERS)
    return sorted(sizes, key=lambda value: (own.index(value) if value in own else len(own), len(value), value))


def as_bytes(text: str | None) -> bytes | None:
    return None if text is None else text.encode("utf-8", "surrogatepass")


def as_text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "surrogatepass")


def _condition(filters: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    used = {name: value for name, value in filters.items() if value}
    return " AND ".join(["1", *(_WHERE[name] for name in used)]), tuple(used.values())


def _batch_row(values: tuple[Any, ...]) -> BatchRow:
    *plain, found = values
    plain[6] = as_text(plain[6])
    kinds = sorted(each.split(":", 1) for each in found.split("|")) if found else []
    plain += [tuple(kind for sort, kind in kinds if sort == wanted) for wanted in ("caution", "near_miss")]
    return BatchRow(*plain)
