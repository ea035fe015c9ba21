"""The HTTP routes of the notebook: run a cell as a stream of events, find it again, answer it, stop, help with code.

Each takes one JSON object by POST. A visitor is known by the `token` in it: 48 random hexadecimal digits.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse
from pydantic import Field

from services.catalog import Catalog, UnknownTask
from services.datafiles import DataFiles
from services.kernels import AnswerUnreadable, KernelPool, Run, UnknownRun
from services.routes.callers import B, Visitor, read_json, visitor_address
from services.routes.kernel_inputs import KernelInputs

UNBUFFERED = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}

Name = Annotated[str, Field(min_length=1, max_length=200)]


class _OfTask(Visitor):
    task_id: Name


class _Cell(_OfTask):
    cell_id: Name
    code: str


class _Stop(Visitor):
    end: bool = False


class _Follow(Visitor):
    run_id: Name
    after: int = Field(-1, ge=-1)


class _Answer(Visitor):
    run_id: Name
    text: str = Field(max_length=100_000)


class _Place(_OfTask):
    """A place in code: `cursor` counts code points."""

    code: str
    cursor: int = Field(ge=0)


class _Variable(_OfTask):
    name: str = Field(max_length=1000)


def kernel_routes(
    pool: KernelPool,
    catalog: Catalog,
    datafiles: DataFiles,
    hosts: Collection[str] | None = None,
    proxied: bool = False,
) -> APIRouter:
    """The routes below `/kernel`. `hosts`, when given, are the only names the app answers to there.

    Without `hosts` strangers can come: kernels are counted by network address, which comes from a proxy if `proxied`.
    """
    routes = APIRouter(prefix="/kernel")

    async def body(request: Request, model: type[B]) -> B:
        return await read_json(request, model, hosts)

    @routes.post("/run")
    async def run(request: Request) -> StreamingResponse:
        cell = await body(request, _Cell)
        try:
            task = catalog.task(cell.task_id)
        except UnknownTask as error:
            raise HTTPException(404, str(error)) from None
        peer = request.client.host if request.client and hosts is None else ""
        address = visitor_address(peer, request.headers.getlist("x-forwarded-for") if proxied else ())
        inputs = KernelInputs(datafiles, task)
        inputs.run = pool.run(cell.token, cell.task_id, cell.cell_id, cell.code, inputs, address)
        return _stream(inputs.run)

    @routes.post("/events")
    async def events(request: Request) -> StreamingResponse:
        wanted = await body(request, _Follow)
        try:
            return _stream(pool.find(wanted.token, wanted.run_id), wanted.after)
        except UnknownRun as error:
            raise HTTPException(404, str(error)) from None

    @routes.post("/status")
    async def status(request: Request) -> dict[str, Any]:
        return pool.status((await body(request, Visitor)).token)

    @routes.post("/stop")
    async def stop(request: Request) -> dict[str, Any]:
        wanted = await body(request, _Stop)
        stopped = await pool.stop(wanted.token, wanted.end)
        return {"message": stopped.message} | ({"offer": True} if stopped.offer else {})

    @routes.post("/restart")
    async def restart(request: Request) -> dict[str, str]:
        return {"message": await pool.restart((await body(request, Visitor)).token)}

    @routes.post("/input")
    async def answer_input(request: Request) -> dict[str, str]:
        given = await body(request, _Answer)
        if not pool.answer_input(given.token, given.run_id, given.text):
            raise HTTPException(409, "The cell does not wait for an answer any more.")
        return {"message": ""}

    @routes.post("/complete")
    async def complete(request: Request) -> dict[str, Any]:
        """`matches` is null when no kernel of this task is free to say."""
        place = await body(request, _Place)
        found = await pool.complete(place.token, place.task_id, place.code, place.cursor)
        return asdict(found) if found else {"start": place.cursor, "end": place.cursor, "matches": None}

    @routes.post("/inspect")
    async def inspect(request: Request) -> dict[str, str]:
        place = await body(request, _Place)
        return {"text": await pool.inspect(place.token, place.task_id, place.code, place.cursor)}

    @routes.post("/variables")
    async def variables(request: Request) -> dict[str, Any]:
        """`variables` is null when no kernel of this task is free to say."""
        asked = await body(request, _OfTask)
        found = await pool.variables(asked.token, asked.task_id)
        return asdict(found) if found else {"variables": None, "count": 0}

    @routes.post("/head")
    async def head(request: Request) -> dict[str, Any]:
        """`head` is null when there is none to be had."""
        asked = await body(request, _Variable)
        found = await pool.head(asked.token, asked.task_id, asked.name)
        return {"head": asdict(found) if found else None}

    @routes.post("/answer")
    async def answer(request: Request) -> dict[str, Any]:
        wanted = await body(request, _OfTask)
        try:
            text = pool.answer(wanted.token, wanted.task_id)
        except AnswerUnreadable as error:
            return {"found": False, "text": "", "message": str(error)}
        if text is None:
            missing = "There is no answer.txt yet: write the answer into that file in a cell, and run it."
            return {"found": False, "text": "", "message": missing}
        return {"found": True, "text": text, "message": ""}

    return routes


def _stream(run: Run, after: int = -1) -> StreamingResponse:
    headers = UNBUFFERED | {"X-Run-Id": run.run_id}
    return StreamingResponse(run.log.follow(after), media_type="application/x-ndjson", headers=headers)
