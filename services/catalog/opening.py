"""Open the catalog the settings ask for; when its source can't be had, the next best one, and say so."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path

from services.catalog.catalog import Catalog, Status
from services.catalog.hub import HubError, fetch_dataset, kept_copy, within
from services.catalog.index import index_for, open_index
from services.catalog.source import Source, hub_endpoint, hub_offline, local_source
from services.settings import BUNDLED_SUITE, Settings

FALLBACK_SECONDS = 0.5  # of the start's budget, kept for opening what is shown instead of the Hub's dataset


def open_catalog(settings: Settings) -> Catalog:
    """The catalog of `TASKS_SOURCE`, its index built or found in `CACHE_DIR`.

    `auto` returns within `HUB_START_SECONDS` whatever the Hub does: with the dataset, else its last kept copy, else the
    bundled suite. `hub` waits `HUB_FILE_SECONDS` for the dataset; without any copy its catalog is empty.

    Raises:
        CatalogError: `CACHE_DIR` can't be written.
    """
    if settings.tasks_source == "bundled":
        return _open(_bundled(), settings)
    if settings.tasks_source not in {"auto", "hub"}:
        folder = Path(settings.tasks_source).expanduser().absolute()
        return _open(local_source(folder, f"the folder {folder.name}"), settings)
    try:
        return _from_hub(settings)
    except HubError as error:
        return _instead_of_hub(settings, str(error))


def _bundled() -> Source:
    return local_source(BUNDLED_SUITE, "the bundled suite")


def _from_hub(settings: Settings) -> Catalog:
    if hub_offline():
        raise HubError("HF_HUB_OFFLINE is set")
    seconds = settings.hub_file_seconds
    if settings.tasks_source == "auto":
        seconds = max(settings.hub_start_seconds - FALLBACK_SECONDS, settings.hub_start_seconds / 2)

    def fetch() -> tuple[Source, Path]:
        folder = fetch_dataset(settings.tasks_dataset, settings.tasks_revision, settings.cache_dir, hub_endpoint())
        return _hub_source(folder, settings), index_for(folder, settings.cache_dir)

    source, index = within(seconds, fetch)
    return _catalog(source, index, "from the Hub")


def _instead_of_hub(settings: Settings, reason: str) -> Catalog:
    kept = kept_copy(settings.tasks_dataset, settings.cache_dir)
    if kept:
        return _open(_hub_source(kept, settings), settings, f"from the copy kept on this machine, because {reason}")
    if settings.tasks_source == "hub":
        nothing = Source(settings.tasks_dataset, None, settings.tasks_dataset, endpoint=hub_endpoint())
        return _open(nothing, settings, f"because {reason}, and no copy of it is kept on this machine")
    why = f"because {reason}, and no copy of {settings.tasks_dataset} is kept on this machine"
    return _open(_bundled(), settings, why)


def _hub_source(folder: Path, settings: Settings) -> Source:
    return Source(
        f"{settings.tasks_dataset} at revision {folder.name[:7]}",
        folder,
        dataset=settings.tasks_dataset,
        revision=folder.name,
        endpoint=hub_endpoint(),
    )


def _open(source: Source, settings: Settings, why: str = "") -> Catalog:
    folder = source.folder or settings.cache_dir / "no-such-folder"
    return _catalog(source, index_for(folder, settings.cache_dir), why)


def _catalog(source: Source, path: Path, why: str) -> Catalog:
    with closing(open_index(path)) as index:
        about = dict(index.execute("SELECT name, value FROM about"))
    tasks = int(about["tasks"])
    shown = f"Showing {tasks:,} tasks of {source.name}" if tasks else f"There are no tasks of {source.name} to show"
    sentence = ", ".join(part for part in (shown, why) if part) + "."
    left_out = json.loads(about["left_out"]) if source.folder else []
    return Catalog(path, source, Status(" ".join(filter(None, (sentence, about["remark"]))), tuple(left_out)))
