"""Starter code of a task: its files loaded, each with the reader that reads it rightly."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services.catalog import Catalog, Task, UnknownTask
from services.datafiles import DataFileError, DataFiles, Refused, flat_names
from services.tables import starter_code

WAIT_SECONDS = 8.0  # for files on their way from the Hub; one that isn't here by then is read by its name alone


def starter_code_for(task: Task, datafiles: DataFiles, name: str | None = None) -> str:
    """Python code that loads the task's files, or the one named, in a kernel; it runs as it stands. Blocks.

    Raises:
        DataFileError: the task's files can't be listed, or it has no file of that name.
    """
    names = flat_names(file.name for file in datafiles.list(task))
    end = time.monotonic() + WAIT_SECONDS
    files: dict[str, Path | None] = {}
    for each, flat in names.items():
        if name not in (None, each):
            continue
        try:
            files[flat] = datafiles.open(task, each, wait_seconds=max(0.0, end - time.monotonic()))
        except Refused:
            continue
        except DataFileError:
            files[flat] = None
    return starter_code(files)


def starter_for(catalog: Catalog, datafiles: DataFiles) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A server function: `{"task_id": id, "name"?: file}` gives `{"code": text}` or `{"error": sentence}`."""

    def starter_code_of(request: dict[str, Any]) -> dict[str, Any]:
        name = request.get("name")
        try:
            task = catalog.task(str(request.get("task_id") or ""))
            return {"code": starter_code_for(task, datafiles, None if name is None else str(name))}
        except (UnknownTask, DataFileError) as error:
            return {"error": str(error)}

    return starter_code_of
