"""Whatever the texts hold: no input crashes, explaining changes no verdict, and texts come back as they were."""

import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.grading import Grader, NumberRead
from services.grading.characters import plain
from services.grading.forms import bare

DATA = Path(__file__).resolve().parents[1] / "data"
MODES = ["", "numeric", "exact_short", "list", "flexible", "exact_bool", "list_csv"]
PIECES = [
    *"0123456789.,-+%$€/:;xX=<>()[]{}\"'`*^ \n\t",
    *["−", "–", "\u00a0", "\u200b", "１", "²", "½", "é", "e\u0301", "М", "٣", "\ud800", "𝒳"],
    *[
        "yes",
        "true",
        "Male",
        "São Paulo",
        "Answer: ",
        "The answer is ",
        "x = ",
        " or ",
        " and ",
        "not ",
        "1e-7",
        "10^5",
    ],
    *["1,234", "3,14", "2017-03-01", "12:30", "28x28", "v1.2.3", "3rd", " km", " million", "\\boxed{", "```", "echo "],
]
words = st.lists(st.sampled_from(PIECES), max_size=8).map("".join)
texts = st.one_of(words, words, st.text(st.characters(), max_size=30))
tolerances = st.sampled_from([0.0, 1e-6, 1e-3, 0.5, 1e9, float("inf")])


@pytest.fixture(scope="module")
def grader():
    with Grader(seconds=2.0) as grader:
        yield grader


@st.composite
def cases(draw):
    gold = draw(texts)
    near = st.sampled_from([gold, f"Answer: {gold}", f"{gold}.", f'"{gold}"', gold.upper(), f"{gold}0", f"{gold} km"])
    prediction = draw(st.one_of(texts, near, st.none()))
    return gold, prediction, draw(st.sampled_from(MODES)), draw(tolerances), draw(tolerances)


def check(grader, case, question):
    found = grader.explain(*case, question=question)
    plainly = grader.grade(*case, explain=False)
    if "not_gradable" not in (found.verdict.method, plainly.method):  # a limit of time is met or not
        assert (found.verdict.reward, found.verdict.method) == (plainly.reward, plainly.method)
    for rung in found.verdict.rungs:
        for text, reading in ((case[0], rung.gold), (case[1], rung.prediction)):
            if isinstance(reading, NumberRead):
                assert text[reading.start : reading.end] == reading.text
    for miss in found.near_misses:
        assert found.verdict.reward == 0.0
        verdict = grader.grade(case[0], miss.answer, *case[2:], explain=False)
        assert (verdict.reward, verdict.method) == (1.0, miss.method)
    for caution in found.cautions:
        if caution.also_passes is not None:
            assert found.verdict.reward == 1.0
            assert grader.grade(case[0], caution.also_passes, *case[2:], explain=False).reward == 1.0
    sent = json.dumps(found.as_dict(), allow_nan=False, ensure_ascii=False).encode()
    assert json.loads(sent) == found.as_dict()


relaxed = settings(deadline=None, suppress_health_check=list(HealthCheck), database=None, derandomize=True)


@settings(relaxed, max_examples=100)
@given(case=cases(), question=st.sampled_from(["", "Which city?", "How many?", "Is it so?", "\ud800?"]))
def test_no_input_crashes_and_no_verdict_depends_on_the_explanation(grader, case, question):
    check(grader, case, question)


@pytest.mark.long
@settings(relaxed, max_examples=int(os.environ.get("GRADING_EXAMPLES", "5000")))
@given(case=cases(), question=words)
def test_no_input_crashes_in_thousands_of_them(grader, case, question):
    check(grader, case, question)


@settings(relaxed, max_examples=300)
@given(texts)
def test_a_form_taken_off_once_is_off_and_ascii_is_plain_already(text):
    assert plain(plain(text)) == plain(text)
    assert bare(bare(text)) == bare(text)
    assert plain(text.encode("ascii", "ignore").decode()) == text.encode("ascii", "ignore").decode()


def parity(step):
    with gzip.open(DATA / "grader-parity.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines][::step]


def assert_parity(grader, rows):
    for row in rows:
        given_ = [row[name] for name in ("gold", "prediction", "reward_mode", "atol", "rtol")]
        verdict = grader.explain(*given_).verdict
        assert (verdict.reward, verdict.method) == (row["reward"], row["method"]), row


def test_the_references_verdicts_come_through_an_explanation(grader):
    assert_parity(grader, parity(15))


@pytest.mark.long
def test_all_of_the_references_verdicts_come_through_an_explanation(grader):
    assert_parity(grader, parity(1))
