"""How soon the rows are there: with a copy kept against none, and by our path against `datasets`.

    python -m benchmarks.bench_rows

All against one Hub on this machine that serves the dataset's 5,394 rows, turn by turn in one run. A start is a new
process up to the first answer of its page.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.loopback_hub import COMMIT, LoopbackHub
from tests.served_app import ROOT, served_app
from tests.synthetic_source import write_source

DATASET = "FineEnvs/SmolDataEnvs"
ROUNDS = 3
OURS = """
from services.catalog import open_catalog
from services.settings import load_settings
assert len(open_catalog(load_settings())) == 5394
"""
THEIRS = f"""
import datasets
datasets.disable_progress_bars()
assert sum(map(len, datasets.load_dataset("{DATASET}", token=False).values())) == 5394
"""


def timed(program: str, environment: dict[str, str]) -> float:
    began = time.monotonic()
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, env=os.environ | environment, check=True)
    return time.monotonic() - began


def first_page(environment: dict[str, str], cache: Path) -> float:
    began = time.monotonic()
    with served_app(environment, cache):
        return time.monotonic() - began


def main() -> None:
    times: dict[str, list[float]] = {}

    def note(name: str, seconds: float) -> None:
        times.setdefault(name, []).append(seconds)

    with tempfile.TemporaryDirectory() as folder:
        write_source(Path(folder) / "repository")
        with LoopbackHub(datasets={DATASET: Path(folder) / "repository"}) as hub:
            common = {"HF_ENDPOINT": hub.url, "HF_HUB_DISABLE_TELEMETRY": "1", "TASKS_REVISION": COMMIT}
            for turn in range(ROUNDS):
                ours = common | {"TASKS_SOURCE": "hub", "CACHE_DIR": f"{folder}/ours{turn}"}
                theirs = common | {"HF_HOME": f"{folder}/theirs{turn}"}
                for kept in ("first", "repeat"):
                    note(f"rows by our path, {kept}", timed(OURS, ours))
                    note(f"rows by load_dataset, {kept}", timed(THEIRS, theirs))
                app = common | {"TASKS_SOURCE": "auto", "KERNEL_WAITING": "0", "HUB_START_SECONDS": "60"}
                for kept in ("no copy", "a copy kept"):
                    note(f"start with {kept}", first_page(app, Path(folder) / f"app{turn}"))
    middle = {name: statistics.median(seconds) for name, seconds in times.items()}
    for name, seconds in times.items():
        print(f"{name:32} {middle[name]:6.2f} s  ({min(seconds):.2f} to {max(seconds):.2f})")
    for kept in ("first", "repeat"):
        times_ours = ratio(middle, f"rows by load_dataset, {kept}", f"rows by our path, {kept}")
        print(f"load_dataset / our path, {kept}: {times_ours}")
    print(f"start with no copy / with one: {ratio(middle, 'start with no copy', 'start with a copy kept')}")


def ratio(middle: dict[str, float], above: str, below: str) -> str:
    return f"{middle[above] / middle[below]:.1f}x"


if __name__ == "__main__":
    main()
