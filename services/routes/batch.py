"""The HTTP routes of a batch: its files come in as they are, its rows go out as a file."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Header, HTTPException, Request
from fastapi.responses import StreamingResponse
from pydantic import Field
from starlette.requests import ClientDisconnect

from services.batch import FILTERS, Batch, BatchError, Batches, as_markdown
from services.routes.callers import Visitor, check_caller, read_json

_PART = 2**16
_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson", "md": "text/markdown; charset=utf-8"}


class _File(Visitor):
    name: Annotated[str, Field(min_length=1, max_length=200)]


class _Export(Visitor):
    kind: Literal["csv", "jsonl", "md"]
    filters: dict[str, str] = Field(default_factory=dict)


def batch_routes(batches: Batches, hosts: Collection[str] | None = None) -> APIRouter:
    """The routes below `/batch`. `hosts`, when given, are the only names the app answers to there."""
    routes = APIRouter(prefix="/batch")

    @routes.post("/file")
    async def file(request: Request, name: str, visitor_token: Annotated[str, Header()]) -> dict[str, int | str]:
        """Take in one file of predictions: its bytes are the body, its visitor stands in a header."""
        check_caller(request, hosts, "application/octet-stream")
        try:
            given = _File(token=visitor_token, name=name)
        except ValueError:
            raise HTTPException(400, "A file has a name of 1 to 200 characters, and a visitor a token.") from None
        try:
            upload = await asyncio.to_thread(batches.upload, given.token, given.name)
        except BatchError as error:
            raise HTTPException(409, str(error)) from None
        size = 0
        try:
            async for part in request.stream():
                size += len(part)
                upload.write(part)
        except BatchError as error:
            await asyncio.to_thread(upload.discard)
            raise HTTPException(413, str(error)) from None
        except ClientDisconnect:
            await asyncio.to_thread(upload.discard)
            raise HTTPException(400, "The file did not arrive whole.") from None
        await asyncio.to_thread(upload.keep)
        return {"name": given.name, "size": size}

    @routes.post("/export")
    async def export(request: Request) -> StreamingResponse:
        """The graded rows that pass the filters as a file, or (`md`) the report."""
        wanted = await read_json(request, _Export, hosts)
        visitor = batches.visitor(wanted.token)
        if visitor is None or visitor.batch is None:
            raise HTTPException(404, "There is no batch here any more.")
        if not wanted.filters.keys() <= set(FILTERS):
            raise HTTPException(400, f"The filters are {', '.join(FILTERS)}.")
        written = _written(visitor.batch, wanted.kind, wanted.filters)
        return StreamingResponse(written, media_type=_TYPES[wanted.kind], headers={"Cache-Control": "no-store"})

    return routes


async def _written(batch: Batch, kind: Literal["csv", "jsonl", "md"], filters: dict[str, str]) -> AsyncIterator[bytes]:
    if kind == "md":
        yield (await asyncio.to_thread(lambda: as_markdown(batch.report()))).encode("utf-8", "backslashreplace")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        await asyncio.to_thread(batch.export, kind, path, filters)
        with path.open("rb") as file:
            while part := file.read(_PART):
                yield part
