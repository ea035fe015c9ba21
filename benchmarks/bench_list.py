"""From a filter to the list, in Chromium: the task list against gr.Dataframe, both over the dataset's 5,394 rows.

    python -m benchmarks.bench_list

Both pages are served by their own process on this machine and driven in one run, turn by turn. A time runs from the
choice of a tier to the paint after the first row has changed.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.browser.conftest import QUIET
from tests.served_app import free_port, served_app, wait_until_served
from tests.synthetic_source import write_source

ROUNDS = 12
TIERS = ["easy", "medium", "hard"]

# Start the clock, make the choice, and watch the first row until it holds something else.
TIMED = """
([choose, first]) => new Promise((resolve, reject) => {
  const text = () => document.querySelector(first)?.textContent ?? '';
  const before = text(), start = performance.now();
  const look = () => {
    if (text() && text() !== before) requestAnimationFrame(() => resolve(performance.now() - start));
    else if (performance.now() - start > 30000) reject(new Error('the list did not change'));
    else requestAnimationFrame(look);
  };
  const control = document.querySelector(choose.selector);
  if (choose.value === undefined) control.click();
  else { control.value = choose.value; control.dispatchEvent(new Event('input', {bubbles: true})); }
  look();
})
"""


def dataframe_app(source: str, port: str) -> None:
    """The comparison: the same rows in a gr.Dataframe, filtered by a gr.Radio."""
    import gradio as gr
    import pandas as pd

    columns = ["task_id", "difficulty_tier", "kaggle_dataset", "question"]
    frames = [pd.read_parquet(path, columns=columns) for path in sorted(Path(source).glob("data/*.parquet"))]
    tasks = pd.concat(frames, ignore_index=True)
    with gr.Blocks(analytics_enabled=False) as page:
        tier = gr.Radio(TIERS, label="Tier", elem_id="tier")
        table = gr.Dataframe(tasks, elem_id="table", interactive=False)
        tier.change(lambda chosen: tasks[tasks.difficulty_tier == chosen], tier, table, show_progress="hidden")
    page.launch(server_port=int(port), quiet=True, run_history=False, ssr_mode=False)


def choose_in_ours(page: Page, tier: str) -> float:
    choice = {"selector": ".task_browser select[name=tier]", "value": tier}
    return float(page.evaluate(TIMED, [choice, ".task_browser .tasks li"]))


def choose_in_dataframe(page: Page, tier: str) -> float:
    choice = {"selector": f"#tier input[value={tier}]"}
    return float(page.evaluate(TIMED, [choice, "#table tbody tr td:nth-child(2)"]))


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch:
        source = Path(scratch, "source")
        write_source(source)
        port = free_port()
        command = [sys.executable, "-m", "benchmarks.bench_list", str(source), str(port)]
        with (
            served_app({"TASKS_SOURCE": str(source)}, Path(scratch, "cache")) as (ours, _),
            subprocess.Popen(command) as other,
            sync_playwright() as playwright,
        ):
            theirs = f"http://127.0.0.1:{port}/"
            wait_until_served(theirs, other)
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
            pages = [browser.new_page(), browser.new_page()]
            pages[0].goto(ours)
            pages[0].wait_for_selector(".task_browser .tasks li[data-task]")
            pages[1].goto(theirs)
            pages[1].wait_for_selector("#table tbody tr td:nth-child(2)")
            times: tuple[list[float], list[float]] = ([], [])
            for turn in range(ROUNDS):
                tier = TIERS[turn % len(TIERS)]
                for each, (page, choose) in enumerate(zip(pages, (choose_in_ours, choose_in_dataframe), strict=True)):
                    page.bring_to_front()
                    times[each].append(choose(page, tier))
            browser.close()
            other.terminate()
    mine, its = (statistics.median(each) for each in times)
    print(f"filter to list, 5,394 tasks: {its / mine:.1f}× faster ({mine:.0f} ms against gr.Dataframe's {its:.0f} ms)")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        dataframe_app(sys.argv[1], sys.argv[2])
    else:
        main()
