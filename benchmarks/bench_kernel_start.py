"""From a fresh task to a cell's first output, and what confinement adds to a kernel's start.

    python -m benchmarks.bench_kernel_start

The first output is that of a cell which imports pandas, sent over HTTP to the app with a kernel waiting and to one
that keeps none, against jupyter_client starting a kernel for it. Then kernels are started without the warm process,
confined and not, against jupyter_client's, each until it has answered and its outputs are heard. All turn by turn in
one run, with pauses in which the app starts its next kernel; medians in seconds.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from benchmarks.plain_kernel import PlainKernel
from services.catalog import Query, open_catalog
from services.kernels import Launcher
from services.kernels.limits import Limits
from services.kernels.session_folder import SessionFolder
from services.settings import Settings
from tests.served_app import served_app

ROUNDS = 7
PAUSE_SECONDS = 2.0  # in which the app starts the kernel for its next visitor
CODE = "import pandas as pd\nprint(int(pd.Series([2, 3]).sum()))"
OUTPUT = "5\n"


def first_output(http: httpx.Client, task_id: str) -> float:
    """Seconds from sending a new visitor's first cell to its first output."""
    cell = {"token": secrets.token_hex(24), "task_id": task_id, "cell_id": "bench", "code": CODE}
    start = time.perf_counter()
    with http.stream("POST", "kernel/run", json=cell) as answer:
        for line in answer.iter_lines():
            event = json.loads(line)
            if event["event"] == "output":
                taken = time.perf_counter() - start
                assert event["output"]["text"] == OUTPUT, event
                return taken
            assert event["event"] != "done", event
    raise AssertionError("the cell did not end")


def plain_first_output(python: Path) -> float:
    start = time.perf_counter()
    with PlainKernel(python) as kernel:
        began = time.perf_counter()
        text, first, _ = kernel.run(CODE)
        assert text == OUTPUT
        return began - start + first


def plain_start(python: Path) -> float:
    start = time.perf_counter()
    with PlainKernel(python):
        return time.perf_counter() - start


def cold_start(launcher: Launcher, sessions: Path) -> float:
    """Seconds an engine takes to start; a launcher that was not entered has no warm process."""

    async def started() -> float:
        folder = SessionFolder(sessions)
        engine = launcher.engine(folder)
        try:
            start = time.perf_counter()
            await engine.start()
            return time.perf_counter() - start
        finally:
            await engine.close()
            folder.remove()

    return asyncio.run(started())


def medians(ways: list[Callable[[], float]], pause: float) -> list[float]:
    """Of each way, asked turn by turn; the first round is not counted: files are read from the disk in it."""
    rounds = []
    for _ in range(1 + ROUNDS):
        taken = []
        for way in ways:
            time.sleep(pause)
            taken.append(way())
        rounds.append(taken)
    return [statistics.median(each) for each in zip(*rounds[1:], strict=True)]


def measure_first_outputs(settings: Settings, scratch: Path) -> list[float]:
    task_id = open_catalog(settings).search(Query(file_type="csv")).rows[0].task_id
    # each round is a new visitor: a full app would first end the kernel of another
    roomy = {"KERNEL_MAX": str(2 * ROUNDS), "KERNEL_PER_ADDRESS": str(2 * ROUNDS)}
    with (
        served_app(roomy | {"KERNEL_WAITING": "1"}, scratch / "waiting") as (waiting, _),
        served_app(roomy | {"KERNEL_WAITING": "0"}, scratch / "none") as (none, _),
        httpx.Client(base_url=waiting, timeout=60) as to_waiting,
        httpx.Client(base_url=none, timeout=60) as to_none,
    ):
        ways = [
            lambda: plain_first_output(settings.kernel_python),
            lambda: first_output(to_waiting, task_id),
            lambda: first_output(to_none, task_id),
        ]
        return medians(ways, PAUSE_SECONDS)


def measure_starts(settings: Settings, scratch: Path) -> list[float]:
    limits = Limits.from_settings(settings)
    confined = Launcher(settings.kernel_python, scratch, limits, "required")
    unconfined = Launcher(settings.kernel_python, scratch, limits, "none")
    ways = [
        lambda: plain_start(settings.kernel_python),
        lambda: cold_start(confined, scratch),
        lambda: cold_start(unconfined, scratch),
    ]
    return medians(ways, 0)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        settings = Settings(tasks_source="bundled", cache_dir=scratch / "catalog")
        plain, waiting, none = measure_first_outputs(settings, scratch)
        print(
            f"fresh task to first output, pandas imported: {waiting:.2f} s with a kernel waiting, "
            f"{plain / waiting:.1f}× faster than jupyter_client's {plain:.2f} s; {none:.2f} s with none, "
            f"{plain / none:.1f}× (expected 0.3 s or less, 4× or more)",
            flush=True,
        )
        plain_alone, confined, unconfined = measure_starts(settings, scratch / "sessions")
        print(
            f"a start without the warm process: confined {confined:.2f} s, {confined / plain_alone:.2f}× "
            f"jupyter_client's {plain_alone:.2f} s and {confined / unconfined:.2f}× the same unconfined "
            "(expected 1.1× or less)"
        )


if __name__ == "__main__":
    main()
