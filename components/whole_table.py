"""A table looked at whole: server functions for its copy, rows, cells, finds, profile and charts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from components.table_request import BadRequest, number_in, numbers_in, reading_of
from services.catalog import Catalog, UnknownTask
from services.datafiles import DataFileError, DataFiles
from services.tables import TableError
from services.tables.whole import Source, WholeTables

WAIT_SECONDS = 2.0  # for the file, which may be on its way from the Hub
Answer = dict[str, Any]
ServerFunction = Callable[[Answer], Awaitable[Answer]]


def whole_table(
    catalog: Catalog, datafiles: DataFiles, tables: WholeTables, threads: ThreadPoolExecutor
) -> list[ServerFunction]:
    """The functions `whole`, `rows`, `cell`, `find`, `profile` and `chart`, run in `threads`.

    Each takes `{"task_id", "name", "table", "reading"}` and its own keys, and answers within a few seconds: with what
    was asked, with the `state` of the work that it waits for, or with `{"error": sentence}`.
    """

    def source(request: Answer) -> Source:
        task = catalog.task(str(request.get("task_id") or ""))
        path = datafiles.open(task, str(request.get("name") or ""), wait_seconds=WAIT_SECONDS)
        return Source(path, str(request.get("table") or "") or None, reading_of(request))

    def served(name: str, answer: Callable[[Source, Answer], Answer]) -> ServerFunction:
        def work(request: Answer) -> Answer:
            try:
                return answer(source(request), request)
            except DataFileError as error:
                return error.as_dict()
            except (UnknownTask, TableError, BadRequest) as error:
                return {"error": str(error)}

        async def function(request: Answer) -> Answer:
            return await asyncio.get_running_loop().run_in_executor(threads, work, request)

        function.__name__ = name
        return function

    def asked(what: str, shape: Callable[[Answer], Answer]) -> ServerFunction:
        return served(what, lambda source, request: tables.ask(source, what, shape(request)))

    return [
        served("whole", lambda source, request: tables.whole(source, again=request.get("again") is True)),
        asked("rows", _rows),
        asked("cell", lambda request: {key: number_in(request, key) for key in ("row", "column")}),
        asked("find", _find),
        asked("chart", lambda request: {"columns": numbers_in(request, "columns")}),
        served("profile", lambda source, request: tables.profile(source, again=request.get("again") is True)),
    ]


def stop_whole(catalog: Catalog, datafiles: DataFiles, tables: WholeTables, request: Answer) -> Answer:
    """Stop the work on a table that `what` names: whole or profile. `{"message"}` says what was stopped."""
    try:
        task = catalog.task(str(request.get("task_id") or ""))
        path = datafiles.open(task, str(request.get("name") or ""), wait_seconds=0)
        source = Source(path, str(request.get("table") or "") or None, reading_of(request))
        return {"message": tables.stop(source, profile=request.get("what") == "profile")}
    except DataFileError as error:
        return error.as_dict()
    except (UnknownTask, TableError, BadRequest) as error:
        return {"error": str(error)}


def _rows(request: Answer) -> Answer:
    return {
        "view": _view(request),
        "columns": numbers_in(request, "columns"),
        **{key: number_in(request, key) for key in ("offset", "rows")},
    }


def _find(request: Answer) -> Answer:
    start = request.get("from")
    start = start if isinstance(start, dict) else {}
    return {
        "view": _view(request),
        "text": _text(request.get("text")),
        "from": [number_in(start, key, -1) for key in ("row", "column")],
        "backwards": request.get("backwards") is True,
    }


def _view(request: Answer) -> Answer:
    given = request.get("view")
    given = given if isinstance(given, dict) else {}
    sort, filters = given.get("sort") or [], given.get("filters") or []
    if not all(isinstance(each, list) and all(isinstance(one, dict) for one in each) for each in (sort, filters)):
        raise BadRequest("The view's sort and filters should be lists of objects.")
    return {
        "sort": [{"column": number_in(one, "column"), "descending": one.get("descending") is True} for one in sort],
        "filters": [
            {"column": number_in(one, "column"), "op": str(one.get("op")), "value": _text(one.get("value"))}
            for one in filters
        ],
        "find": _text(given.get("find")),
    }


def _text(given: Any) -> str:
    return given.encode("utf-8", "replace").decode() if isinstance(given, str) else "" if given is None else str(given)
