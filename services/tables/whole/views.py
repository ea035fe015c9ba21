"""The order of a view's rows: filtered, searched and sorted once, then kept beside the copy as row numbers."""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import os
import secrets
from typing import Any

import numpy as np

from services.tables.model import TableError
from services.tables.whole.cells import NUMBERS, missing, number
from services.tables.whole.open_copy import Numbers, OpenCopy

KEPT = 8  # views and finds of a copy
MOST_PARTS = 100  # filters and sort columns of a view
SEARCHED_COLUMNS = 200  # in one query


def order(copy: OpenCopy, view: dict[str, Any]) -> Numbers | None:
    """The numbers of the rows of a view, in its order; None where it is the file's own order with nothing left out.

    Raises:
        TableError: the view names what there is not.
    """
    if not (view.get("sort") or view.get("filters") or view.get("find")):
        return None
    return kept(copy, "view", view, lambda: _ordered(copy, view))


def kept(copy: OpenCopy, what: str, key: Any, make: Any) -> Numbers:
    """An array of numbers that is kept in the copy's folder once it has been made."""
    name = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]
    path = copy.folder / f"{what}-{name}.npy"
    with contextlib.suppress(OSError, ValueError):
        numbers: Numbers = np.load(path, mmap_mode="r")
        os.utime(path)
        return numbers
    made: Numbers = make()
    if made.size <= copy.rows * 2:
        part = path.with_name(f"{secrets.token_hex(8)}.tmp")
        with part.open("wb") as file:
            np.save(file, made)
        part.rename(path)
        _forget_oldest(copy)
    return made


def _forget_oldest(copy: OpenCopy) -> None:
    with contextlib.suppress(OSError):
        for path in sorted(copy.folder.glob("*.npy"), key=lambda each: -each.stat().st_mtime)[KEPT:]:
            path.unlink(missing_ok=True)


def _ordered(copy: OpenCopy, view: dict[str, Any]) -> Numbers:
    parts = len(view.get("filters") or []) + len(view.get("sort") or [])
    if parts > MOST_PARTS:
        raise TableError(f"The view has {parts:,} filters and sorted columns; it may have {MOST_PARTS}.")
    values: dict[str, str | float] = {}
    tests = [_test(copy, each, values, f"v{at}") for at, each in enumerate(view.get("filters") or [])]
    keys = [key for each in view.get("sort") or [] for key in _keys(copy, each)]
    text = str(view.get("find") or "")
    where = f"WHERE {' AND '.join(tests)}" if tests else ""
    by = ", ".join([*keys, "row"])
    table = copy.over(each["column"] for key in ("filters", "sort") for each in view.get(key) or [])
    found = copy.connection.execute(f"SELECT row FROM {table} {where} ORDER BY {by}", values).fetchnumpy()["row"]
    numbers = np.asarray(found, dtype=np.int64)
    if text:
        numbers = numbers[np.isin(numbers, np.unique(hits(copy, text)[:, 0]))]
    return numbers


def hits(copy: OpenCopy, text: str) -> Numbers:
    """Where a text stands, whatever its case: (row, column) of every cell that holds it, in the order of the file."""
    return kept(copy, "hits", text, lambda: _hits(copy, text))


def _hits(copy: OpenCopy, text: str) -> Numbers:
    parts = []
    for start in range(0, copy.columns, SEARCHED_COLUMNS):
        columns = range(start, min(copy.columns, start + SEARCHED_COLUMNS))
        holds = {at: f"contains(lower(c{at}), lower($text))" for at in columns}
        flags = ", ".join(f"CASE WHEN {test} THEN {at} END" for at, test in holds.items())
        query = f"SELECT row, unnest([{flags}]) AS k FROM {copy.over(columns)} WHERE {' OR '.join(holds.values())}"
        found = copy.connection.execute(
            f"SELECT row, k FROM ({query}) WHERE k IS NOT NULL", {"text": text}
        ).fetchnumpy()
        parts.append(np.column_stack([np.asarray(found["row"], np.int64), np.asarray(found["k"], np.int64)]))
    every = np.concatenate(parts)
    return every[np.lexsort((every[:, 1], every[:, 0]))]


def _column(copy: OpenCopy, given: Any) -> int:
    if not isinstance(given, int) or not 0 <= given < copy.columns:
        raise TableError(f"The table has no column number {given}.")
    return given


def _keys(copy: OpenCopy, sort: dict[str, Any]) -> list[str]:
    column = _column(copy, sort.get("column"))
    way = "DESC NULLS LAST" if sort.get("descending") else "ASC NULLS LAST"
    dtype, cell = copy.dtype(column), f"c{column}"
    if dtype not in NUMBERS:
        return [f"CASE WHEN NOT {missing(cell)} THEN {cell} END {way}"]
    keys = [f"{number(cell)} {way}"]
    if dtype == "int":  # two long ones may be the same as float
        keys.append(f"{number(cell, 'HUGEINT')} {way}")
    return keys


def _test(copy: OpenCopy, given: dict[str, Any], values: dict[str, str | float], name: str) -> str:
    column, what = _column(copy, given.get("column")), given.get("op")
    cell = f"c{column}"
    if what in {"missing", "filled"}:
        return missing(cell) if what == "missing" else f"NOT {missing(cell)}"
    values[name] = value = str(given.get("value") or "")
    wanted = _number_of(value) if copy.dtype(column) in NUMBERS else None
    if what == "contains":
        return f"coalesce(contains(lower({cell}), lower(${name})), false)"
    if what in {"equals", "not_equals"}:
        same = f"coalesce({cell} = ${name}, false)"
        if wanted is not None:
            values[f"{name}n"] = wanted
            same = f"({same} OR coalesce({number(cell)} = ${name}n, false))"
        return same if what == "equals" else f"NOT {same}"
    if what in {"less", "more"}:
        sign = "<" if what == "less" else ">"
        if wanted is not None:
            values[name] = wanted
            return f"coalesce({number(cell)} {sign} ${name}, false)"
        if copy.dtype(column) in NUMBERS:
            raise TableError(f"{value!r} is no number, and the column holds numbers.")
        return f"(NOT {missing(cell)} AND {cell} {sign} ${name})"
    raise TableError(f"There is no filter {what!r}.")


def _number_of(value: str) -> float | None:
    """The number that a filter's value is, None where it is none: what says nothing ("nan") is none either."""
    try:
        wanted = float(value)
    except ValueError:
        return None
    return None if "_" in value or math.isnan(wanted) else wanted
