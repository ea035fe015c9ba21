"""Grading against the reference rules run in one process, and among answers made to stop a grader.

    python -m benchmarks.bench_grading

Both grade the same 5,394 answers, as many as the dataset has tasks, in one run on this machine: the 3,000 parity cases,
and 2,394 of them drawn again at random, as samples of one task repeat each other's answers. Ours remembers what
it compared before; the reference rules run in the plainest form: one process, on its main thread, calling math_verify
directly. The verdicts must be the same. Then 1,000 of the answers are graded again, alone and with ten powers among
them that no computer works out.
"""

from __future__ import annotations

import gzip
import json
import random
import time
from pathlib import Path
from typing import Any

from services.grading import Case as GradedCase
from services.grading import Grader
from services.grading.foreseen import foreseen
from tests.data.reference_grader import grade

PARITY = Path(__file__).resolve().parents[1] / "tests" / "data" / "grader-parity.jsonl.gz"
ANSWERS = 5394
HOSTILE = ["9**9**9", "9^9^9", "10**1000000000", "7^9999999999", "99**99**99"]
HOSTILE += ["7 ** 7 ** 77", "10^10^10", "3**3**3**3", "$9^{9^{9}}$", "$10^{1000000000}$"]

Case = dict[str, Any]
Graded = tuple[float | None, str]


def by_the_reference_rules(case: Case) -> Graded:
    given = grade(case["gold"], case["prediction"], case["reward_mode"], case["rtol"], case["atol"])
    return given["reward"], given["method"]


def main() -> None:
    with gzip.open(PARITY, "rt") as lines:
        parity: list[Case] = [json.loads(line) for line in lines]
    draw = random.Random(0)
    cases = parity + draw.choices(parity, k=ANSWERS - len(parity))
    draw.shuffle(cases)

    def timed(some: list[Case]) -> tuple[float, list[Graded]]:
        names = ("gold", "prediction", "reward_mode", "atol", "rtol")
        start = time.perf_counter()
        found = [
            (verdict.reward, verdict.method)
            for verdict in grader.grade_all(GradedCase(*(case[name] for name in names)) for case in some)
        ]
        return time.perf_counter() - start, found

    with Grader() as grader:
        for warm in parity[:200]:  # both sides have loaded and built what they need
            by_the_reference_rules(warm)
        timed([{**parity[0], "gold": "1/3", "prediction": f"0.{number}"} for number in range(8)])
        start = time.perf_counter()
        expected = [by_the_reference_rules(case) for case in cases]
        theirs = time.perf_counter() - start
        mine, found = timed(cases)
        same = sum(one == other for one, other in zip(found, expected, strict=True))
        symbolic = [
            case for case, (_, method) in zip(cases, expected, strict=True) if method in ("math_verify", "miss")
        ]
        pairs = [(case["gold"], case["prediction"]) for case in symbolic]
        asked = {pair for pair in pairs if foreseen(*pair) is None}
        print(
            f"grading, {len(cases):,} answers: {theirs / mine:.1f}× as fast as the reference rules in one process "
            f"({1000 * mine / len(cases):.2f} ms against {1000 * theirs / len(cases):.2f} ms an answer), "
            f"{same:,} of {len(cases):,} verdicts the same; "
            f"math_verify was asked for {len(asked):,} of {len(set(pairs)):,} different symbolic comparisons"
        )
        clean = cases[:1000]
        mixed = clean + [{**parity[0], "gold": "2", "prediction": answer, "reward_mode": ""} for answer in HOSTILE]
        draw.shuffle(mixed)
        alone, _ = timed(clean)
        together, found = timed(mixed)
        stopped = sum(method == "not_gradable" for _, method in found)
        print(
            f"grading, {len(HOSTILE)} hostile answers among {len(clean):,}: {together / alone:.2f}× the time of the "
            f"others alone ({together:.2f} s against {alone:.2f} s), {stopped} of {len(HOSTILE)} not gradable"
        )
    if same != len(cases) or stopped != len(HOSTILE):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
