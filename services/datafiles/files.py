"""A task's input files, whatever its source."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from services.catalog.source import Source, hub_offline
from services.catalog.task import Task
from services.datafiles.errors import DataFileError, NotFound
from services.datafiles.hub import HubFiles, Progress
from services.datafiles.local import LocalFiles
from services.datafiles.names import flat_names

FETCHED_AT_ONCE = 4


@dataclass(frozen=True)
class DataFile:
    """An input file: its path within the task's folder, where it is on this machine, and its size in bytes.

    `path` and `size` are None while the file isn't here.
    """

    name: str
    path: Path | None
    size: int | None


class DataFiles:
    """Lists and opens the input files of tasks. Safe to use from several threads."""

    def __init__(self, source: Source, cache_dir: Path, deadline_seconds: float) -> None:
        """`deadline_seconds` is the longest one file may take to arrive."""
        self._files: LocalFiles | HubFiles
        if source.files_root is not None:
            self._files = LocalFiles(source.files_root)
        else:
            self._files = HubFiles("" if hub_offline() else source.endpoint, cache_dir, deadline_seconds)

    def list(self, task: Task) -> list[DataFile]:
        """The task's files, each once: those it names, or all in its folder when it names none.

        A file that is missing or whose name is refused is listed too; opening it says why.

        Raises:
            DataFileError: the folder can't be listed.
        """
        found = []
        for name in dict.fromkeys(task.files) or self._files.names(task):
            path = self._files.here(task, name)
            found.append(DataFile(name, path, path.stat().st_size if path else None))
        return found

    def open(
        self, task: Task, name: str, *, wait_seconds: float | None = None, progress: Progress | None = None
    ) -> Path:
        """The path of one of the task's files, fetched from the Hub if need be. Blocks.

        `progress(name, done, total)` is called in bytes about four times a second while a file is on its way.

        Raises:
            DataFileError: one of its states, with a sentence.
        """
        if name not in {file.name for file in self.list(task)}:
            raise NotFound(f"The task has no file {name[:200]!r}.")
        if isinstance(self._files, LocalFiles):
            return self._files.open(task, name)
        return self._files.open(task, name, wait_seconds, progress)

    def inputs(self, task: Task, progress: Progress | None = None) -> dict[str, Path | DataFileError]:
        """All files of the task under their names in the kernel, where there are no subfolders. Blocks.

        A file that can't be had is there as the state that says why.

        Raises:
            DataFileError: the files can't be listed.
        """

        def opened(name: str) -> Path | DataFileError:
            try:
                return self.open(task, name, progress=progress)
            except DataFileError as error:
                return error

        names = flat_names(file.name for file in self.list(task))
        with ThreadPoolExecutor(FETCHED_AT_ONCE, thread_name_prefix="fetch") as threads:
            return dict(zip(names.values(), threads.map(opened, names), strict=True))
