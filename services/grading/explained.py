"""What stands beside a verdict: cautions on a match one should doubt, near misses of an answer that failed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from services.grading.verdict import Verdict, shown

CautionKind = Literal[
    "ignored_text",
    "date",
    "time",
    "version",
    "dimensions",
    "ordinal",
    "range",
    "bound",
    "identifier",
    "unit",
    "sign",
    "several_values",
    "equation",
    "comma",
    "percent_bridge",
    "percent_sign",
    "rounded",
    "wide_tolerance",
    "list_item",
    "order_ignored",
    "command",
    "gold_and_question",
]
NearMissKind = Literal[
    "look_alike",
    "punctuation",
    "quotes",
    "markup",
    "brackets",
    "prefix",
    "command",
    "last_line",
    "currency",
    "thousands",
    "decimal_comma",
    "notation",
    "unit",
    "number_word",
    "accents",
    "article",
    "plural",
    "spacing",
    "date",
    "truth",
    "separators",
    "order",
    "rounding",
    "sign",
    "percent",
    "scale",
    "label",
]
Regrade = Callable[[str], str | None]  # an edited answer to the rung it matches on, or None
JsonObject = dict[str, Any]


@dataclass(frozen=True)
class Caution:
    """One reason to doubt a match, or the gold.

    `what` says what was ignored or looks wrong, `why` why it matters. `also_passes` is another answer that the grader
    takes for right, as graded; None where none was found. It is whole, and can be sent as it is.
    """

    kind: CautionKind
    what: str
    why: str
    also_passes: str | None = None

    def as_dict(self) -> JsonObject:
        return {"kind": self.kind, "what": shown(self.what), "why": self.why, "also_passes": self.also_passes}


@dataclass(frozen=True)
class NearMiss:
    """The smallest edit that makes a failed answer pass: `answer`, edited, matches on the rung `method`.

    `answer` is whole, and can be sent as it is.
    """

    kind: NearMissKind
    edit: str
    answer: str
    method: str

    def as_dict(self) -> JsonObject:
        return {"kind": self.kind, "edit": shown(self.edit), "answer": self.answer, "method": self.method}


@dataclass(frozen=True)
class Explained:
    """A verdict, and what a person should know beside it. Nothing here changes reward or method."""

    verdict: Verdict
    cautions: tuple[Caution, ...] = ()
    near_misses: tuple[NearMiss, ...] = ()

    def as_dict(self) -> JsonObject:
        """The verdict's own fields, and `cautions` and `near_misses`, as JSON's own types."""
        return self.verdict.as_dict() | {
            "cautions": [caution.as_dict() for caution in self.cautions],
            "near_misses": [miss.as_dict() for miss in self.near_misses],
        }
