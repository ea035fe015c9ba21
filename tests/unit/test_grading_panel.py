"""The panel's functions: a verdict with the gold for an answer, the gold alone on request, a sentence for the rest."""

import asyncio
import inspect
import json

import pytest

from components.grade_panel import MAX_ANSWER, answer_grader, grade_panel
from services.catalog import Task, UnknownTask
from services.grading import Grader

GOLD = "${alert(1)} <img src=x onerror=alert(1)> 9007199254740993"


class OneTask:
    """All the panel asks of a catalog."""

    def task(self, task_id):
        if task_id != "t1":
            raise UnknownTask(f"There is no task {task_id}.")
        given = {"task_id": "t1", "answer": GOLD, "reward_mode": "flexible", "atol": 0.5, "rtol": 0.0, "files": ()}
        return Task(**{name: given.get(name, "") for name in Task.__dataclass_fields__})


@pytest.fixture(scope="module")
def grader():
    with Grader(workers=1) as grader:
        yield grader


def test_an_answer_is_graded_as_its_task_says_and_the_gold_comes_with_the_verdict(grader):
    answer = asyncio.run(answer_grader(OneTask(), grader)("t1", "1.4"))
    assert (answer["reward"], answer["method"], answer["outcome"]) == (1.0, "numeric", "right")
    assert (answer["gold"], answer["reward_mode"], answer["atol"], answer["rtol"]) == (GOLD, "flexible", 0.5, 0.0)
    assert json.loads(json.dumps(answer, allow_nan=False)) == answer


@pytest.mark.parametrize(
    ("task_id", "prediction", "sentence"),
    [
        ("t2", "1", "There is no task t2."),
        ("t1", None, "The answer was not graded: it should be text."),
        (
            "t1",
            "1" * (MAX_ANSWER + 1),
            "The answer was not graded: it has 1,048,577 characters, and 1,048,576 is the most that can be graded. "
            "Give the final answer alone.",
        ),
    ],
)
def test_what_can_not_be_graded_is_told_in_a_sentence_without_the_gold(grader, task_id, prediction, sentence):
    assert asyncio.run(answer_grader(OneTask(), grader)(task_id, prediction)) == {"error": sentence}


def test_the_page_grades_off_the_event_loop_and_reveals_the_gold_alone(grader):
    pane = grade_panel(OneTask(), answer_grader(OneTask(), grader), [])
    assert GOLD not in json.dumps(pane.get_config(), default=str)
    assert inspect.iscoroutinefunction(pane.grade)
    graded = json.loads(asyncio.run(pane.grade({"task_id": "t1", "prediction": "x"})).body)
    assert (graded["outcome"], graded["gold"]) == ("wrong", GOLD)
    assert json.loads(pane.reveal({"task_id": "t1"}).body) == {"gold": GOLD}
    assert "error" in json.loads(pane.reveal({"task_id": ""}).body)
