"""Files of a local source: `files/{bucket_prefix}/…`."""

from __future__ import annotations

import os
from pathlib import Path

from services.catalog.task import Task
from services.datafiles.errors import NotFound, Refused
from services.datafiles.names import checked

MAX_LISTED = 1000


class LocalFiles:
    """The folder that holds the files of all tasks."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self, task: Task) -> list[str]:
        """Paths of the files in the task's folder, relative to it; the first 1,000 by name.

        Raises:
            NotFound: there is no such folder.
        """
        folder = self._folder(task)
        found = sorted(
            (Path(parent) / name).relative_to(folder).as_posix()
            for parent, _, names in os.walk(folder)
            for name in names
            if not name.startswith(".")
        )
        return found[:MAX_LISTED]

    def here(self, task: Task, name: str) -> Path | None:
        """The file's path, None where it is missing or its name is refused."""
        try:
            return self.open(task, name)
        except (NotFound, Refused):
            return None

    def open(self, task: Task, name: str) -> Path:
        """The file's path.

        Raises:
            Refused: the name, or a link on the way, leads outside the task's folder.
            NotFound: there is no such file.
        """
        folder = self._folder(task)
        path = (folder / checked(name)).resolve()
        if not path.is_relative_to(folder):
            raise Refused(f"The file {name!r} is refused: it is a link that leads outside the task's folder.")
        if not path.is_file():
            raise NotFound(f"There is no file {name!r} in the task's folder.")
        return path

    def _folder(self, task: Task) -> Path:
        root = self.root.resolve()
        folder = (root / checked(task.bucket_prefix)).resolve()
        if not folder.is_relative_to(root):
            raise Refused("The task's folder is refused: it is a link that leads outside the source's folder.")
        if not folder.is_dir():
            raise NotFound(f"The source has no folder {task.bucket_prefix!r}, so the task's files are missing.")
        return folder
