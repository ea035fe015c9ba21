"""One visitor's long work holds up neither other visitors nor the disk."""

import asyncio
import json
import threading

import pytest
from fastapi import FastAPI

from components.batch_report import THREADS, _Turns
from services.batch import BatchError, Batches, Policy
from services.catalog import open_catalog
from services.grading import Grader
from services.routes.batch import batch_routes
from services.settings import Settings
from tests.folder_source import row, write_rows

ADA, BOB = "a" * 48, "b" * 48


def test_a_visitors_requests_take_one_thread_at_a_time():
    held, running = threading.Event(), []

    def work(request):
        if request["token"] == ADA:
            running.append(1)
            assert held.wait(10)
        return {"of": request["token"]}

    async def ask():
        in_turn = _Turns().of(work)
        adas = [asyncio.create_task(in_turn({"token": ADA})) for _ in range(3 * THREADS)]
        answer = await asyncio.wait_for(in_turn({"token": BOB}), 5)
        at_once = len(running)
        held.set()
        return answer, at_once, await asyncio.gather(*adas)

    answer, at_once, adas = asyncio.run(ask())
    assert (answer, at_once) == ({"of": BOB}, 1)
    assert adas == [{"of": ADA}] * 3 * THREADS


def test_a_batch_that_is_gone_is_told():
    def work(_):
        raise BatchError("This batch was closed.")

    assert asyncio.run(_Turns().of(work)({"token": ADA})) == {"error": "This batch was closed."}


@pytest.fixture
def batches(tmp_path):
    tasks = [row(str(number), answer=str(number)) for number in range(1, 4)]
    source = write_rows(tmp_path / "tasks", {"test": tasks})
    catalog = open_catalog(Settings(tasks_source=str(source), cache_dir=tmp_path / "cache"))
    made = Batches(tmp_path / "batches", catalog, lambda: Grader(1), upload_mb=1)
    upload = made.upload(ADA, "a.jsonl")
    upload.write(json.dumps({"task_id": "1", "prediction": "1"}).encode())
    upload.keep()
    made.read(ADA, {})
    assert made.start(ADA, Policy()).wait(60)
    yield made
    made.close()


def test_a_visitor_is_written_one_file_at_a_time_and_nothing_of_it_stays(batches, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "exports"))
    (tmp_path / "exports").mkdir()
    app = FastAPI()
    app.include_router(batch_routes(batches))
    written = None

    async def ask(reading, kind="csv"):
        """The status and body of an export whose reader takes nothing before `reading` is set."""
        given = json.dumps({"token": ADA, "kind": kind}).encode()
        scope = {"type": "http", "method": "POST", "path": "/batch/export", "query_string": b"", "http_version": "1.1"}
        scope |= {"headers": [(b"content-type", b"application/json"), (b"host", b"x")]}
        sent, asked = [], []

        async def receive():
            if not asked:
                asked.append(1)
                return {"type": "http.request", "body": given, "more_body": False}
            return await asyncio.Event().wait()  # the reader stays

        async def send(message):
            written.set()
            await reading.wait()
            sent.append(message)

        await app(scope, receive, send)
        return sent[0]["status"], b"".join(each.get("body", b"") for each in sent[1:])

    async def two():
        nonlocal written
        written = asyncio.Event()
        slow, at_once = asyncio.Event(), asyncio.Event()
        at_once.set()
        first = asyncio.create_task(ask(slow))
        await asyncio.wait_for(written.wait(), 20)
        second = await ask(at_once)
        slow.set()
        return second, await first, await ask(at_once, "md")

    second, first, third = asyncio.run(two())
    assert second[0] == 409 and b"A file of this batch is being written already" in second[1]
    assert first[0] == 200 and first[1].count(b"\n") == 2
    assert third[0] == 200 and third[1].startswith(b"# Batch report")
    assert list((tmp_path / "exports").iterdir()) == []
