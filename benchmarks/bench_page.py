"""The page in Chromium: its weight and its time to interactive against an empty Gradio page, and what a click takes.

    python -m benchmarks.bench_page

All in one run, turn by turn, over the dataset's 5,394 rows. The weight is every byte of a first visit, as it came over
the wire, of what is loaded by itself. A page is interactive with the paint after its content has come: the first task
of the list, and the line of the empty page; both are then free to answer the next click. An interaction is
acknowledged with the paint after the first change of the page, and done with the paint after what was asked for.
"""

from __future__ import annotations

import contextlib
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.bench_start import ROW, empty_page
from tests.browser.conftest import QUIET
from tests.folder_source import row, write_rows
from tests.served_app import served_app
from tests.synthetic_source import write_source

VISITS = 9
CLICKS = 40
SETTLED_MS = 1500
EMPTY_LINE = ".gradio-container .prose"
# Note when an element is there and painted: the page itself does, as a driver's questions would wait and take time.
WATCHED = """
new MutationObserver((_, watch) => {
  if (!document.querySelector('%s')) return;
  watch.disconnect();
  requestAnimationFrame(() => setTimeout(() => { window.interactive = performance.now(); }));
}).observe(document, {subtree: true, childList: true});
"""

# Start the clock, click, and wait for the first change and for what was asked for, each with its paint.
CLICKED = """
([click, there]) => new Promise((resolve, reject) => {
  const holds = new Function(`return ${there}`);
  const start = performance.now();
  const painted = then => requestAnimationFrame(() => setTimeout(() => then(performance.now() - start)));
  let acknowledged = null;
  const first = new MutationObserver(() => {
    first.disconnect();
    painted(at => { acknowledged = at; });
  });
  first.observe(document.body, {subtree: true, childList: true, characterData: true, attributes: true});
  const look = () => {
    if (acknowledged !== null && holds()) painted(at => resolve([acknowledged, at]));
    else if (performance.now() - start > 30000) reject(new Error('it did not come'));
    else setTimeout(look, 1);
  };
  new Function(click)();
  look();
})
"""


def visit(browser: Browser, url: str, shown: str) -> tuple[float, float]:
    """Bytes over the wire and milliseconds to interactive, of a visitor who was never here."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    received = []
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.loadingFinished", lambda event: received.append(event["encodedDataLength"]))
    page.add_init_script(WATCHED % shown)
    page.goto(url)
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(SETTLED_MS)
    interactive = float(page.evaluate("window.interactive"))
    context.close()
    return sum(received), interactive


def select_task(page: Page, turn: int) -> tuple[float, float]:
    row_of = f"document.querySelectorAll('{ROW}')[{1 + turn % 40}]"
    task_id = page.evaluate(f"{row_of}.dataset.task")
    shown = f"document.querySelector('.task_view .mono')?.textContent === '{task_id}'"
    return tuple(page.evaluate(CLICKED, [f"{row_of}.click()", shown]))


def switch_file(page: Page, turn: int) -> tuple[float, float]:
    name = ("one.csv", "two.csv")[turn % 2]
    choose = (
        "const file = document.querySelector('.data_preview select[aria-label=File]');"
        f"file.value = '{name}'; file.dispatchEvent(new Event('change'));"
    )
    return tuple(
        page.evaluate(CLICKED, [choose, f"document.querySelector('.data_preview td')?.textContent === '{name}'"])
    )


def open_lab(page: Page, turn: int) -> tuple[float, float]:
    there = ("lab", "")[turn % 2]
    button = f"document.querySelector('.masthead a[data-view=\"{there}\"]')"
    pane = ".grader_lab" if there else ".task_view"
    shown = f"document.documentElement.dataset.view === '{there}' && document.querySelector('{pane}').offsetHeight > 0"
    return tuple(page.evaluate(CLICKED, [f"{button}.click()", shown]))


def write_two_files(folder: Path) -> Path:
    tasks = [row("table", bucket_prefix="p", files=["one.csv", "two.csv"])]
    source = write_rows(folder, {"train": tasks, "test": [row("t")], "eval": [row("e")]}, {})
    (source / "files" / "p").mkdir(parents=True)
    for name in ("one.csv", "two.csv"):
        lines = "".join(f"{name},{line},{line * 7 % 1000}.5\n" for line in range(20_000))
        (source / "files" / "p" / name).write_text(f"name,line,value\n{lines}")
    return source


def figures(times: list[tuple[float, float]]) -> str:
    acknowledged, done = (sorted(each) for each in zip(*times, strict=True))
    said = (
        f"{what} p50 {statistics.median(each):.0f} ms, p95 {each[int(0.95 * len(each))]:.0f} ms"
        for what, each in (("acknowledged", acknowledged), ("done", done))
    )
    return "; ".join(said)


def main() -> None:
    with contextlib.ExitStack() as stack:
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        write_source(scratch / "all")
        all_tasks, _ = stack.enter_context(served_app({"TASKS_SOURCE": str(scratch / "all")}, scratch / "c1"))
        files = {"TASKS_SOURCE": str(write_two_files(scratch / "two"))}
        two_files, _ = stack.enter_context(served_app(files, scratch / "c2"))
        empty = stack.enter_context(empty_page())
        playwright = stack.enter_context(sync_playwright())
        launched = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        browser = stack.enter_context(contextlib.closing(launched))

        visits: dict[str, list[tuple[float, float]]] = {"ours": [], "empty": []}
        for _ in range(VISITS):
            visits["ours"].append(visit(browser, all_tasks, ROW))
            visits["empty"].append(visit(browser, empty, EMPTY_LINE))
        (our_bytes, ours), (their_bytes, theirs) = (
            [statistics.median(each) for each in zip(*visits[name], strict=True)] for name in ("ours", "empty")
        )
        more = (our_bytes - their_bytes) / 1e6
        print(f"weight: {our_bytes / 1e6:.2f} MB, {more:+.2f} MB beside an empty page ({their_bytes / 1e6:.2f} MB)")
        print(f"interactive: {ours:.0f} ms, {ours / theirs:.2f}x an empty page ({theirs:.0f} ms)", flush=True)

        page = browser.new_page(viewport={"width": 1440, "height": 900})
        for name, url, there, act in (
            ("select a task", all_tasks, ROW, select_task),
            ("open the lab and leave it", all_tasks, ROW, open_lab),
            ("switch the file", f"{two_files}?task=table", ".data_preview tbody td", switch_file),
        ):
            page.goto(url)
            page.wait_for_selector(there)
            page.wait_for_timeout(SETTLED_MS)
            times = []
            for turn in range(CLICKS):
                times.append(act(page, turn))
                page.wait_for_timeout(100)
            print(f"{name}: {figures(times)}", flush=True)


if __name__ == "__main__":
    main()
