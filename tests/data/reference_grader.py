"""The reference rules in their plainest form: what tests run in place of the dataset's own `grader.py`."""

import re

from math_verify import parse, verify

NUMBER = re.compile(r"-?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")


def grade(gold, prediction, reward_mode="", rel_tol=1e-3, abs_tol=1e-3):
    """`reward` 1.0 or 0.0, and `method`: the rule that matched, or `miss`. The first match wins."""
    method = _method(gold, prediction, reward_mode, rel_tol, abs_tol) if gold and prediction is not None else "miss"
    return {"reward": float(method != "miss"), "method": method}


def _method(gold, prediction, reward_mode, rel_tol, abs_tol):
    def close(one, other):
        difference = abs(one - other)
        return difference <= abs_tol or difference / max(abs(one), 1e-9) <= rel_tol

    if _normal(gold) == _normal(prediction):
        return "exact"
    if method := _numeric(gold, prediction, reward_mode, close):
        return method
    if _same_list(gold, prediction, reward_mode, close):
        return "list"
    try:
        return "math_verify" if verify(parse(gold), parse(prediction)) else "miss"
    except Exception:  # the rules say so: any exception is no match
        return "miss"


def _normal(text):
    return re.sub(r"\s+", " ", text.strip().lower())


def _number(text):
    found = NUMBER.search(text.replace(",", ""))
    return float(found[0]) if found else None


def _numeric(gold, prediction, reward_mode, close):
    bare = gold.strip().strip("%$").strip().replace(",", "")
    if reward_mode not in ("numeric", "flexible") and not NUMBER.fullmatch(bare):
        return ""
    one, other = _number(gold), _number(prediction)
    if one is None or other is None:
        return ""
    if close(one, other):
        return "numeric"
    small, large = sorted((abs(one), abs(other)))
    scales = 0 < small < 1 <= large and (close(one, other * 100) or close(one, other / 100))
    return "numeric_scaled" if scales else ""


def _same_list(gold, prediction, reward_mode, close):
    if reward_mode not in ("list", "list_csv") and not ("," in gold and "," in prediction):
        return False

    def same(pair):
        left, right = map(_number, pair)
        return _normal(pair[0]) == _normal(pair[1]) or (None not in (left, right) and close(left, right))

    ours, theirs = ([item.strip() for item in side.split(",") if item.strip()] for side in (gold, prediction))
    if len(ours) < 2 or len(ours) != len(theirs):
        return False
    by_text = zip(sorted(ours, key=str.lower), sorted(theirs, key=str.lower), strict=True)
    return all(map(same, zip(ours, theirs, strict=True))) or all(map(same, by_text))
