"""Where the tasks shown were read from, and where their data files are."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

HUB_ENDPOINT = "https://huggingface.co"


@dataclass(frozen=True)
class Source:
    """A place with `data/{split}-*.parquet`.

    name: for people, as in "Showing 5,394 tasks of {name}".
    folder: holds `data/`; for a dataset of the Hub the copy of it on this machine. None when there is nothing to read.
    dataset, revision: the repository on the Hub (`org/name`) and the commit read; empty for a local source.
    files_root: holds `{bucket_prefix}/…` with the tasks' data files; None when they are fetched from `endpoint`.
    endpoint: the Hub's address; empty for a local source.
    """

    name: str
    folder: Path | None
    dataset: str = ""
    revision: str = ""
    files_root: Path | None = None
    endpoint: str = ""


def local_source(folder: Path, name: str) -> Source:
    """A folder laid out like the dataset, with its data files beside it under `files/{bucket_prefix}/`."""
    return Source(name=name, folder=folder, files_root=folder / "files")


def hub_endpoint() -> str:
    """The Hub's address: `HF_ENDPOINT`, or the public one."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB_ENDPOINT


def hub_offline() -> bool:
    """Whether `HF_HUB_OFFLINE` says to leave the Hub alone."""
    return os.environ.get("HF_HUB_OFFLINE", "").strip().upper() in {"1", "ON", "YES", "TRUE"}
