"""A file of 200 MB from a Hub on this machine: the app's way, checked and cached, against `curl`.

    python -m benchmarks.bench_download

Both take turns in one run. `curl` neither checks the content nor caches it; the check alone is told apart.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

from services.datafiles.xet import content_hash
from tests.hub_files import BUCKET, PREFIX, OnHub, on_hub, task

SIZE = 200_000_000
ROUNDS = 5


def ours(hub: OnHub) -> float:
    shutil.rmtree(hub.cache, ignore_errors=True)
    files = hub.files(120)
    began = time.perf_counter()
    path = files.open(task("large.bin"), "large.bin")
    taken = time.perf_counter() - began
    assert path.stat().st_size == SIZE
    return taken


def curl(hub: OnHub, target: Path) -> float:
    target.unlink(missing_ok=True)
    address = f"{hub.hub.url}/buckets/{BUCKET}/resolve/{PREFIX}/{quote('large.bin')}"
    began = time.perf_counter()
    subprocess.run(["curl", "--silent", "--fail", "--output", target, address], check=True)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as scratch, on_hub(Path(scratch), {"large.bin": os.urandom(SIZE)}) as hub:
        target = Path(scratch, "by-curl")
        ours(hub)
        curl(hub, target)
        times = [(ours(hub), curl(hub, target)) for _ in range(ROUNDS)]
        began = time.perf_counter()
        content_hash(target)
        check = time.perf_counter() - began
        measured, base = (statistics.median(each) for each in zip(*times, strict=True))
        print(
            f"200 MB from a Hub on this machine against curl: {measured / base:.1f}× the time "
            f"({measured:.2f} s against {base:.2f} s; {check:.2f} s of it check the content)"
        )


if __name__ == "__main__":
    main()
