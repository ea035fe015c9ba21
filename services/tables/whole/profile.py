"""What the cells of a column hold, over the whole copy: counts, spread, the commonest values and a histogram.

A column whose values repeat is counted by value first, and all else comes from those counts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from services.tables.whole.cells import NUMBERS, filled, fits, missing, possible_types
from services.tables.whole.open_copy import HEAD_ROWS, OpenCopy, type_of

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 20
TOP = 5
TOP_CHARACTERS = 200
LONGEST_EXACT = 2**53
REPEATING = 0.7  # share of different values among the first rows, from which counting by value costs more than it saves
Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def profile_column(copy: OpenCopy, column: int) -> dict[str, Any]:
    """The profile of a column of the copy.

    `missing` are the cells pandas reads as missing, `blank` those of them that are a blank. `distinct`, `top` and the
    numbers leave them out. `quantiles` are at 5, 25, 50, 75 and 95 %, interpolated as pandas does. `approximate` names
    what is not exact: there `distinct` is off by a few per cent, and `top` is left out.
    """
    head = [row[0] for row in copy.take(range(min(copy.rows, HEAD_ROWS)), [column])]
    possible = possible_types(copy.head_type(column))
    numeric = any(kind in NUMBERS for kind in possible)
    cells = f"(SELECT c{column} AS v, 1 AS n FROM {copy.table})"
    if len(set(head)) <= REPEATING * len(head) or not numeric:
        counted = f"SELECT c{column} AS v, count(*) AS n FROM {copy.table} GROUP BY v"
        try:
            copy.connection.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {counted}")
            cells = "counted"
        except duckdb.OutOfMemoryException:
            copy.connection.execute("DROP TABLE IF EXISTS counted")
    facts = _counts(copy, cells, possible)
    kind = facts["type"]
    found = {"column": column, "approximate": [], **facts}
    return found | (_of_numbers(copy, cells, kind) if kind in NUMBERS else _of_text(copy, cells))


def _counts(copy: OpenCopy, cells: str, possible: list[str]) -> dict[str, Any]:
    def sums(*tests: str) -> list[int]:
        asked = ", ".join(f"sum(n) FILTER (WHERE {test})" for test in tests)
        return [int(each or 0) for each in copy.connection.execute(f"SELECT {asked} FROM {cells}").fetchone() or ()]

    rows, gone, blank = sums("true", missing("v"), "v = ''")
    kind = "text" if possible else None
    for each in possible:  # the usual column is of one type throughout: then one test is enough
        if rows > gone and sums(fits("v", each)) == [rows - gone]:
            kind = each
            break
    if kind == "text":
        tests = [filled("v"), *(f"{filled('v')} AND {fits('v', each)}" for each in possible)]
        kind = type_of(possible, sums(*tests))
    return {"type": kind or "text", "rows": rows, "missing": gone, "blank": blank}


def _of_text(copy: OpenCopy, cells: str) -> dict[str, Any]:
    run = copy.connection.execute
    counted = cells == "counted"
    distinct = "count(*)" if counted else "approx_count_distinct(v)"
    kept = f"FROM {cells} WHERE NOT {missing('v')}"
    different, least, most = run(f"SELECT {distinct}, min(v), max(v) {kept}").fetchone() or (0, None, None)
    top = run(f"SELECT v, n {kept} ORDER BY n DESC, v LIMIT {TOP}").fetchall() if counted else []
    return {
        "distinct": different,
        "min": least and least[:TOP_CHARACTERS],
        "max": most and most[:TOP_CHARACTERS],
        "mean": None,
        "quantiles": None,
        "top": [[value[:TOP_CHARACTERS], int(count)] for value, count in top],
        "bins": None,
        "approximate": [] if counted else ["distinct", "top"],
    }


def _of_numbers(copy: OpenCopy, cells: str, kind: str) -> dict[str, Any]:
    run = copy.connection.execute
    whole = "TRY_CAST(v AS BIGINT)"
    long = (
        run(f"SELECT count(*) FROM {cells} WHERE {filled('v')} AND {whole} IS NULL").fetchone()
        if kind == "int"
        else None
    )
    sql_type = "BIGINT" if long == (0,) else "DOUBLE"
    held = run(f"SELECT TRY_CAST(v AS {sql_type}) AS x, n FROM {cells} WHERE NOT {missing('v')}").fetchnumpy()
    values, counts = _by_value(np.ma.compressed(held["x"]), held["n"][~np.ma.getmaskarray(held["x"])])
    commonest = np.lexsort((np.arange(len(counts)), -counts))[:TOP] if len(counts) < 10**6 else _largest(counts)
    finite = values[np.isfinite(values)].astype(np.float64)
    weights = counts[np.isfinite(values)]
    mean = float(np.dot(values.astype(np.float64), counts) / counts.sum())
    return {
        "distinct": len(values),
        "min": plain_number(values[0].item()),
        "max": plain_number(values[-1].item()),
        "mean": plain_number(mean),
        "quantiles": [plain_number(each) for each in weighted_quantiles(values, counts, QUANTILES)],
        "top": [[_as_written(copy, cells, values[at].item(), sql_type), int(counts[at])] for at in commonest],
        "bins": histogram(finite, weights),
    }


def _by_value(values: Any, counts: Any) -> tuple[Any, Counts]:
    """The different values in order, and how often each stands."""
    if len(counts) and counts.max() == 1:
        values = np.sort(values)
        counts = np.ones(len(values), np.int64)
    else:
        order = np.argsort(values, kind="stable")
        values, counts = values[order], np.asarray(counts, np.int64)[order]
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return values[first], np.add.reduceat(counts, first)


def _largest(counts: Counts) -> Counts:
    """Positions of the five largest, the first of equals first."""
    least = np.partition(counts, -TOP)[-TOP]
    above, equal = np.flatnonzero(counts > least), np.flatnonzero(counts == least)
    return np.concatenate((above[np.argsort(-counts[above], kind="stable")], equal))[:TOP]


def _as_written(copy: OpenCopy, cells: str, value: float | int, sql_type: str) -> str:
    """How the file writes a number: 007 stays 007."""
    asked = f"SELECT v FROM {cells} WHERE TRY_CAST(v AS {sql_type}) = CAST($value AS {sql_type}) LIMIT 1"
    found = copy.connection.execute(asked, {"value": value}).fetchone()
    return str(found[0]).strip() if found else str(value)


def weighted_quantiles(values: Floats, counts: Counts, shares: Sequence[float]) -> list[float]:
    """Quantiles of numbers in order that stand `counts` times each, interpolated linearly as pandas does."""
    ends = np.cumsum(counts)
    found = []
    for share in shares:
        place = share * (int(ends[-1]) - 1)
        low, high = (float(values[np.searchsorted(ends, at, "right")]) for at in (math.floor(place), math.ceil(place)))
        found.append(low if low == high else low + (high - low) * (place - math.floor(place)))
    return found


def histogram(values: Floats, counts: Counts, bins: int = BINS) -> dict[str, Any] | None:
    """`{"edges", "counts"}` of finite numbers; None where there are none or their range is beyond any number."""
    if not len(values) or not math.isfinite(float(values.max()) - float(values.min())):
        return None
    found, edges = np.histogram(values, bins, weights=counts)
    return {"edges": edges.tolist(), "counts": [int(each) for each in found]}


def plain_number(value: float | int | None) -> float | int | str | None:
    """A number as JSON can hold it: one that is infinite, or a whole one JavaScript would round, as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if abs(value) <= LONGEST_EXACT else str(value)
