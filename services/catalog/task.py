"""A task: one row of the dataset."""

from __future__ import annotations

from dataclasses import dataclass

SPLITS = ("train", "test", "eval")
TIERS = ("easy", "medium", "hard")
REWARD_MODES = ("numeric", "exact_short", "list", "flexible", "exact_bool", "list_csv")


@dataclass(frozen=True)
class Task:
    """One task under the dataset's own column names, and the split it stands in.

    `answer` is the gold: it must not leave the server before the visitor reveals it or has graded an answer.
    `files` may be empty and may name a file twice, as in the dataset.
    """

    task_id: str
    source_row_id: str
    question: str
    answer: str
    reward_mode: str
    atol: float
    rtol: float
    difficulty_level: int
    difficulty_tier: str
    kaggle_dataset: str
    hf_bucket: str
    bucket_prefix: str
    files: tuple[str, ...]
    instruction: str
    package_tier: int
    split: str
