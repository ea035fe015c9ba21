"""The reference's verdicts through the page: what it asks the app for comes back with the same reward and method."""

import gzip
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.page_functions import functions_of
from tests.served_app import served_app

PARITY = Path(__file__).resolve().parents[1] / "data" / "grader-parity.jsonl.gz"


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served_app({}, tmp_path_factory.mktemp("cache")) as (url, _):
        yield url


@pytest.mark.long
def test_the_references_reward_and_method_through_the_page(url):
    with gzip.open(PARITY, "rt") as lines:
        cases = [json.loads(line) for line in lines]
    with httpx.Client(base_url=url, timeout=60) as http, ThreadPoolExecutor(8) as threads:
        grade = functions_of(http, "grader_lab")

        def graded(numbered):
            number, case = numbered
            given = {name: case[name] for name in ("gold", "prediction", "reward_mode", "atol", "rtol")}
            return case, grade("grade_case", given | {"visitor": str(number)})

        answers = list(threads.map(graded, enumerate(cases)))
    assert len(answers) == 3000
    wrong = [
        (case, answer)
        for case, answer in answers
        if (answer.get("reward"), answer.get("method")) != (case["reward"], case["method"])
    ]
    assert wrong == []
