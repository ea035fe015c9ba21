"""How soon a start can be used: with a silent Hub and without one, against an empty Gradio page.

    python -m benchmarks.bench_start

Each is a process of its own, all in one run, turn by turn. `served` is when the address answers, `usable` when the
first tasks are in the list in Chromium. An empty `gr.Blocks`, imported as it comes, is what any Gradio app needs here.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.browser.conftest import QUIET
from tests.loopback_hub import Fault, LoopbackHub
from tests.served_app import free_port, served_app, wait_until_served

ROUNDS = 5
ROW = ".task_browser .tasks li[data-task]"
EMPTY = """
import sys
import gradio as gr
with gr.Blocks(analytics_enabled=False) as page:
    gr.HTML("empty")
page.launch(server_port=int(sys.argv[1]), quiet=True, run_history=False, ssr_mode=False)
"""


@contextlib.contextmanager
def empty_page() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", EMPTY, str(port)], stdout=subprocess.DEVNULL)
    try:
        wait_until_served(f"http://127.0.0.1:{port}/", process, poll=0.02)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait()


def start(browser: Browser, settings: dict[str, str], cache: Path) -> tuple[float, float]:
    """Seconds until the app's address answers, and until its list is filled."""
    began = time.monotonic()
    with served_app(settings, cache, poll=0.02) as (url, _):
        served = time.monotonic() - began
        page = browser.new_page()
        page.goto(url, wait_until="commit")
        page.wait_for_selector(ROW)
        usable = time.monotonic() - began
        page.close()
    return served, usable


def main() -> None:
    times: dict[str, list[float]] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        LoopbackHub() as hub,
        sync_playwright() as playwright,
        contextlib.closing(playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)) as browser,
    ):
        hub.faults.append(Fault(silent=True))
        starts = {"bundled suite": {}, "Hub silent": {"TASKS_SOURCE": "auto", "HF_ENDPOINT": hub.url}}
        for turn in range(ROUNDS):
            began = time.monotonic()
            with empty_page():
                times.setdefault("empty Gradio page, served", []).append(time.monotonic() - began)
            for name, settings in starts.items():
                served, usable = start(browser, settings, Path(folder) / f"{name} {turn}")
                times.setdefault(f"{name}, served", []).append(served)
                times.setdefault(f"{name}, usable", []).append(usable)
    middle = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in times.items():
        print(f"{name:28} {middle[name]:6.2f} s  ({min(seconds):.2f} to {max(seconds):.2f})")
    print(f"empty page / ours, served: {middle['empty Gradio page, served'] / middle['bundled suite, served']:.1f}x")
    print(f"a silent Hub adds {middle['Hub silent, usable'] - middle['bundled suite, usable']:.2f} s to a start")


if __name__ == "__main__":
    main()
