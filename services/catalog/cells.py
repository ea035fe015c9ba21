"""Counting tasks by their cells: small arrays read once from the index, so that no count scans the tasks.

A cell is one combination of split, tier, level, Kaggle dataset, reward mode, package tier and set of file types. There
are far fewer cells than tasks, and facet counts are sums over them. A kind is a cell less its dataset: fewer still.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.catalog.index import CELL_COLUMNS
from services.catalog.query import FACETS
from services.catalog.task import REWARD_MODES, SPLITS, TIERS

Positions = NDArray[np.int32]
Counts = NDArray[np.float64]  # what bincount sums without a copy; whole numbers
Mask = NDArray[np.bool_]

FACET_VALUES = 500  # of more values than this (Kaggle datasets) the most frequent are listed
OWN_ORDER = {"split": SPLITS, "tier": TIERS, "mode": REWARD_MODES}
BY_COUNT = ("dataset", "file_type")


class _Counted(NamedTuple):
    """Cells, how many tasks count in each of them, and in each kind."""

    cells: NDArray[np.intp] | slice
    tasks: Counts
    by_kind: Counts


class Cells:
    """The cells of an index.

    tasks: how many tasks are in each cell, (cells,). of_task: the cell of each task as listed, (tasks,).
    values: each facet's values in their own order.
    """

    def __init__(self, index: sqlite3.Connection) -> None:
        rows = index.execute(f"SELECT {', '.join(CELL_COLUMNS)}, tasks FROM cell ORDER BY cell").fetchall()
        *columns, tasks = zip(*rows, strict=True) if rows else [()] * (len(CELL_COLUMNS) + 1)
        self.tasks: Counts = np.array(tasks, np.float64)
        self.of_task = column(index, "SELECT cell FROM task ORDER BY position").astype(np.int32)
        self.values: dict[str, list[str]] = {}
        self._codes: dict[str, Positions] = {}
        for name, values in zip(CELL_COLUMNS, columns, strict=True):
            known = sorted(set(values), key=_place_in(OWN_ORDER.get(name, ())))
            code = {value: number for number, value in enumerate(known)}
            self._codes[name] = np.array([code[value] for value in values], np.int32)
            self.values[name] = [str(value) for value in known]

        sets = [text.split() for text in self.values.pop("file_types")]
        self.values["file_type"] = sorted({each for one in sets for each in one})
        has = [[each in one for each in self.values["file_type"]] for one in sets]
        self._type_in_set = np.array(has, np.float64).reshape(len(sets), len(self.values["file_type"]))

        in_kind = [name for name in CELL_COLUMNS if name != "dataset"]
        codes = np.stack([self._codes[name] for name in in_kind], axis=1)
        kinds, self._kind_of = np.unique(codes, axis=0, return_inverse=True)
        self._kinds = len(kinds)
        self._kind_codes = dict(zip(in_kind, kinds.T, strict=True))

    def masks(self, filters: Mapping[str, str]) -> dict[str, Mask]:
        """For each filter which cells pass it, (cells,)."""
        return {name: self._mask(name, value) for name, value in filters.items()}

    def all_of(self, masks: Mapping[str, Mask], but: str = "") -> Mask:
        """Which cells pass all of the filters, or all but one."""
        passing = np.ones(len(self.tasks), np.bool_)
        for name, mask in masks.items():
            if name != but:
                passing &= mask
        return passing

    def count_in(self, positions: Positions) -> Counts:
        """How many of these tasks are in each cell, (cells,)."""
        return np.bincount(self.of_task[positions], minlength=len(self.tasks)).astype(np.float64)

    def facets(self, masks: Mapping[str, Mask], tasks: Counts) -> dict[str, list[tuple[str, int]]]:
        """Each facet's values and their counts of `tasks` (by cell) under the filters on all other facets."""
        under_all = self._under(masks, tasks)
        under_others = {name: self._under(masks, tasks, but=name) for name in masks}
        return {name: self._count(name, under_others.get(name, under_all))[:FACET_VALUES] for name in FACETS}

    def datasets(self) -> list[tuple[str, int]]:
        """All Kaggle datasets and their tasks, by falling count."""
        return self._count("dataset", self._under({}, self.tasks))

    def _under(self, masks: Mapping[str, Mask], tasks: Counts, but: str = "") -> _Counted:
        # few cells pass most filters; all of them are a view, not a copy
        cells = np.flatnonzero(self.all_of(masks, but)) if masks.keys() - {but} else slice(None)
        return _Counted(cells, tasks[cells], _summed(self._kind_of[cells], tasks[cells], self._kinds))

    def _count(self, name: str, counted: _Counted) -> list[tuple[str, int]]:
        if name == "dataset":
            counts = _summed(self._codes[name][counted.cells], counted.tasks, len(self.values[name]))
        elif name == "file_type":
            by_set = _summed(self._kind_codes["file_types"], counted.by_kind, len(self._type_in_set))
            counts = by_set @ self._type_in_set
        else:
            counts = _summed(self._kind_codes[name], counted.by_kind, len(self.values[name]))
        found = np.flatnonzero(counts)
        if name in BY_COUNT:
            found = found[np.argsort(-counts[found], kind="stable")]
        values = self.values[name]
        return [(values[code], int(count)) for code, count in zip(found.tolist(), counts[found].tolist(), strict=True)]

    def _mask(self, name: str, value: str) -> Mask:
        if value not in self.values[name]:
            return np.zeros(len(self.tasks), np.bool_)
        code = self.values[name].index(value)
        mask: Mask
        if name == "file_type":
            mask = self._type_in_set[self._codes["file_types"], code] == 1
        else:
            mask = self._codes[name] == code
        return mask


def _place_in(order: tuple[str, ...]) -> Callable[[Any], tuple[int, Any]]:
    return lambda value: (order.index(value) if value in order else len(order), value)


def _summed(codes: NDArray[Any], tasks: Counts, size: int) -> Counts:
    return np.bincount(codes, tasks, size).astype(np.float64, copy=False)


def column(index: sqlite3.Connection, select: str) -> NDArray[np.int64]:
    """The whole numbers a SELECT of one column gives."""
    return np.fromiter((row[0] for row in index.execute(select)), np.int64)
