"""What is said of a task's files that a kernel has to do without."""

from __future__ import annotations

from collections.abc import Mapping

MOST_NAMED = 3  # files, and reasons


def told_missing(missing: Mapping[str, str]) -> str:
    """A sentence or two on the missing files (name → why); empty when none is."""
    if not missing:
        return ""
    names = ", ".join(list(missing)[:MOST_NAMED]) + (", …" if len(missing) > MOST_NAMED else "")
    why = " ".join(list(dict.fromkeys(missing.values()))[:MOST_NAMED])
    return f"Missing in ../input: {names}. {why} The kernel runs without; restart it to try again."
