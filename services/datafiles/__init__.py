"""A task's input files: listed, checked, and fetched when they are on the Hub."""

from services.datafiles.errors import (
    AccessDenied,
    Corrupt,
    DataFileError,
    NotFound,
    Offline,
    RateLimited,
    Refused,
    StillComing,
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
    "NotFound",
    "Offline",
    "RateLimited",
    "Refused",
    "StillComing",
    "TimedOut",
    "flat_names",
]
