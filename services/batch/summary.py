"""The numbers of a batch: rates with their denominators, by run and by facet, and what grading found."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median_low
from typing import Any

from services.batch.apart import OUTCOMES
from services.batch.statistics import mean_rate
from services.batch.store import FACETS, GRADED_ROWS, Store, ordered

METHODS = ("exact", "numeric", "numeric_scaled", "list", "math_verify", "miss", "not_gradable")


@dataclass(frozen=True)
class _Tally:
    """One task in one run: its values of the facets, and its graded rows by outcome."""

    facets: tuple[str, ...]
    outcomes: tuple[int, ...]

    @property
    def of_all(self) -> tuple[int, int]:
        """Rows, and how many of them are right."""
        return sum(self.outcomes), self.outcomes[0]

    @property
    def of_answered(self) -> tuple[int, int]:
        """Rows that are right or wrong, and how many are right."""
        return sum(self.outcomes[:2]), self.outcomes[0]


def summaries(store: Store) -> list[dict[str, Any]]:
    """One summary for each run, in the order of the files.

    `{run, queued, ungraded, counted_missing, pass_at_k, methods, apart, explained, reference, cautions, near_misses,
    groups}` and the parts of a group, see `_group`. Tasks that count as wrong where they are missing do so once every
    row is graded: before, they would weigh too much.
    """
    with store.connection() as database:
        runs = database.execute("SELECT run, count(*) FROM queue GROUP BY run ORDER BY min(row)")
        return [_summary(database, run, queued) for run, queued in runs.fetchall()]


def _summary(database: sqlite3.Connection, run: str, queued: int) -> dict[str, Any]:
    tallies = _tallies(database, run)
    graded = sum(tally.of_all[0] for tally in tallies)
    absent = _missing(database, run) if graded == queued else []
    return {
        "run": run,
        "queued": queued,
        "ungraded": queued - graded,
        "counted_missing": len(absent),
        **_group(tallies, len(absent)),
        "pass_at_k": [
            {
                "k": k,
                "all": mean_rate([tally.of_all for tally in tallies], k, len(absent)).as_dict(),
                "answered": mean_rate([tally.of_answered for tally in tallies], k).as_dict(),
                "fewer_samples": sum(tally.of_all[0] < k for tally in tallies),
            }
            for k in _sample_sizes(tallies)
        ],
        "methods": dict.fromkeys(METHODS, 0) | _counted(database, run, "graded.method"),
        "apart": _counted(database, run, "graded.apart", "AND graded.outcome IN ('no answer', 'infrastructure')"),
        "explained": _explained(database, run),
        "reference": _counted(database, run, "graded.reference", "AND graded.reference != ''"),
        "cautions": _found(database, run, "caution"),
        "near_misses": _found(database, run, "near_miss"),
        "groups": {facet: _groups(facet, number, tallies, absent) for number, facet in enumerate(FACETS)},
    }


def _group(tallies: Sequence[_Tally], absent: int) -> dict[str, Any]:
    """`tasks` and `rows` graded, rows by `outcomes`, `missing` tasks counted as wrong, and the two rates.

    `all` is pass@1 over all tasks graded and the missing ones that count, where a row set apart is a try that was not
    right; `answered` over the tasks with an answer that is right or wrong, of those answers alone.
    """
    outcomes = [sum(column) for column in zip(*(tally.outcomes for tally in tallies), strict=True)] or [0] * len(
        OUTCOMES
    )
    return {
        "tasks": len(tallies),
        "rows": sum(outcomes),
        "missing": absent,
        "outcomes": dict(zip(OUTCOMES, outcomes, strict=True)),
        "all": mean_rate([tally.of_all for tally in tallies], absent=absent).as_dict(),
        "answered": mean_rate([tally.of_answered for tally in tallies]).as_dict(),
    }


def _groups(
    facet: str, number: int, tallies: Sequence[_Tally], absent: Sequence[tuple[str, ...]]
) -> list[dict[str, Any]]:
    held: defaultdict[str, list[_Tally]] = defaultdict(list)
    for tally in tallies:
        held[tally.facets[number]].append(tally)
    missing = Counter(facets[number] for facets in absent)
    sizes = {value: len(held[value]) + missing[value] for value in {*held, *missing}}
    return [{"value": value, **_group(held[value], missing[value])} for value in ordered(facet, sizes)]


def _sample_sizes(tallies: Sequence[_Tally]) -> list[int]:
    """1, 2, 4, … and the number of samples that at least half of the tasks have."""
    usual = -median_low([-tally.of_all[0] for tally in tallies]) if tallies else 1
    return sorted({usual, *(2**power for power in range(usual.bit_length()))})


def _tallies(database: sqlite3.Connection, run: str) -> list[_Tally]:
    facets = ", ".join(f"task.{facet}" for facet in FACETS)
    sums = ", ".join("sum(graded.outcome = ?)" for _ in OUTCOMES)
    select = f"SELECT {facets}, {sums} {GRADED_ROWS} WHERE graded.run = ? GROUP BY task.task"
    split = len(FACETS)
    return [_Tally(row[:split], row[split:]) for row in database.execute(select, (*OUTCOMES, run))]


def _missing(database: sqlite3.Connection, run: str) -> list[tuple[str, ...]]:
    return database.execute(
        f"SELECT {', '.join(FACETS)} FROM expected JOIN task USING (task) WHERE task NOT IN "
        "(SELECT task FROM queue WHERE run = ?)",
        (run,),
    ).fetchall()


def _counted(database: sqlite3.Connection, run: str, column: str, only: str = "") -> dict[str, int]:
    return dict(
        database.execute(
            f"SELECT {column}, count(*) AS many {GRADED_ROWS} WHERE graded.run = ? {only} GROUP BY {column} "
            f"ORDER BY many DESC, {column}",
            (run,),
        )
    )


def _explained(database: sqlite3.Connection, run: str) -> int:
    """How many rows were looked at for cautions and near misses."""
    (count,) = database.execute(f"SELECT count(*) {GRADED_ROWS} WHERE graded.run = ? AND explained", (run,)).fetchone()
    return int(count)


def _found(database: sqlite3.Connection, run: str, sort: str) -> dict[str, int]:
    return dict(
        database.execute(
            f"SELECT finding.kind, count(*) AS many {GRADED_ROWS} JOIN finding ON finding.row = graded.row "
            "WHERE graded.run = ? AND finding.sort = ? GROUP BY finding.kind ORDER BY many DESC, finding.kind",
            (run, sort),
        )
    )
