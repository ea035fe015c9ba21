"""Commands that take a task elsewhere: its row, its data files, its grading here, its environment."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from services.catalog.source import HUB_ENDPOINT, Source
from services.catalog.task import Task
from services.settings import BUNDLED_SUITE, ROOT

APP = "{app}"  # where the page's own address goes; it is the first of its kind in a text
HARBOR_OF = "FineEnvs/SmolDataEnvs"  # the dataset whose splits are published as Harbor environments too
MOST_FILES = 10


@dataclass(frozen=True)
class Command:
    """What to paste: `text` in `language` (`python` or `shell`), and a sentence beside it."""

    label: str
    language: str
    text: str
    note: str


def commands_for(task: Task, source: Source, index: int | None, *, whole_files: bool) -> list[Command]:
    """The commands that work for a task of this source.

    `index` is the task's position (from 0) among the sorted folders of its split's Harbor suite, None where there
    is no such suite; `whole_files` says
    that no row of the split was left out, so that it is that of the published suite. A value of the task is always a
    quoted literal.
    """
    found = [_row(task, source), _files(task, source), _grade(task)]
    if index is not None:
        found += _harbor(task, index, whole_files)
    return [command for command in found if command]


def _row(task: Task, source: Source) -> Command | None:
    if source.dataset:
        revision = f", revision={source.revision!r}" if source.revision else ""
        wanted, note = f"{source.dataset!r}{revision}, split={task.split!r}", "Needs: pip install datasets."
    elif source.folder == BUNDLED_SUITE:
        files = f"{BUNDLED_SUITE.relative_to(ROOT).as_posix()}/data/{task.split}-*.parquet"
        wanted = f'"parquet", data_files={files!r}, split="train"'
        note = "From the folder of this app. The library calls every file of its own “train”."
    else:
        return None
    text = (
        "from datasets import load_dataset\n\n"
        f"tasks = load_dataset({wanted})\n"
        f'task = next(row for row in tasks if row["task_id"] == {task.task_id!r})'
    )
    return Command("The row", "python", text, f"{note} The row holds the gold answer.")


def _files(task: Task, source: Source) -> Command | None:
    if not task.hf_bucket or source.files_root:
        return None
    prefix = f"{task.hf_bucket}/{task.bucket_prefix}"
    lines = [f"hf buckets sync {shlex.quote(f'hf://buckets/{prefix}')} ./input"]
    names = list(dict.fromkeys(task.files))
    if len(names) <= MOST_FILES:
        endpoint = source.endpoint or HUB_ENDPOINT
        base = f"{endpoint}/buckets/{quote(task.hf_bucket)}/resolve/{quote(task.bucket_prefix)}"
        lines += [
            f"curl -fL --create-dirs -o {shlex.quote(f'input/{PurePosixPath(name).name}')} {base}/{quote(name)}"
            for name in names
        ]
    note = "The whole folder, or one file at a time. A bucket has no revisions: its files can change."
    return Command("The data files", "shell", "\n".join(lines), note)


def _grade(task: Task) -> Command:
    text = (
        "from gradio_client import Client\n\n"
        f'app = Client("{APP}")\n'
        f'verdict = app.predict({task.task_id!r}, "your answer", api_name="/grade")\n'
        'print(verdict["reward"], verdict["method"])'
    )
    return Command("Grade an answer", "python", text, "Asks this app. Needs: pip install gradio_client.")


def _harbor(task: Task, index: int, whole_files: bool) -> list[Command]:
    suite = f"{HARBOR_OF}-harbor-{task.split}"
    model = "--llm-url http://localhost:8001/v1 --model your-model"
    note = f"Task {index} is this one: Harbor counts the sorted folders of the {task.split} suite from 0."
    if not whole_files:
        note += " Rows of that split were left out here, so the number may be a few too low."
    return [
        Command(
            "Serve its environments",
            "shell",
            f"openenv harbor serve --dataset {suite} {model} --port 8000 --capture-port 8100",
            'Needs Python 3.12: pip install "openenv[harbor]".',
        ),
        Command(
            "Roll out an agent",
            "shell",
            f"openenv harbor rollout --dataset {suite} {model} --harness opencode --sandbox e2b --task-index {index}",
            f"{note} Needs E2B_API_KEY.",
        ),
    ]
