"""A copy opened for questions: rows by number, and the exact type of a column. Runs in a child process."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from services.tables.dtypes import estimate
from services.tables.whole.cells import filled, fits, possible_types

HEAD_ROWS = 1000
WIDE = 500  # columns
TABLE = "table.arrow"
FACTS = "facts.json"
Numbers = npt.NDArray[np.int64]


class OpenCopy:
    """The copy in `folder`, through a connection of DuckDB."""

    def __init__(self, folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.folder = folder
        self.connection = connection
        reader = pa.ipc.open_file(pa.memory_map(str(folder / TABLE)))
        self._batches = [reader.get_batch(at) for at in range(reader.num_record_batches)]
        self._ends = list(accumulate(batch.num_rows for batch in self._batches))
        self.rows: int = self._ends[-1] if self._ends else 0
        self.columns = len(reader.schema)
        self.table = f"t_{folder.name}"  # in SQL; its column `row` is the number of the row in the file
        table = pa.Table.from_batches(self._batches, reader.schema)
        self._numbered = table.append_column("row", pa.array(np.arange(self.rows)))
        connection.register(self.table, self._numbered)
        self._types: dict[int, str] = {}

    def close(self) -> None:
        """Let go of the file."""
        self.connection.unregister(self.table)
        self.connection.unregister(self._narrow)

    def over(self, columns: Iterable[int]) -> str:
        """The table in SQL, of a wide one with these columns and `row` alone, until the next call.

        Every query goes through the names of all columns: of 20,000 that takes seconds, and memory by the gigabyte.
        """
        if self.columns <= WIDE:
            return self.table
        self.connection.register(self._narrow, self._numbered.select([*(f"c{at}" for at in {*columns}), "row"]))
        return self._narrow

    @property
    def _narrow(self) -> str:
        return f"{self.table}_narrow"

    def labels(self, columns: Sequence[int]) -> list[str]:
        """The columns' names, those that stand more than once or are blank with their number (from 1)."""
        names: list[str] = json.loads((self.folder / FACTS).read_text())["names"]
        often = Counter(names)
        return [names[at] if names[at] and often[names[at]] == 1 else f"{names[at]} ({at + 1})" for at in columns]

    def take(self, numbers: Sequence[int] | Numbers, columns: Sequence[int]) -> list[list[str | None]]:
        """The cells of rows, by their numbers in the file and in the order given."""
        wanted = np.asarray(numbers, dtype=np.int64)
        places = np.searchsorted(self._ends, wanted, side="right")
        found: list[list[str | None]] = [[]] * len(wanted)
        for place in np.unique(places):
            batch = self._batches[place]
            at = np.flatnonzero(places == place)
            inside = pa.array(wanted[at] - (self._ends[place - 1] if place else 0))
            cells = [batch.column(column).take(inside).to_pylist() for column in columns]
            for position, row in enumerate(at.tolist()):
                found[row] = [column[position] for column in cells]
        return found

    def cells(self, column: int) -> Iterator[pa.Array]:
        """The text of a column, from its first row on, in parts."""
        return (batch.column(column) for batch in self._batches)

    def dtype(self, column: int) -> str:
        """The column's type as `dtypes.estimate` says it, over every cell."""
        if column not in self._types:
            self._types[column] = self._dtype(column)
        return self._types[column]

    def _dtype(self, column: int) -> str:
        cell = f"c{column}"
        possible = possible_types(self.head_type(column))
        if not possible:
            return "text"  # one cell that fits nothing else is enough
        counts = ", ".join(f"count(*) FILTER (WHERE {filled(cell)} AND {fits(cell, kind)})" for kind in possible)
        query = f"SELECT count(*) FILTER (WHERE {filled(cell)}), {counts} FROM {self.over([column])}"
        # all of it: a result with a row to come would keep the connection from taking another table
        ((*found,),) = self.connection.execute(query).fetchall()
        return type_of(possible, found)

    def head_type(self, column: int) -> str:
        """The type of the column's first cells."""
        return estimate(row[0] for row in self.take(range(min(self.rows, HEAD_ROWS)), [column]))


def type_of(possible: list[str], counts: Sequence[int]) -> str:
    """The type of a column, from how many cells say something and how many of them fit each possible type."""
    if counts[0] == 0:
        return "empty"
    return next((kind for kind, count in zip(possible, counts[1:], strict=True) if count == counts[0]), "text")
