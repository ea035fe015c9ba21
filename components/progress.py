"""What a visitor has solved, as their browser tells it: nothing of it is kept here."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from components.queries import query_from, task_ids
from services.catalog import SPLITS, TIERS, Catalog, Query

Answer = Callable[[dict[str, Any]], dict[str, Any]]


def progress_counts(catalog: Catalog) -> Answer:
    """A pane's function `progress`, from `{"solved": ids, "attempted": ids}` to how many of each are in the catalog.

    It answers `{"tiers": names, "splits": [[split, [[solved, attempted, all] of each tier]]]}`; unknown ids count
    nowhere.
    """

    def progress(request: dict[str, Any]) -> dict[str, Any]:
        solved, attempted = task_ids(request.get("solved")), task_ids(request.get("attempted"))

        def by_tier(split: str, without: frozenset[str] = frozenset()) -> list[int]:
            left = dict(catalog.facets(Query(split=split, without=without))["tier"])
            return [left.get(tier, 0) for tier in TIERS]

        splits = []
        for split in SPLITS:
            every = by_tier(split)
            left = zip(every, by_tier(split, solved), by_tier(split, attempted - solved), strict=True)
            splits.append([split, [[tasks - unsolved, tasks - untried, tasks] for tasks, unsolved, untried in left]])
        return {"tiers": list(TIERS), "splits": splits}

    return progress


def task_picker(catalog: Catalog) -> Answer:
    """A pane's function `pick_task`: an unsolved task under the filters, `{"task_id": id or "", "left": how many}`.

    The request is `{"filters", "solved": ids, "task_id": the one shown, "how"}`. `random` picks any other; `next`
    the first after the one shown in the order of the filters, and after the last the first of all.
    """

    def pick_task(request: dict[str, Any]) -> dict[str, Any]:
        filters = request.get("filters")
        shown = str(request.get("task_id") or "")
        solved = task_ids(request.get("solved"))
        query = query_from(filters if isinstance(filters, dict) else {})
        left = replace(query, without=solved | {shown})
        total = catalog.search(left, size=1).total
        picked = None
        if total and request.get("how") == "random":
            picked = catalog.search(left, page=random.randrange(total), size=1).rows[0].task_id
        elif total:
            with_shown = replace(left, without=solved - {shown})
            picked = catalog.neighbours(with_shown, shown).next or catalog.search(left, size=1).rows[0].task_id
        return {"task_id": picked or "", "left": total}

    return pick_task
