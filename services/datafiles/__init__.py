"""A task's input files: listed, checked, and fetched when they are on the Hub."""

from services.datafiles.errors import (
    AccessDenied,
    Corrupt,
    DataFileError,
    NoRoom,
    NotFound,
    Offline,
    RateLimited,
    Refused,
    StillComing,
    Stopped,
    TimedOut,
)
from services.datafiles.files import DataFile, DataFiles
from services.datafiles.names import flat_names

__all__ = [
    "AccessDenied",
    "Corrupt",
    "DataFile",
    "DataFileError",
    "DataFiles",
    "NoRoom",
    "NotFound",
    "Offline",
    "RateLimited",
    "Refused",
    "StillComing",
    "Stopped",
    "TimedOut",
    "flat_names",
]
