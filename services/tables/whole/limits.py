"""What whole-file work may take: the limits, and putting a child process under them."""

from __future__ import annotations

import resource
import sys
from dataclasses import dataclass
from pathlib import Path

THREADS = 2  # of DuckDB in one child


@dataclass(frozen=True)
class Limits:
    """`folder` holds the copies: together at most `max_bytes`, and `floor_bytes` of its disk stay free.

    One piece of work may take `seconds` of wall time and `memory_bytes`.
    """

    folder: Path
    max_bytes: int = 10 * 10**9
    floor_bytes: int = 10**9
    seconds: float = 600.0
    memory_bytes: int = 1024**3


def confine(memory_bytes: int, file_bytes: int, cpu_seconds: int | None = None) -> None:
    """Bound this process: memory, the size of any file it writes, and CPU time."""
    resource.setrlimit(resource.RLIMIT_DATA, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if cpu_seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_seconds, cpu_seconds + 1))


def command(module: str) -> list[str]:
    """The command line of a child, run from `bare_process.ROOT`: `services.tables.whole.{module}`, off the network."""
    return [sys.executable, "-m", "services.tables.bare_process", f"services.tables.whole.{module}"]
