"""Pages of a copy: rows of a view, one whole cell, and the next cell that holds a text."""

from __future__ import annotations

from typing import Any

import numpy as np

from services.tables.model import TableError
from services.tables.whole.open_copy import Numbers, OpenCopy
from services.tables.whole.views import hits, order

MAX_ROWS = 1000
MAX_COLUMNS = 1000
MAX_CELL = 2_000  # characters
SHORT_CELL = 200
MAX_PAGE = 2_000_000  # characters; on a page that would be larger, cells are cut shorter
WHOLE_CELL = 1_000_000  # characters


def rows(copy: OpenCopy, request: dict[str, Any]) -> dict[str, Any]:
    """`{"rows", "numbers", "total", "cut"}`: rows of the view from position `offset`, of the `columns` wanted."""
    columns = [at for at in request["columns"] if 0 <= at < copy.columns][:MAX_COLUMNS]
    count = max(0, min(request["rows"], MAX_ROWS))
    first = max(0, request["offset"])
    chosen = order(copy, request["view"])
    total = copy.rows if chosen is None else len(chosen)
    end = min(first + count, total)
    numbers = list(range(first, end)) if chosen is None else chosen[first:end].tolist()
    page = copy.take(numbers, columns)
    length = sum(min(len(cell), MAX_CELL) for row in page for cell in row if cell)
    limit = SHORT_CELL if length > MAX_PAGE else MAX_CELL
    cut = [
        (at, k, len(cell)) for at, row in enumerate(page) for k, cell in enumerate(row) if cell and len(cell) > limit
    ]
    return {
        "rows": [[cell and cell[:limit] for cell in row] for row in page],
        "numbers": numbers,
        "total": total,
        "cut": cut,
    }


def cell(copy: OpenCopy, request: dict[str, Any]) -> dict[str, Any]:
    """`{"text", "length"}` of the cell at a row's number in the file and a column; text up to a million characters."""
    row, column = request["row"], request["column"]
    if not (0 <= row < copy.rows and 0 <= column < copy.columns):
        raise TableError("The table has no such cell.")
    text = copy.take([row], [column])[0][0]
    return {"text": text and text[:WHOLE_CELL], "length": len(text or "")}


def find(copy: OpenCopy, request: dict[str, Any]) -> dict[str, Any]:
    """`{"row": position in the view, "column", "place": of this cell among those that hold the text, from 1, "count":
    how many those are, "total": rows of the view, "exact": True}`, or `{"row": None}`.

    The search begins at `from`, `[row, column]`, which is itself left out, and goes on from the other end of the view.
    """
    text = request["text"]
    every = hits(copy, text) if text else np.empty((0, 2), np.int64)
    chosen = order(copy, request["view"])
    if chosen is not None:
        every = _in_view(every, chosen, copy.rows)
    if not len(every):
        return {"row": None}
    places = every[:, 0] * copy.columns + every[:, 1]
    row, column = (max(-1, min(at, most)) for at, most in zip(request["from"], (copy.rows, copy.columns), strict=True))
    here = row * copy.columns + column
    if request["backwards"]:
        at = int(np.searchsorted(places, here, side="left")) - 1
    else:
        at = int(np.searchsorted(places, here, side="right"))
    at %= len(places)
    return {
        "row": int(every[at, 0]),
        "column": int(every[at, 1]),
        "place": at + 1,
        "count": len(every),
        "total": copy.rows if chosen is None else len(chosen),
        "exact": True,
    }


def _in_view(every: Numbers, chosen: Numbers, rows_of_file: int) -> Numbers:
    """The hits by their position in the view, in its order."""
    position = np.full(rows_of_file, -1, np.int64)
    position[chosen] = np.arange(len(chosen))
    moved = np.column_stack([position[every[:, 0]], every[:, 1]])
    moved = moved[moved[:, 0] >= 0]
    return moved[np.lexsort((moved[:, 1], moved[:, 0]))]
