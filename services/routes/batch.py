"""The HTTP routes of a batch: its files come in as they are, its rows go out as a file."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from fastapi import APIRouter, Header, HTTPException, Request
from fastapi.responses import FileResponse
from pydantic import Field
from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from services.batch import FILTERS, Batch, BatchError, Batches, as_markdown
from services.routes.callers import Visitor, check_caller, read_json

_THREADS = 8  # of the batches' own: what waits here for a visitor's batch must not take those of the rest of the app
T = TypeVar("T")
_TYPES = {"csv": "text/csv; charset=utf-8", "jsonl": "application/x-ndjson", "md": "text/markdown; charset=utf-8"}


class _File(Visitor):
    name: Annotated[str, Field(min_length=1, max_length=200)]


class _Export(Visitor):
    kind: Literal["csv", "jsonl", "md"]
    filters: dict[str, str] = Field(default_factory=dict)


class _Written(FileResponse):
    """A file that is removed once it was sent, or was not."""

    def __init__(self, path: Path, media_type: str, done: Callable[[], None]) -> None:
        super().__init__(path, media_type=media_type, headers={"Cache-Control": "no-store"})
        self._done = done

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._done()


def batch_routes(batches: Batches, hosts: Collection[str] | None = None) -> APIRouter:
    """The routes below `/batch`. `hosts`, when given, are the only names the app answers to there."""
    routes = APIRouter(prefix="/batch")
    threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="batch-files")
    exporting: set[str] = set()

    async def in_thread(work: Callable[..., T], *given: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(threads, work, *given)

    @routes.post("/file")
    async def file(request: Request, name: str, visitor_token: Annotated[str, Header()]) -> dict[str, int | str]:
        """Take in one file of predictions: its bytes are the body, its visitor stands in a header."""
        check_caller(request, hosts, "application/octet-stream")
        try:
            given = _File(token=visitor_token, name=name)
        except ValueError:
            raise HTTPException(400, "A file has a name of 1 to 200 characters, and a visitor a token.") from None
        try:
            upload = await in_thread(batches.upload, given.token, given.name)
        except BatchError as error:
            raise HTTPException(409, str(error)) from None
        size = 0
        try:
            async for part in request.stream():
                size += len(part)
                upload.write(part)
            await in_thread(upload.keep)
        except BatchError as error:
            upload.discard()
            raise HTTPException(413, str(error)) from None
        except ClientDisconnect:
            upload.discard()
            raise HTTPException(400, "The file did not arrive whole.") from None
        except BaseException:  # the app ends, and with it the request
            upload.discard()
            raise
        return {"name": given.name, "size": size}

    @routes.post("/export")
    async def export(request: Request) -> FileResponse:
        """The graded rows that pass the filters as a file, or (`md`) the report; one at a time for each visitor."""
        wanted = await read_json(request, _Export, hosts)
        visitor = batches.visitor(wanted.token)
        batch = visitor.batch if visitor else None
        if batch is None:
            raise HTTPException(404, "There is no batch here any more.")
        if not wanted.filters.keys() <= set(FILTERS):
            raise HTTPException(400, f"The filters are {', '.join(FILTERS)}.")
        if not await _free(wanted.token, exporting):
            raise HTTPException(409, "A file of this batch is being written already. Wait until it is here.")
        exporting.add(wanted.token)
        folder = Path(tempfile.gettempdir()) / f"batch-{secrets.token_hex(8)}"
        done = partial(_forget, folder, exporting, wanted.token)
        try:
            folder.mkdir(mode=0o700)
            await in_thread(_write, batch, wanted.kind, wanted.filters, folder / "rows")
        except BatchError as error:
            done()
            raise HTTPException(409, str(error)) from None
        except OSError as error:
            done()
            raise HTTPException(507, f"Not written: there is no room for the file here ({error.strerror}).") from None
        except BaseException:
            done()
            raise
        return _Written(folder / "rows", _TYPES[wanted.kind], done)

    return routes


async def _free(token: str, exporting: set[str]) -> bool:
    """Whether no file is on its way to this visitor; the last bytes of one are there a moment before its end."""
    for _ in range(20):
        if token not in exporting:
            return True
        await asyncio.sleep(0.1)
    return False


def _write(batch: Batch, kind: Literal["csv", "jsonl", "md"], filters: dict[str, str], path: Path) -> None:
    if kind == "md":
        path.write_text(as_markdown(batch.report()), encoding="utf-8", errors="backslashreplace")
    else:
        batch.export(kind, path, filters)


def _forget(folder: Path, exporting: set[str], token: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    exporting.discard(token)
