"""First rows and a whole profile of a 600 MB CSV, against pandas, turn by turn in one run.

    python -m benchmarks.bench_tables [MB]

Each is a new process. Seconds are of wall time and, beside them, of processor time, which a busy machine changes less.
Memory is that of the largest process: the peak by `ru_maxrss`, beyond the imports for the first rows, and the most
that was anonymous (no file behind it), looked at 50 times a second. The goal of 1 GB is for the anonymous memory: pages
of the copy are mapped from its file, and the system takes them back when it needs the room.
The profile is the copy and the profile of every column; pandas' is read_csv, describe(include="all"), nunique and
value_counts of each column.
"""

from __future__ import annotations

import json
import re
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
import json, os, resource, sys, time
from pathlib import Path
path = Path(sys.argv[1])
{imports}
BOTH = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
def peak():
    return max(resource.getrusage(who).ru_maxrss for who in BOTH) / 1000
before, began, used = peak(), time.monotonic(), sum(os.times()[:4])
{work}
print(json.dumps([time.monotonic() - began, sum(os.times()[:4]) - used, peak() - before, peak()]))
"""
WATCH_SECONDS = 0.02
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


def anonymous(process: int) -> float:
    """MB of anonymous memory of the largest of a process and those it started."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
        children = {child for task in Path(f"/proc/{process}/task").iterdir() for child in _children(task)}
    except OSError:  # it has ended
        return 0.0
    held = re.search(r"RssAnon:\s+(\d+) kB", status)
    return max([int(held[1]) / 1000 if held else 0.0, *(anonymous(int(child)) for child in children)])


def _children(task: Path) -> list[str]:
    try:
        return (task / "children").read_text().split()
    except OSError:
        return []


def measured(name: str, path: Path) -> tuple[float, ...]:
    """Seconds, processor seconds, MB more than before, MB at the peak, and MB of anonymous memory."""
    imports, work = PROGRAMS[name]
    program = MEASURE.format(imports=imports, work=work)
    command = [sys.executable, "-c", program, str(path)]
    most = 0.0
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            most = max(most, anonymous(process.pid))
            time.sleep(WATCH_SECONDS)
        assert process.stdout
        return (*json.loads(process.stdout.read()), most)


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 600
    found: dict[str, list[tuple[float, ...]]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.csv"
        write_csv(path, megabytes)
        print(f"a CSV of {path.stat().st_size / 1e6:,.0f} MB", flush=True)
        for _ in range(ROUNDS):
            for name in PROGRAMS:
                found.setdefault(name, []).append(measured(name, path))
                time.sleep(0.5)
    middle = {name: [statistics.median(each) for each in zip(*rounds, strict=True)] for name, rounds in found.items()}
    for name, rounds in found.items():
        seconds, processor, *_ = middle[name]
        more, peak, anonymous_most = (max(each[at] for each in rounds) for at in (2, 3, 4))
        spread = f"({min(rounds)[0]:.2f} to {max(rounds)[0]:.2f})"
        print(
            f"{name:20} {seconds:7.2f} s {spread:18} {processor:6.2f} s of processor, {more:6,.0f} MB more, "
            f"{peak:6,.0f} MB at the peak, {anonymous_most:6,.0f} MB anonymous"
        )
    for ours, theirs in (
        ("first rows, ours", "first rows, pandas"),
        ("first rows, ours", "read_csv, pandas"),
        ("profile, ours", "profile, pandas"),
    ):
        wall, processor = (middle[theirs][at] / middle[ours][at] for at in (0, 1))
        print(f"{theirs} / {ours}: {wall:.1f}x in time, {processor:.1f}x of processor")


if __name__ == "__main__":
    main()
