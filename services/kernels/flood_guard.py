"""Finds the kernel that fills the app's own memory.

libzmq bounds the parts of a message and not how many there are, so a message without end, which a kernel can send by
its own means, would be taken in until memory runs out.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Iterable

from services.kernels.usage import own_memory, processor_seconds

SURGE_BYTES = 512_000_000  # more than all that kernels may send in this span without a surge
SPAN_SECONDS = 3.0


class FloodGuard:
    """Told of all kernels several times a second; a surge of the app's memory is laid to the one that works most."""

    def __init__(self) -> None:
        self._memory: deque[tuple[float, int]] = deque()
        self._worked: dict[int, float] = {}

    def culprit(self, pids: Iterable[int]) -> int | None:
        """The kernel to end now, None while the app's memory grows no more than it should."""
        now, memory = time.monotonic(), own_memory(os.getpid())
        before, self._worked = self._worked, {pid: processor_seconds(pid) for pid in pids}
        self._memory.append((now, memory))
        while now - self._memory[0][0] > SPAN_SECONDS:
            self._memory.popleft()
        if not self._worked or memory - min(each for _, each in self._memory) < SURGE_BYTES:
            return None
        self._memory.clear()  # what was taken in may be freed late
        return max(self._worked, key=lambda pid: self._worked[pid] - before.get(pid, 0.0))
