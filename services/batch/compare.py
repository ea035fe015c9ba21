"""Two runs side by side: who was right where, how sure the difference is, and the rows that flipped.

One row of a task stands for a run: the first that was graded. Only tasks that both runs answered are compared; a pair
with a row that is not gradable, has no answer or tells of a failure is left out and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from services.batch.statistics import mcnemar
from services.batch.store import FACETS, BatchRow, Store, ordered

Won = Literal["first", "second"]

_PAIRS = (
    "FROM first AS a JOIN first AS b ON a.task = b.task AND a.run = ? AND b.run = ? JOIN task ON task.task = a.task "
    "JOIN graded AS one ON one.row = a.row JOIN graded AS two ON two.row = b.row"
)
_FLIPPED = {
    "first": "one.outcome = 'right' AND two.outcome = 'wrong'",
    "second": "one.outcome = 'wrong' AND two.outcome = 'right'",
}


@dataclass(frozen=True)
class Flip:
    """A task that one run got right and the other wrong."""

    task_id: str
    won: Won
    first: BatchRow
    second: BatchRow

    def as_dict(self) -> dict[str, Any]:
        rows = {"first": self.first.as_dict(), "second": self.second.as_dict()}
        return {"task_id": self.task_id, "won": self.won, **rows}


@dataclass(frozen=True)
class FlipsPage:
    """Flips `offset` to `offset + len(flips)` of `total`."""

    total: int
    offset: int
    flips: list[Flip]

    def as_dict(self) -> dict[str, Any]:
        return {"total": self.total, "offset": self.offset, "flips": [flip.as_dict() for flip in self.flips]}


def compare(store: Store, first: str, second: str) -> dict[str, Any]:
    """The 2×2 table of two runs, McNemar's exact p, and the same table for each value of each facet.

    A table is `{both_right, only_first, only_second, both_wrong, left_out}`, counts of tasks; `p_value` belongs to the
    whole. `only_in_first` and `only_in_second` are tasks the other run has no graded row of.
    """
    whole = _table()
    groups: dict[str, dict[str, dict[str, int]]] = {facet: {} for facet in FACETS}
    with store.connection() as database:
        select = f"SELECT {', '.join(f'task.{facet}' for facet in FACETS)}, one.outcome, two.outcome {_PAIRS}"
        for *facets, one, two in database.execute(select, (first, second)):
            cell = _cell(one, two)
            whole[cell] += 1
            for facet, value in zip(FACETS, facets, strict=True):
                groups[facet].setdefault(value, _table())[cell] += 1
        alone = [
            database.execute(
                "SELECT count(*) FROM first WHERE run = ? AND task NOT IN (SELECT task FROM first WHERE run = ?)", runs
            ).fetchone()[0]
            for runs in ((first, second), (second, first))
        ]
    return {
        "first": first,
        "second": second,
        **whole,
        "p_value": mcnemar(whole["only_first"], whole["only_second"]),
        "only_in_first": alone[0],
        "only_in_second": alone[1],
        "groups": {
            facet: [{"value": value, **tables[value]} for value in ordered(facet, _sizes(tables))]
            for facet, tables in groups.items()
        },
    }


def flips(
    store: Store, first: str, second: str, won: Won | Literal[""] = "", offset: int = 0, limit: int = 50
) -> FlipsPage:
    """The tasks one run got right and the other wrong; `won` keeps those that run won."""
    where = _FLIPPED[won] if won else " OR ".join(f"({each})" for each in _FLIPPED.values())
    values = (first, second)
    with store.connection() as database:
        (total,) = database.execute(f"SELECT count(*) {_PAIRS} WHERE {where}", values).fetchone()
        found = database.execute(
            f"SELECT a.row, b.row {_PAIRS} WHERE {where} ORDER BY a.row LIMIT ? OFFSET ?", (*values, limit, offset)
        ).fetchall()
    rows = store.rows_numbered([row for pair in found for row in pair])
    flipped = [
        Flip(rows[a].task_id, "first" if rows[a].outcome == "right" else "second", rows[a], rows[b]) for a, b in found
    ]
    return FlipsPage(total, offset, flipped)


def _table() -> dict[str, int]:
    return {"both_right": 0, "only_first": 0, "only_second": 0, "both_wrong": 0, "left_out": 0}


def _sizes(tables: dict[str, dict[str, int]]) -> dict[str, int]:
    return {value: sum(table.values()) for value, table in tables.items()}


def _cell(one: str, two: str) -> str:
    if not {one, two} <= {"right", "wrong"}:
        return "left_out"
    if one == two:
        return f"both_{one}"
    return "only_first" if one == "right" else "only_second"
