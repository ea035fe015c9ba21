"""Starter code of a task: its files loaded, each with the reader that reads it rightly."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from components.table_request import BadRequest, reading_of
from services.catalog import Catalog, Task, UnknownTask
from services.datafiles import DataFileError, DataFiles, NotFound, Refused, flat_names
from services.tables import Reading, csv_code, starter_code

WAIT_SECONDS = 8.0  # for files on their way from the Hub; one that isn't here by then is read by its name alone


def starter_code_for(task: Task, datafiles: DataFiles, name: str | None = None, reading: Reading | None = None) -> str:
    """Python code that loads the task's files, or the one named, in a kernel; it runs as it stands. Blocks.

    `reading` says how a delimited file is taken apart, where it isn't by its own signs.

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
    return starter_code(files, reading=reading)


def csv_code_for(task: Task, datafiles: DataFiles, name: str, arguments: str) -> str:
    """Python code that loads one of the task's files by read_csv with these arguments. Blocks.

    Raises:
        DataFileError: the task's files can't be listed, or it has no file of that name.
    """
    flat = flat_names(file.name for file in datafiles.list(task)).get(name)
    if flat is None:
        raise NotFound(f"The task has no file {name[:200]!r}.")
    return csv_code(flat, arguments)


def starter_for(catalog: Catalog, datafiles: DataFiles) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A server function: `{"task_id": id, "name"?: file}` gives `{"code": text}` or `{"error": sentence}`.

    `"arguments"`, text for read_csv, or else a `"reading"` say how the file named is read.
    """

    def starter_code_of(request: dict[str, Any]) -> dict[str, Any]:
        name = None if request.get("name") is None else str(request["name"])
        arguments = str(request.get("arguments") or "")
        try:
            task = catalog.task(str(request.get("task_id") or ""))
            if arguments and name is not None:
                return {"code": csv_code_for(task, datafiles, name, arguments)}
            return {"code": starter_code_for(task, datafiles, name, reading_of(request))}
        except (UnknownTask, DataFileError, BadRequest) as error:
            return {"error": str(error)}

    return starter_code_of
