"""What the cells of a column hold, over the whole copy: counts, spread, the commonest values and a histogram.

Each column is first counted by value; all else comes from those counts, which is quick where values repeat.
"""

from __future__ import annotations

import math
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from services.tables.whole.cells import NUMBERS, filled, fits, missing, possible_types
from services.tables.whole.open_copy import OpenCopy, type_of

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)
BINS = 20
TOP = 5
TOP_CHARACTERS = 200
EXACT_QUANTILES = 10_000_000  # different numbers, of which more would not fit into memory
LONGEST_EXACT = 2**53
Floats = npt.NDArray[np.float64]


def profile_column(copy: OpenCopy, column: int, table: str) -> dict[str, Any]:
    """The profile of a column of `table`, which is the copy or holds its cells.

    `missing` are the cells pandas reads as missing, `blank` those of them that are a blank. `distinct`, `top` and the
    numbers leave them out. `quantiles` are at 5, 25, 50, 75 and 95 %, interpolated as pandas does. `approximate` names
    what is not exact.
    """
    run = copy.connection.execute
    cell = f"c{column}"
    try:
        run(f"CREATE OR REPLACE TEMP TABLE counted AS SELECT {cell} AS v, count(*) AS n FROM {table} GROUP BY {cell}")
    except duckdb.OutOfMemoryException:
        return _about(copy, column, table)
    possible = possible_types(copy.head_type(column))
    types = "".join(f", sum(n) FILTER (WHERE {filled('v')} AND {fits('v', kind)})" for kind in possible)
    found = run(
        f"SELECT sum(n), sum(n) FILTER (WHERE {missing('v')}), sum(n) FILTER (WHERE v = ''), "
        f"sum(n) FILTER (WHERE {filled('v')}){types} FROM counted"
    ).fetchone()
    rows, gone, blank, *fitting = (int(each or 0) for each in found or (0, 0, 0, 0))
    if not possible and fitting[0] == rows == 0:
        kind = "empty"
    else:
        kind = type_of(possible, fitting) if possible else "text"
    facts = {"column": column, "type": kind, "rows": rows, "missing": gone, "blank": blank, "approximate": []}
    return facts | (_of_numbers(copy, kind) if kind in NUMBERS else _of_text(copy))


def _of_text(copy: OpenCopy) -> dict[str, Any]:
    run = copy.connection.execute
    kept = f"FROM counted WHERE NOT {missing('v')}"
    distinct, least, most = run(f"SELECT count(*), min(v), max(v) {kept}").fetchone() or (0, None, None)
    top = run(f"SELECT v, n {kept} ORDER BY n DESC, v LIMIT {TOP}").fetchall()
    return {
        "distinct": distinct,
        "min": least and least[:TOP_CHARACTERS],
        "max": most and most[:TOP_CHARACTERS],
        "mean": None,
        "quantiles": None,
        "top": [[value[:TOP_CHARACTERS], int(count)] for value, count in top],
        "bins": None,
    }


def _of_numbers(copy: OpenCopy, kind: str) -> dict[str, Any]:
    run = copy.connection.execute
    unfit = run(f"SELECT count(*) FROM counted WHERE {filled('v')} AND TRY_CAST(v AS BIGINT) IS NULL").fetchone()
    sql_type = "BIGINT" if kind == "int" and unfit == (0,) else "DOUBLE"
    run(
        f"CREATE OR REPLACE TEMP TABLE numbers AS SELECT CAST(v AS {sql_type}) AS x, CAST(sum(n) AS BIGINT) AS n, "
        f"min(v) AS v FROM counted WHERE {filled('v')} GROUP BY x"
    )
    found = run("SELECT count(*), min(x), max(x), fsum(CAST(x AS DOUBLE) * n) / sum(n) FROM numbers").fetchone()
    distinct, least, most, mean = found or (0, None, None, None)
    top = run(f"SELECT v, n FROM numbers ORDER BY n DESC, x LIMIT {TOP}").fetchall()
    exact = distinct <= EXACT_QUANTILES
    return {
        "distinct": distinct,
        "min": plain_number(least),
        "max": plain_number(most),
        "mean": plain_number(mean),
        "quantiles": _quantiles(copy) if exact else _about_quantiles(copy),
        "top": [[value.strip(), int(count)] for value, count in top],
        "bins": _bins(copy),
        "approximate": [] if exact else ["quantiles"],
    }


def _quantiles(copy: OpenCopy) -> list[Any]:
    held = copy.connection.execute("SELECT CAST(x AS DOUBLE) AS x, n FROM numbers ORDER BY 1").fetchnumpy()
    values: Floats = np.asarray(held["x"], np.float64)
    ends = np.cumsum(np.asarray(held["n"], np.int64))
    quantiles = []
    for share in QUANTILES:
        place = share * (int(ends[-1]) - 1)
        low, high = (values[np.searchsorted(ends, at, side="right")] for at in (math.floor(place), math.ceil(place)))
        quantiles.append(plain_number(float(low if low == high else low + (high - low) * (place - math.floor(place)))))
    return quantiles


def _about_quantiles(copy: OpenCopy) -> list[Any]:
    # each different number counts once: with so many of them, few can stand more than a few times
    found = copy.connection.execute(
        f"SELECT approx_quantile(CAST(x AS DOUBLE), {list(QUANTILES)}) FROM numbers"
    ).fetchone()
    return [plain_number(each) for each in (found or ([],))[0]]


def _bins(copy: OpenCopy) -> dict[str, Any] | None:
    run = copy.connection.execute
    finite = "(SELECT CAST(x AS DOUBLE) AS x, n FROM numbers WHERE isfinite(CAST(x AS DOUBLE)))"
    least, most = run(f"SELECT min(x), max(x) FROM {finite}").fetchone() or (None, None)
    if least is None or not math.isfinite(most - least):
        return None
    low, high = (least, most) if least < most else (least - 0.5, least + 0.5)
    place = f"least({BINS - 1}, CAST(floor((x - $low) / $width) AS INTEGER))"
    found = run(
        f"SELECT {place} AS bin, sum(n) FROM {finite} GROUP BY bin", {"low": low, "width": (high - low) / BINS}
    ).fetchall()
    counts = [0] * BINS
    for at, count in found:
        counts[max(0, at)] += int(count)
    return {"edges": np.linspace(low, high, BINS + 1).tolist(), "counts": counts}


def _about(copy: OpenCopy, column: int, table: str) -> dict[str, Any]:
    """The profile of a column with more text than fits: its different values are estimated (within about 2 %)."""
    cell = f"c{column}"
    found = copy.connection.execute(
        f"SELECT count(*), count(*) FILTER (WHERE {missing(cell)}), count(*) FILTER (WHERE {cell} = ''), "
        f"approx_count_distinct({cell}) FILTER (WHERE NOT {missing(cell)}), "
        f"min({cell}) FILTER (WHERE NOT {missing(cell)}), max({cell}) FILTER (WHERE NOT {missing(cell)}) FROM {table}"
    ).fetchone()
    rows, gone, blank, distinct, least, most = found or (0, 0, 0, 0, None, None)
    return {
        "column": column,
        "type": copy.dtype(column),
        "rows": rows,
        "missing": gone,
        "blank": blank,
        "distinct": distinct,
        "min": least and least[:TOP_CHARACTERS],
        "max": most and most[:TOP_CHARACTERS],
        "mean": None,
        "quantiles": None,
        "top": [],
        "bins": None,
        "approximate": ["distinct"],
    }


def plain_number(value: float | int | None) -> float | int | str | None:
    """A number as JSON can hold it: one that is infinite, or a whole one JavaScript would round, as text."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if abs(value) <= LONGEST_EXACT else str(value)
