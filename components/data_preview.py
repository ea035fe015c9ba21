"""The data preview: the task's files and their rows as they stand, page by page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gradio as gr

from components.pane import pane
from components.starter import starter_for
from components.table_request import BadRequest, number_in, numbers_in, reading_of
from components.whole_table import stop_whole, whole_table
from services.catalog import Catalog, UnknownTask
from services.datafiles import DataFileError, DataFiles
from services.tables import Reading, TableError
from services.tables import preview as preview_table
from services.tables.whole import WholeTables

PAGE_ROWS = 50
PREVIEW_THREADS = 32
WAIT_SECONDS = 2.0  # after which the page shows how far the file has come, and asks again


def file_previewer(catalog: Catalog, datafiles: DataFiles) -> Callable[..., dict[str, Any]]:
    """A function from task id, file name, table (None: the first) and offset to a `Preview` as data.

    The `columns` wanted and the `reading` may follow. It waits for a file on the Hub as long as its deadline, or for
    `wait_seconds`, and answers `{"error": sentence}` where there is nothing to show: with `"state"` when the file can't
    be had, `"seconds"` to wait when the Hub limits reading, and `"coming": {"done", "total"}` in bytes while the file
    is on its way.
    """

    def preview(
        task_id: str,
        name: str,
        table: str | None = None,
        offset: int = 0,
        wait_seconds: float | None = None,
        columns: list[int] | None = None,
        reading: Reading | None = None,
    ) -> dict[str, Any]:
        try:
            path = datafiles.open(catalog.task(task_id), name, wait_seconds=wait_seconds)
            return preview_table(
                path, rows=PAGE_ROWS, offset=offset, table=table, columns=columns, reading=reading
            ).as_dict()
        except DataFileError as error:
            return error.as_dict()
        except (UnknownTask, TableError) as error:
            return {"error": str(error)}

    return preview


def data_preview(catalog: Catalog, datafiles: DataFiles, tables: WholeTables) -> gr.HTML:
    """Make the pane. Its `preview` answers fifty rows of a file, its `reader` the code that loads the file; those of
    `whole_table` look at all of it. `stop` ends what `what` names: the wait for the file, its copy or its profile.
    """
    read = file_previewer(catalog, datafiles)
    code = starter_for(catalog, datafiles)
    # Threads of its own: a file that is long in coming must not take those the rest of the page needs.
    threads = ThreadPoolExecutor(PREVIEW_THREADS, thread_name_prefix="preview")

    async def preview(request: dict[str, Any]) -> dict[str, Any]:
        task_id, name, table = (str(request.get(key) or "") for key in ("task_id", "name", "table"))
        try:
            start = number_in(request, "offset", 0)
            columns = numbers_in(request, "columns") if "columns" in request else None
            reading = reading_of(request)
        except BadRequest as error:
            return {"error": str(error)}
        loop = asyncio.get_running_loop()
        wanted = (table or None, start, WAIT_SECONDS, columns, reading)
        return await loop.run_in_executor(threads, read, task_id, name, *wanted)

    async def reader(request: dict[str, Any]) -> dict[str, Any]:
        return await asyncio.get_running_loop().run_in_executor(threads, code, request)

    def stop(request: dict[str, Any]) -> dict[str, Any]:
        if request.get("what") in {"whole", "profile"}:
            return stop_whole(catalog, datafiles, tables, request)
        try:
            task = catalog.task(str(request.get("task_id") or ""))
        except UnknownTask as error:
            return {"error": str(error)}
        return {"message": datafiles.stop(task, str(request.get("name") or ""))}

    return pane("data_preview", "Data", [preview, reader, stop, *whole_table(catalog, datafiles, tables, threads)])
