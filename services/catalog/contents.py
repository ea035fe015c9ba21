"""The tasks of one source: search, facet counts, pages and neighbours."""

from __future__ import annotations

import json
import re
import sqlite3
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from services.catalog.cells import Cells, Counts, Positions
from services.catalog.index import COLUMNS, hold_index, open_index, task_of
from services.catalog.orders import Orders
from services.catalog.query import LONGEST_TEXT, Query, encodable, folded
from services.catalog.source import Source
from services.catalog.status import Status
from services.catalog.task import Task

SHORTEST_INDEXED = 3  # the full-text index holds runs of three characters
LISTS_KEPT = 16
LEFT_OUT_KEPT = 4  # sets of ids, each up to all tasks
SUGGESTIONS = 50
READ_AT_ONCE = 500
ROW_COLUMNS = (
    "task_id, split, difficulty_tier, difficulty_level, kaggle_dataset, reward_mode, question, json_array_length(files)"
)


class UnknownTask(LookupError):
    """No task has this id; the message is a sentence that names it."""


@dataclass(frozen=True)
class Row:
    """What a list shows of a task; never its gold answer. n_files counts names as the task lists them."""

    task_id: str
    split: str
    difficulty_tier: str
    difficulty_level: int
    kaggle_dataset: str
    reward_mode: str
    question: str
    n_files: int


@dataclass(frozen=True)
class Page:
    """Rows `page * size` to `page * size + size` of `total`; `page` counts from 0."""

    total: int
    page: int
    rows: list[Row]


@dataclass(frozen=True)
class Neighbours:
    """The task ids before and after a task in a list, and its position (from 0); None where there is none."""

    previous: str | None
    next: str | None
    position: int | None
    total: int


class Contents:
    """Read-only, and safe to use from any thread."""

    def __init__(self, index: Path, source: Source, status: Status) -> None:
        self.source = source
        self.status = status
        self._path = index
        self._held = hold_index(index)
        self._local = threading.local()
        self._cells = Cells(self._index)
        self._orders = Orders(self._index, self._cells.of_task)
        self._datasets = self._cells.datasets()
        self._hits = lru_cache(LISTS_KEPT)(self._find_text)
        self._with_all = lru_cache(LISTS_KEPT)(self._list_all)
        self._left_out = lru_cache(LEFT_OUT_KEPT)(self._find_ids)

    def __len__(self) -> int:
        """How many tasks there are."""
        return int(self._cells.tasks.sum())

    def search(self, query: Query, page: int = 0, size: int = 50) -> Page:
        """One page of the tasks that match. A page past the end is the last one."""
        passing = self._cells.all_of(self._cells.masks(query.filters))
        total = int(self._counted(query)[passing].sum())
        page = max(0, min(page, (total - 1) // size))
        positions = _slice(self._listed(query), page * size, size)
        return Page(total, page, [Row(*row) for row in self._read(ROW_COLUMNS, positions)])

    def facets(self, query: Query) -> dict[str, list[tuple[str, int]]]:
        """Of each facet the values and how many tasks have them under the query's text and *other* filters.

        Values no task has are left out. Kaggle datasets and file types come by falling count (at most 500), the rest
        in their own order.
        """
        return self._cells.facets(self._cells.masks(query.filters), self._counted(query))

    def values(self, facet: str) -> list[str]:
        """Every value of a facet that some task has."""
        return list(self._cells.values[facet])

    def datasets(self, text: str = "") -> list[tuple[str, int]]:
        """Up to 50 Kaggle datasets whose name holds the text, and their tasks; those that begin with it come first."""
        needle = folded(text)
        held = [(name, tasks) for name, tasks in self._datasets if needle in folded(name)]
        return sorted(held, key=lambda dataset: not folded(dataset[0]).startswith(needle))[:SUGGESTIONS]

    def task(self, task_id: str) -> Task:
        """The whole task, gold answer included.

        Raises:
            UnknownTask: there is none with this id.
        """
        found = self._index.execute(f"SELECT {', '.join(COLUMNS)} FROM task WHERE task_id = ?", (encodable(task_id),))
        row = found.fetchone()
        if row is None:
            message = f"There is no task {task_id[:80]!r} among the tasks shown. It may stand in another source."
            raise UnknownTask(message)
        return task_of(row)

    def tasks(self, query: Query, page: int | None = None, size: int = 50) -> Iterator[Task]:
        """The whole tasks of one page, or of all pages."""
        found = self._positions(query)
        if page is not None:
            found = found[page * size :][:size]
        for start in range(0, len(found), READ_AT_ONCE):
            for row in self._read(", ".join(COLUMNS), found[start : start + READ_AT_ONCE]):
                yield task_of(row)

    def neighbours(self, query: Query, task_id: str) -> Neighbours:
        """The tasks before and after this one in the query's list; of one that isn't in it: none, and the first."""
        found = self._positions(query)
        row = self._index.execute("SELECT position FROM task WHERE task_id = ?", (encodable(task_id),)).fetchone()
        places = np.flatnonzero(found == row[0]).tolist() if row else []
        if not places:
            first = self._read("task_id", found[:1])
            return Neighbours(None, first[0][0] if first else None, None, len(found))
        place = places[0]
        ids = [id for (id,) in self._read("task_id", found[max(0, place - 1) : place + 2])]
        before = ids[0] if place else None
        after = ids[-1] if place + 1 < len(found) else None
        return Neighbours(before, after, place, len(found))

    def folder_index(self, task: Task) -> int:
        """The task's position (from 0) among the sorted ids of its split, as Harbor counts folders."""
        counted = "SELECT count(*) FROM task WHERE split = ? AND task_id < ?"
        return int(self._index.execute(counted, (task.split, encodable(task.task_id))).fetchone()[0])

    @property
    def _index(self) -> sqlite3.Connection:
        """This thread's connection."""
        if not hasattr(self._local, "index"):
            self._local.index = open_index(self._path)
        connection: sqlite3.Connection = self._local.index
        return connection

    def _read(self, columns: str, positions: Positions) -> list[tuple[Any, ...]]:
        """These columns of the tasks at these positions, in their order."""
        wanted = positions.tolist()
        marks = ", ".join("?" * len(wanted))
        select = f"SELECT position, {columns} FROM task WHERE position IN ({marks})"
        rows = {position: row for position, *row in self._index.execute(select, wanted)}
        return [tuple(rows[position]) for position in wanted]

    def _counted(self, query: Query) -> Counts:
        """How many tasks of each cell hold the query's text."""
        needle = _needle(query)
        counted = self._cells.count_in(self._hits(needle)) if needle else self._cells.tasks
        if query.without:
            gone = self._left_out(query.without)
            gone = np.intersect1d(gone, self._hits(needle), assume_unique=True) if needle else gone
            counted = counted - self._cells.count_in(gone)
        return counted

    def _listed(self, query: Query) -> Iterator[Positions]:
        needle = _needle(query)
        passing = self._cells.all_of(self._cells.masks(query.filters))
        listed = self._orders.listed(passing, self._hits(needle) if needle else None, query.order, query.seed)
        return (self._kept(block, query) for block in listed) if query.without else listed

    def _kept(self, positions: Positions, query: Query) -> Positions:
        """Those of the positions that are not of tasks to leave out."""
        return positions[~np.isin(positions, self._left_out(query.without), assume_unique=True)]

    def _positions(self, query: Query) -> Positions:
        """All tasks of the query's list."""
        found = self._with_all(replace(query, without=frozenset()))  # what one visitor leaves out is not worth keeping
        return self._kept(found, query) if query.without else found

    def _list_all(self, query: Query) -> Positions:
        found = np.concatenate([np.zeros(0, np.int32), *self._listed(query)])
        found.setflags(write=False)
        return found

    def _find_ids(self, task_ids: frozenset[str]) -> Positions:
        """The positions of the tasks that have these ids, ascending."""
        given = json.dumps([encodable(each) for each in task_ids])
        select = "SELECT position FROM task WHERE task_id IN (SELECT value FROM json_each(?)) ORDER BY position"
        return np.fromiter((row[0] for row in self._index.execute(select, (given,))), np.int32)

    def _find_text(self, needle: str) -> Positions:
        """The positions of the tasks whose searched text holds the needle, ascending."""
        if len(needle) < SHORTEST_INDEXED:
            where, value = "text LIKE ? ESCAPE '!'", "%" + re.sub(r"([%_!])", r"!\1", needle) + "%"
        else:
            where, value = "search MATCH ?", '"' + needle.replace('"', '""') + '"'
        # one text of numbers: half the time of a row each
        (listed,) = self._index.execute(f"SELECT group_concat(rowid) FROM search WHERE {where}", (value,)).fetchone()
        return np.sort(np.fromstring(listed, np.int32, sep=",")) if listed else np.zeros(0, np.int32)


def _slice(blocks: Iterator[Positions], start: int, size: int) -> Positions:
    """Items `start` to `start + size` of the blocks one after another, asking for no more blocks than that takes."""
    found = np.zeros(0, np.int32)
    for block in blocks:
        if start < len(block):
            found = np.concatenate([found, block[start : start + size - len(found)]])
        start = max(0, start - len(block))
        if len(found) == size:
            break
    return found


def _needle(query: Query) -> str:
    return folded(query.q[:LONGEST_TEXT])
