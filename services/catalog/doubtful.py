"""Tasks whose gold people who checked the dataset by hand have called doubtful."""

from __future__ import annotations

from services.catalog.task import Task

# of FineEnvs/SmolDataEnvs; the opinion of those who looked, not a correction
_DOUBTED = frozenset(
    {
        "0000_684_684849_qa_4",
        "0000_667_667350_qa_3",
        "0000_455_455476_qa_5",
        "0001_043_1043420_qa_4",
        "0001_875_1875604_qa_4",
        "0001_078_1078204_qa_2",
        "0016_567_16567793_qa_4",
    }
)


def doubted_by_readers(task: Task) -> bool:
    """Whether a person who checked this task by hand doubts its gold."""
    return task.task_id in _DOUBTED
