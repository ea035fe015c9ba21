"""Files of a local source: `files/{bucket_prefix}/…`."""

from __future__ import annotations

import os
from pathlib import Path

from services.catalog.query import encodable
from services.catalog.task import Task
from services.datafiles.errors import NotFound, Refused
from services.datafiles.listing import Entry, Listing
from services.datafiles.names import checked

MAX_LISTED = 1000


class LocalFiles:
    """The folder that holds the files of all tasks."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def names(self, task: Task) -> list[str]:
        """Paths of the files in the task's folder, relative to it; the first 1,000 by name.

        A name that is no text is left out: no page can show it or ask for it.

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
        return [name for name in found if name == encodable(name)][:MAX_LISTED]

    def listing(self, task: Task) -> Listing:
        """The task's folder, without hashes.

        Raises:
            NotFound: there is no such folder.
        """
        return Listing({name: Entry(0, "") for name in self.names(task)}, 0.0)

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
        missing = NotFound(f"There is no file {name[:200]!r} in the task's folder.")
        try:
            path = (folder / checked(name)).resolve()
            is_file = path.is_file()
        except (OSError, RuntimeError):  # a path too long, or links in a circle
            raise missing from None
        if not path.is_relative_to(folder):
            raise Refused(f"The file {name!r} is refused: it is a link that leads outside the task's folder.")
        if not is_file:
            raise missing
        return path

    def _folder(self, task: Task) -> Path:
        root = self.root.resolve()
        missing = NotFound(f"The source has no folder {task.bucket_prefix[:200]!r}, so the task's files are missing.")
        try:
            folder = (root / checked(task.bucket_prefix)).resolve()
            is_folder = folder.is_dir()
        except (OSError, RuntimeError):
            raise missing from None
        if not folder.is_relative_to(root):
            raise Refused("The task's folder is refused: it is a link that leads outside the source's folder.")
        if not is_folder:
            raise missing
        return folder
