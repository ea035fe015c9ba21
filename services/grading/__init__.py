"""Grading: the reference's reward and method, what every rung of the ladder read and found, and what to doubt."""

from services.grading.explained import Caution, CautionKind, Explained, NearMiss, NearMissKind
from services.grading.grader import Grader
from services.grading.verdict import Case, Closeness, NumberRead, Pair, Reading, Rung, Verdict

__all__ = [
    "Case",
    "Caution",
    "CautionKind",
    "Closeness",
    "Explained",
    "Grader",
    "NearMiss",
    "NearMissKind",
    "NumberRead",
    "Pair",
    "Reading",
    "Rung",
    "Verdict",
]
