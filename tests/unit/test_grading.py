"""The ladder: the reference's verdict on every case, and what each rung says it read."""

import asyncio
import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from services.grading import Grader

PARITY = Path(__file__).resolve().parents[1] / "data" / "grader-parity.jsonl.gz"


@pytest.fixture(scope="module")
def grader():
    with Grader() as grader:
        yield grader


@pytest.fixture(scope="module")
def cases():
    with gzip.open(PARITY, "rt") as lines:
        return [json.loads(line) for line in lines]


def disagreement(grader, case, explain):
    given = [case[name] for name in ("gold", "prediction", "reward_mode", "atol", "rtol")]
    verdict = grader.grade(*given, explain=explain)
    agrees = (verdict.reward, verdict.method) == (case["reward"], case["method"])
    return None if agrees else (case, verdict.method)


def rungs(verdict):
    return {rung.name: rung for rung in verdict.rungs}


def states(verdict):
    return [rung.state for rung in verdict.rungs]


@pytest.mark.parametrize(("threads", "explain"), [(16, True), (2, False)])
def test_the_references_reward_and_method_from_many_threads_at_once(grader, cases, threads, explain):
    with ThreadPoolExecutor(threads) as pool:
        found = list(pool.map(lambda case: disagreement(grader, case, explain), cases))
    assert len(found) == 3000
    assert [each for each in found if each] == []


def test_the_same_verdict_inside_an_event_loop(grader, cases):
    async def grade_all(some):
        return [disagreement(grader, case, explain=False) for case in some]

    symbolic = [case for case in cases if case["method"] == "math_verify"]
    assert len(symbolic) == 284
    assert [each for each in asyncio.run(grade_all(symbolic)) if each] == []


def test_a_symbolic_match_says_what_was_parsed_and_why_the_others_did_not_match(grader):
    verdict = grader.grade("28x28x1", "28x28", "exact_short")
    assert (verdict.reward, verdict.method, verdict.outcome) == (1.0, "math_verify", "right")
    assert states(verdict) == ["failed", "not tried", "not tried", "not tried", "matched"]
    found = rungs(verdict)
    assert (
        found["numeric"].detail == "Reward mode exact_short is not numeric or flexible, and the gold is not one number."
    )
    assert found["list"].detail == "Reward mode exact_short is not a list, and not both sides hold a comma."
    assert (found["math_verify"].gold.text, found["math_verify"].prediction.text) == ("28", "28")


def test_after_the_first_match_the_other_rungs_say_what_they_would_have_done(grader):
    verdict = grader.grade("1,234.5", "1234.5", "numeric")
    assert verdict.method == "numeric"
    assert states(verdict) == ["failed", "matched", "not tried", "not tried", "would have matched"]
    assert states(grader.grade("5", "5", "list")) == [
        "matched",
        "would have matched",
        "not tried",
        "would have failed",
        "would have matched",
    ]
    assert states(grader.grade("5", "5", explain=False)) == ["matched"]


def test_a_number_is_marked_where_it_stands_in_the_text(grader):
    rung = rungs(grader.grade("12,345.5", "𝒳 about, ,-1,2,3e1 or 7", "numeric", 0.5, 0.0))["numeric"]
    assert (rung.gold.text, rung.gold.value, rung.gold.start, rung.gold.end) == ("12,345.5", 12345.5, 0, 8)
    assert (rung.prediction.text, rung.prediction.value) == ("-1,2,3e1", -1230.0)
    assert (rung.prediction.start, rung.prediction.end) == (10, 18)
    assert (rung.closeness.difference, rung.closeness.atol) == (13575.5, 0.5)
    assert rung.closeness.relative == 13575.5 / 12345.5


@pytest.mark.parametrize(
    ("gold", "prediction", "atol", "rtol", "within"),
    [
        ("10", "10.5", 0.5, 0.0, "atol"),
        ("10", "10.5", 0.4, 0.05, "rtol"),
        ("10", "10.6", 0.5, 0.05, None),
        ("1e400", "1e400 or so", 0.5, 0.5, None),  # both infinite: the difference is no number
    ],
)
def test_the_tolerance_that_let_a_number_pass_is_named(grader, gold, prediction, atol, rtol, within):
    verdict = grader.grade(gold, prediction, "numeric", atol, rtol, explain=False)
    assert rungs(verdict)["numeric"].closeness.within == within
    assert (verdict.method == "numeric") == (within is not None)


def test_a_fraction_for_a_percentage(grader):
    verdict = grader.grade("99.9", "0.999", "numeric", 1e-6, 1e-6)
    assert verdict.method == "numeric_scaled"
    assert rungs(verdict)["numeric_scaled"].detail == "The gold and the answer × 100 are close enough: within atol."
    verdict = grader.grade("0.5", "60", "numeric", 0.0, 0.0)
    assert states(verdict) == ["failed", "failed", "failed", "not tried", "failed"]
    assert rungs(verdict)["numeric_scaled"].closeness.difference == pytest.approx(0.1)
    assert rungs(grader.grade("5", "500", "numeric"))["numeric_scaled"].state == "not tried"


def test_a_list_shows_its_pairs_in_the_order_that_matched(grader):
    rung = rungs(grader.grade("b 2, A, c", "a,c,B 2.001", "list_csv", 0.01, 0.0))["list"]
    assert (rung.state, rung.order, rung.pair_count) == ("matched", "sorted", 3)
    assert [(pair.gold, pair.prediction, pair.matched_by) for pair in rung.pairs] == [
        ("A", "a", "text"),
        ("b 2", "B 2.001", "number"),
        ("c", "c", "text"),
    ]
    rung = rungs(grader.grade("a, b, c", "a, b, d", "list"))["list"]
    assert rung.detail == "2 of 3 pairs match in the given order; no more do once both sides are sorted."
    assert rungs(grader.grade("a, b", "a", "list"))["list"].detail == "The gold has 2 items, the answer 1 item."
    assert rungs(grader.grade("a", "a, b", "list"))["list"].detail == "The gold has 1 item; a list has two or more."


@pytest.mark.parametrize(
    ("gold", "prediction", "mode", "telling"),
    [
        ("a, b", "a, c", "list", "list"),
        ("1,234", "1,235,000", "numeric", "numeric"),
        ("0.5", "60", "numeric", "numeric_scaled"),
        ("1,234", "1,235,000", "list_csv", "list"),
        ("yes", "no", "exact_bool", "exact"),
        ("5", "5", "numeric", None),
    ],
)
def test_a_miss_names_the_rung_that_says_most_of_it(grader, gold, prediction, mode, telling):
    assert grader.grade(gold, prediction, mode).telling == telling


def test_no_gold_and_no_answer_are_a_miss_with_no_rung_tried(grader):
    for gold, prediction, reason in [("", "", "The gold is empty."), ("5", None, "There is no answer.")]:
        verdict = grader.grade(gold, prediction)
        assert (verdict.reward, verdict.method) == (0.0, "miss")
        assert [(rung.state, rung.detail) for rung in verdict.rungs] == [("not tried", reason)] * 5


def test_a_verdict_is_json_whatever_the_texts_hold(grader):
    verdict = grader.grade("\ud800 1e999, 2", "1e999" + ", \udc00" * 300_000, "flexible")
    sent = json.dumps(verdict.as_dict(), allow_nan=False, ensure_ascii=False).encode()
    assert len(sent) < 20_000
    assert json.loads(sent)["rungs"][1]["gold"]["value"] == "inf"
