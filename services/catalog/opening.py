"""Open the catalog the settings ask for; when its source can't be had, the next best one, and say so."""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from pathlib import Path

from services.catalog.catalog import Catalog
from services.catalog.contents import Contents
from services.catalog.converted import Converted, fetch_converted, kept_conversion
from services.catalog.hub import ASK_SECONDS, HubError, fetch_dataset, kept_copy, newest_revision, within
from services.catalog.index import index_for, open_index
from services.catalog.source import Source, hub_endpoint, hub_offline, local_source
from services.catalog.status import Status
from services.settings import BUNDLED_SUITE, DATASETS_SOURCE, Settings

SILENT_SECONDS = 1.0  # without an answer, at a start that can do without the Hub
FALLBACK_SECONDS = 0.5  # of the start's budget, kept for opening what is shown instead of the Hub's dataset


def open_catalog(settings: Settings) -> Catalog:
    """The catalog of `TASKS_SOURCE`, its index built or found in `CACHE_DIR`.

    `auto` returns within `HUB_START_SECONDS` whatever the Hub does: with the dataset, else its last kept copy, else the
    bundled suite; a Hub that answers nothing for `SILENT_SECONDS` is not waited for that long. `hub` and `datasets:`
    wait `HUB_FILE_SECONDS` for the dataset; without any copy their catalog is empty. Trying again waits
    `HUB_FILE_SECONDS` too.

    Raises:
        CatalogError: `CACHE_DIR` can't be written.
    """
    seconds, silent = settings.hub_file_seconds, ASK_SECONDS
    if settings.tasks_source == "auto":
        silent = SILENT_SECONDS
        seconds = max(settings.hub_start_seconds - FALLBACK_SECONDS, settings.hub_start_seconds / 2)
    again = partial(_contents, settings, settings.hub_file_seconds)
    return Catalog(_contents(settings, seconds, silent), again, partial(_newer, settings))


def _contents(settings: Settings, seconds: float, silent: float = ASK_SECONDS) -> Contents:
    source = settings.tasks_source
    if source == "bundled":
        return _open(_bundled(), settings)
    if source.startswith(DATASETS_SOURCE):
        return _from_datasets(settings, source.removeprefix(DATASETS_SOURCE), seconds)
    if source not in {"auto", "hub"}:
        folder = Path(source).expanduser().absolute()
        return _open(local_source(folder, f"the folder {folder.name}"), settings)
    try:
        return _from_hub(settings, seconds, silent)
    except HubError as error:
        return _instead_of_hub(settings, error)


def _bundled() -> Source:
    return local_source(BUNDLED_SUITE, "the bundled suite")


def _from_hub(settings: Settings, seconds: float, silent: float) -> Contents:
    if hub_offline():
        raise HubError("HF_HUB_OFFLINE is set", "offline")

    def fetch() -> tuple[Source, Path]:
        folder = fetch_dataset(
            settings.tasks_dataset,
            settings.tasks_revision,
            settings.cache_dir,
            hub_endpoint(),
            settings.hub_token,
            silent,
        )
        return _hub_source(folder, settings), index_for(folder, settings.cache_dir)

    source, index = within(seconds, fetch)
    return _read(source, index, "from the Hub")


def _instead_of_hub(settings: Settings, error: HubError) -> Contents:
    kept = kept_copy(settings.tasks_dataset, settings.cache_dir)
    if kept:
        why = f"from the copy kept on this machine, because {error}"
        # a copy of the very commit asked for is no lesser one
        return _open(
            _hub_source(kept, settings), settings, why, None if kept.name == settings.tasks_revision else error
        )
    if settings.tasks_source == "hub":
        nothing = Source(settings.tasks_dataset, None, settings.tasks_dataset, endpoint=hub_endpoint())
        return _open(nothing, settings, f"because {error}, and no copy of it is kept on this machine", error)
    why = f"because {error}, and no copy of {settings.tasks_dataset} is kept on this machine"
    return _open(_bundled(), settings, why, error)


def _hub_source(folder: Path, settings: Settings) -> Source:
    return Source(
        f"{settings.tasks_dataset} at revision {folder.name[:7]}",
        folder,
        dataset=settings.tasks_dataset,
        revision=folder.name,
        endpoint=hub_endpoint(),
    )


def _from_datasets(settings: Settings, what: str, seconds: float) -> Contents:
    """The rows `datasets` reads, converted to the dataset's own layout; the last conversion when they can't be had."""
    try:
        made = fetch_converted(what, settings.cache_dir, seconds, settings.hub_token)
        return _open(_converted_source(what, made), settings)
    except HubError as error:
        kept = kept_conversion(what, settings.cache_dir)
        if kept:
            why = f"from the copy kept on this machine, because {error}"
            return _open(_converted_source(what, kept), settings, why, error)
        nothing = Source(what, None)
        return _open(nothing, settings, f"because {error}, and no copy of it is kept on this machine", error)


def _converted_source(what: str, made: Converted) -> Source:
    at = f" at revision {made.revision[:7]}" if made.revision else ""
    name = what.split("@")[0] if made.revision else what
    return Source(
        f"{name}{at}, read by datasets",
        made.folder,
        dataset=made.dataset,
        revision=made.revision,
        endpoint=hub_endpoint(),
    )


def _newer(settings: Settings, source: Source) -> str:
    """A sentence on a newer revision of the Hub's dataset than the one shown; empty where there is none to tell of."""
    if not source.dataset or not source.revision or hub_offline():
        return ""
    try:
        newest = within(
            settings.hub_file_seconds,
            partial(newest_revision, source.dataset, source.endpoint, settings.hub_token),
        )
    except HubError:
        return ""  # nothing is known of a newer one, and the status tells of what is shown
    if newest == source.revision:
        return ""
    return f"A newer revision of {source.dataset} exists ({newest[:7]}); shown is {source.revision[:7]}."


def _open(source: Source, settings: Settings, why: str = "", error: HubError | None = None) -> Contents:
    folder = source.folder or settings.cache_dir / "no-such-folder"
    return _read(source, index_for(folder, settings.cache_dir), why, error)


def _read(source: Source, path: Path, why: str, error: HubError | None = None) -> Contents:
    with closing(open_index(path)) as index:
        about = dict(index.execute("SELECT name, value FROM about"))
    tasks = int(about["tasks"])
    shown = f"Showing {tasks:,} tasks of {source.name}" if tasks else f"There are no tasks of {source.name} to show"
    sentence = ", ".join(part for part in (shown, why) if part) + "."
    left_out = json.loads(about["left_out"]) if source.folder else []
    status = Status(
        " ".join(filter(None, (sentence, about["remark"]))),
        tuple(left_out),
        error.state if error else "",
        error.wait_seconds if error else None,
        sha256=json.loads(about["sha256"]),
    )
    return Contents(path, source, status)
