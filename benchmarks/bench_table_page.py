"""The data pane in Chromium: a table of 5,000 columns opened, and row 1,000,000 reached, turn by turn in one run.

    python -m benchmarks.bench_table_page

The first screen runs from the choice of the file to the paint after its cells are there; against it stand the same
first rows read by pandas and shown as one HTML table. The way to a row runs from the key to the paint after the row is
there, once the file is copied; against it stands pandas' `read_csv` skipping to the row. Both stand for what one does
without the pane. Every turn goes to another row.
"""

from __future__ import annotations

import re
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import pandas as pd
from playwright.sync_api import Locator, Page, sync_playwright

from tests.browser.conftest import QUIET
from tests.folder_source import row, write_rows
from tests.served_app import served_app

ROUNDS = 5
WIDE = (1_000, 5_000)  # rows, columns
LONG = 2_000_000  # rows
FIRST_ROW = 1_000_000
APART = 90_001  # rows between those of two turns
PAGE_ROWS = 50
COPY_MS = 300_000
SETTLED_MS = 1_000

# Start the clock, act, and wait for the paint after which `there` holds.
TIMED = """
([act, there]) => new Promise((resolve, reject) => {
  const start = performance.now();
  const [does, holds] = [new Function(act), new Function(`return ${there}`)];
  const look = () => {
    if (holds()) requestAnimationFrame(() => resolve(performance.now() - start));
    else if (performance.now() - start > 60000) reject(new Error('it did not come'));
    else setTimeout(look, 2);
  };
  does();
  look();
})
"""
CHOOSE = """
const file = document.querySelector('.data_preview select[aria-label=File]');
file.value = '%s';
file.dispatchEvent(new Event('change'));
"""
GO = """
const field = document.querySelector('.data_preview .to-row');
field.value = '%d';
field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', cancelable: true}));
"""
CELL = "document.querySelector('.data_preview tbody td')?.textContent === '%s'"
ROW_IS_THERE = """[...document.querySelectorAll('.data_preview tbody tr')].some(line =>
  line.firstChild.textContent === '%s' && line.childElementCount > 2 && !line.querySelector('.coming'))
"""


def write_files(folder: Path) -> None:
    rows, columns = WIDE
    folder.mkdir(parents=True)
    with (folder / "wide.csv").open("w") as file:
        file.write(",".join(f"m{column}" for column in range(columns)) + "\n")
        file.writelines(",".join(str(line * column % 997) for column in range(columns)) + "\n" for line in range(rows))
    with (folder / "long.csv").open("w") as file:
        file.write("name,value,place\n")
        file.writelines(f"n{line},{line * 7 % 1000}.5,place {line % 977}\n" for line in range(LONG))


def plain_screen(path: Path, page: Page, scratch: Path) -> float:
    """Milliseconds that the file's first rows take as one HTML table."""
    start = time.perf_counter()
    pd.read_csv(path, nrows=PAGE_ROWS, dtype=str).to_html(scratch / "plain.html", max_cols=None)
    page.goto((scratch / "plain.html").as_uri())
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return (time.perf_counter() - start) * 1000


def skip_to(path: Path, number: int) -> float:
    """Milliseconds that pandas takes to read the rows around a row."""
    start = time.perf_counter()
    read = pd.read_csv(path, skiprows=number, nrows=PAGE_ROWS, header=None)
    assert read.iat[0, 0] == f"n{number - 1}"
    return (time.perf_counter() - start) * 1000


def screens(ours: Page, plain: Page, folder: Path, scratch: Path) -> list[tuple[float, float]]:
    times = []
    for _ in range(ROUNDS):
        ours.bring_to_front()
        ours.evaluate(TIMED, [CHOOSE % "long.csv", CELL % "n0"])
        ours.wait_for_timeout(SETTLED_MS)
        mine = float(ours.evaluate(TIMED, [CHOOSE % "wide.csv", CELL % "0"]))
        plain.bring_to_front()
        times.append((mine, plain_screen(folder / "wide.csv", plain, scratch)))
    return times


def jumps(ours: Page, pane: Locator, folder: Path) -> list[tuple[float, float]]:
    ours.bring_to_front()
    ours.evaluate(TIMED, [CHOOSE % "long.csv", CELL % "n0"])
    whole = pane.get_by_role("button", name="Read the whole file")
    if whole.is_visible():
        whole.click()
    pane.get_by_text(re.compile(f"^{LONG:,} rows")).wait_for(timeout=COPY_MS)
    ours.wait_for_timeout(SETTLED_MS)
    times = []
    for turn in range(ROUNDS):
        number = FIRST_ROW + turn * APART
        mine = float(ours.evaluate(TIMED, [GO % number, ROW_IS_THERE % f"{number:,}"]))
        times.append((mine, skip_to(folder / "long.csv", number)))
    return times


def figure(what: str, times: list[tuple[float, float]], against: str) -> str:
    mine, theirs = (statistics.median(each) for each in zip(*times, strict=True))
    return f"{what} {mine:.0f} ms, {theirs / mine:.1f}× faster than {against} ({theirs:.0f} ms)"


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tasks = [row("table", bucket_prefix="p", files=["long.csv", "wide.csv"])]
        source = write_rows(scratch / "source", {"train": tasks, "test": [row("t")], "eval": [row("e")]}, {})
        folder = source / "files" / "p"
        write_files(folder)
        with (
            served_app({"TASKS_SOURCE": str(source)}, scratch / "cache") as (url, _),
            sync_playwright() as playwright,
        ):
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
            ours, plain = browser.new_page(), browser.new_page()
            ours.goto(f"{url}?task=table")
            pane = ours.get_by_role("region", name="Data", exact=True)
            pane.locator("tbody td").first.wait_for()
            opened = screens(ours, plain, folder, scratch)
            reached = jumps(ours, pane, folder)
            browser.close()
    print(f"first screen of 5,000 columns: {figure('in', opened, 'pandas and a plain HTML table')}")
    print(f"to row 1,000,000: {figure('in', reached, 'pandas skipping to it')}")


if __name__ == "__main__":
    main()
