"""Whether a gold can be what its question asks for: a name asked and a number given, or the other way round."""

from __future__ import annotations

import re

from services.grading.explained import Caution
from services.grading.forms import bare
from services.grading.numeric import is_number

# Where a question starts: not at "the month in which", nor at ", of which".
_START = r"(?:(?:^|[.?!:;]\s+)(?:(?:in|on|for|from|at|to|of|by|with|during)\s+)?|,\s+|\b(?:determine|identify|find)\s+)"
_NAME = re.compile(
    _START + r"(?:who\b|whose\b|which\s+(?P<noun>[^?.,;]*)|"
    r"what\s+(?:is|was|are|were)\s+the\s+(?:full\s+)?names?\b|name\s+the\b|what\s+names?\b)",
    re.IGNORECASE,
)
# Which year, which cluster: things that are called by a number.
_NUMBERED = re.compile(
    r"\b(?:years?|months?|days?|dates?|hours?|minutes?|weeks?|quarters?|decades?|seasons?|century|clusters?|class(?:es)?|"
    r"numbers?|no|ids?|identifiers?|values?|percentages?|digits?|levels?|ratings?|scores?|grades?|k|ages?|sizes?|prices?|"
    r"ranks?|codes?|degrees?|groups?|floors?|zips?|zipcodes?|stores?|rows?|index|indices|labels?|bins?|rounds?|stations?|"
    r"episodes?|versions?|users?|customers?|orders?|products?\s+ids?|thresholds?|depths?|counts?|folds?|epochs?|steps?|"
    r"intervals?|components?|lags?|times?|periods?|categor(?:y|ies)\s+(?:code|number)|parameters?|quantity|amount|rate|ratio|"
    r"distance|weeks?|target|outcome|decile|quantile|percentile|draws?|games?|match(?:es)?|wards?|districts?|zones?|"
    r"sectors?|sections?|channels?|sensors?|units?|items?|pages?|lines?|samples?|patients?|students?|tracks?)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:has|have|had|is|was|are|were|do|does|did|with|that|in|of|on|by|shows?|got|gets|gave|gives|can|will)\b",
    re.IGNORECASE,
)
# A second thing asked for, which the gold may be.
_MORE = re.compile(
    r"\bhow\s+\w+|\bwhat\s+(?:is|was|are|were)\s+(?!the\s+(?:full\s+)?names?\b)|"
    r"\bwhat\s+(?:percentage|percent|proportion|fraction|number|share)\b|\b(?:and|by)\s+what\b|"
    r"\b(?:calculate|compute|report|state|give|provide|return|output|answer\s+with|as\s+an?\s+(?:number|integer))\b",
    re.IGNORECASE,
)
_COUNT = re.compile(_START + r"how\s+many\b", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"^\s*(?:is|are|was|were|does|do|did|has|have|had)\b(?!.*\b(?:what|which|how|who)\b)",
    re.IGNORECASE | re.DOTALL,
)
_OTHER = re.compile(r"\b(?:which|who|whose|what|name|list|give|report|state)\b|\?.*\?", re.IGNORECASE | re.DOTALL)
_NO_AMOUNT = {"not applicable", "none", "n/a", "na", "nan", "no", "zero", "null", "all", "both", "infinity", "inf"}
_COUNTED = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|hundred|thousand|million)\b",
    re.I,
)


def gold_caution(gold: str, question: str) -> Caution | None:
    """A caution where the kind of answer that `question` asks for and the gold don't go together."""
    question, gold = " ".join(question.split())[:2000], gold.strip()
    if not question or not gold:
        return None
    number = is_number(bare(gold))
    asked = _asks_for_a_name(question) if number else ""
    if asked:
        return _caution(f"The question asks {asked}, and the gold is the bare number “{gold}”.")
    only_a_count = _COUNT.search(question) and not _OTHER.search(question)
    if only_a_count and not _COUNTED.search(gold) and gold.casefold() not in _NO_AMOUNT:
        return _caution(f"The question asks how many, and there is no number in the gold “{gold[:100]}”.")
    if (
        number
        and bare(gold) not in ("0", "1", "0.0", "1.0")
        and _YES_OR_NO.search(question)
        and not _MORE.search(question)
    ):
        return _caution(f"The question can be answered by yes or no, and the gold is the number “{gold}”.")
    return None


def _asks_for_a_name(question: str) -> str:
    found = _NAME.search(question)
    if not found or _MORE.search(question):
        return ""
    noun = found["noun"]
    if noun is None:
        return "for a name"
    head = _VERB.split(noun)[0].strip()
    # max_depth and n_neighbors are called by a number too
    return "" if not head or "_" in head or _NUMBERED.search(head) else f"which {head}"


def _caution(what: str) -> Caution:
    return Caution("gold_and_question", what, "The gold may be wrong: a right answer would then be graded as a miss.")
