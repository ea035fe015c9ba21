"""Why a file isn't here: each state with its sentence, which says what happened, what is kept and what to do."""

from __future__ import annotations

from typing import Any, ClassVar


class DataFileError(Exception):
    """A task's file can't be had. `state` names the case for programs, the message tells it to people."""

    state: ClassVar[str] = "unavailable"

    def as_dict(self) -> dict[str, Any]:
        """`{"error": sentence, "state": name}` and what else the state knows."""
        return {"error": str(self), "state": self.state}


class Refused(DataFileError):
    """The name would lead outside the task's folder, or is no file name at all."""

    state = "refused"


class NotFound(DataFileError):
    """There is no such file."""

    state = "not_found"


class Offline(DataFileError):
    """The Hub can't be reached, or is out of order (`answered`)."""

    state = "offline"

    def __init__(self, message: str, answered: bool = False) -> None:
        super().__init__(message)
        self.answered = answered


class TimedOut(DataFileError):
    """The file did not arrive within its deadline."""

    state = "timed_out"


class StillComing(TimedOut):
    """The file is on its way: `done` of `total` bytes (None: unknown) are here. Asking again goes on waiting."""

    state = "coming"

    def __init__(self, message: str, done: int, total: int | None) -> None:
        super().__init__(message)
        self.done = done
        self.total = total

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"coming": {"done": self.done, "total": self.total}}


class RateLimited(DataFileError):
    """The Hub asks to wait for `seconds`."""

    state = "rate_limited"

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds

    def as_dict(self) -> dict[str, Any]:
        return super().as_dict() | {"seconds": self.seconds}


class AccessDenied(DataFileError):
    """The Hub doesn't give the file to this app."""

    state = "access_denied"


class Corrupt(DataFileError):
    """What arrived is not the file."""

    state = "corrupt"


class NoRoom(DataFileError):
    """The cache or the disk has no room for the file."""

    state = "no_room"


class Stopped(DataFileError):
    """Someone stopped the download."""

    state = "stopped"


def megabytes(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
