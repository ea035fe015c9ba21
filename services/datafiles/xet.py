"""Xet, the Hub's own storage protocol: the hash of a file's content, and the second way to fetch a file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

LOOK_SECONDS = 0.1
SILENCE_SECONDS = 25.0  # longest without a further byte; the client's import is part of it
SECRETS = {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HUB_TOKEN", "HF_TOKEN_PATH"}


class XetFailed(Exception):
    """The file did not come this way."""


def load_hash() -> Callable[[list[str]], list[Any]]:
    """The library's own function of files' hashes. Its import takes 0.2 s, which a start can do without."""
    from hf_xet import hash_files

    return cast("Callable[[list[str]], list[Any]]", hash_files)


def content_hash(path: Path) -> str:
    """The Xet hash of a file's content, as the Hub lists it: 64 hexadecimal digits. Blocks; 200 MB take half a second.

    Raises:
        OSError: the file can't be read.
    """
    try:
        return str(load_hash()([str(path)])[0].hash)
    except RuntimeError as error:
        raise OSError(f"{path.name} can't be read: {error}") from None


def fetch(
    endpoint: str,
    token: str,
    bucket: str,
    path: str,
    folder: Path,
    end: float,
    stopping: threading.Event,
    came: Callable[[int], None],
) -> Path:
    """Fetch a file of a bucket into `folder` with the Hub's own client; gives the file, its content not yet checked.

    The client knows no deadline, so it runs in a process of its own that ends with the app, at `end` (a monotonic
    time), after a silence, or once `stopping` is set. `came` is told how many bytes are there.

    Raises:
        XetFailed: it did not come.
    """
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / "file"
    environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
    environment |= {
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(folder / "home"),  # no token of this machine's user, and no cache beside ours
        "HF_HUB_DISABLE_PROGRESS_BARS": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
    }
    child = subprocess.Popen(
        [sys.executable, "-m", "services.datafiles.xet_client"],
        cwd=Path(__file__).resolve().parents[2],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert child.stdin is not None
        wanted = {"bucket": bucket, "path": path, "target": str(target), "token": token}
        child.stdin.write(json.dumps(wanted).encode() + b"\n")
        child.stdin.flush()
        last, heard = 0, time.monotonic()
        while child.poll() is None:
            now = time.monotonic()
            size = target.stat().st_size if target.exists() else 0
            if size != last:
                last, heard = size, now
                came(size)
            if now > end or now - heard > SILENCE_SECONDS or stopping.wait(LOOK_SECONDS):
                raise XetFailed
    except BrokenPipeError:
        raise XetFailed from None
    finally:
        child.kill()
        child.wait()
        if child.stdin is not None:
            child.stdin.close()
    if child.returncode != 0 or not target.is_file():
        raise XetFailed
    return target
