"""The line of those who wait for a kernel: first come, first served."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(eq=False)
class _Place:
    take: Callable[[], None]
    tell: Callable[[str], None]
    turn: asyncio.Event = field(default_factory=asyncio.Event)
    told: str = ""


class Line:
    """Who waits, in order. A place is left by cancelling the task that waits in it."""

    def __init__(self) -> None:
        self._places: list[_Place] = []

    def __len__(self) -> int:
        return len(self._places)

    async def wait(self, take: Callable[[], None], tell: Callable[[str], None]) -> None:
        """Return when it is the caller's turn. `take` is called at that very moment, `tell` with news until then."""
        place = _Place(take, tell)
        self._places.append(place)
        try:
            await place.turn.wait()
        finally:
            if place in self._places:
                self._places.remove(place)

    def serve(self, free: int) -> None:
        """Give the first `free` ones their turn."""
        for place in self._places[: max(0, free)]:
            self._places.remove(place)
            place.take()
            place.turn.set()

    def tell(self, news: Callable[[int], str]) -> None:
        """Tell each, by its number from 1, the news it was not told yet."""
        for number, place in enumerate(self._places, 1):
            sentence = news(number)
            if sentence != place.told:
                place.told = sentence
                place.tell(sentence)
