"""Counting and ordering tasks by their cells: small arrays read once from the index, so that no count scans the tasks.

A cell is one combination of split, tier, level, Kaggle dataset, reward mode, package tier and set of file types. There
are far fewer cells than tasks, and facet counts are sums over them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from functools import lru_cache
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
SEEDS_KEPT = 4
OWN_ORDER = {"split": SPLITS, "tier": TIERS, "mode": REWARD_MODES}
BY_COUNT = ("dataset", "file_type")


class Order(NamedTuple):
    """Every task's position in an order, and the cell of each, (tasks,)."""

    positions: Positions
    cells: Positions


class Cells:
    """The cells of an index, which cell each task is in, and the orders tasks can be listed in.

    tasks: tasks a cell, (cells,). values: each facet's values, in the order they are listed. Positions count tasks as
    listed, from 0.
    """

    def __init__(self, index: sqlite3.Connection) -> None:
        rows = index.execute(f"SELECT {', '.join(CELL_COLUMNS)}, tasks FROM cell ORDER BY cell").fetchall()
        *columns, tasks = zip(*rows, strict=True) if rows else [()] * (len(CELL_COLUMNS) + 1)
        self.tasks: Counts = np.array(tasks, np.float64)
        self.values: dict[str, list[str]] = {}
        self._codes: dict[str, Positions] = {}
        for name, column in zip(CELL_COLUMNS, columns, strict=True):
            known = sorted(set(column), key=_place_in(OWN_ORDER.get(name, ())))
            code = {value: number for number, value in enumerate(known)}
            self._codes[name] = np.array([code[value] for value in column], np.int32)
            self.values[name] = [str(value) for value in known]
        sets = [text.split() for text in self.values.pop("file_types")]
        self.values["file_type"] = sorted({each for one in sets for each in one})
        has = [[each in one for each in self.values["file_type"]] for one in sets]
        self._type_in_set = np.array(has, np.float64).reshape(len(sets), len(self.values["file_type"]))
        self._cell_of = _column(index, "SELECT cell FROM task ORDER BY position").astype(np.int32)
        self._keys = _column(index, "SELECT shuffle_key FROM task ORDER BY position").view(np.uint64)
        self._as_listed = self._order(np.arange(len(self._cell_of)))
        self._curriculum = self._order(_column(index, "SELECT position FROM curriculum ORDER BY place"))
        self._shuffled = lru_cache(SEEDS_KEPT)(self._shuffle)

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
        return np.bincount(self._cell_of[positions], minlength=len(self.tasks)).astype(np.float64)

    def facets(self, masks: Mapping[str, Mask], tasks: Counts) -> dict[str, list[tuple[str, int]]]:
        """Each facet's values and their counts of `tasks` (by cell) under the filters on all other facets."""
        everywhere = np.where(self.all_of(masks), tasks, 0)
        others = {name: np.where(self.all_of(masks, but=name), tasks, 0) for name in masks}
        return {name: self.count(name, others.get(name, everywhere))[:FACET_VALUES] for name in FACETS}

    def count(self, name: str, tasks: Counts) -> list[tuple[str, int]]:
        """A facet's values and their counts of `tasks` (by cell), without those of none."""
        counts: Counts
        if name == "file_type":
            counts = np.bincount(self._codes["file_types"], tasks, len(self._type_in_set)) @ self._type_in_set
        else:
            counts = np.bincount(self._codes[name], tasks, len(self.values[name]))
        listed = np.flatnonzero(counts)
        if name in BY_COUNT:
            listed = listed[np.argsort(-counts[listed], kind="stable")]
        values = self.values[name]
        return [(values[code], int(count)) for code, count in zip(listed.tolist(), counts[listed], strict=True)]

    def positions(self, passing: Mask, hits: Positions | None, order: str, seed: int) -> Positions:
        """The tasks of the passing cells (only those of `hits`, if given: ascending) in an order."""
        if order == "as listed" and hits is not None:
            return hits[passing[self._cell_of[hits]]]
        listed = self._as_listed
        if order != "as listed":
            listed = self._curriculum if order == "curriculum" else self._shuffled(seed)
        kept = passing[listed.cells]
        if hits is not None:
            hit = np.zeros(len(self._cell_of), np.bool_)
            hit[hits] = True
            kept &= hit[listed.positions]
        return listed.positions[kept]

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

    def _order(self, positions: NDArray[np.int64]) -> Order:
        return Order(positions.astype(np.int32), self._cell_of[positions])

    def _shuffle(self, seed: int) -> Order:
        salt = _mixed(np.array([seed % 2**64], np.uint64))
        return self._order(np.argsort(_mixed(self._keys ^ salt), kind="stable"))


def _place_in(order: tuple[str, ...]) -> Callable[[Any], tuple[int, Any]]:
    return lambda value: (order.index(value) if value in order else len(order), value)


def _column(index: sqlite3.Connection, select: str) -> NDArray[np.int64]:
    return np.fromiter((row[0] for row in index.execute(select)), np.int64)


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit keys one to one (the finalizer of splitmix64), the same on every machine and version."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
