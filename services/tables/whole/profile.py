"""What the cells of a column hold, over the whole copy: counts, spread, the commonest values and a histogram.

Columns of numbers are read into memory and sorted. Text that hardly repeats is told apart by hashes. Any other column
is counted by value first, and all else comes from those counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from services.tables.whole.cells import NUMBERS, filled, fits, missing, possible_types
from services.tables.whole.numbers import Numbers, read_numbers
from services.tables.whole.open_copy import OpenCopy, type_of
from services.tables.whole.unique_text import TOP, text_facts, unique_text

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 20
LONGEST_EXACT = 2**53
SAMPLED = 10_000  # first rows, which tell whether values repeat
REPEATING = 0.7  # share of different values among these, from which counting by value costs more than it saves
Floats = npt.NDArray[np.float64]
Counts = npt.NDArray[np.int64]


def profile_column(copy: OpenCopy, column: int) -> dict[str, Any]:
    """The profile of a column of the copy.

    `missing` are the cells pandas reads as missing, `blank` those of them that are a blank. `distinct`, `top` and the
    numbers leave them out. `quantiles` are at 5, 25, 50, 75 and 95 %, interpolated as pandas does. `approximate` names
    what is not exact: there `distinct` is off by a few per cent, and `top` is left out.
    """
    head = [row[0] for row in copy.take(range(min(copy.rows, SAMPLED)), [column])]
    possible = possible_types(copy.head_type(column))
    found = {"column": column, "approximate": []}
    for kind in (each for each in possible if each in NUMBERS):
        if (numbers := read_numbers(copy, column, kind)) is not None:
            return found | _of_read(copy, column, numbers)
    repeating = len(set(head)) <= REPEATING * len(head)
    if not possible and not repeating and (facts := unique_text(copy, column)) is not None:
        return found | facts
    return found | _of_queries(copy, column, possible, repeating)


def _of_read(copy: OpenCopy, column: int, numbers: Numbers) -> dict[str, Any]:
    kind = numbers.kind
    if kind == "float" and copy.head_type(column) != "float":
        kind = copy.dtype(column)  # whole numbers too long for 64 bits
    values, counts = _counted(numbers.values)
    facts = {"type": kind, "rows": copy.rows, "missing": copy.rows - len(numbers.values), "blank": numbers.blank}
    return facts | _of_numbers(values, counts, lambda value: copy.take([numbers.row_of(value)], [column])[0][0])


def _of_queries(copy: OpenCopy, column: int, possible: list[str], repeating: bool) -> dict[str, Any]:
    table = copy.over([column])
    cells = f"(SELECT c{column} AS v, 1 AS n FROM {table})"
    if repeating or not NUMBERS.intersection(possible):
        counted = f"SELECT c{column} AS v, count(*) AS n FROM {table} GROUP BY v"
        try:
            copy.connection.execute(f"CREATE OR REPLACE TEMP TABLE counted AS {counted}")
            cells = "counted"
        except duckdb.OutOfMemoryException:
            copy.connection.execute("DROP TABLE IF EXISTS counted")
    facts = _counts(copy, cells, possible)
    return facts | (_of_cast(copy, cells, facts["type"]) if facts["type"] in NUMBERS else _of_text(copy, cells))


def _counts(copy: OpenCopy, cells: str, possible: list[str]) -> dict[str, Any]:
    def sums(*tests: str) -> list[int]:
        asked = ", ".join(f"sum(n) FILTER (WHERE {test})" for test in tests)
        (counted,) = copy.connection.execute(f"SELECT {asked} FROM {cells}").fetchall()
        return [int(each or 0) for each in counted]

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
    ((different, least, most),) = run(f"SELECT {distinct}, min(v), max(v) {kept}").fetchall()
    top = run(f"SELECT v, n {kept} ORDER BY n DESC, v LIMIT {TOP}").fetchall() if counted else []
    return text_facts(different, least, most, top) | {"approximate": [] if counted else ["distinct", "top"]}


def _of_cast(copy: OpenCopy, cells: str, kind: str) -> dict[str, Any]:
    run = copy.connection.execute
    whole = "TRY_CAST(v AS BIGINT)"
    long = (
        run(f"SELECT count(*) FROM {cells} WHERE {filled('v')} AND {whole} IS NULL").fetchall()
        if kind == "int"
        else None
    )
    sql_type = "BIGINT" if long == [(0,)] else "DOUBLE"
    held = run(f"SELECT TRY_CAST(v AS {sql_type}) AS x, n FROM {cells} WHERE NOT {missing('v')}").fetchnumpy()
    values, counts = _by_value(np.ma.compressed(held["x"]), held["n"][~np.ma.getmaskarray(held["x"])])
    return _of_numbers(values, counts, lambda value: _as_written(copy, cells, value, sql_type))


def _of_numbers(values: Any, counts: Counts, written: Callable[[float | int], str | None]) -> dict[str, Any]:
    """The facts of different numbers in order that stand `counts` times each."""
    finite = np.isfinite(values)
    mean = float(np.dot(values.astype(np.float64), counts.astype(np.float64)) / counts.sum())
    return {
        "distinct": len(values),
        "min": plain_number(values[0].item()),
        "max": plain_number(values[-1].item()),
        "mean": plain_number(mean),
        "quantiles": [plain_number(each) for each in weighted_quantiles(values, counts, QUANTILES)],
        "top": [[(written(values[at].item()) or "").strip(), int(counts[at])] for at in _largest(counts)],
        "bins": histogram(values[finite].astype(np.float64), counts[finite]),
    }


def _counted(values: Any) -> tuple[Any, Counts]:
    """The different values in order, and how often each stands."""
    if not (values[1:] >= values[:-1]).all():  # identifiers mostly stand in order
        values = np.sort(values)
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    if len(first) == len(values):
        return values, np.ones(len(values), np.int64)
    return values[first], np.diff(first, append=len(values))


def _by_value(values: Any, counts: Any) -> tuple[Any, Counts]:
    """The same of values that stand `counts` times each."""
    if len(counts) and counts.max() == 1:
        return _counted(values)
    order = np.argsort(values, kind="stable")
    values, counts = values[order], np.asarray(counts, np.int64)[order]
    first = np.flatnonzero(np.concatenate(([True], values[1:] != values[:-1])))
    return values[first], np.add.reduceat(counts, first)


def _largest(counts: Counts) -> Counts:
    """Positions of the five largest, the first of equals first."""
    least = np.partition(counts, -TOP)[-TOP] if len(counts) > TOP else 0
    above, equal = np.flatnonzero(counts > least), np.flatnonzero(counts == least)
    return np.concatenate((above[np.argsort(-counts[above], kind="stable")], equal))[:TOP]


def _as_written(copy: OpenCopy, cells: str, value: float | int, sql_type: str) -> str:
    """How the file writes a number: 007 stays 007."""
    asked = f"SELECT v FROM {cells} WHERE TRY_CAST(v AS {sql_type}) = CAST($value AS {sql_type}) LIMIT 1"
    found = copy.connection.execute(asked, {"value": value}).fetchall()
    return str(found[0][0]).strip() if found else str(value)


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
    """`{"edges", "counts"}` of finite numbers in order; None where there are none or their range is beyond any."""
    if not len(values) or not math.isfinite(float(values[-1]) - float(values[0])):
        return None
    edges = np.histogram_bin_edges(values[[0, -1]], bins)
    before = np.concatenate(([0], np.cumsum(counts)))
    places = np.concatenate((np.searchsorted(values, edges[:-1], "left"), [len(values)]))
    return {"edges": edges.tolist(), "counts": np.diff(before[places]).tolist()}


def plain_number(value: float | int | None) -> float | int | str | None:
    """A number as JSON can hold it: one that is infinite, or a whole one JavaScript would round, as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if abs(value) <= LONGEST_EXACT else str(value)
