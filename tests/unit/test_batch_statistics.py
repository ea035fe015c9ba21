"""Rates, intervals and tests against values known by hand."""

import time
from itertools import combinations

import numpy as np
import pytest

from services.batch.apart import apart
from services.batch.statistics import bootstrap, mcnemar, mean_rate, pass_at_k, wilson


@pytest.mark.parametrize(
    ("right", "of", "low", "high"),
    [
        (8, 10, 0.4902, 0.9433),
        (0, 10, 0.0, 0.2775),
        (10, 10, 0.7225, 1.0),
        (1, 1, 0.2065, 1.0),
        (50, 100, 0.4038, 0.5962),
    ],
)
def test_wilson(right, of, low, high):
    assert wilson(right, of) == pytest.approx((low, high), abs=5e-5)


def test_pass_at_k_is_the_share_of_draws_with_a_right_sample():
    assert pass_at_k(10, 3, 1) == pytest.approx(0.3)
    assert pass_at_k(5, 2, 2) == pytest.approx(0.7)
    assert (pass_at_k(4, 0, 4), pass_at_k(4, 1, 4), pass_at_k(4, 3, 2)) == (0.0, 1.0, 1.0)
    samples = [True, True, False, False, False, False]
    draws = [any(draw) for draw in combinations(samples, 3)]
    assert pass_at_k(6, 2, 3) == pytest.approx(sum(draws) / len(draws))


def test_the_bootstrap_is_the_same_every_time_and_as_wide_as_theory_says():
    values = [0.0] * 100 + [1.0] * 100
    low, high = bootstrap(values)
    assert (low, high) == bootstrap(values)
    # the mean's standard error is 0.5 / sqrt(200) = 0.0354
    assert low == pytest.approx(0.5 - 1.96 * 0.0354, abs=0.01)
    assert high == pytest.approx(0.5 + 1.96 * 0.0354, abs=0.01)


def test_a_mean_rate_says_over_how_many_tasks():
    single = mean_rate([(1, 1)] * 8 + [(1, 0)] * 2)
    assert (single.rate, single.of, single.interval) == (0.8, 10, "wilson")
    several = mean_rate([(4, 1), (4, 3), (2, 2), (1, 1)], k=2)
    assert several.rate == pytest.approx((0.5 + 1.0 + 1.0) / 3)
    assert (several.of, several.interval) == (3, "wilson")
    varied = mean_rate([(4, 1), (4, 2), (4, 3)] * 10)
    assert (varied.rate, varied.of, varied.interval) == (0.5, 30, "bootstrap")
    assert mean_rate([(1, 1), (1, 1)], absent=2).rate == 0.5
    assert mean_rate([(2, 2)], k=2, absent=3).rate == 0.25
    assert (mean_rate([]).rate, mean_rate([]).of) == (None, 0)


def test_an_interval_is_never_a_point_where_all_tasks_passed_or_failed():
    right = mean_rate([(4, 4)] * 3)
    assert (right.rate, right.high, right.interval) == (1.0, 1.0, "wilson")
    assert right.low == pytest.approx(0.4385, abs=5e-5)
    wrong = mean_rate([(4, 0)] * 10, k=4)
    assert (wrong.rate, wrong.low) == (0.0, 0.0)
    assert wrong.high == pytest.approx(0.2775, abs=5e-5)


@pytest.mark.parametrize(
    ("tallies", "low", "high"),
    [
        ([(2, 1)], 0.0546, 0.9454),
        ([(100, 50)], 0.0546, 0.9454),  # samples tell nothing of other tasks
        ([(2, 1)] * 2, 0.0945, 0.9055),
        ([(2, 1)] * 10, 0.2366, 0.7634),
        ([(4, 2)] * 98 + [(4, 1), (4, 3)], 0.4038, 0.5962),
    ],
)
def test_an_interval_is_as_wide_as_the_few_tasks_that_differ_leave_it(tallies, low, high):
    rate = mean_rate(tallies)
    assert (rate.rate, rate.of, rate.interval) == (0.5, len(tallies), "wilson")
    assert (rate.low, rate.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("share", [(5, 5), (0.3, 1.2)])
def test_an_interval_holds_the_true_rate_as_often_as_it_says(share):
    random = np.random.default_rng(0)
    for tasks in (1, 2, 5, 20, 60):
        draws = random.binomial(8, random.beta(*share, (200, tasks)))
        rates = [mean_rate([(8, int(right)) for right in draw]) for draw in draws]
        held = sum(rate.low <= share[0] / sum(share) <= rate.high for rate in rates)
        assert held >= 180, (tasks, held)


def test_large_counts_take_no_time():
    began = time.monotonic()
    assert pass_at_k(1_000_000, 500_000, 2) == pytest.approx(0.75, abs=1e-6)
    assert pass_at_k(1_000_000, 10, 500_000) == pytest.approx(1 - 0.5**10, abs=1e-5)
    assert 0.1 < mcnemar(2600, 2700) < 0.2  # (100 - 1) / sqrt(5300) = 1.36 standard deviations
    assert time.monotonic() - began < 10


def test_mcnemar_exact():
    assert mcnemar(1, 9) == pytest.approx(0.021484375)
    assert mcnemar(9, 1) == mcnemar(1, 9)
    assert (mcnemar(0, 0), mcnemar(5, 5)) == (1.0, 1.0)
    assert mcnemar(0, 6) == 0.03125
    assert 0 < mcnemar(1000, 2000) < 1e-70


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (None, "null"),
        ("", "blank"),
        (" \n\u200b\ufeff", "blank"),
        ("<!DOCTYPE html>\n<html><body>404</body></html>", "html page"),
        ("<html lang='en'>", "html page"),
        ('Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: 3', "traceback"),
        ("Internal Server Error", "error message"),
        ("502 Bad Gateway", "error message"),
        ("HTTP/1.1 503 Service Unavailable", "error message"),
        ("Error code: 429 - {'error': {'message': 'slow down'}}", "error message"),
        ("openai.RateLimitError: slow down", "error message"),
        ("Rate limit exceeded. Try again in 20 s.", "error message"),
        ("Request timed out.", "error message"),
        ('{"error": {"code": 500, "message": "overloaded"}}', "error message"),
        ('{"status": 404, "detail": "Not Found"}', "error message"),
        *[
            (text, None)
            for text in (
                *(
                    "0",
                    "Timeout",
                    "Not Applicable",
                    "None",
                    "nan",
                    "Not Found",
                    "404",
                    "500 apples",
                    "error",
                    "<b>12</b>",
                ),
                *(">50K", "Server", "the request failed", '{"answer": 3, "error": 0.1}', "[1, 2]", "Rate limit", "-"),
                *("Forbidden Planet", "ValueError", "http://x.org/a", "{}", '{"code": "404"}', "0.404 Not Found"),
            )
        ],
    ],
)
def test_only_whole_shapes_of_failure_are_set_apart(answer, kind):
    assert apart(answer) == kind
