"""The HTTP routes of the notebook: run a cell as a stream of events, find a run again, answer it, stop, complete code.

Each takes one JSON object by POST. A visitor is known by the `token` in it: 48 random hexadecimal digits.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, TypeVar
from urllib.parse import urlsplit

from fastapi import APIRouter, HTTPException, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.requests import ClientDisconnect

from services.catalog import Catalog, Task, UnknownTask
from services.datafiles import DataFileError, DataFiles
from services.kernels import AnswerUnreadable, InputsUnavailable, KernelPool, Run, UnknownRun

BODY_BYTES = 2_000_000
UNBUFFERED = {"X-Accel-Buffering": "no", "Cache-Control": "no-store"}

Token = Annotated[str, Field(pattern=r"^[0-9a-f]{48}$")]
Name = Annotated[str, Field(min_length=1, max_length=200)]


class _Visitor(BaseModel):
    token: Token


class _OfTask(_Visitor):
    task_id: Name


class _Cell(_OfTask):
    cell_id: Name
    code: str


class _Stop(_Visitor):
    end: bool = False


class _Follow(_Visitor):
    run_id: Name
    after: int = Field(-1, ge=-1)


class _Answer(_Visitor):
    run_id: Name
    text: str = Field(max_length=100_000)


class _Place(_OfTask):
    """A place in code: `cursor` counts code points."""

    code: str
    cursor: int = Field(ge=0)


B = TypeVar("B", bound=BaseModel)


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
        _check_caller(request, hosts)
        return _parsed(await _limited(request), model)

    @routes.post("/run")
    async def run(request: Request) -> StreamingResponse:
        cell = await body(request, _Cell)
        try:
            task = catalog.task(cell.task_id)
        except UnknownTask as error:
            raise HTTPException(404, str(error)) from None
        peer = request.client.host if request.client and hosts is None else ""
        address = visitor_address(peer, request.headers.getlist("x-forwarded-for") if proxied else ())
        return _stream(pool.run(cell.token, cell.task_id, cell.cell_id, cell.code, _inputs(datafiles, task), address))

    @routes.post("/events")
    async def events(request: Request) -> StreamingResponse:
        wanted = await body(request, _Follow)
        try:
            return _stream(pool.find(wanted.token, wanted.run_id), wanted.after)
        except UnknownRun as error:
            raise HTTPException(404, str(error)) from None

    @routes.post("/status")
    async def status(request: Request) -> dict[str, Any]:
        return pool.status((await body(request, _Visitor)).token)

    @routes.post("/stop")
    async def stop(request: Request) -> dict[str, Any]:
        wanted = await body(request, _Stop)
        stopped = await pool.stop(wanted.token, wanted.end)
        return {"message": stopped.message} | ({"offer": True} if stopped.offer else {})

    @routes.post("/restart")
    async def restart(request: Request) -> dict[str, str]:
        return {"message": await pool.restart((await body(request, _Visitor)).token)}

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


def visitor_address(peer: str, forwarded: Iterable[str] = ()) -> str:
    """The address that stands for a visitor: an IPv4 address, or the /64 network of an IPv6 one; '' for none.

    `forwarded` are the values of X-Forwarded-For, to which each proxy adds the address it was asked from. The last one
    that can be reached from the internet is what the outermost proxy saw; what stands left of it, anyone may write.
    """
    asked = [_address(each.strip()) for value in forwarded for each in value.split(",")]
    reachable = [each for each in asked if each and each.is_global]
    found = reachable[-1] if reachable else _address(peer)
    if isinstance(found, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found or peer)


def _address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(found, "ipv4_mapped", None) or found


def _inputs(datafiles: DataFiles, task: Task) -> Callable[[], Mapping[str, Path]]:
    def inputs() -> Mapping[str, Path]:
        try:
            return datafiles.inputs(task)
        except DataFileError as error:
            raise InputsUnavailable(f"The kernel was not started: {error}") from error

    return inputs


def _stream(run: Run, after: int = -1) -> StreamingResponse:
    headers = UNBUFFERED | {"X-Run-Id": run.run_id}
    return StreamingResponse(run.log.follow(after), media_type="application/x-ndjson", headers=headers)


def _check_caller(request: Request, hosts: Collection[str] | None) -> None:
    """Let only this app's own page through: any other a visitor has open could run code in their name.

    JSON is a content type a foreign page can't send without being asked first; a foreign page names itself in Origin;
    one that rebinds its name to this machine names itself in Host.
    """
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise HTTPException(415, "Kernel routes take JSON, with its content type.")
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    try:
        of_origin, name = urlsplit(origin or "").netloc, urlsplit(f"//{host}").hostname
    except ValueError:  # brackets that close nowhere
        of_origin, name = "", None
    if origin is not None and of_origin != host:
        raise HTTPException(403, "Kernel routes answer only the app's own page.")
    if hosts is not None and name not in hosts:
        raise HTTPException(403, "Kernel routes do not answer under this host name: open the app by its own address.")


async def _limited(request: Request) -> bytes:
    whole = bytearray()
    try:
        async for part in request.stream():
            whole += part
            if len(whole) > BODY_BYTES:
                raise HTTPException(413, f"A cell can hold {BODY_BYTES // 1_000_000} MB. Read larger data from a file.")
    except ClientDisconnect:
        raise HTTPException(400, "The request did not arrive whole.") from None  # unheard; else it is logged as a fault
    return bytes(whole)


def _parsed(raw: bytes, model: type[B]) -> B:
    try:
        return model.model_validate_json(raw)
    except ValidationError as error:
        problem = error.errors(include_input=False)[0]
        field = ".".join(str(each) for each in problem["loc"]) or "The request"
        raise HTTPException(400, f"{field} can't be used: {problem['msg']}.") from None
