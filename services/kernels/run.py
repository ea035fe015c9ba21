"""One run of a cell: what it said so far, why it is to stop, and how it ended."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from dataclasses import dataclass

from services.kernels.engine import Event, Output, Reply
from services.kernels.run_log import RunLog

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Stop:
    """Why a cell is interrupted, and what is said when it obeyed and when it came to its end all the same."""

    obeyed: str
    finished: str
    limit: str = ""  # name of the limit it went over


STOPPED = Stop(
    "Stopped. Variables are kept.",
    "The cell came to its end: it was done just before it was told to stop, or it caught the interrupt.",
)


@dataclass(frozen=True)
class Stopped:
    """What a Stop came to; `offer` when the cell goes on and its kernel can be ended."""

    message: str
    offer: bool = False


class Run:
    """A run, done or not."""

    def __init__(self, cell_id: str, output_bytes: int) -> None:
        self.run_id = secrets.token_hex(12)
        self.cell_id = cell_id
        self.log = RunLog(output_bytes)
        self.work: asyncio.Task[None] | None = None
        self.received = 0  # bytes of output, kept or not
        self.running_since: float | None = None  # time.monotonic() when the kernel got the code
        self.at_work = False  # its code has shown or asked something
        self.stop: Stop | None = None  # it was interrupted
        self.ended = ""  # it was cancelled, or its kernel ended on purpose: why
        self.limit = ""  # name of the limit its kernel was ended for
        self.message = ""  # what was said at its end
        self.out_of_memory = False
        self._began = time.monotonic()

    def emit(self, output: Event) -> None:
        """Take what the kernel sent."""
        self.at_work = True
        if isinstance(output, Output):
            self.received += _size(output)
            self.out_of_memory |= str(output.content.get("ename", "")).endswith("MemoryError")
        self.log.emit(output)

    def replied(self, reply: Reply, memory_hint: str) -> None:
        """End the run as the kernel says; `memory_hint` is told after a MemoryError."""
        status, message = str(reply.status), ""
        if self.stop is not None:
            stopped = reply.status == "error"
            status, message = ("stopped", self.stop.obeyed) if stopped else ("ok", self.stop.finished)
            self.limit = self.stop.limit
        elif reply.status == "error" and self.out_of_memory:
            message, self.limit = memory_hint, "memory"
        self.finish(status, message, reply.execution_count)

    def finish(self, status: str, message: str = "", execution_count: int | None = None) -> None:
        """End the run, once: a second end is ignored."""
        if self.log.done:
            return
        self.message = message
        event = {
            "status": status,
            "execution_count": execution_count,
            "seconds": round(time.monotonic() - self._began, 3),
        }
        self.log.finish(
            event | ({"message": message} if message else {}) | ({"limit": self.limit} if self.limit else {})
        )

    def end_unended(self, work: asyncio.Task[None]) -> None:
        """End a run its `work` did not end: that was cancelled before its first step, or failed unforeseen."""
        if work.cancelled():
            self.finish("stopped", self.ended or "Stopped.")
        elif error := work.exception():
            logger.error("A cell could not be run", exc_info=error)
            self.finish("died", "The app failed at running this cell; nothing of yours is lost. Run the cell again.")


def _size(output: Output) -> int:
    """Bytes of an output, about: its texts and pictures, no names."""
    content = output.content
    texts = [content.get("text"), *content.get("traceback", ()), *content.get("data", {}).values()]
    return sum(len(text) if isinstance(text, str) else 100 for text in texts if text is not None)
