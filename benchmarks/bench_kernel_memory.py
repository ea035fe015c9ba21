"""Memory of its own that each kernel waiting for a visitor takes, against a kernel that imported the same libraries.

    python -m benchmarks.bench_kernel_memory

Memory of its own is what ending the process would give back: the private pages of /proc/PID/smaps_rollup (proc(5)).
Linux, and a user who may read that of a confined kernel: root.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.plain_kernel import PlainKernel
from services.settings import Settings
from tests.served_app import served_app

WAITING = 3
START_SECONDS = 90
SETTLED_SECONDS = 5.0
# of what the warm process imports, what notebooks import
IMPORTS = """
import numpy, pandas, pyarrow, openpyxl, scipy.stats, matplotlib.pyplot, statsmodels.api, seaborn, plotly.express
import sklearn.linear_model, sklearn.ensemble, sklearn.model_selection, sklearn.preprocessing, sklearn.metrics
import sklearn.cluster
print("imported")
"""


def private_bytes(pid: int) -> int:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return 1024 * sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))


def children(pid: int) -> list[int]:
    of_threads = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for thread in of_threads for child in thread.read_text().split()]


def waiting_kernels(app: int) -> list[int]:
    """The kernels forked from the app's warm process; nobody visits the app, so all of them wait."""
    warm = [pid for pid in children(app) if b"\0warm\0" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    return [kernel for pid in warm for kernel in children(pid)]


def settled_kernels(app: int) -> list[int]:
    """The waiting kernels, once they have been the same for a while."""
    end = time.monotonic() + START_SECONDS
    kernels: list[int] = []
    since = time.monotonic()
    while time.monotonic() < end:
        now = waiting_kernels(app)
        if now != kernels:
            kernels, since = now, time.monotonic()
        if len(kernels) == WAITING and time.monotonic() - since > SETTLED_SECONDS:
            return kernels
        time.sleep(0.2)
    raise RuntimeError(f"after {START_SECONDS} s {len(kernels)} kernels forked warm wait, not {WAITING}")


def main() -> None:
    settings = {"KERNEL_WAITING": str(WAITING), "KERNEL_MAX": str(WAITING + 1)}
    with tempfile.TemporaryDirectory() as folder:
        with served_app(settings, Path(folder)) as (_, app):
            waiting = [private_bytes(pid) / 1e6 for pid in settled_kernels(app.pid)]
        with PlainKernel(Settings().kernel_python) as plain:
            plain.run(IMPORTS)
            alone = private_bytes(plain.pid) / 1e6
    each = statistics.mean(waiting)
    print(
        f"a waiting kernel's own memory: {each:.0f} MB (the largest of {WAITING} {max(waiting):.0f} MB), "
        f"{alone / each:.1f}× less than the {alone:.0f} MB of one that imported the libraries itself "
        "(expected 40 MB or less)"
    )


if __name__ == "__main__":
    if not Path("/proc/self/smaps_rollup").exists():
        sys.exit("Memory of its own is read from /proc/PID/smaps_rollup, which is not there: not Linux.")
    main()
