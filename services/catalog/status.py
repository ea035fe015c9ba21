"""What is shown, why, and what can be done when it isn't what the settings ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

State = Literal["", "offline", "timed_out", "rate_limited", "not_found", "access_denied", "corrupt", "no_room"]

ADVICE: dict[State, str] = {
    "": "",
    "offline": "Try again when the network is back.",
    "timed_out": "Try again: what comes meanwhile is kept.",
    "rate_limited": "Try again when that time is over.",
    "not_found": "Whoever runs the app should check TASKS_SOURCE, TASKS_DATASET and TASKS_REVISION.",
    "access_denied": "Whoever runs the app can set HUB_TOKEN to a token that may read it.",
    "no_room": "Whoever runs the app should look at CACHE_DIR and its disk.",
    "corrupt": "What is damaged is not used. Try again.",
}


@dataclass(frozen=True)
class Status:
    """Which source is shown and why.

    left_out: sentences on what was left out of it (the first few, then a count).
    state: empty when the settings' source is shown as it is now, else what kept it away; `advice` says what to do.
    wait_seconds: how long a Hub that limits its readers asks to wait, in seconds from then; None where it doesn't say.
    newer: a sentence on a newer revision of the dataset, or empty.
    sha256: of each parquet file read, in hexadecimal, by its path in the source.
    """

    sentence: str
    left_out: tuple[str, ...] = ()
    state: State = ""
    wait_seconds: int | None = None
    newer: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def advice(self) -> str:
        return ADVICE[self.state]
