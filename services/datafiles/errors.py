"""Why a file isn't here: each state with its sentence."""

from __future__ import annotations


class DataFileError(Exception):
    """A task's file can't be had; the message says what happened and what to do."""


class Refused(DataFileError):
    """The name would lead outside the task's folder, or is no file name at all."""


class NotFound(DataFileError):
    """There is no such file."""


class Offline(DataFileError):
    """The Hub can't be reached, or is out of order."""


class TimedOut(DataFileError):
    """The file did not arrive within its deadline."""


class StillComing(TimedOut):
    """The file is on its way: `done` of `total` bytes (None: unknown) are here. Asking again goes on waiting."""

    def __init__(self, message: str, done: int, total: int | None) -> None:
        super().__init__(message)
        self.done = done
        self.total = total


class RateLimited(DataFileError):
    """The Hub asks to wait for `seconds`."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.seconds = seconds


class AccessDenied(DataFileError):
    """The Hub doesn't give the file to anonymous readers."""


class Corrupt(DataFileError):
    """What arrived is not the whole file."""
