"""Grading: the reference's reward and method, and what every rung of the ladder read and found."""

from services.grading.grader import Grader
from services.grading.verdict import Case, Closeness, NumberRead, Pair, Reading, Rung, Verdict

__all__ = ["Case", "Closeness", "Grader", "NumberRead", "Pair", "Reading", "Rung", "Verdict"]
