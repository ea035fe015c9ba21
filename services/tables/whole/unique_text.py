"""Columns of text that hardly repeats: told apart by hashes, and exact all the same.

A hash that stands once belongs to a value that stands once. Only the cells whose hash stands more often are counted by
value, so no two values are ever taken for one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from services.tables.whole.cells import missing
from services.tables.whole.open_copy import OpenCopy

TOP = 5
TOP_CHARACTERS = 200
MOST_ROWS = 40_000_000  # 16 bytes a row are held
MOST_REPEATED = 0.2  # share of rows, from which counting all by value costs less


def unique_text(copy: OpenCopy, column: int) -> dict[str, Any] | None:
    """The facts of a column of text; None where too many of its values stand more than once."""
    if copy.rows > MOST_ROWS:
        return None
    run = copy.connection.execute
    cells = f"(SELECT c{column} AS v FROM {copy.over([column])})"
    kept = f"FROM {cells} WHERE NOT {missing('v')}"
    hashes = run(f"SELECT hash(v) AS h {kept}").fetchnumpy()["h"]
    hashes.sort()
    same = hashes[1:] == hashes[:-1]
    repeated = np.unique(hashes[1:][same])
    among = int(same.sum()) + len(repeated)  # cells
    if among > MOST_REPEATED * copy.rows:
        return None
    del hashes, same
    counted: dict[str, int] = {}
    if len(repeated):
        copy.connection.register("repeated", pa.table({"h": repeated}))
        again = f"SELECT v, count(*) {kept} AND hash(v) IN (SELECT h FROM repeated) GROUP BY v"
        counted = dict(run(again).fetchall())
        copy.connection.unregister("repeated")
    ((blank, filled, least, most),) = run(
        f"SELECT count(*) FILTER (WHERE v = ''), count(*) FILTER (WHERE NOT {missing('v')}), "
        f"min(v) FILTER (WHERE NOT {missing('v')}), max(v) FILTER (WHERE NOT {missing('v')}) FROM {cells}"
    ).fetchall()
    first = sorted(counted.items(), key=lambda each: (-each[1], each[0].encode()))[:TOP]
    if len(first) < TOP or first[-1][1] == 1:  # the first of those that stand once
        once = run(f"SELECT v {kept} ORDER BY v LIMIT {TOP + len(counted)}").fetchall()
        every = counted | {value: 1 for (value,) in once if value not in counted}
        first = sorted(every.items(), key=lambda each: (-each[1], each[0].encode()))[:TOP]
    facts = {"type": "text", "rows": copy.rows, "missing": copy.rows - filled, "blank": blank}
    return facts | text_facts(filled - among + len(counted), least, most, first)


def text_facts(distinct: int, least: str | None, most: str | None, top: list[tuple[str, int]]) -> dict[str, Any]:
    """What is said of text; values cut to what can be shown."""
    return {
        "distinct": distinct,
        "min": least and least[:TOP_CHARACTERS],
        "max": most and most[:TOP_CHARACTERS],
        "mean": None,
        "quantiles": None,
        "top": [[value[:TOP_CHARACTERS], int(count)] for value, count in top],
        "bins": None,
    }
