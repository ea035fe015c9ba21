"""Where a task comes from, as links a person can follow."""

from __future__ import annotations

from urllib.parse import quote

from services.catalog.source import Source
from services.catalog.task import Task

KAGGLE = "https://www.kaggle.com/datasets"
HUB = "https://huggingface.co"


def source_links(task: Task, dataset: str | None) -> list[tuple[str, str | None]]:
    """Labels and addresses of the task's sources; an address is None where there is nothing to open.

    `dataset` is the Hub repository (`org/name`) the row was read from, None for a local source. Tasks without
    `hf_bucket` use tables that are not on Kaggle.
    """
    links: list[tuple[str, str | None]] = []
    if task.hf_bucket:
        links.append((f"Kaggle: {task.kaggle_dataset}", f"{KAGGLE}/{quote(task.kaggle_dataset)}"))
        links.append((f"Made from: {task.source_row_id}", None))
    else:
        links.append((f"Table: {task.kaggle_dataset}", None))
    if dataset:
        row = f"{HUB}/datasets/{quote(dataset)}/viewer/default/{quote(task.split)}?q={quote(task.task_id)}"
        links.append((f"Hub: {dataset}", row))
    return links


def new_discussion(dataset: str) -> str:
    """Where a discussion of the dataset is opened on the Hub; `title` and `description` may follow as a query."""
    return f"{HUB}/datasets/{quote(dataset)}/discussions/new"


def about_links(source: Source) -> list[tuple[str, str]]:
    """Labels and addresses of the dataset's pages on the Hub at the revision read; none for a local source."""
    if not source.dataset:
        return []
    page = f"{HUB}/datasets/{quote(source.dataset)}"
    links = [(f"Dataset card of {source.dataset}", page)]
    if source.revision:
        links.append(("Its files at this revision", f"{page}/tree/{quote(source.revision)}"))
        links.append(("Its grader at this revision", f"{page}/blob/{quote(source.revision)}/grader.py"))
    links.append(("Verified trajectories of agents", f"{page}-sft"))
    return links
