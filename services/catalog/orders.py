"""The orders tasks can be listed in, as arrays read once from the index; positions count tasks as listed, from 0."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from services.catalog.cells import Mask, Positions, column

SEEDS_KEPT = 4
AT_ONCE = 16384  # a page is full long before all tasks were looked at


class Order(NamedTuple):
    """Every task's position in an order and its cell, (tasks,); the place of each cell's first task, (cells,)."""

    positions: Positions
    cells: Positions
    first: Positions


class Orders:
    """`as listed`, `curriculum` and `shuffled` by a seed; `cell_of` gives the cell of the task at each position."""

    def __init__(self, index: sqlite3.Connection, cell_of: Positions) -> None:
        self._cell_of = cell_of
        self._cells = int(cell_of.max(initial=-1)) + 1
        self._keys = column(index, "SELECT shuffle_key FROM task ORDER BY position").view(np.uint64)
        self._as_listed = self._order(np.arange(len(cell_of)))
        self._curriculum = self._order(column(index, "SELECT position FROM curriculum ORDER BY place"))
        self._shuffled = lru_cache(SEEDS_KEPT)(self._shuffle)

    def listed(self, passing: Mask, hits: Positions | None, order: str, seed: int) -> Iterator[Positions]:
        """The tasks of the passing cells (only those of `hits`, if given: ascending) in an order, some at a time."""
        if order == "as listed" and hits is not None:
            yield hits[passing.take(self._cell_of[hits])]
            return
        every = self._as_listed
        if order != "as listed":
            every = self._curriculum if order == "curriculum" else self._shuffled(seed)
        hit = np.zeros(len(self._cell_of), np.bool_)
        if hits is not None:
            hit[hits] = True
        begin = int(every.first[passing].min(initial=len(every.cells)))
        for start in range(begin, len(every.cells), AT_ONCE):
            positions = every.positions[start : start + AT_ONCE]
            kept = passing.take(every.cells[start : start + AT_ONCE])
            yield positions[kept if hits is None else kept & hit[positions]]

    def _order(self, positions: NDArray[np.int64]) -> Order:
        cells = self._cell_of[positions]
        first = np.zeros(self._cells, np.int32)
        first[cells[::-1]] = np.arange(len(cells))[::-1]  # a cell's last write is its first task
        return Order(positions.astype(np.int32), cells, first)

    def _shuffle(self, seed: int) -> Order:
        salt = _mixed(np.array([seed % 2**64], np.uint64))
        return self._order(np.argsort(_mixed(self._keys ^ salt), kind="stable"))


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scatter 64-bit keys one to one (the finalizer of splitmix64), the same on every machine and version."""
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
