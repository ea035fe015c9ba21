"""How much of the machine kernels may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from services.settings import Settings

MB = 1_000_000


@dataclass(frozen=True)
class Limits:
    """What one kernel may take, and how many there may be. Sizes are bytes, times seconds of wall time."""

    memory_bytes: int  # of a kernel with all processes under it
    folder_bytes: int  # what its session's folder holds beyond the task's files
    folder_files: int
    cell_seconds: float
    output_bytes: int  # kept of one cell
    flood_bytes: int  # all output of one cell, kept or not
    idle_seconds: float
    kernels: int  # alive at once, those that wait for a visitor among them
    per_address: int  # of one visitor's network address
    waiting: int  # started ahead
    threads: int  # of a kernel with all processes under it

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            memory_bytes=settings.kernel_memory_mb * MB,
            folder_bytes=settings.kernel_folder_mb * MB,
            folder_files=settings.kernel_folder_files,
            cell_seconds=settings.kernel_cell_seconds,
            output_bytes=settings.kernel_output_bytes,
            flood_bytes=settings.kernel_flood_mb * MB,
            idle_seconds=settings.kernel_idle_seconds,
            kernels=settings.kernel_max,
            per_address=settings.kernel_per_address,
            waiting=settings.kernel_waiting,
            threads=settings.kernel_threads,
        )


def span_in_words(seconds: float) -> str:
    """A span as a reader takes it in: `20 minutes`, `45 seconds`."""
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:g} seconds"
