"""The text of the dataset's `grader.py` at the pinned revision, fetched from the Hub or kept on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from services.catalog.hub import HubError, fetch_file, kept_file, within
from services.catalog.source import hub_endpoint, hub_offline
from services.settings import Settings

NAME = "grader.py"
_LONGEST = 1_000_000  # bytes; the real one has a few thousand


class NoProgram(Exception):
    """There is no grader to run. The message is a clause that says why, as in "the Hub can't be reached"."""


@dataclass(frozen=True)
class ProgramText:
    """What is run, and the commit it is from."""

    text: str
    revision: str


def fetch_program(settings: Settings) -> ProgramText:
    """`grader.py` of `TASKS_DATASET` at `TASKS_REVISION`, within `HUB_FILE_SECONDS`. A kept copy needs no network.

    Raises:
        NoProgram: the Hub did not deliver it, or it can't be a program.
    """
    dataset, revision, cache_dir = settings.tasks_dataset, settings.tasks_revision, settings.cache_dir
    path = kept_file(dataset, NAME, revision, cache_dir)
    if path is None:
        path = _fetched(settings)
    if path is None:
        raise NoProgram(f"{dataset} has no {NAME} at revision {revision}")
    try:
        data = path.read_bytes()
        if len(data) > _LONGEST:
            raise NoProgram(f"{NAME} has {len(data):,} bytes, more than the {_LONGEST:,} a grader may have")
        return ProgramText(data.decode("utf-8-sig"), path.parent.name)
    except (OSError, UnicodeDecodeError) as error:
        raise NoProgram(f"the copy of {NAME} can't be read ({error})") from None


def _fetched(settings: Settings) -> Path | None:
    if hub_offline():
        raise NoProgram("HF_HUB_OFFLINE is set, and no copy is kept on this machine")
    dataset, revision, cache_dir = settings.tasks_dataset, settings.tasks_revision, settings.cache_dir
    try:
        return within(
            settings.hub_file_seconds, partial(fetch_file, dataset, NAME, revision, cache_dir, hub_endpoint())
        )
    except HubError as error:
        raise NoProgram(str(error)) from None
