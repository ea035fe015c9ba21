"""Rates with 95% intervals, a bootstrap over tasks where their values vary enough, else Wilson's; McNemar's test."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 1000
VARIED = 20  # tasks; with fewer that differ from the rest a bootstrap's interval is too narrow
_Z = 1.959963984540054  # of the normal distribution, 95% two-sided


@dataclass(frozen=True)
class Rate:
    """A mean over `of` tasks, 0 to 1, with its 95% interval; all None where there is no task."""

    rate: float | None
    low: float | None
    high: float | None
    of: int
    interval: Literal["wilson", "bootstrap"]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def wilson(right: float, of: int) -> tuple[float, float]:
    """The Wilson score interval of `right` out of `of` (1 or more) at 95%.

    Of tasks that count as a share, `right` is their sum: no values from 0 to 1 spread more than 0 and 1 do.
    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
    """
    share, spread = right / of, _Z**2 / of
    centre = (share + spread / 2) / (1 + spread)
    half = _Z * math.sqrt(share * (1 - share) / of + spread / (4 * of)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def pass_at_k(samples: int, right: int, k: int) -> float:
    """The chance that of `k` of the samples, drawn without putting back, one or more are right: 1 - C(n-c,k)/C(n,k).

    Source: M. Chen et al., Evaluating large language models trained on code, 2021. `k` is at most `samples`.
    """
    fewer, more = sorted((k, right))
    drawn = np.arange(fewer)  # not math.comb: of a million samples it has no end
    return 1.0 - float(np.prod(np.maximum(samples - more - drawn, 0) / (samples - drawn)))


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """The 95% percentile interval of the mean over 1,000 resamples of the tasks' values; the same every time."""
    distinct, counts = np.unique(np.asarray(values, float), return_counts=True)
    total = int(counts.sum())
    drawn: NDArray[np.int64] = np.random.default_rng(0).multinomial(total, counts / total, size=RESAMPLES)
    low, high = np.quantile(drawn @ distinct / total, (0.025, 0.975))
    return float(low), float(high)


def mean_rate(tallies: Sequence[tuple[int, int]], k: int = 1, absent: int = 0) -> Rate:
    """pass@k over tasks, each given as (samples, right); tasks of fewer than k samples are left out.

    `absent` tasks without any sample count as 0. Where every task counts as 0 or 1, as with one sample each, or fewer
    than 20 differ from the commonest value, the interval is Wilson's: it is wide where tasks are few, and a bootstrap
    of tasks that are all alike would say that no other task can ever differ.
    """
    values = [pass_at_k(samples, right, k) for samples, right in tallies if samples >= k] + [0.0] * absent
    of = len(values)
    if not of:
        return Rate(None, None, None, 0, "wilson")
    total = math.fsum(values)
    _, alike = np.unique(values, return_counts=True)
    if of - alike.max() < VARIED or all(value in (0.0, 1.0) for value in values):
        return Rate(total / of, *wilson(total, of), of, "wilson")
    return Rate(total / of, *bootstrap(values), of, "bootstrap")


def mcnemar(only_first: int, only_second: int) -> float:
    """The two-sided p-value of the exact McNemar test: how likely a split this uneven is, were both equally good.

    Source: Q. McNemar, Note on the sampling error of the difference between correlated proportions, Psychometrika 12
    (1947), with the binomial distribution in place of its approximation.
    """
    both = only_first + only_second
    tail = ways = 1  # one from the last: math.comb for each takes seconds
    for fewer in range(min(only_first, only_second)):
        ways = ways * (both - fewer) // (fewer + 1)
        tail += ways
    return min(1.0, 2 * tail / (1 << both))
