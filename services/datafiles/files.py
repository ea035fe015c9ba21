"""A task's input files, whatever its source."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Self

from services.catalog.source import Source, hub_offline
from services.catalog.task import Task
from services.datafiles.cache import Cache, CacheUse
from services.datafiles.connection import Connection
from services.datafiles.errors import DataFileError, NotFound, Offline, RateLimited, TimedOut
from services.datafiles.hub import HubFiles, Progress
from services.datafiles.listing import Listing, Listings
from services.datafiles.local import LocalFiles
from services.datafiles.names import flat_names
from services.datafiles.xet import load_hash

if TYPE_CHECKING:
    from services.settings import Settings

FETCHED_AT_ONCE = 4
GB = 1_000_000_000


@dataclass(frozen=True)
class DataFile:
    """An input file of a task.

    name: its path within the task's folder.
    path: where it is on this machine, None while it isn't.
    size: in bytes; None where nobody told it yet.
    done: bytes that have come, while it is on its way.
    missing: why it can't be had, a sentence; empty where nothing is known against it.
    failure: the state that sentence tells of, as `DataFileError.state` names it, or empty.
    changed: the day (2026-11-30) on which the Hub was seen to hold another content than before; empty: never.
    """

    name: str
    path: Path | None
    size: int | None
    done: int | None = None
    missing: str = ""
    failure: str = ""
    changed: str = ""

    @property
    def state(self) -> str:
        """`here`, `coming`, `missing`, or `on the Hub`: there to be fetched."""
        if self.path:
            return "here"
        if self.done is not None:
            return "coming"
        return "missing" if self.missing else "on the Hub"


class DataFiles:
    """Lists and opens the input files of tasks. Safe to use from several threads."""

    def __init__(
        self,
        source: Source,
        cache_dir: Path,
        deadline_seconds: float,
        *,
        max_bytes: int = 20 * GB,
        floor_bytes: int = GB // 10,
        token: str = "",
    ) -> None:
        """`deadline_seconds` is the longest one file may take to arrive; the cache holds at most `max_bytes`, and
        `floor_bytes` of its disk stay free."""

        def files_of(source: Source) -> LocalFiles | HubFiles:
            if source.files_root is not None:
                return LocalFiles(source.files_root)
            folder = cache_dir / "files"
            connection = Connection("" if hub_offline() else source.endpoint, token)
            cache = Cache(folder, max_bytes, floor_bytes)
            return HubFiles(connection, cache, Listings(connection, folder / "lists"), deadline_seconds)

        self._files_of = files_of
        self._files = files_of(source)

    def use(self, source: Source) -> None:
        """Take the files of another source from now on; what is on its way arrives."""
        self._files = self._files_of(source)

    @classmethod
    def from_settings(cls, source: Source, settings: Settings) -> Self:
        return cls(
            source,
            settings.cache_dir,
            settings.hub_file_seconds,
            max_bytes=int(settings.cache_max_gb * GB),
            floor_bytes=int(settings.disk_free_gb * GB),
            token=settings.hub_token.get_secret_value(),
        )

    def prepare(self) -> None:
        """Have the first file from the Hub wait for nothing that can be loaded before, in the background."""
        if self.on_hub:
            threading.Thread(target=load_hash, daemon=True, name="prepare").start()

    def unnamed(self, task: Task) -> list[str]:
        """Paths of the files in the task's folder that are not among its files, as far as is known without asking."""
        try:
            listing = _listing(self._files, task, ask=False)
        except DataFileError:
            return []
        own = set(_reconciled(task, list(listing.entries))) if listing else set()
        return sorted(set(listing.entries) - own) if listing else []

    def list(self, task: Task, *, ask: bool = True) -> list[DataFile]:
        """The task's files, each once: those it names, or all in its folder when it names none.

        A name that stands for files in subfolders is listed as each of these, under their full paths. A file that is
        missing or whose name is refused is listed too; opening it says why. Without `ask` the Hub is left alone.

        Raises:
            DataFileError: the task names no files and its folder can't be listed.
        """
        return _listed(self._files, task, ask)

    def ask(self, task: Task) -> DataFileError | None:
        """Ask the Hub for the task's folder, unless that was done lately; the state where that failed. Blocks."""
        try:
            _listing(self._files, task, ask=True)
        except DataFileError as error:
            return error
        return None

    @property
    def on_hub(self) -> bool:
        """Whether the files of tasks are on a Hub, so that asking for them may take a while."""
        return isinstance(self._files, HubFiles)

    def open(
        self, task: Task, name: str, *, wait_seconds: float | None = None, progress: Progress | None = None
    ) -> Path:
        """The path of one of the task's files, fetched from the Hub if need be. Blocks.

        `progress(name, done, total)` is called in bytes about four times a second while a file is on its way.

        Raises:
            DataFileError: one of its states, with a sentence.
        """
        return _opened(self._files, task, name, wait_seconds, progress)

    def stop(self, task: Task, name: str) -> str:
        """Stop a file's download, unless others want it too; a sentence says which."""
        files = self._files
        return files.stop(task, name) if isinstance(files, HubFiles) else f"{name} is not on its way."

    def inputs(self, task: Task, progress: Progress | None = None) -> dict[str, Path | DataFileError]:
        """All files of the task under their names in the kernel, where there are no subfolders. Blocks.

        A file that can't be had is there as the state that says why. A Hub that was silent once, on the list or on a
        file, is asked for no further file, so that all of this takes one deadline at most.

        Raises:
            DataFileError: the files can't be listed.
        """
        files = self._files  # one source throughout
        given_up: list[DataFileError] = []
        try:
            listing = _listing(files, task, ask=True)
        except DataFileError as error:
            if not task.files:
                raise
            listing, given_up = None, [error] if _of_all_files(error) else []

        def opened(name: str) -> Path | DataFileError:
            if given_up:
                return files.here(task, name) or given_up[0]
            try:
                return _opened(files, task, name, None, progress)
            except DataFileError as error:
                if _of_all_files(error):
                    given_up.append(error)
                return error

        def again(name: str, found: Path | DataFileError) -> Path | DataFileError:
            return files.here(task, name) or found if isinstance(found, Path) else found

        names = flat_names(_reconciled(task, list(listing.entries) if listing else None))
        with ThreadPoolExecutor(FETCHED_AT_ONCE, thread_name_prefix="fetch") as threads:
            found = list(threads.map(opened, names))
            if len(names) > 1:  # the first may have been fetched long ago: count it as used now
                found = list(threads.map(again, names, found))
        return dict(zip(names.values(), found, strict=True))

    def cache_use(self) -> CacheUse | None:
        """What the cache of files from the Hub holds; None for a local source."""
        files = self._files
        return files.cache.use() if isinstance(files, HubFiles) else None


def _of_all_files(error: DataFileError) -> bool:
    """Whether the Hub would answer the same for any other file."""
    return isinstance(error, TimedOut | RateLimited) or (isinstance(error, Offline) and not error.answered)


# The source can be changed while these run, so they are told which files to look at.


def _listing(files: LocalFiles | HubFiles, task: Task, ask: bool) -> Listing | None:
    if isinstance(files, LocalFiles):
        return files.listing(task)
    return files.listing(task) if ask else files.known(task)


def _listed(files: LocalFiles | HubFiles, task: Task, ask: bool) -> list[DataFile]:
    try:
        listing = _listing(files, task, ask)
    except DataFileError:
        if not task.files:
            raise
        listing = None
    names = _reconciled(task, list(listing.entries) if listing else None)
    return [_file(files, task, name, listing) for name in names]


def _opened(
    files: LocalFiles | HubFiles, task: Task, name: str, wait_seconds: float | None, progress: Progress | None
) -> Path:
    if name not in task.files and name not in {file.name for file in _listed(files, task, ask=not task.files)}:
        raise NotFound(f"The task has no file {name[:200]!r}.")
    return files.open(task, name) if isinstance(files, LocalFiles) else files.open(task, name, wait_seconds, progress)


def _file(files: LocalFiles | HubFiles, task: Task, name: str, listing: Listing | None) -> DataFile:
    path = files.here(task, name)
    try:
        size = path.stat().st_size if path else None
    except OSError:  # removed this moment
        path = size = None
    if isinstance(files, LocalFiles):
        return DataFile(name, path, size)
    entry = listing.entries.get(name) if listing else None
    coming = files.coming(task, name)
    failure = files.failure(task, name)
    if listing and not entry and not failure:
        failure = NotFound(f"{name} is not on the Hub: the task's folder there holds no such file.")
    return DataFile(
        name,
        path,
        entry.size if size is None and entry else size,
        coming[0] if coming else None,
        str(failure) if failure else "",
        failure.state if failure else "",
        listing.changed.get(name, "") if listing else "",
    )


def _reconciled(task: Task, held: list[str] | None) -> list[str]:
    """The task's files, given the paths its folder holds (None: unknown), relative to it.

    A named file that isn't there stands for those of its base name in subfolders: all of them, if there are several.
    """
    if not task.files:
        return sorted(held or [])
    inside = set(held or [])
    names: dict[str, None] = {}
    for name in task.files:
        base = PurePosixPath(name).name
        nested = [] if name in inside else [each for each in sorted(inside) if PurePosixPath(each).name == base]
        names |= dict.fromkeys(nested or [name])
    return list(names)
