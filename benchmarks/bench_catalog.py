"""A page of rows, its total and all facet counts: at about 500,000 tasks against the dataset's 5,394.

    python -m benchmarks.bench_catalog

Both catalogs are asked the same mix of queries in one run, turn by turn; the mix has more texts than the catalog keeps
results of, so every answer is worked out anew. Making the larger source and its index takes a few minutes and 1.3 GB.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from itertools import product
from pathlib import Path

from services.catalog import Catalog, Query, open_catalog
from services.settings import Settings
from tests.synthetic_source import COLUMN_NAMES, GROUPS, write_source

MULTIPLE = 93
ROUNDS = 5


def mix(catalog: Catalog) -> tuple[list[Query], list[Query]]:
    """Queries by filters alone, and by text."""
    splits, tiers, modes = ("", "train", "test", "eval"), ("", "easy", "hard"), ("", "numeric")
    filters = [Query(split=split, tier=tier, mode=mode) for split, tier, mode in product(splits, tiers, modes)]
    filters += [Query(dataset=name) for name, _ in catalog.datasets("kenya")[:6]]
    filters += [Query(file_type="xlsx"), Query(tier="medium", order="curriculum"), Query(order="curriculum", level="4")]
    texts = [Query(q=f"{column} of the {group}") for column, group in zip(COLUMN_NAMES, GROUPS, strict=True)]
    texts += [
        Query(q=name, tier="hard") for name in ("median", "brazil", "sales", "rating", "tweets", "kenya", "berlin")
    ]
    return filters, [*texts, Query(q="housing_0.csv")]


def seconds(catalog: Catalog, query: Query) -> float:
    began = time.perf_counter()
    catalog.search(query)
    catalog.facets(query)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        catalogs = []
        for multiple in (1, MULTIPLE):
            source = Path(scratch, f"source-{multiple}")
            write_source(source, multiple)
            catalogs.append(open_catalog(Settings(tasks_source=str(source), cache_dir=Path(scratch, "cache"))))
        small, large = catalogs
        filters, texts = mix(small)
        times: dict[int, list[float]] = {id(small): [], id(large): []}
        texts_times: dict[int, list[float]] = {id(small): [], id(large): []}
        for _ in range(ROUNDS):
            for query in [*filters, *texts]:
                for catalog in catalogs:
                    taken = seconds(catalog, query)
                    times[id(catalog)].append(taken)
                    if query.q:
                        texts_times[id(catalog)].append(taken)
        base, measured = (statistics.median(times[id(catalog)]) * 1e3 for catalog in catalogs)
        text_base, text = (statistics.median(texts_times[id(catalog)]) * 1e3 for catalog in catalogs)
        print(
            f"page, count and facets, {len(large):,} tasks against {len(small):,}: {measured / base:.1f}× the time "
            f"({measured:.1f} ms against {base:.1f} ms; text searches alone {text:.0f} ms against {text_base:.1f} ms)"
        )


if __name__ == "__main__":
    main()
