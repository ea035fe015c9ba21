"""The data of charts, drawn together over the whole copy: never more than a few thousand points.

Which chart fits is told from the types: one column of numbers gives a histogram, of dates counts over time, of anything
else bars; two give a scatter (numbers), a line of means (dates and numbers), boxes (words and numbers) or a heat map
(words); none gives the correlations of the columns of numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, islice
from typing import Any

import numpy as np
import numpy.typing as npt

from services.tables.model import TableError
from services.tables.whole.cells import NUMBERS, missing
from services.tables.whole.open_copy import OpenCopy
from services.tables.whole.profile import histogram, plain_number

BARS = 30
BINS = 40
POINTS = 4_000
BOXES = 20
HEAT = 30  # values a side
TIMES = 1_000
CORRELATED = 40  # columns
CORRELATION_ROWS = 2_000_000
WORD_CHARACTERS = 60
_QUARTILES = (0, 0.25, 0.5, 0.75, 1)
Pairs = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def chart(copy: OpenCopy, request: dict[str, Any]) -> dict[str, Any]:
    """`{"kind", "title", "x", "y", …, "note"}` for no, one or two columns.

    histogram: `x` edges, `y` counts. bars: `x` values, `y` counts. time: `x` dates, `y` counts or means. scatter: `x`
    and `y` numbers. box: `x` values, `y` five numbers each (least, quartiles, most). heat: `x`, `y` values and `z`
    counts by y and x. correlation: `x` and `y` columns, `z` coefficients (Pearson), None where there is none.

    Raises:
        TableError: there is nothing to draw.
    """
    columns: Sequence[int] = request["columns"]
    if len(columns) > 2 or any(not 0 <= at < copy.columns for at in columns):
        raise TableError("A chart is of one or two columns of the table.")
    title = " · ".join(copy.labels([at])[0] for at in columns) or "Correlations"
    return {"title": title} | (_of_columns(copy, columns) if columns else _correlation(copy))


def _of_columns(copy: OpenCopy, columns: Sequence[int]) -> dict[str, Any]:
    kinds = [_kind(copy, at) for at in columns]
    if "empty" in kinds:
        raise TableError("The column holds no values to draw.")
    if len(columns) == 1:
        one = {"number": _histogram, "date": _over_time, "word": _bars}[kinds[0]]
        return one(copy, columns[0])
    first, second = columns
    if kinds == ["number", "number"]:
        return _scatter(copy, first, second)
    if "number" in kinds:
        words, numbers = (second, first) if kinds[0] == "number" else (first, second)
        return _means(copy, words, numbers) if "date" in kinds else _boxes(copy, words, numbers)
    return _heat(copy, first, second)


def _kind(copy: OpenCopy, column: int) -> str:
    dtype = copy.dtype(column)
    if dtype in NUMBERS:
        return "number"
    if dtype == "date-like" and _rows(
        copy, f"SELECT 1 FROM {copy.over([column])} WHERE {_day(column)} IS NOT NULL LIMIT 1"
    ):
        return "date"
    return "empty" if dtype == "empty" else "word"


def _number(column: int) -> str:
    return f"CASE WHEN NOT {missing(f'c{column}')} THEN TRY_CAST(c{column} AS DOUBLE) END"


def _day(column: int) -> str:
    """The date a cell begins with, where it is written year first; other orders can be read in more than one way."""
    return f"TRY_CAST(regexp_replace(left(trim(c{column}), 10), '[/.]', '-', 'g') AS DATE)"


def _word(column: int) -> str:
    return f"CASE WHEN NOT {missing(f'c{column}')} THEN left(c{column}, {WORD_CHARACTERS}) END"


def _rows(copy: OpenCopy, query: str, values: dict[str, Any] | None = None) -> list[tuple[Any, ...]]:
    return copy.connection.execute(query, values or {}).fetchall()


def _histogram(copy: OpenCopy, column: int) -> dict[str, Any]:
    found = copy.connection.execute(f"SELECT {_number(column)} AS x FROM {copy.over([column])}").fetchnumpy()["x"]
    every = np.ma.compressed(found)
    values = np.sort(every[np.isfinite(every)])
    bins = histogram(values, np.ones(len(values), np.int64), BINS)
    if bins is None:
        raise TableError("The column's numbers have no range that can be drawn.")
    left = copy.rows - len(values)
    note = f"{left:,} cells without a finite number are left out." if left else ""
    return {"kind": "histogram", "x": bins["edges"], "y": bins["counts"], "note": note}


def _bars(copy: OpenCopy, column: int) -> dict[str, Any]:
    counted = f"SELECT {_word(column)} AS v, count(*) AS n FROM {copy.over([column])} GROUP BY v"
    found = _rows(copy, f"SELECT v, n FROM ({counted}) WHERE v IS NOT NULL ORDER BY n DESC, v LIMIT {BARS}")
    ((different, cells),) = _rows(copy, f"SELECT count(v), sum(n) FILTER (WHERE v IS NOT NULL) FROM ({counted})")
    shown = sum(count for _, count in found)
    note = "" if different <= BARS else f"The {BARS} commonest of {different:,} values: {shown:,} of {cells:,} cells."
    return {"kind": "bars", "x": [value for value, _ in found], "y": [count for _, count in found], "note": note}


def _unit(copy: OpenCopy, column: int) -> str:
    """day, week, month or year: the finest that gives few enough points."""
    ((first, last),) = _rows(copy, f"SELECT min({_day(column)}), max({_day(column)}) FROM {copy.over([column])}")
    days = (last - first).days
    return next((unit for unit, long in (("day", 1), ("week", 7), ("month", 30)) if days / long <= TIMES), "year")


def _over_time(copy: OpenCopy, column: int) -> dict[str, Any]:
    unit = _unit(copy, column)
    when = f"CAST(date_trunc('{unit}', {_day(column)}) AS DATE)"
    found = _rows(copy, f"SELECT {when} AS t, count(*) FROM {copy.over([column])} GROUP BY t ORDER BY t")
    left = sum(count for when, count in found if when is None)
    kept = [(when.isoformat(), count) for when, count in found if when is not None]
    note = f"Rows a {unit}." + (f" {left:,} cells without a date written year first are left out." if left else "")
    return {"kind": "time", "x": [when for when, _ in kept], "y": [count for _, count in kept], "note": note}


def _means(copy: OpenCopy, dates: int, numbers: int) -> dict[str, Any]:
    unit = _unit(copy, dates)
    table = copy.over([dates, numbers])
    found = _rows(
        copy,
        f"SELECT CAST(date_trunc('{unit}', {_day(dates)}) AS DATE) AS t, avg({_number(numbers)}) FROM {table} "
        f"WHERE {_day(dates)} IS NOT NULL AND isfinite({_number(numbers)}) GROUP BY t ORDER BY t",
    )
    x, y = [when.isoformat() for when, _ in found], [plain_number(mean) for _, mean in found]
    return {"kind": "time", "x": x, "y": y, "note": f"The mean of each {unit}."}


def _pairs(copy: OpenCopy, first: int, second: int) -> Pairs:
    table = copy.over([first, second])
    found = copy.connection.execute(
        f"SELECT x, y FROM (SELECT {_number(first)} AS x, {_number(second)} AS y, row FROM {table}) "
        f"WHERE isfinite(x) AND isfinite(y) ORDER BY row"
    ).fetchnumpy()
    return np.asarray(found["x"], np.float64), np.asarray(found["y"], np.float64)


def _scatter(copy: OpenCopy, first: int, second: int) -> dict[str, Any]:
    x, y = _pairs(copy, first, second)
    total = len(x)
    if total > POINTS:
        chosen = np.sort(np.random.default_rng(0).choice(total, POINTS, replace=False))
        x, y = x[chosen], y[chosen]
    note = "" if total <= POINTS else f"{POINTS:,} of {total:,} points, chosen at random."
    return {"kind": "scatter", "x": x.tolist(), "y": y.tolist(), "note": note}


def _boxes(copy: OpenCopy, words: int, numbers: int) -> dict[str, Any]:
    cells = f"(SELECT {_word(words)} AS v, {_number(numbers)} AS x FROM {copy.over([words, numbers])})"
    found = _rows(
        copy,
        f"SELECT v, quantile_cont(x, {list(_QUARTILES)}), count(*) OVER () FROM {cells} "
        f"WHERE v IS NOT NULL AND isfinite(x) GROUP BY v ORDER BY count(*) DESC, v LIMIT {BOXES}",
    )
    different = found[0][2] if found else 0
    note = "" if different <= BOXES else f"The {BOXES} commonest of {different:,} values."
    y = [[plain_number(each) for each in five] for _, five, _ in found]
    return {"kind": "box", "x": [value for value, _, _ in found], "y": y, "note": note}


def _heat(copy: OpenCopy, first: int, second: int) -> dict[str, Any]:
    cells = f"(SELECT {_word(first)} AS a, {_word(second)} AS b FROM {copy.over([first, second])})"
    sides, notes = [], []
    for side in ("a", "b"):
        counted = f"SELECT {side}, count(*) AS n FROM {cells} WHERE a IS NOT NULL AND b IS NOT NULL GROUP BY {side}"
        sides.append([row[0] for row in _rows(copy, f"{counted} ORDER BY n DESC, {side} LIMIT {HEAT + 1}")])
        if len(sides[-1]) > HEAT:
            sides[-1].pop()
            notes.append(
                f"Only the {HEAT} commonest values of column {(first if side == 'a' else second) + 1} are shown."
            )
    found = _rows(
        copy,
        f"SELECT a, b, count(*) FROM {cells} WHERE list_contains($x, a) AND list_contains($y, b) GROUP BY a, b",
        {"x": sides[0], "y": sides[1]},
    )
    z = [[0] * len(sides[0]) for _ in sides[1]]
    for a, b, count in found:
        z[sides[1].index(b)][sides[0].index(a)] = count
    return {"kind": "heat", "x": sides[0], "y": sides[1], "z": z, "note": " ".join(notes)}


def _correlation(copy: OpenCopy) -> dict[str, Any]:
    numbers = list(islice((at for at in range(copy.columns) if copy.dtype(at) in NUMBERS), CORRELATED + 1))
    if len(numbers) < 2:
        raise TableError("Correlations need two columns of numbers; the table has fewer.")
    shown = numbers[:CORRELATED]
    thin = f"WHERE row % {-(-copy.rows // CORRELATION_ROWS)} = 0" if copy.rows > CORRELATION_ROWS else ""
    cells = ", ".join(f"{_number(at)} AS x{at}" for at in shown)
    # a number that is not finite has no correlation: as missing, it leaves the others theirs
    finite = ", ".join(f"CASE WHEN isfinite(x{at}) THEN x{at} END AS x{at}" for at in shown)
    pairs = list(combinations(shown, 2))
    asked = ", ".join(f"corr(x{a}, x{b})" for a, b in pairs)
    (found,) = _rows(
        copy, f"SELECT {asked} FROM (SELECT {finite} FROM (SELECT {cells} FROM {copy.over(shown)} {thin}))"
    )
    known = dict(zip(pairs, map(plain_number, found), strict=True))
    z = [[1.0 if a == b else known.get((min(a, b), max(a, b))) for a in shown] for b in shown]
    notes = [] if len(numbers) <= CORRELATED else [f"The first {CORRELATED} columns of numbers: there are more."]
    if thin:
        notes.append(f"Of every {-(-copy.rows // CORRELATION_ROWS)}th row.")
    return {"kind": "correlation", "x": copy.labels(shown), "y": copy.labels(shown), "z": z, "note": " ".join(notes)}
