"""Writes a folder source from a few rows, for tests that need tasks of their own making."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

SCHEMA = pa.schema(
    [
        ("task_id", pa.string()),
        ("source_row_id", pa.string()),
        ("question", pa.string()),
        ("answer", pa.string()),
        ("reward_mode", pa.string()),
        ("atol", pa.float64()),
        ("rtol", pa.float64()),
        ("difficulty_level", pa.int64()),
        ("difficulty_tier", pa.string()),
        ("kaggle_dataset", pa.string()),
        ("hf_bucket", pa.string()),
        ("bucket_prefix", pa.string()),
        ("files", pa.list_(pa.string())),
        ("instruction", pa.string()),
        ("package_tier", pa.int64()),
    ]
)


def row(task_id: str, **columns: Any) -> dict[str, Any]:
    """One task with ordinary values in every column not given."""
    ordinary = {
        "source_row_id": f"0000/000/000000.ipynb_{task_id}",
        "question": f"What does {task_id} ask?",
        "answer": "1",
        "reward_mode": "numeric",
        "atol": 1e-3,
        "rtol": 1e-3,
        "difficulty_level": 1,
        "difficulty_tier": "easy",
        "kaggle_dataset": "someone/some-table",
        "hf_bucket": "",
        "bucket_prefix": "someone__some-table",
        "files": ["table.csv"],
        "instruction": f"Answer the question of {task_id}.",
        "package_tier": 0,
    }
    return {"task_id": task_id} | ordinary | columns


def write_rows(
    folder: Path, splits: Mapping[str, Iterable[dict[str, Any]]], files: Mapping[str, bytes] | None = None
) -> Path:
    """Write `data/{split}-00000-of-00001.parquet` and `files/{path}`; give the folder back."""
    (folder / "data").mkdir(parents=True)
    for split, rows in splits.items():
        table = pa.Table.from_pylist(list(rows), SCHEMA)
        pq.write_table(table, folder / "data" / f"{split}-00000-of-00001.parquet")
    for name, content in (files or {"someone__some-table/table.csv": b"a,b\n1,2\n3,4\n"}).items():
        path = folder / "files" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return folder
