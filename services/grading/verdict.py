"""What grading an answer says: a verdict, and every rung of the ladder with what it read and how it compared."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

RungName = Literal["exact", "numeric", "numeric_scaled", "list", "math_verify"]
State = Literal["not tried", "failed", "matched", "could not run", "would have matched", "would have failed"]
Order = Literal["as given", "sorted"]
Outcome = Literal["right", "wrong", "not gradable"]
JsonObject = dict[str, Any]

TEXT_SHOWN = 1000
PAIRS_SHOWN = 200


@dataclass(frozen=True)
class Case:
    """What is graded. `prediction` is None where there is no answer at all; tolerances are absolute and relative."""

    gold: str
    prediction: str | None
    reward_mode: str
    atol: float
    rtol: float


@dataclass(frozen=True)
class Reading:
    """What a rung took a text for."""

    text: str

    def as_dict(self) -> JsonObject:
        return {"text": shown(self.text)}


@dataclass(frozen=True)
class NumberRead(Reading):
    """A number found in a text: `text` is what it was read from, characters `start` to `end` of the whole."""

    value: float
    start: int
    end: int

    def as_dict(self) -> JsonObject:
        return super().as_dict() | {"value": _number(self.value), "start": self.start, "end": self.end}


@dataclass(frozen=True)
class Closeness:
    """Two numbers against the tolerances: close when `difference` ≤ `atol` or `relative` ≤ `rtol`.

    `relative` is the difference over the gold's magnitude (at least 1e-9). `within` names the tolerance that let the
    pair pass, the absolute one first.
    """

    difference: float
    relative: float
    atol: float
    rtol: float

    @property
    def within(self) -> Literal["atol", "rtol"] | None:
        if self.difference <= self.atol:
            return "atol"
        return "rtol" if self.relative <= self.rtol else None

    def as_dict(self) -> JsonObject:
        numbers = {name: _number(getattr(self, name)) for name in ("difference", "relative", "atol", "rtol")}
        return numbers | {"within": self.within}


@dataclass(frozen=True)
class Pair:
    """One item of the gold list and the answer's item it was held against."""

    gold: str
    prediction: str
    matched_by: Literal["text", "number"] | None
    closeness: Closeness | None = None

    def as_dict(self) -> JsonObject:
        return {
            "gold": shown(self.gold),
            "prediction": shown(self.prediction),
            "matched_by": self.matched_by,
            "closeness": self.closeness.as_dict() if self.closeness else None,
        }


@dataclass(frozen=True)
class Rung:
    """One rung of the ladder. `detail` says in a sentence why it was not tried, or how the comparison went.

    `pairs` holds the first 200 of a list's `pair_count` pairs, in `order`.
    """

    name: RungName
    state: State
    detail: str
    gold: Reading | None = None
    prediction: Reading | None = None
    closeness: Closeness | None = None
    order: Order | None = None
    pairs: tuple[Pair, ...] = ()
    pair_count: int = 0

    def as_dict(self) -> JsonObject:
        return {
            "name": self.name,
            "state": self.state,
            "detail": self.detail,
            "gold": self.gold.as_dict() if self.gold else None,
            "prediction": self.prediction.as_dict() if self.prediction else None,
            "closeness": self.closeness.as_dict() if self.closeness else None,
            "order": self.order,
            "pairs": [pair.as_dict() for pair in self.pairs],
            "pair_count": self.pair_count,
        }


@dataclass(frozen=True)
class Verdict:
    """The reference grader's `reward` (1.0 or 0.0) and `method`.

    `method` is the name of the rung that matched, or `miss`. Where no rung matched and one could not run, the answer is
    `not gradable`: `reward` is None and `method` is `not_gradable`. `telling` is the rung that says most of a miss.
    """

    reward: float | None
    method: str
    rungs: tuple[Rung, ...] = field(default=(), repr=False)
    telling: RungName | None = None

    @property
    def outcome(self) -> Outcome:
        if self.reward is None:
            return "not gradable"
        return "right" if self.reward == 1.0 else "wrong"

    def as_dict(self) -> JsonObject:
        """The verdict as JSON's own types; long texts are cut, and numbers that aren't finite are text."""
        return {
            "reward": self.reward,
            "method": self.method,
            "outcome": self.outcome,
            "rungs": [rung.as_dict() for rung in self.rungs],
            "telling": self.telling,
        }


def shown(text: str) -> str:
    """`text` as it may be sent: cut after 1,000 characters, half surrogate pairs replaced."""
    cut = text if len(text) <= TEXT_SHOWN else f"{text[:TEXT_SHOWN]}… ({len(text):,} characters)"
    return cut.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
