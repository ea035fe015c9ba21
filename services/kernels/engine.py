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


@dataclass(frozen=True)
class InputRequest:
    """The cell asks for a line of text and waits. Of a password the answer is not to be seen."""

    prompt: str
    password: bool


@dataclass(frozen=True)
class InputEnded:
    """The cell waits for no answer any more; `text` is what a terminal would show of the question and its answer."""

    text: str


Event = Output | ClearOutput | InputRequest | InputEnded
Emit = Callable[[Event], None]


@dataclass(frozen=True)
class Reply:
    """How a cell ended."""

    status: Literal["ok", "error"]
    execution_count: int | None


@dataclass(frozen=True)
class Completions:
    """Texts that could stand in place of the code points `start` to `end`, each with what it is (`function`, …)."""

    start: int
    end: int
    matches: list[tuple[str, str]]


@dataclass(frozen=True)
class Variable:
    """A name in the kernel: its type, its shape or length and its value in short; `table` if it has a `Head`."""

    name: str
    type: str
    shape: str
    value: str
    table: bool


@dataclass(frozen=True)
class Variables:
    """Those named first in order of their names, and the `count` of all."""

    variables: list[Variable]
    count: int


@dataclass(frozen=True)
class Head:
    """The first `rows` of a table as text, with their labels; `shape` is the whole table's: rows, columns."""

    shape: tuple[int, int]
    columns: list[str]
    index: list[str]
    rows: list[list[str]]


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

    async def execute(self, code: str, emit: Emit, *, can_ask: bool = True) -> Reply:
        """Run a cell. Its outputs go to `emit` as they come, those of its threads after the reply too.

        With `can_ask` its questions (`input`, `getpass`, a debugger) go there too; without they are errors.

        Raises:
            KernelDied: the kernel ended before the cell did, or `close` was called.
        """

    def answer_input(self, text: str) -> bool:
        """Answer the question the cell asks; False when it asks none."""

    async def complete(self, code: str, cursor: int) -> Completions:
        """What could be typed at code point `cursor` of `code`; nothing when the kernel does not say so in time.

        To be asked only while no cell runs.

        Raises:
            KernelDied: the kernel ended.
        """

    async def inspect(self, code: str, cursor: int) -> str:
        """Signature and documentation of the name at code point `cursor`, with terminal colours; "" if there is none.

        As `complete`.
        """

    async def variables(self) -> Variables | None:
        """What the cells have made; None when the kernel does not say so in time. Counts as no cell and sets no name.

        As `complete`.
        """

    async def head(self, name: str) -> Head | None:
        """The start of the table of that name; None when there is none to be had.

        As `complete`.
        """

    async def interrupt(self) -> None:
        """Raise KeyboardInterrupt in the running cell."""

    async def close(self) -> None:
        """End the kernel for good, at once, with all processes it started. May be called again, but not during `start`.

        To end a start, cancel it.
        """
