"""What the pool asks of a kernel, whatever runs it, and what comes back while a cell runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from services.kernels.deaths import kernel_stopped

OutputType = Literal["stream", "display_data", "execute_result", "error", "update_display_data"]


@dataclass(frozen=True)
class Output:
    """An nbformat 4 output, a display's id under `transient`. With `update` it replaces the display of that id."""

    content: dict[str, Any]
    update: bool = False


@dataclass(frozen=True)
class ClearOutput:
    """The cell's outputs are to be cleared: now, or with `wait` when the next one comes."""

    wait: bool


Emit = Callable[[Output | ClearOutput], None]


@dataclass(frozen=True)
class Reply:
    """How a cell ended."""

    status: Literal["ok", "error"]
    execution_count: int | None


class KernelError(Exception):
    """A kernel failed; the message is a sentence for the visitor."""


class KernelNotStarted(KernelError):
    """The kernel could not be started."""


class KernelDied(KernelError):
    """The kernel ended while, or before, a cell ran; `exit_code` is negative for a signal, None when not known."""

    def __init__(self, exit_code: int | None) -> None:
        self.exit_code = exit_code
        super().__init__(
            f"{kernel_stopped(exit_code)} Variables are gone; your cells and outputs are kept. "
            "Run a cell to start a fresh kernel."
        )


class Engine(Protocol):
    """One kernel. Calls come from one event loop; `execute` from one task at a time."""

    @property
    def alive(self) -> bool:
        """Whether the kernel was started and has not ended."""

    @property
    def pid(self) -> int | None:
        """The process of a live kernel on this machine, None for any other."""

    @property
    def exit_code(self) -> int | None:
        """How the kernel ended, as `KernelDied.exit_code`."""

    async def start(self) -> None:
        """Start the kernel and wait until it is ready.

        Raises:
            KernelNotStarted: it did not come up; nothing of it is left.
        """

    async def execute(self, code: str, emit: Emit) -> Reply:
        """Run a cell. Its outputs go to `emit` as they come, those of its threads after the reply too.

        Raises:
            KernelDied: the kernel ended before the cell did, or `close` was called.
        """

    async def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the running cell."""

    async def close(self) -> None:
        """End the kernel for good, at once, with all processes it started. May be called again, but not during `start`.

        To end a start, cancel it.
        """
