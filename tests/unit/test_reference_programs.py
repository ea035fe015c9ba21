"""Every bundled task's reference program, run in a real kernel, writes an answer that grades 1.0."""

import asyncio

import pytest

from services.catalog import Query, open_catalog
from services.datafiles import DataFiles
from services.grading import Grader
from services.kernels import Launcher, Limits, run_program
from services.settings import BUNDLED_SUITE, Settings

AT_ONCE = 2


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """Task → the run of its program, all tasks."""
    cache = tmp_path_factory.mktemp("programs")
    settings = Settings(tasks_source="bundled", cache_dir=cache)
    catalog = open_catalog(settings)
    datafiles = DataFiles(catalog.source, cache, deadline_seconds=10)

    launcher = Launcher(settings.kernel_python, cache / "sessions", Limits.from_settings(settings), "required")

    async def run_all():
        places = asyncio.Semaphore(AT_ONCE)

        async def run(task):
            code = (BUNDLED_SUITE / "solutions" / f"{task.task_id}.py").read_text()
            async with places:
                return task, await run_program(launcher.engine, cache / "sessions", code, datafiles.inputs(task))

        async with launcher:
            return await asyncio.gather(*(run(task) for task in catalog.tasks(Query())))

    return asyncio.run(run_all())


def test_every_task_has_an_answer_that_grades_right(answers):
    assert len(answers) >= 48
    with Grader(workers=2) as grader:
        for task, run in answers:
            assert run.status == "ok", (task.task_id, run.outputs)
            verdict = grader.grade(task.answer, run.answer, task.reward_mode, task.atol, task.rtol)
            assert verdict.reward == 1.0, (task.task_id, run.answer, task.answer, verdict.method)


def test_a_wrong_answer_would_not_pass(answers):
    with Grader(workers=1) as grader:
        task, run = next((task, run) for task, run in answers if task.reward_mode == "numeric")
        assert grader.grade(task.answer, f"{float(run.answer) * 3 + 7}", "numeric", task.atol, task.rtol).reward == 0.0
