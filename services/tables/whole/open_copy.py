"""A copy opened for questions: rows by number, and the exact type of a column. Runs in a child process."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from services.tables.dtypes import estimate
from services.tables.whole.cells import filled, fits, possible_types
from services.tables.whole.database import literal

HEAD_ROWS = 1000
Numbers = npt.NDArray[np.int64]


class OpenCopy:
    """The copy in `folder`, through a connection of DuckDB."""

    def __init__(self, folder: Path, connection: duckdb.DuckDBPyConnection) -> None:
        self.folder = folder
        self.connection = connection
        self.file = pq.ParquetFile(folder / "table.parquet", memory_map=True)
        meta = self.file.metadata
        self.rows: int = meta.num_rows
        self.columns: int = meta.num_columns
        self._ends = list(accumulate(meta.row_group(at).num_rows for at in range(meta.num_row_groups)))
        self._types: dict[int, str] = {}

    @property
    def table(self) -> str:
        """The copy in SQL; `row` is the number of the row in the file."""
        source = f"read_parquet({literal(self.folder / 'table.parquet')}, file_row_number = true)"
        return f"(SELECT * EXCLUDE file_row_number, file_row_number AS row FROM {source})"

    def take(self, numbers: Sequence[int] | Numbers, columns: Sequence[int]) -> list[list[str | None]]:
        """The cells of rows, by their numbers in the file and in the order given."""
        wanted = np.asarray(numbers, dtype=np.int64)
        found: dict[int, list[str | None]] = {}
        groups = np.searchsorted(self._ends, wanted, side="right")
        names = [f"c{at}" for at in columns]
        distinct = list(dict.fromkeys(names))
        for group in np.unique(groups):
            rows = wanted[groups == group]
            start = self._ends[group - 1] if group else 0
            part = self.file.read_row_group(int(group), columns=distinct, use_threads=False)
            part = part.take(pa.array(rows - start)).select(names) if names else part
            cells = [column.to_pylist() for column in part.columns]
            for at, row in enumerate(rows.tolist()):
                found[row] = [column[at] for column in cells]
        return [found[row] for row in wanted.tolist()]

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
        found = self.connection.execute(f"SELECT count(*) FILTER (WHERE {filled(cell)}), {counts} FROM {self.table}")
        return type_of(possible, found.fetchone() or (0,))

    def head_type(self, column: int) -> str:
        """The type of the column's first cells."""
        return estimate(row[0] for row in self.take(range(min(self.rows, HEAD_ROWS)), [column]))


def type_of(possible: list[str], counts: Sequence[int]) -> str:
    """The type of a column, from how many cells say something and how many of them fit each possible type."""
    if counts[0] == 0:
        return "empty"
    return next((kind for kind, count in zip(possible, counts[1:], strict=True) if count == counts[0]), "text")
