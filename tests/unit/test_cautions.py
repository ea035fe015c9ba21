"""Cautions: doubtful matches are flagged for the right reason, sound ones left alone, and no verdict changes."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.grading import Grader

DATA = Path(__file__).resolve().parents[1] / "data"


def rows_of(name):
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").splitlines()]


def explained(grader, row):
    given = [row[name] for name in ("gold", "prediction", "reward_mode", "atol", "rtol")]
    return grader.explain(*given, question=row["question"])


@pytest.fixture(scope="module")
def grader():
    with Grader(seconds=1.0) as grader:
        yield grader


@pytest.fixture(scope="module")
def labelled(grader):
    return [(row, explained(grader, row)) for row in rows_of("doubtful-matches.jsonl")]


def one(grader, gold, prediction, mode="numeric", atol=1e-3, rtol=1e-3, question=""):
    (caution,) = grader.explain(gold, prediction, mode, atol, rtol, question=question).cautions
    return caution


def test_the_labelled_set_is_of_matches_and_large_enough(labelled):
    assert [row for row, found in labelled if found.verdict.reward != 1.0] == []
    labels = Counter(row["label"] for row, _ in labelled)
    assert labels["sound"] >= 75 and labels["doubtful"] >= 75
    assert len({(row["gold"], row["prediction"], row["reward_mode"]) for row, _ in labelled}) == len(labelled)
    kinds = Counter(row["kind"] for row, _ in labelled if row["kind"])
    assert len(kinds) == 22 and max(kinds.values()) < 0.15 * labels["doubtful"]


def test_doubtful_matches_are_flagged_and_sound_ones_are_not(labelled):
    doubtful = [(row, found) for row, found in labelled if row["label"] == "doubtful"]
    missed = [row for row, found in doubtful if row["kind"] not in [caution.kind for caution in found.cautions]]
    assert len(missed) <= 0.05 * len(doubtful), missed
    sound = [(row, found) for row, found in labelled if row["label"] == "sound"]
    flagged = [(row, found.cautions) for row, found in sound if found.cautions]
    assert len(flagged) <= 0.05 * len(sound), flagged


def test_every_counter_example_passes_and_is_another_text(grader, labelled):
    shown = 0
    for row, found in labelled:
        for caution in found.cautions:
            if caution.also_passes is None:
                continue
            shown += 1
            given = [row["reward_mode"], row["atol"], row["rtol"]]
            verdict = grader.grade(row["gold"], caution.also_passes, *given, explain=False)
            assert verdict.reward == 1.0 and verdict.method != "exact", (row, caution)
            assert caution.also_passes.strip() != row["prediction"].strip()
    assert shown >= 120


def test_a_caution_says_which_characters_were_read_and_which_were_not(grader):
    caution = one(grader, "28x28x1", "28x28", "exact_short")
    assert caution.as_dict() == {
        "kind": "dimensions",
        "what": "The symbolic rung read “28” of the gold and ignored “x28x1”; "
        "read “28” of the answer and ignored “x28”.",
        "why": "Sizes with one side in common pass for one another.",
        "also_passes": "28x28x2",
    }
    assert (
        one(grader, "7", "about 7 or 8").what
        == "The number rung read “7” of the answer and ignored “about” and “or 8”."
    )
    assert one(grader, "314", "3,14").what == "The comma of “3,14” was left out: it was read as 314."


def test_a_tolerance_too_wide_says_what_else_would_pass(grader):
    caution = one(grader, "5000", "5001")
    assert (caution.what, caution.also_passes) == ("5001 passed for the whole number 5000: rtol is 0.001.", "4999")
    assert one(grader, "0.0004", "0.0009").also_passes == "0"
    assert grader.explain("5000", "5000.0", "numeric").cautions == ()


@pytest.mark.parametrize(
    ("gold", "answer", "doubted"),
    [
        ("15 USD", "15 dollars", False),
        ("$15", "USD 15", False),
        ("$15", "15 euros", True),
        ("$15 million", "$15", True),
        ("$15 million", "$15 million.", False),
        ("3 hours", "3 hrs", False),
        ("12 m", "12 mm", True),
        ("5 kg", "5 kg/m²", True),
    ],
)
def test_units_are_told_apart(grader, gold, answer, doubted):
    kinds = [caution.kind for caution in grader.explain(gold, answer, "flexible").cautions]
    assert kinds == (["unit"] if doubted else [])


def test_equal_text_carries_no_doubt_but_the_gold_may(grader):
    for text in ("2017-03-01", "28x28x1", "5 or 6", "3,14", "1e-9"):
        assert grader.explain(text, text, "flexible").cautions == ()
    caution = one(grader, "68.4", "Cheerios", question="Which cereal has the highest rating?")
    assert caution.what == "The question asks which cereal, and the gold is the bare number “68.4”."


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("Which year had the most accidents?", "2016"),
        ("In which month do sales peak?", "12"),
        ("Which cluster is largest, and how many members has it?", "312"),
        ("What is the mean price of the brand which sells most?", "23.5"),
        ("How many rows have missing ages?", "Not Applicable"),
        ("How many of the twelve models are better than chance?", "All"),
        ("Is the correlation positive?", "yes"),
        ("Which model has the highest accuracy, and what is its accuracy?", "0.91"),
        ("Who won most often?", "Federer"),
        ("Find the month in which the average temperature peaked, as a number.", "7"),
        ("How many products, of which 3 are discontinued, are listed?", "77"),
        ("How many unique species are there and what are they?", "setosa, versicolor"),
        ("Which n_neighbors is best?", "7"),
        ("For which airline is the delay largest? Report the delay in minutes.", "34.5"),
        ("Has the mean changed by more than 5%? State the change.", "3.2"),
    ],
)
def test_a_gold_that_fits_its_question_is_left_alone(grader, question, gold):
    assert grader.explain(gold, gold, question=question).cautions == ()


@pytest.mark.parametrize(
    "answer", ["echo 50 > /workdir/answer.txt", "cat > answer.txt <<EOF\n50\nEOF", "50 > answer.txt"]
)
def test_a_command_is_named_on_a_miss_too(grader, answer):
    assert one(grader, "5", answer).kind == "command"


@pytest.mark.parametrize("answer", [">50K", "> 2 Years", ">40hrs", "x > 5/2", "A > B", "p<0.05"])
def test_a_bound_is_no_command(grader, answer):
    assert "command" not in [caution.kind for caution in grader.explain("none", answer, "exact_short").cautions]


@pytest.mark.parametrize("row", rows_of("grader-cases.jsonl"), ids=lambda row: f"{row['case']}: {row['gold']}"[:60])
def test_a_case_from_the_field_keeps_its_verdict_and_is_explained(grader, row):
    found = explained(grader, row)
    assert found.verdict.method == row["method"]
    assert [caution.kind for caution in found.cautions] == ([row["caution"]] if row["caution"] else [])
    kinds = [miss.kind for miss in found.near_misses]
    assert row["near_miss"] in kinds if row["near_miss"] else not kinds


def test_the_same_explanation_from_another_thread(grader):
    given = ("12 km", "12 m", "exact_short")
    with ThreadPoolExecutor(1) as thread:
        assert thread.submit(grader.explain, *given).result() == grader.explain(*given)
