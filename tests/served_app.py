"""The real app as its own process, on a free port, for tests and benchmarks."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEPT = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_served(url: str, process: subprocess.Popen[bytes], seconds: float = 90, poll: float = 0.1) -> None:
    """Return once `url` answers 200, asked every `poll` seconds; raise when the process ends first or time is up."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"the app ended with code {process.returncode} before it served {url}")
        with contextlib.suppress(OSError, urllib.error.URLError), urllib.request.urlopen(url, timeout=5) as answer:
            if answer.status == 200:
                return
        time.sleep(poll)
    raise RuntimeError(f"{url} was not served within {seconds} s")


@contextlib.contextmanager
def served_app(
    settings: Mapping[str, str],
    cache: Path,
    command: Sequence[str] = (sys.executable, "app.py"),
    cwd: Path = ROOT,
    poll: float = 0.1,
) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Start the app with these settings and nothing else from the environment; give its address and its process."""
    port = free_port()
    environment = {name: os.environ[name] for name in KEPT if name in os.environ}
    environment |= {"GRADIO_SERVER_PORT": str(port), "CACHE_DIR": str(cache), "TASKS_SOURCE": "bundled"} | dict(
        settings
    )
    process = subprocess.Popen(command, cwd=cwd, env=environment, start_new_session=True)
    url = f"http://127.0.0.1:{port}/"
    try:
        wait_until_served(url, process, poll=poll)
        yield url, process
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
