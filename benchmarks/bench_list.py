"""From a filter to the list, in Chromium: the task list against gr.Dataframe, both over the dataset's 5,394 rows.

    python -m benchmarks.bench_list

Both pages are served by their own process on this machine and driven in one run, turn by turn. A time runs from the
choice of a tier to the paint after the first row has changed.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from services.catalog import Row
from services.catalog.task import SPLITS
from tests.browser.conftest import QUIET
from tests.served_app import free_port, served_app, wait_until_served
from tests.synthetic_source import write_source

ROUNDS = 18
TIERS = ["easy", "medium", "hard"]
ALL = "all"
OUR_TIER = ".task_browser select[name=tier]"
FRAME_TIER = "#tier input[value=%s]"
SETTLED_MS = 3000
BROUGHT_TO_FRONT_MS = 300  # a tab that comes to the front draws itself anew: no part of a choice
OUR_ROW = ".task_browser .tasks li[data-task]"
FRAME_CELL = "#table .virtual-row .body-cell"

# Start the clock, make the choice, and watch the first row until it holds something else.
TIMED = """
([choose, first]) => new Promise((resolve, reject) => {
  const text = () => document.querySelector(first)?.textContent ?? '';
  const before = text(), start = performance.now();
  const watch = new MutationObserver(() => {
    if (!text() || text() === before) return;
    watch.disconnect();
    requestAnimationFrame(() => resolve(performance.now() - start));
  });
  watch.observe(document.body, {subtree: true, childList: true, characterData: true});
  setTimeout(() => reject(new Error('the list did not change')), 30000);
  const control = document.querySelector(choose.selector);
  if (choose.value === undefined) control.click();
  else { control.value = choose.value; control.dispatchEvent(new Event('input', {bubbles: true})); }
})
"""


def dataframe_app(source: str, port: str) -> None:
    """The comparison: the same rows in a gr.Dataframe, filtered by a gr.Radio."""
    import gradio as gr
    import pandas as pd

    # the columns a row of our list has
    columns = [field.name for field in fields(Row) if field.name not in {"split", "n_files"}]
    frames = [
        pd.read_parquet(path, columns=[*columns, "files"]).assign(split=split)
        for split in SPLITS
        for path in sorted(Path(source).glob(f"data/{split}-*.parquet"))
    ]
    tasks = pd.concat(frames, ignore_index=True)
    tasks["n_files"] = tasks.pop("files").map(len)
    with gr.Blocks(analytics_enabled=False) as page:
        tier = gr.Radio([*TIERS, ALL], label="Tier", elem_id="tier")
        table = gr.Dataframe(tasks, elem_id="table", interactive=False)
        tier.change(
            lambda chosen: tasks if chosen == ALL else tasks[tasks.difficulty_tier == chosen],
            tier,
            table,
            show_progress="hidden",
        )
    page.launch(server_port=int(port), quiet=True, run_history=False, ssr_mode=False)


def choose_in_ours(page: Page, tier: str) -> float:
    choice = {"selector": OUR_TIER, "value": "" if tier == ALL else tier}
    return float(page.evaluate(TIMED, [choice, OUR_ROW]))


def choose_in_dataframe(page: Page, tier: str) -> float:
    choice = {"selector": FRAME_TIER % tier}
    return float(page.evaluate(TIMED, [choice, FRAME_CELL]))


@contextlib.contextmanager
def served_dataframe(source: Path) -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "benchmarks.bench_list", str(source), str(port)])
    try:
        wait_until_served(f"http://127.0.0.1:{port}/", process)
        yield f"http://127.0.0.1:{port}/"
    finally:
        process.terminate()
        process.wait()


def measured(ours: str, theirs: str) -> dict[str, tuple[float, float]]:
    """Median milliseconds of both lists, turn by turn, by what was chosen."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        pages = [browser.new_page(), browser.new_page()]
        for page, url, first in zip(pages, (ours, theirs), (OUR_ROW, FRAME_CELL), strict=True):
            page.goto(url)
            page.wait_for_selector(first)
            page.wait_for_timeout(SETTLED_MS)
        # every turn changes the first row: two tiers it is not of, then all tasks again
        first_tier = pages[0].locator(OUR_ROW).first.locator(".chip").first.inner_text()
        turns = [*(tier for tier in TIERS if tier != first_tier), ALL]
        times: dict[str, tuple[list[float], list[float]]] = {"a tier": ([], []), "all tasks": ([], [])}
        for turn in range(ROUNDS):
            tier = turns[turn % len(turns)]
            kind = times["all tasks" if tier == ALL else "a tier"]
            for each, (page, choose) in enumerate(zip(pages, (choose_in_ours, choose_in_dataframe), strict=True)):
                page.bring_to_front()
                page.wait_for_timeout(BROUGHT_TO_FRONT_MS)
                kind[each].append(choose(page, tier))
        browser.close()
    return {kind: (statistics.median(ours), statistics.median(theirs)) for kind, (ours, theirs) in times.items()}


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "source")
        write_source(source)
        with (
            served_app({"TASKS_SOURCE": str(source)}, Path(scratch, "cache")) as (ours, _),
            served_dataframe(source) as theirs,
        ):
            medians = measured(ours, theirs)
    figures = (
        f"to {kind} {its / mine:.1f}× faster ({mine:.0f} ms against gr.Dataframe's {its:.0f} ms)"
        for kind, (mine, its) in medians.items()
    )
    print(f"filter to list, 5,394 tasks: {'; '.join(figures)}")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        dataframe_app(sys.argv[1], sys.argv[2])
    else:
        main()
