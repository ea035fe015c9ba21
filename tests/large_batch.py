"""Grade many predictions and print what it took: a program of its own, so that its memory is its own.

    python -m tests.large_batch FOLDER ROWS

Prints `{rows, seconds, grown_mb, page_seconds, report_seconds}`: memory beyond a first small batch at its peak, the
longest that a page of rows took while grading, and the time of the report at the end.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from services.batch import Batch, Plan, Policy
from services.catalog import Catalog, Query, open_catalog
from services.grading import Grader
from services.settings import Settings
from tests.synthetic_source import write_source


def predictions(catalog: Catalog, rows: int) -> Iterator[dict[str, object]]:
    """Samples of every task: the gold, and every twentieth something else."""
    given = [(task.task_id, task.answer) for task in catalog.tasks(Query())]
    for number in range(rows):
        task_id, gold = given[number % len(given)]
        answer = f"{number}.25 of them" if number % 20 == 0 else gold
        yield {"task_id": task_id, "sample": number // len(given), "prediction": answer}


def peak_mb() -> float:
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1000


def run(folder: Path, rows: int, catalog: Catalog, grader: Grader) -> dict[str, float]:
    folder.mkdir()
    file = folder / "predictions.jsonl"
    with file.open("w") as lines:
        lines.writelines(f"{json.dumps(each)}\n" for each in predictions(catalog, rows))
    started = time.monotonic()
    batch = Batch(Plan.read([(file.name, file)], catalog, folder / "batch"), Policy("samples"), grader, catalog)
    batch.start()
    page = 0.0
    while not batch.wait(0.5):
        asked = time.monotonic()
        batch.rows({"outcome": "wrong"}, limit=50)
        batch.progress()
        page = max(page, time.monotonic() - asked)
    seconds = time.monotonic() - started
    report = batch.report()
    told = time.monotonic() - started - seconds
    batch.export("jsonl", folder / "rows.jsonl")
    return {"rows": report["runs"][0]["rows"], "seconds": seconds, "page_seconds": page, "report_seconds": told}


def main() -> None:
    folder, rows = Path(sys.argv[1]), int(sys.argv[2])
    write_source(folder / "tasks")
    catalog = open_catalog(Settings(tasks_source=str(folder / "tasks"), cache_dir=folder / "cache"))
    with Grader() as grader:
        run(folder / "small", 500, catalog, grader)
        before = peak_mb()
        print(json.dumps(run(folder / "large", rows, catalog, grader) | {"grown_mb": peak_mb() - before}))


if __name__ == "__main__":
    main()
