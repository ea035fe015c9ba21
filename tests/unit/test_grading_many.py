"""Many answers at once: the same verdicts, in order, and a run that can be ended."""

import gzip
import itertools
import json
import time
from pathlib import Path

import pytest

from services.grading import Case, Grader
from services.grading.symbolic import CouldNotRun, SymbolicPool

PARITY = Path(__file__).resolve().parents[1] / "data" / "grader-parity.jsonl.gz"
SLOW = Case("1", "9**9**9+1", "exact_short", 1e-3, 1e-3)


@pytest.fixture(scope="module")
def grader():
    with Grader(seconds=1.0) as grader:
        for _ in range(2):  # both workers have started
            grader.grade("1/3", "0.333333")
        yield grader


def same_case(number):
    return Case("a", f"A{' ' * number}", "exact_short", 1e-3, 1e-3)


def test_the_references_verdicts_in_order(grader):
    with gzip.open(PARITY, "rt") as lines:
        rows = [json.loads(line) for line in lines]
    cases = (Case(*(row[name] for name in ("gold", "prediction", "reward_mode", "atol", "rtol"))) for row in rows)
    found = [(verdict.reward, verdict.method) for verdict in grader.grade_all(cases)]
    assert found == [(row["reward"], row["method"]) for row in rows]


def test_a_slow_comparison_keeps_its_place_and_holds_up_no_more_than_are_read_ahead(grader):
    read = []

    def cases():
        yield SLOW
        for number in range(5000):
            read.append(number)
            yield same_case(number)

    verdicts = grader.grade_all(cases())
    assert next(verdicts).method == "not_gradable"
    assert len(read) == 1000
    assert [verdict.method for verdict in itertools.islice(verdicts, 4000)] == ["exact"] * 4000
    assert len(read) <= 4100
    verdicts.close()


def test_a_verdict_is_not_kept_back(grader):
    def cases():
        for number in range(3):
            yield same_case(number)
        raise AssertionError("the first verdict was there")

    assert next(grader.grade_all(cases())).method == "exact"


def test_ending_the_run_starts_no_more_comparisons(grader):
    verdicts = grader.grade_all([same_case(0), *[SLOW] * 50])
    assert next(verdicts).method == "exact"
    start = time.monotonic()
    verdicts.close()
    assert time.monotonic() - start < 3  # those under way end by themselves


def test_an_answer_compared_before_needs_no_process_and_one_that_could_not_run_is_tried_again():
    pool = SymbolicPool(1, 5.0, 1024)
    assert pool.compare("1/2", "0.5", read=False).equal
    assert not pool.compare("0.5", "1/3", read=False).equal
    pool.close()
    assert pool.compare("1/2", "0.5", read=False).equal
    assert not pool.compare("0.5", "1/3", read=False).equal
    for gold, answer in [("1/3", "0.5"), ("1/2", "0.5" + " " * 2000), ("1/3", "0.5")]:
        with pytest.raises(CouldNotRun):
            pool.compare(gold, answer, read=False)
