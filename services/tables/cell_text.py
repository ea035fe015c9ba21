"""A workbook's values as text."""

from __future__ import annotations

from datetime import datetime, time
from typing import Any


def cell_text(value: Any) -> str | None:
    """The value of a cell as text: dates in ISO order, without a time of midnight."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(sep=" ")
    return str(value)
