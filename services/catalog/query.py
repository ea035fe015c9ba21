"""What a person asks of the catalog: filters, a text, an order."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

ORDERS = ("as listed", "curriculum", "shuffled")
FACETS = ("split", "tier", "level", "dataset", "mode", "file_type", "package_tier")
LONGEST_TEXT = 1000


@dataclass(frozen=True)
class Query:
    """Filters as text, empty for any; a task must pass all of them. A value no task has matches nothing.

    q: a substring of the question, task id, Kaggle dataset or a file's name; letter case and runs of white space don't
    matter. Of a text over 1,000 characters the first 1,000 count.
    order: `as listed` (train, test, eval, each as in its files), `curriculum` (easiest to hardest: tier, level, id) or
    `shuffled` by `seed`: the same seed always gives two tasks the same order, whatever else is listed.
    without: ids of tasks that are left out, such as those a visitor has solved; an unknown id does nothing.
    """

    split: str = ""
    tier: str = ""
    level: str = ""
    dataset: str = ""
    mode: str = ""
    file_type: str = ""
    package_tier: str = ""
    q: str = ""
    order: str = "as listed"
    seed: int = 0
    without: frozenset[str] = frozenset()

    @classmethod
    def from_text(cls, given: Mapping[str, str]) -> Query:
        """The query of an address or a form; an unknown order is `as listed`, a seed that is no whole number 0."""
        filters: dict[str, Any] = {name: given.get(name, "")[:LONGEST_TEXT] for name in FACETS}  # caches keep queries
        order, seed = given.get("order", ""), given.get("seed", "")
        return cls(
            **filters,
            q=given.get("q", "")[:LONGEST_TEXT],
            order=order if order in ORDERS else ORDERS[0],
            seed=int(seed) if seed.isascii() and seed.isdigit() and len(seed) < 19 else 0,
        )

    @property
    def filters(self) -> dict[str, str]:
        """The filters in use, by facet."""
        return {name: value for name in FACETS if (value := getattr(self, name))}


def folded(text: str) -> str:
    """Text as it is searched: letter case and runs of white space evened out, characters SQLite can't take replaced."""
    text = " ".join(text.casefold().replace("\0", "\ufffd").split())
    return text if text.isascii() else unicodedata.normalize("NFC", encodable(text))


def encodable(text: str) -> str:
    """The text without lone surrogates, which a browser can send and SQLite can't take."""
    return text.encode("utf-8", "replace").decode()
