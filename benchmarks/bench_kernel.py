"""`1+1` through the app's HTTP route and in its page, against jupyter_client on a kernel of the same Python.

    python -m benchmarks.bench_kernel

All are asked turn by turn in one run; medians in milliseconds, from sending the code to having the whole answer.
"""

from __future__ import annotations

import json
import secrets
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import httpx
from playwright.sync_api import Page, sync_playwright

from benchmarks.plain_kernel import PlainKernel
from services.catalog import Query, open_catalog
from services.settings import Settings
from tests.browser.conftest import QUIET
from tests.served_app import served_app

ROUNDS = 50
WARM_UP = 5

# The page's own way to a kernel, `fetch`, and the answer read to its end there.
IN_PAGE = """
async (cell) => {
  const start = performance.now();
  const answer = await fetch('kernel/run', {
    method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify(cell),
  });
  const text = await answer.text();
  if (!text.includes('"text/plain":"2"')) throw new Error(text);
  return performance.now() - start;
}
"""


def over_http(http: httpx.Client, cell: dict[str, str]) -> float:
    start = time.perf_counter()
    answer = http.post("kernel/run", json=cell)
    took = (time.perf_counter() - start) * 1000
    events = [json.loads(line) for line in answer.content.splitlines()]
    assert [event["output"]["data"] for event in events if event["event"] == "output"] == [{"text/plain": "2"}]
    assert events[-1]["status"] == "ok"
    return took


def new_cell(task_id: str) -> dict[str, str]:
    return {"token": secrets.token_hex(24), "task_id": task_id, "cell_id": "bench", "code": "1+1"}


def alone(kernel: PlainKernel) -> float:
    text, _, seconds = kernel.run("1+1")
    assert text == "2"
    return seconds * 1000


def measure(plain: PlainKernel, http: httpx.Client, page: Page, task_id: str) -> tuple[float, float, float]:
    by_http, by_page = new_cell(task_id), new_cell(task_id)
    ways = [lambda: alone(plain), lambda: over_http(http, by_http), lambda: page.evaluate(IN_PAGE, by_page)]
    rounds = [[way() for way in ways] for _ in range(WARM_UP + ROUNDS)][WARM_UP:]
    first, second, third = (statistics.median(each) for each in zip(*rounds, strict=True))
    return first, second, third


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, served_app({}, Path(folder)) as (url, _), sync_playwright() as driver:
        settings = Settings(tasks_source="bundled", cache_dir=Path(folder))
        task_id = open_catalog(settings).search(Query()).rows[0].task_id
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page()
        page.goto(url)
        try:
            with PlainKernel(settings.kernel_python) as plain, httpx.Client(base_url=url, timeout=60) as http:
                by_client, route, in_page = measure(plain, http, page, task_id)
        finally:
            browser.close()
    print(
        f"1+1: jupyter_client {by_client:.1f} ms, the app's route {route:.1f} ms ({route - by_client:+.1f}), "
        f"fetched in the page {in_page:.1f} ms ({in_page - by_client:+.1f}); expected +10 or less"
    )


if __name__ == "__main__":
    main()
