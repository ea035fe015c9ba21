"""What the tasks are: their source and how it was checked, and their numbers, counted in the catalog in use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import gradio as gr

from components.pane import pane
from components.queries import query_from
from components.task_browser import source_status
from services.catalog import SPLITS, TIERS, Catalog
from services.catalog.answer_format import mode_format
from services.catalog.links import about_links

TOP_DATASETS = 15


def about_tasks(catalog: Catalog) -> gr.HTML:
    """Make the pane. Its `about_source` answers the source, its files' hashes and the counts under the filters.

    As in the task browser, what is counted by a filter's values is counted under the *other* filters.
    """

    def about_source(request: dict[str, Any]) -> dict[str, Any]:
        filters = request.get("filters")
        query = query_from(filters if isinstance(filters, dict) else {})
        every = catalog.facets(query)
        by_split = {split: dict(catalog.facets(replace(query, split=split))["tier"]) for split in SPLITS}
        source = catalog.source
        return {
            **source_status(catalog),
            "dataset": source.dataset,
            "revision": source.revision,
            "sha256": [list(each) for each in catalog.status.sha256.items()],
            "links": [{"label": label, "url": url} for label, url in about_links(source)],
            "tasks": len(catalog),
            "matching": catalog.search(query, size=1).total,
            "datasets": len(catalog.values("dataset")),
            "tiers": list(TIERS),
            "splits": [[split, [by_split[split].get(tier, 0) for tier in TIERS]] for split in SPLITS],
            "modes": every["mode"],
            "mode_formats": [[mode, mode_format(mode)] for mode, _ in every["mode"] if mode],
            "top_datasets": every["dataset"][:TOP_DATASETS],
            "on_kaggle": source.files_root is None,
        }

    return pane("about_tasks", "About the tasks", [about_source])
