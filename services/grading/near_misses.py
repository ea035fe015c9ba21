"""Near misses: the smallest edits that make a failed answer pass, each proved by grading the edited answer."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from services.grading.characters import is_sendable
from services.grading.exact import normal
from services.grading.explained import NearMiss, Regrade
from services.grading.forms import Edit, layers_off, tidy
from services.grading.numeric_edits import number_edits, toward_the_number
from services.grading.text_edits import labels, toward_the_text
from services.grading.verdict import Case

LONGEST = 2000  # characters; a longer answer is not a value with a blemish
_STEPS_MOST = 4
_GRADINGS_MOST = 40
_SHOWN_MOST = 5


@dataclass(frozen=True)
class _Edited:
    text: str
    edits: tuple[Edit, ...] = ()


def near_misses_of(case: Case, answer: str, cheaply: Regrade, fully: Regrade) -> tuple[NearMiss, ...]:
    """Edits of `answer` that pass, those of fewest steps; none for a text of over 2,000 characters.

    `cheaply` grades without the symbolic rung and is asked up to 40 times; `fully` is asked once, about the answer with
    the most layers of form taken off, when nothing else passed. A label cut short or spelt out is the last thing tried.
    """
    if len(answer) > LONGEST or len(case.gold) > LONGEST or not answer.strip():
        return ()
    search = _Search(case, cheaply)
    level = [_Edited(tidy(answer))]
    reached = list(level)
    for _ in range(_STEPS_MOST):
        level, found = search.step(level)
        if found:
            return found
        reached += level
    if found := search.of(
        _Edited(label.text, (*one.edits, label)) for one in reached for label in labels(case.gold, one.text)
    ):
        return found
    simplest = reached[-1]
    if simplest.edits and is_sendable(simplest.text) and (method := fully(simplest.text)):
        return (_near_miss(simplest, method),)
    return ()


class _Search:
    """Grades each edited text once, up to 40 in all."""

    def __init__(self, case: Case, cheaply: Regrade) -> None:
        self._case = case
        self._cheaply = cheaply
        self._seen = {case.prediction}

    def step(self, level: list[_Edited]) -> tuple[list[_Edited], tuple[NearMiss, ...]]:
        """One edit more: the texts that can be edited further, and what passed."""
        gold = self._case.gold
        simpler = [
            _Edited(edit.text, (*one.edits, edit))
            for one in level
            for edit in (*layers_off(one.text), *number_edits(one.text))
            if edit.text not in self._seen
        ]
        nearer = [
            _Edited(edit.text, (*one.edits, edit))
            for one in level
            for edit in (*toward_the_text(gold, one.text), *toward_the_number(gold, one.text))
        ]
        return simpler, self.of((*simpler, *nearer))

    def of(self, edited: Iterable[_Edited]) -> tuple[NearMiss, ...]:
        """Those that pass, each text once."""
        found: dict[str, NearMiss] = {}
        for one in edited:
            if one.text in self._seen or len(self._seen) > _GRADINGS_MOST or not is_sendable(one.text):
                continue
            self._seen.add(one.text)
            if method := self._cheaply(one.text):
                found.setdefault(normal(one.text), _near_miss(one, method))
        return tuple(found.values())[:_SHOWN_MOST]


def _near_miss(edited: _Edited, method: str) -> NearMiss:
    return NearMiss(edited.edits[0].kind, " ".join(edit.edit for edit in edited.edits), edited.text, method)
