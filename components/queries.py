"""What a browser asks of the catalog, read from its request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from services.catalog import Query

FILTERS = ("split", "tier", "level", "dataset", "mode", "file_type", "package_tier", "q", "order", "seed")
MOST_IDS = 10_000  # of tasks in one request; the dataset has 5,394
LONGEST_ID = 200


def query_from(request: dict[str, Any]) -> Query:
    """The query a browser asks for: its filters as text, the ids in `solved` left out, anything else left alone."""
    given = {name: str(request[name]) for name in FILTERS if request.get(name) not in (None, "")}
    return replace(Query.from_text(given), without=task_ids(request.get("solved")))


def task_ids(given: object) -> frozenset[str]:
    """The task ids of a list that anybody may have sent: the first 10,000, those that are text of a likely length."""
    ids = given[:MOST_IDS] if isinstance(given, list) else []
    return frozenset(each for each in ids if isinstance(each, str) and 0 < len(each) <= LONGEST_ID)
