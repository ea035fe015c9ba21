"""What a request about a table says, taken out of its JSON."""

from __future__ import annotations

import json
from typing import Any

from services.tables import Reading


class BadRequest(Exception):
    """A request of the wrong shape; the message says what is wrong with it."""


def reading_of(request: dict[str, Any]) -> Reading:
    """How a request wants its file read; nothing said: as the file suggests.

    Raises:
        BadRequest: the reading has the wrong shape.
    """
    given = request.get("reading")
    if given is None:
        return Reading()
    if not isinstance(given, dict):
        raise BadRequest("The reading should be one JSON object.")
    kinds = {"encoding": str, "delimiter": str, "header": bool, "quotes": bool}
    for name, kind in kinds.items():
        if not isinstance(given.get(name), kind | None):
            raise BadRequest(f"The reading's {name} is of the wrong type.")
    return Reading(**{name: given.get(name) for name in kinds})


def number_in(request: dict[str, Any], key: str, otherwise: int | None = None) -> int:
    """The whole number under this key.

    Raises:
        BadRequest: there is none.
    """
    given = request.get(key, otherwise)
    if not isinstance(given, int) or isinstance(given, bool) or abs(given) > 2**53:
        raise BadRequest(f"{key} should be a whole number, not {json.dumps(given)[:40]}.")
    return given


def numbers_in(request: dict[str, Any], key: str) -> list[int]:
    """The list of whole numbers under this key.

    Raises:
        BadRequest: there is none.
    """
    given = request.get(key)
    if not isinstance(given, list):
        raise BadRequest(f"{key} should be a list of whole numbers.")
    return [number_in({key: each}, key) for each in given]
