"""What is foreseen of math_verify is what math_verify finds."""

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as some
from math_verify import parse, verify

from services.grading import Grader
from services.grading.foreseen import foreseen, number_read, reads_nothing
from services.grading.symbolic import CouldNotRun, SymbolicPool
from services.grading.towers import is_tower

PARITY = Path(__file__).resolve().parents[1] / "data" / "grader-parity.jsonl.gz"

# Chosen to break the rules: what begins, joins, follows or resembles a number, and what other scripts hold of it.
PIECES = [
    *"0123459.,-+*/^()[]{}$\\=%:;!<>_'|~ \n\t\r\x0b\x1cxeEiIſkéß北½²٣３€£₽−×÷",
    *("\u00a0", "\u2003", "\u200b", "\ud800", "**", "  ", " $", "$$", "= ", ", ", " - ", "^{", "1e5", "e+00", "!="),
    *("answer", "Answer: ", "final answer is ", "I hope", "percent", "Percent", "pct", "percentage", "and", "or", "km"),
    *(
        "\\frac{1}{2}",
        "\\boxed{",
        "\\(",
        "\\)",
        "\\[",
        "\\]",
        "\\%",
        "\\text{",
        "\\pi",
        "pi",
        "inf",
        "nan",
        "oo",
        "NaN",
    ),
    *("1,234", "1 234", "0.5", ".5", "-.5", "007", "-0", "-05", "-00.5", "0.0000001", "2017-03-01", "12:30", "1/2"),
    *(
        "123456789012345678901234567890",
        "99.99999999999999",
        "100.0%",
        "50%",
        "50 percent",
        "3.0",
        "3",
        "3,0",
        "300.0%",
    ),
]
TEXTS = some.one_of(
    some.lists(some.sampled_from(PIECES), max_size=8).map("".join),
    some.tuples(
        some.sampled_from(["", " ", "about ", "n=", "**", "$", "x ", "1, ", "1 ", "10-20, ", "(", "Class ", "São "]),
        some.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9, places=3)
        | some.integers(-1200, 1200)
        | some.floats(-1e6, 1e6)
        | some.sampled_from(["0.50", "1,000", "1 000", "3,5", ".25", "0.000001", "0.0000012", "0.000011"]),
        some.sampled_from(
            ["", "", "%", " %", ".", " km", "00", ", x", "**", " percent", "=", ")", "-", " (3)", " answer"]
        ),
    ).map(lambda parts: "".join(map(str, parts))),
    some.text(max_size=12),
)


def found(gold, prediction):
    try:
        return verify(parse(gold), parse(prediction))
    except Exception:  # the reference takes any exception as no match
        return False


def check_pair(gold, prediction):
    expected = foreseen(gold, prediction)
    event(f"foreseen: {expected}")
    if expected is not None:
        assert found(gold, prediction) == expected


def check_text(text):
    number = number_read(text)
    if reads_nothing(text):
        event("nothing read")
        assert parse(text) == []
        assert number is None
    elif number:
        event("a number read")
        value, written = parse(text)
        assert written == number.digits
        assert abs(float(value.doit()) - float(number.value)) <= 1e-14 * abs(float(number.value))


@settings(max_examples=300, deadline=None)
@given(TEXTS, TEXTS)
@example("8", "8,0")
@example("0.3", "0.1")
@example("5%", "5")
@example("17", "1700.0%")
@example("97.875", "9787.5%")
@example("63.0", "6300.0%")
@example("ANSWER: 1,234 percent", "1234%")
@example("-0", "0")
@example("0.0", "-0")
@example("-0.0", "0")
@example("1 answer 2", "1")
@example("-1", "The answer is (3-4), x 5")
@example("7", "final answer is (1+2), and 7")
def test_what_is_foreseen_is_what_math_verify_finds(gold, prediction):
    check_pair(gold, prediction)


@settings(max_examples=300, deadline=None)
@given(TEXTS)
@example("answer 1234 =")
@example("5 apples (3-4)")
@example("10-20** 5")
@example("1,234,56")
@example("x [5] ")
def test_what_is_read_is_what_math_verify_reads(text):
    check_text(text)


@pytest.mark.long
@settings(max_examples=10_000, deadline=None)
@given(TEXTS, TEXTS)
def test_many_pairs_foreseen(gold, prediction):
    check_pair(gold, prediction)
    check_text(gold)
    check_text(prediction)


@pytest.mark.parametrize(
    ("gold", "prediction", "expected"),
    [
        ("yes", "9**9**9", False),  # whatever the answer is: nothing can be read in the gold
        ("North America", "São Paulo", False),
        ("X1", "1", False),  # a digit inside a word is not read
        ("Class 1", "**Class 1**", None),  # `1**` may be a power
        ("Class 1", "class no. 1", True),
        ("0.85", "0.9", False),
        ("5%", "5", True),
        ("50%", "0.2", False),
        ("17", "1700.0%", None),  # as floats they differ in the last bit
        ("63.2", "6320.0%", True),
        ("5", "ANSWER: 5", True),
        ("5", "1 of 2, so the answer is 5", None),
        ("0.0000001", "0.0000002", None),  # equal at 6 decimals: its business
        ("2017-03-01", "2017", None),
        ("1/2", "0.5", None),
        ("$x$", "y", False),
        ("1", "٣", None),
        ("x" * 1001, "y" * 1001, None),
    ],
)
def test_only_what_is_certain_is_foreseen(gold, prediction, expected):
    assert foreseen(gold, prediction) is expected


def test_most_comparisons_of_the_parity_cases_are_foreseen():
    with gzip.open(PARITY, "rt") as lines:
        cases = [case for case in map(json.loads, lines) if case["method"] in ("math_verify", "miss")]
    seen = [foreseen(case["gold"], case["prediction"]) for case in cases]
    assert len(seen) == 1288
    assert sum(each is None for each in seen) < 150


TOWERS = ["9**9**9", "9^9^9", "10**1000000000", " 2 ** 9999999999", "$9^{9^{9}}$", "3**3**3**3", "$10^{1000000000}$"]


@pytest.mark.parametrize(
    "text", ["2**10", "9**9**8", "1**9**9**9", "9**1**9**9**9", "9**9**9 m", "$9^99^99$", "9!", "x"]
)
def test_a_power_that_could_be_worked_out_is_not_called_too_large(text):
    assert not is_tower(text)


@pytest.mark.parametrize(
    ("towers", "golds", "seconds"),
    [(TOWERS[:3], ["2"], 1.0), pytest.param(TOWERS, ["2", "0.5%"], 5.0, marks=pytest.mark.long)],
)
def test_each_power_called_too_large_does_hit_the_limit(towers, golds, seconds):
    pool = SymbolicPool(1, seconds, 1024)
    for tower in towers:
        assert is_tower(tower)
        for gold in golds:
            assert number_read(gold)
            with pytest.raises(CouldNotRun):
                pool.compare(gold, tower, read=False)
    pool.close()


def test_a_power_too_large_is_not_gradable_at_once_and_equal_texts_still_match():
    with Grader(workers=1) as grader:
        for explain in (True, False):
            verdict = grader.grade("2", "9**9**9", explain=explain)
            assert (verdict.reward, verdict.method) == (None, "not_gradable")
            assert verdict.rungs[-1].detail == (
                "The answer is a power too large to work out (over 300 million digits): it was not tried."
            )
            assert grader.grade("9**9**9", "9**9**9", explain=explain).method == "exact"
            assert grader.grade("yes", "9**9**9", explain=explain).method == "miss"
