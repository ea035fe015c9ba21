"""Which bytes end the lines of a file."""

from __future__ import annotations

import re
from pathlib import Path

_QUOTED = re.compile(rb'"[^"]*"')


def line_ends(path: Path, most_bytes: int) -> dict[str, int]:
    """How many lines end in each of CRLF, LF and CR, in the first `most_bytes`; line ends within quotes don't count.

    For encodings whose line ends are one byte each.
    """
    with path.open("rb") as file:
        data = file.read(most_bytes)
    ends = _count(data)
    return _count(_QUOTED.sub(b"", data)) if len(ends) > 1 and b'"' in data else ends


def _count(data: bytes) -> dict[str, int]:
    both = data.count(b"\r\n")
    counts = {"CRLF": both, "LF": data.count(b"\n") - both, "CR": data.count(b"\r") - both}
    return {name: count for name, count in counts.items() if count}
