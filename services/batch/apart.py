"""Answers that tell of a failure around the model rather than of what it answered.

Only whole shapes count, never a word inside an answer: an answer may well be `Timeout` or hold `<b>`. Such rows are
graded like any other; where one is not right, it is set apart instead of counted wrong.
"""

from __future__ import annotations

import json
import re
from typing import Literal

from services.grading.verdict import Outcome

Apart = Literal["null", "blank", "html page", "traceback", "error message"]
RowOutcome = Literal["right", "wrong", "not gradable", "no answer", "infrastructure"]
OUTCOMES: tuple[RowOutcome, ...] = ("right", "wrong", "not gradable", "no answer", "infrastructure")

_HEAD = 2000  # characters looked at
_INVISIBLE = str.maketrans("", "", "\u200b\u200c\u200d\u2060\ufeff\0")
_HTML = re.compile(r"<!doctype html|<html[\s>]|<head[\s>].*<(title|body)[\s>]", re.IGNORECASE | re.DOTALL)
_TRACEBACK = re.compile(
    r"Traceback \(most recent call last\):|^-{10,}\n\w*(Error|Exception)\s+Traceback ", re.MULTILINE
)
_BARE = (
    r"too many requests|request timeout|internal server error|bad gateway|service (temporarily )?unavailable|"
    r"gateway time-?out"
)
_STATUS = rf"{_BARE}|bad request|unauthorized|forbidden|not found|request entity too large"
_EXCEPTION = (
    r"(API|RateLimit|(API)?Connection|(API)?Timeout|InternalServer|ServiceUnavailable|HTTP|(Read|Connect)Timeout|"
    r"Authentication|BadRequest|ContextWindowExceeded|Overloaded)(Status)?Error"
)
_ERROR = re.compile(
    rf"(http(/[\d.]+)? )?(error:? )?(code:? )?[45]\d\d:? ?(- )?({_STATUS})\b.*"
    r"|(http error|http|error code):? [45]\d\d\b.*"
    rf"|(error: )?({_BARE})\b[^\w]*"
    rf"|([\w.]+\.)?{_EXCEPTION}\b.*"
    r"|(error: )?(you have |you )?(your |the )?(current )?(api )?(rate limit|quota) (was )?(reached|exceeded|hit)\b.*"
    r"|(error: )?you (have )?(reached|exceeded|hit) your (current )?(rate limit|quota)\b.*"
    r"|(error: )?(the )?(request|connection|read|operation|model|server) (has |was |is )?"
    r"(timed out|reset by peer|refused|aborted|overloaded)\b.*",
    re.IGNORECASE | re.DOTALL,
)


def apart(prediction: str | None) -> Apart | None:
    """The failure this answer is shaped like, or None for an answer."""
    if prediction is None:
        return "null"
    text = prediction[:_HEAD].translate(_INVISIBLE).strip()
    if not text:
        return "blank" if len(prediction) <= _HEAD or not prediction.translate(_INVISIBLE).strip() else None
    if _HTML.match(text):
        return "html page"
    if _TRACEBACK.match(text):
        return "traceback"
    if _ERROR.fullmatch(text) or _is_error_object(prediction):
        return "error message"
    return None


def outcome_of(outcome: Outcome, prediction: str | None) -> tuple[RowOutcome, Apart | Literal[""]]:
    """A verdict's outcome, or where the answer is not right and tells of a failure, that, and which."""
    kind = apart(prediction)
    if kind is None or outcome == "right":
        return outcome, ""
    return "no answer" if kind in {"null", "blank"} else "infrastructure", kind


def _is_error_object(prediction: str) -> bool:
    """What HTTP services send: a JSON object with an `error`, or a `detail` or `message` beside a failing status."""
    text = prediction.strip()
    if not (text.startswith("{") and text.endswith("}") and len(text) < 100_000):
        return False
    try:
        fields = json.loads(text, parse_int=str)
    except (ValueError, RecursionError):
        return False
    if fields.get("error") and not fields.keys() & {"answer", "prediction", "final_answer"}:
        return True
    status = str(fields.get("status") or fields.get("status_code") or fields.get("code") or "")
    return bool(re.fullmatch(r"[45]\d\d", status)) and bool(fields.keys() & {"detail", "message"})
