"""Edits of words and lists: what of an answer differs from the gold in form alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime

from services.grading.characters import plain, without_accents
from services.grading.exact import normal
from services.grading.explained import NearMissKind
from services.grading.forms import Edit, items_in
from services.grading.lists import items_of
from services.grading.numeric import read_number

_TRUTH = {"yes": True, "true": True, "y": True, "t": True, "1": True, "1.0": True, "correct": True}
_TRUTH |= {"no": False, "false": False, "n": False, "f": False, "0": False, "0.0": False, "incorrect": False}
_ARTICLE = re.compile(r"^(?:the|an?)\s+|(?<=,)\s*(?:the|an?)\s+", re.IGNORECASE)
_BETWEEN = re.compile(r"(?<=[^\W\d_])[\s_\-/.,:&']+(?=\w)|(?<=\w)[\s_\-/.,:&']+(?=[^\W\d_])|[\s.!?]+$|_+")
_CONTRARY = re.compile(r"\b(?:not|no|nor|or|neither|except|but|never|without|isn't|versus|vs)\b", re.IGNORECASE)
# the year first: in any other order the day may be the month
_DATES = ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%Y%m%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S")
_LONGEST_DATE = 30  # characters
_LIST_MOST = 60
_WORDS_MORE = 6


def toward_the_text(gold: str, text: str) -> Iterator[Edit]:
    """`text` as the gold writes it, where the two differ in form: accents, spacing, plural, yes and true, list."""
    for kind, edit, form in _FORMS:
        left = form(gold)
        if left and left == form(text):
            yield Edit(kind, edit, gold.strip())
            return
    truth = _TRUTH.get(normal(gold))
    if truth is not None and truth is _TRUTH.get(normal(text)):
        yield Edit("truth", f"Write “{gold.strip()}” for “{text.strip()}”.", gold.strip())
    yield from _as_list(gold, text)


def _plain(text: str) -> str:
    return normal(plain(text))


def _bare_letters(text: str) -> str:
    return without_accents(_plain(text))


def _no_article(text: str) -> str:
    return _ARTICLE.sub("", _bare_letters(text))


def _singular(text: str) -> str:
    return re.sub(r"[^\W\d_]+", lambda word: _singular_word(word[0]), _no_article(text))


def _singular_word(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return f"{word[:-3]}y"
    if len(word) > 4 and word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if len(word) > 2 and word.endswith("s") and not word.endswith("ss") else word


def _unspaced(text: str) -> str:
    return _BETWEEN.sub("", _bare_letters(text))


def _date(text: str) -> str:
    """A whole date with its time of day, as ISO 8601 writes it; empty for any other text."""
    text = _plain(text)
    for written in _DATES if len(text) <= _LONGEST_DATE else ():
        try:
            return datetime.strptime(text, written).isoformat()
        except ValueError:
            continue
    return ""


_FORMS: tuple[tuple[NearMissKind, str, Callable[[str], str]], ...] = (
    ("look_alike", "Write the gold's own characters: some only look like them.", _plain),
    ("accents", "Write the accents as the gold does.", _bare_letters),
    ("article", "Write it with or without the article, as the gold does.", _no_article),
    ("plural", "Write singular or plural, as the gold does.", _singular),
    ("spacing", "Write spaces, hyphens and marks between the words as the gold does.", _unspaced),
    ("date", "Write the date as the gold does.", _date),
)


def _as_list(gold: str, text: str) -> Iterator[Edit]:
    wanted, given = items_of(gold), items_in(text)
    if len(wanted) < 2 or len(given) != len(wanted) or len(given) > _LIST_MOST:
        return
    joined = ", ".join(given)
    if joined != text.strip():
        yield Edit("separators", "Write the items with commas between them, and no brackets or quotes.", joined)
    ordered = _in_the_order_of(wanted, given)
    if ordered and ordered != given:
        yield Edit("order", "Put the items in the gold's order.", ", ".join(ordered))


def _in_the_order_of(wanted: list[str], given: list[str]) -> list[str] | None:
    left = list(given)
    ordered = []
    for gold in wanted:
        found = next((item for item in left if _same_item(gold, item)), None)
        if found is None:
            return None
        left.remove(found)
        ordered.append(found)
    return ordered


def _same_item(gold: str, item: str) -> bool:
    if normal(gold) == normal(item):
        return True
    left, right = read_number(gold), read_number(item)
    return left is not None and right is not None and abs(left.value - right.value) <= 1e-3 * abs(left.value)


def labels(gold: str, text: str) -> Iterator[Edit]:
    """The gold's label, where `text` is short for it, or it for `text`."""
    left, right = (re.findall(r"\w+", _bare_letters(each)) for each in (gold, text))
    if (
        not left
        or not right
        or left == right
        or ("," in gold and "," in text)
        or any(character.isdigit() for word in right for character in word)
    ):
        return
    if _short_for(right, left):
        yield Edit("label", f"Write the gold's whole label for “{text.strip()}”.", gold.strip())
    elif _short_for(left, right):
        yield Edit("label", "Write the label as short as the gold has it.", gold.strip())


def _short_for(short: list[str], full: list[str]) -> bool:
    """Initials of `full`, its first letters, or some of its words in a row, with nothing contrary in the rest."""
    joined = "".join(short)
    initials = "".join(word[0] for word in full if word not in ("of", "the", "and"))
    if (
        len(short) == 1
        and len(full) > 1
        and len(joined) > 1
        and joined in (initials, "".join(word[0] for word in full))
    ):
        return True
    if len(short) == len(full) == 1:
        return len(joined) < len(full[0]) and full[0].startswith(joined) and not full[0].isdigit()
    rest = len(full) - len(short)
    if not 0 < rest <= _WORDS_MORE or len(joined) < 2:
        return False
    for start in range(rest + 1):
        if full[start : start + len(short)] == short:
            others = full[:start] + full[start + len(short) :]
            return not _CONTRARY.search(" ".join(others)) and not any(word.isdigit() for word in others)
    return False
