"""What the public API answers, as types its schemas are made from."""

from typing import Any, TypedDict

import gradio as gr


class Refusal(gr.Error):
    """What can't be answered: a sentence for people, and its state for programs, which clients get as the title; as the
    duration, the seconds to wait where the Hub asks for them.
    """

    def __init__(self, sentence: str, state: str, seconds: float | None = None) -> None:
        super().__init__(sentence, duration=seconds, title=state, print_exception=False)

    def __str__(self) -> str:  # what an MCP client is told
        return f"{self.message} (state: {self.title})"


class FoundTasks(TypedDict):
    """`total` matching tasks and those of one `page` (from 1); `source` says which tasks are shown and why, `state`
    what kept the dataset away, if anything, and `wait_seconds` how long the Hub asks to wait.
    """

    total: int
    page: int
    rows: list[dict[str, Any]]
    source: str
    state: str
    wait_seconds: float


class Link(TypedDict):
    """A source of the task; `url` is null where there is nothing to open."""

    label: str
    url: str | None


class PublicTask(TypedDict):
    """The dataset's own columns but the gold `answer`."""

    task_id: str
    source_row_id: str
    split: str
    question: str
    instruction: str
    reward_mode: str
    atol: float
    rtol: float
    difficulty_level: int
    difficulty_tier: str
    kaggle_dataset: str
    hf_bucket: str
    bucket_prefix: str
    files: list[str]
    package_tier: int
    links: list[Link]


class TaskFile(TypedDict):
    """`size` is in bytes, null while unknown. `state` is `here`, `coming`, `on the Hub` (fetched when it is read) or
    `missing`: then `missing` says why and
    `failure` names it. `changed`: the day its content on the Hub was seen to change, or "".
    """

    name: str
    size: int | None
    state: str
    missing: str
    failure: str
    changed: str


class TaskFiles(TypedDict):
    """The task's files, and what is to be said of them. `failure` names the state in which asking the Hub for them
    failed, or is ""; `wait_seconds` is null unless the Hub asks to wait.
    """

    task_id: str
    files: list[TaskFile]
    note: str
    failure: str
    wait_seconds: float | None


class GradedRung(TypedDict):
    """A rung of the ladder: its state, and what it read from the prediction (null: nothing)."""

    name: str
    state: str
    prediction: dict[str, Any] | None


class Graded(TypedDict):
    """`outcome` is `right`, `wrong` or `not gradable`; `reward` 1.0, 0.0 or null. `method` names the rung that matched,
    or `miss`. `cautions` are the kinds of reasons to doubt a match.
    """

    task_id: str
    outcome: str
    reward: float | None
    method: str
    reward_mode: str
    atol: float
    rtol: float
    rungs: list[GradedRung]
    cautions: list[str]


def graded(verdict: dict[str, Any]) -> Graded:
    """What may be told of a verdict: its sentences, differences, pairs and near misses would give the gold away."""
    kept = ("task_id", "outcome", "reward", "method", "reward_mode", "atol", "rtol")
    rungs: list[GradedRung] = [
        {"name": rung["name"], "state": rung["state"], "prediction": rung["prediction"]} for rung in verdict["rungs"]
    ]
    cautions = [caution["kind"] for caution in verdict["cautions"]]
    return {**{key: verdict[key] for key in kept}, "rungs": rungs, "cautions": cautions}  # type: ignore[typeddict-item]


def task_files(task_id: str, found: dict[str, Any]) -> TaskFiles:
    """The answer made of what `input_files` found."""
    keys = ("name", "size", "state", "missing", "failure", "changed")
    files: list[Any] = [{key: file[key] for key in keys} for file in found["input_files"]]
    return {
        "task_id": task_id,
        "files": files,
        "note": found["files_note"],
        "failure": found["files_failure"],
        "wait_seconds": found["files_seconds"],
    }
