"""First rows and a whole profile of a 600 MB CSV, against pandas, turn by turn in one run.

    python -m benchmarks.bench_tables [MB]

Each is a new process; the peak is that of its largest process, beyond the imports for the first rows.
The profile is the copy and the profile of every column; pandas' is read_csv, describe(include="all"), nunique and
value_counts of each column.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.served_app import ROOT

ROUNDS = 3
CHUNK = 100_000
MEASURE = """
import json, resource, sys, time
from pathlib import Path
path = Path(sys.argv[1])
{imports}
def peak():
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) / 1000
before = peak()
began = time.monotonic()
{work}
print(json.dumps([time.monotonic() - began, peak() - before, peak()]))
"""
PROGRAMS = {
    "first rows, ours": ("from services.tables import preview", "assert len(preview(path).rows) == 50"),
    "first rows, pandas": ("import pandas as pd", "assert len(pd.read_csv(path, nrows=50)) == 50"),
    "read_csv, pandas": ("import pandas as pd", "pd.read_csv(path)"),
    "profile, ours": (
        "from services.tables.whole.report import profile_file",
        "assert len(profile_file(path)['columns']) == 12",
    ),
    "profile, pandas": (
        "import pandas as pd",
        "frame = pd.read_csv(path); frame.describe(include='all'); frame.nunique()\n"
        "for name in frame: frame[name].value_counts()",
    ),
}


def write_csv(path: Path, megabytes: int) -> None:
    """Numbers, dates, codes, words that repeat, and text that doesn't."""
    random = np.random.default_rng(0)
    cities = np.array(["Paris", "London", "São Paulo", "New York", "Tokyo", "NA", "", "Lagos", "Oslo", "Lima"])
    with path.open("w") as file:
        file.write("id,date,city,price,quantity,code,item,flag,score,ratio,user,comment\n")
        start = 0
        while file.tell() < megabytes * 10**6:
            columns = [
                np.arange(start, start + CHUNK).astype(str),
                (np.datetime64("2010-01-01") + random.integers(0, 3650, CHUNK)).astype(str),
                cities[random.integers(0, len(cities), CHUNK)],
                np.round(random.lognormal(3, 1, CHUNK), 2).astype(str),
                random.integers(0, 1000, CHUNK).astype(str),
                np.char.zfill(random.integers(0, 99_999, CHUNK).astype(str), 5),
                np.char.add("item ", random.integers(0, 5000, CHUNK).astype(str)),
                np.where(random.integers(0, 2, CHUNK) == 1, "True", "False"),
                np.round(random.normal(size=CHUNK), 6).astype(str),
                np.where(random.random(CHUNK) < 0.05, "", np.round(random.random(CHUNK), 5).astype(str)),
                np.char.add("u", random.integers(0, 2**60, CHUNK).astype(str)),
                np.char.add("they said that it was ", random.integers(0, 2**40, CHUNK).astype(str)),
            ]
            file.write("\n".join(map(",".join, zip(*(column.tolist() for column in columns), strict=True))) + "\n")
            start += CHUNK


def measured(name: str, path: Path) -> tuple[float, float, float]:
    """Seconds, MB more than before, and MB at the peak."""
    imports, work = PROGRAMS[name]
    program = MEASURE.format(imports=imports, work=work)
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, check=True, capture_output=True, text=True
    )
    seconds, more, peak = json.loads(done.stdout)
    return seconds, more, peak


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    found: dict[str, list[tuple[float, float, float]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.csv"
        write_csv(path, megabytes)
        print(f"a CSV of {path.stat().st_size / 1e6:,.0f} MB", flush=True)
        for _ in range(ROUNDS):
            for name in PROGRAMS:
                found.setdefault(name, []).append(measured(name, path))
                time.sleep(0.5)
    middle = {name: statistics.median(seconds for seconds, *_ in rounds) for name, rounds in found.items()}
    for name, rounds in found.items():
        more, peak = (max(each[at] for each in rounds) for at in (1, 2))
        spread = f"({min(rounds)[0]:.2f} to {max(rounds)[0]:.2f})"
        print(f"{name:20} {middle[name]:7.2f} s  {spread:18} {more:6,.0f} MB more, {peak:6,.0f} MB at the peak")
    for ours, theirs in (
        ("first rows, ours", "first rows, pandas"),
        ("first rows, ours", "read_csv, pandas"),
        ("profile, ours", "profile, pandas"),
    ):
        print(f"{theirs} / {ours}: {middle[theirs] / middle[ours]:.1f}x")


if __name__ == "__main__":
    main()
