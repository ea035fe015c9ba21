"""Twenty visitors who each run `1+1` every second for a minute, over HTTP, on two cores.

    python -m benchmarks.bench_kernel_visitors

The app with its kernels and the visitors share the two cores. A time runs from the moment a cell was due, not from
when it could be sent, to the end of its answer. An answer is lost when it is not exactly `2` and a good end.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from services.catalog import Query, open_catalog
from services.settings import Settings
from tests.served_app import served_app

VISITORS = 20
SECONDS = 60
EVERY_SECONDS = 1.0
CORES = 2
ANSWER_SECONDS = 30


@dataclass
class Answers:
    """Seconds each right answer took, and what came where none did."""

    seconds: list[float] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


async def ask(http: httpx.AsyncClient, cell: dict[str, str]) -> str:
    """Run a cell; what is wrong with the answer, or nothing."""
    try:
        answer = await http.post("kernel/run", json=cell)
        events = [json.loads(line) for line in answer.content.splitlines()]
    except (httpx.HTTPError, ValueError) as error:
        return repr(error)
    outputs = [event["output"].get("data") for event in events if event.get("event") == "output"]
    right = outputs == [{"text/plain": "2"}] and events[-1].get("status") == "ok"
    return "" if right else answer.text[-300:]


async def visit(http: httpx.AsyncClient, cell: dict[str, str], begin: float, answers: Answers) -> None:
    for number in range(int(SECONDS / EVERY_SECONDS)):
        due = begin + number * EVERY_SECONDS
        await asyncio.sleep(due - time.perf_counter())
        wrong = await ask(http, cell)
        if wrong:
            answers.lost.append(wrong)
        else:
            answers.seconds.append(time.perf_counter() - due)


async def measured(url: str, task_id: str) -> Answers:
    cells = [
        {"token": secrets.token_hex(24), "task_id": task_id, "cell_id": "bench", "code": "1+1"} for _ in range(VISITORS)
    ]
    answers = Answers()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx.AsyncClient(base_url=url, timeout=ANSWER_SECONDS, limits=limits) as http:
        for cell in cells:  # every visitor has a kernel before the minute begins
            if wrong := await ask(http, cell):
                raise RuntimeError(f"a visitor got no kernel: {wrong}")
        begin = time.perf_counter() + 1
        starts = [begin + EVERY_SECONDS * number / VISITORS for number in range(VISITORS)]
        await asyncio.gather(*(visit(http, *each, answers) for each in zip(cells, starts, strict=True)))
    return answers


def main() -> None:
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    os.sched_setaffinity(0, cores)  # the app and its kernels get the same
    seats = str(VISITORS + 2)
    settings = {"KERNEL_MAX": seats, "KERNEL_PER_ADDRESS": seats}
    with tempfile.TemporaryDirectory() as folder, served_app(settings, Path(folder)) as (url, _):
        catalog = open_catalog(Settings(tasks_source="bundled", cache_dir=Path(folder)))
        answers = asyncio.run(measured(url, catalog.search(Query(file_type="csv")).rows[0].task_id))
    taken = [1000 * each for each in answers.seconds]
    p95 = statistics.quantiles(taken, n=20)[-1]
    print(
        f"{VISITORS} visitors, 1+1 every second for {SECONDS} s on {len(cores)} cores: {len(taken)} answers, "
        f"half within {statistics.median(taken):.0f} ms, 95 % within {p95:.0f} ms, the slowest {max(taken):.0f} ms; "
        f"lost {len(answers.lost)} (expected 0)"
    )
    for wrong in answers.lost[:5]:
        print(f"  lost: {wrong}")


if __name__ == "__main__":
    main()
