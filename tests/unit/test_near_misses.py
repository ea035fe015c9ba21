"""Near misses: the edit expected, the smallest one first, and each proved by grading the edited answer."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from services.grading import Case, Grader, Rung
from services.grading.cautions import cautions_on
from services.grading.ladder import climb
from services.grading.near_misses import near_misses_of

ROWS = [
    json.loads(line)
    for line in (Path(__file__).resolve().parents[1] / "data" / "near-misses.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def grader():
    with Grader(seconds=1.0) as grader:
        yield grader


def near_misses(grader, gold, prediction, mode="exact_short", atol=1e-3, rtol=1e-3):
    return grader.explain(gold, prediction, mode, atol, rtol).near_misses


def test_the_set_holds_enough_of_every_kind():
    kinds = Counter(row["kind"] for row in ROWS)
    assert len(ROWS) >= 60 and len(kinds) >= 22


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['kind']}: {row['prediction']}"[:50])
def test_the_edit_expected_is_found_and_passes(grader, row):
    given = [row["reward_mode"], row["atol"], row["rtol"]]
    found = grader.explain(row["gold"], row["prediction"], *given)
    assert found.verdict.reward == 0.0
    assert (row["kind"], row["answer"]) in [(miss.kind, miss.answer) for miss in found.near_misses]
    for miss in found.near_misses:
        verdict = grader.grade(row["gold"], miss.answer, *given, explain=False)
        assert (verdict.reward, verdict.method) == (1.0, miss.method)


def test_an_edit_is_said_in_a_line(grader):
    (miss,) = near_misses(grader, "-5", "−5", "numeric")
    assert miss.as_dict() == {
        "kind": "look_alike",
        "edit": "Write plain characters for U+2212 MINUS SIGN.",
        "answer": "-5",
        "method": "exact",
    }
    (miss,) = near_misses(grader, "yes", "Answer: True", "exact_bool")
    assert miss.edit == "Leave out “Answer:”. Write “yes” for “True”."
    (miss,) = near_misses(grader, "0.86", "0.8571", "numeric", 0.0, 0.0)
    assert miss.edit == "Round to 2 decimals: 0.86."


@pytest.mark.parametrize(
    ("gold", "prediction", "mode"),
    [
        ("5", "25", "numeric"),
        ("Africa", "Asia, not Africa", "exact_short"),
        ("A+", "A", "exact_short"),
        ("O-", "O+", "exact_short"),
        ("Group 1", "Group 2", "exact_short"),
        ("Model 3", "Model", "exact_short"),
        (">50K", "<=50K", "exact_short"),
        ("increase", "decrease", "exact_short"),
        ("yes", "no", "exact_bool"),
        ("102", "10²", "numeric"),
        ("a, b, c", "a, b", "list"),
        ("2017-03-01", "2018-03-01", "exact_short"),
        ("2017-03-01", "20170310", "exact_short"),
        ("2017-03-01", "2017-03-01 06:00:00", "exact_short"),
    ],
)
def test_a_wrong_answer_has_no_near_miss(grader, gold, prediction, mode):
    assert near_misses(grader, gold, prediction, mode) == ()


def test_a_match_has_none_and_neither_has_what_could_not_be_graded(grader):
    assert near_misses(grader, "5", "5.0", "numeric") == ()
    found = grader.explain("1", "9**9**9", "numeric")
    assert (found.verdict.outcome, found.near_misses) == ("not gradable", ())
    assert near_misses(grader, "5", None) == near_misses(grader, "", "5") == ()


def test_an_edited_answer_is_given_whole_and_can_be_sent(grader):
    gold = "word " * 299 + "end"
    (found,) = near_misses(grader, gold, f'"{gold}"', "exact_short")
    assert found.as_dict()["answer"] == gold
    assert near_misses(grader, "\ud800", "\u200b\ud800!", "exact_short") == ()


SLOW_TO_READ = [
    "1" + " " * 1990 + "2",
    "echo a" + " " * 1990 + "b",
    "a" + "\u3000" * 1990 + "b",
    "1" + "\n" * 1990 + "2",
    "(" * 2000,
    "1," * 1000,
    "1 and " * 330,
    "`" * 2000,
    "Answer: " * 250,
    "１" * 2000,
    "word " * 100_000,
]


@pytest.mark.parametrize("answer", SLOW_TO_READ, ids=lambda answer: repr(answer[:9]))
def test_no_answer_takes_long_to_look_at(answer):
    # the verdict's own time is the symbolic rung's, and left out here
    for gold, mode in (("1", "numeric"), ("yes", "exact_bool"), ("1, 2, 3", "list")):
        case = Case(gold, answer, mode, 1e-3, 1e-3)
        verdict = climb(case, lambda *_: Rung("math_verify", "failed", ""), explain=True)
        start = time.process_time()
        cautions_on(case, verdict, answer, lambda _: None)
        near_misses_of(case, answer, lambda _: None, lambda _: None)
        assert time.process_time() - start < 1, (gold, mode)
