"""Kernels started ahead of the visitors who will claim them."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from services.kernels.engine import Engine, KernelNotStarted
from services.kernels.session_folder import SessionFolder

logger = logging.getLogger(__name__)

PAUSE_SECONDS = 2.0  # after one was claimed: its visitor's first cell comes before the next start
FIRST_RETRY_SECONDS = 1.0
LAST_RETRY_SECONDS = 60.0


@dataclass(eq=False)
class Prepared:
    """A kernel in a folder of its own, nobody's yet. `start` is its start, None when nobody has begun it."""

    folder: SessionFolder
    engine: Engine
    start: asyncio.Task[None] | None = None

    @property
    def failed(self) -> bool:
        return self.start is not None and self.start.done() and not self.engine.alive


@dataclass
class KernelsAhead:
    """A number of kernels that wait, each in an empty folder; each is given away once and never comes back."""

    number: int
    prepare: Callable[[], Prepared]
    _waiting: list[Prepared] = field(default_factory=list)
    _endings: set[asyncio.Task[None]] = field(default_factory=set)
    _not_before: float = 0.0
    _retry_seconds: float = FIRST_RETRY_SECONDS

    def __len__(self) -> int:
        return len(self._waiting)

    def claim(self) -> Prepared | None:
        """The one that waited longest, started or about to be; None when there is none."""
        self._replace_failed()
        if not self._waiting:
            return None
        self._not_before = max(self._not_before, time.monotonic() + PAUSE_SECONDS)
        return self._waiting.pop(0)

    def tend(self, room: int) -> None:
        """End those that died, and start one if one is missing and `room`, a number of kernels, allows it.

        Starts that fail are tried again after pauses that double, up to a minute.
        """
        self._replace_failed()
        if any(each.start and each.start.done() for each in self._waiting):
            self._retry_seconds = FIRST_RETRY_SECONDS
        if len(self._waiting) >= self.number or room < 1 or time.monotonic() < self._not_before:
            return
        try:
            prepared = self.prepare()
        except OSError as error:
            self._back_off(str(error))
            return
        prepared.start = asyncio.create_task(prepared.engine.start())
        self._waiting.append(prepared)

    async def close(self) -> None:
        """End all that wait."""
        for each in self._waiting:
            self._end(each)
        self._waiting.clear()
        if self._endings:
            await asyncio.wait(self._endings)

    def _replace_failed(self) -> None:
        for each in [each for each in self._waiting if each.failed]:
            self._waiting.remove(each)
            self._end(each)
            start = each.start
            error = start.exception() if start and not start.cancelled() else None
            self._back_off(str(error) if isinstance(error, KernelNotStarted) else "it ended while it waited")

    def _back_off(self, reason: str) -> None:
        logger.warning("A kernel started ahead failed: %s", reason)
        self._not_before = time.monotonic() + self._retry_seconds
        self._retry_seconds = min(2 * self._retry_seconds, LAST_RETRY_SECONDS)

    def _end(self, prepared: Prepared) -> None:
        ending = asyncio.create_task(discard(prepared))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)


async def discard(prepared: Prepared) -> None:
    """End a kernel nobody has, and remove its folder."""
    if prepared.start is not None:
        prepared.start.cancel()
        await asyncio.wait({prepared.start})
    await prepared.engine.close()
    await asyncio.to_thread(prepared.folder.remove)
