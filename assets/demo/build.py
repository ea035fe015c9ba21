"""Build the bundled suite: input files from installed packages, golds from the reference programs, one parquet a split.

Run by `make demo`, in the kernels' environment: `python assets/demo/build.py [folder]`. The folder (default: this one)
gets `files/{bucket_prefix}/…` and `data/{split}-00000-of-00001.parquet`. tasks/*.toml says what is asked; an answer
stands nowhere but in what `solutions/{task_id}.py` writes.
"""

from __future__ import annotations

import contextlib
import os
import runpy
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from tables import DATASETS

HERE = Path(__file__).resolve().parent
SPLITS = ("train", "test", "eval")
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
INSTRUCTION = """\
You are a data analyst at work in a sandbox. Find the answer to the question by running Python on the data.

Question: {question}

Data: the files are in /home/user/input, with no subfolders: {files}
Installed: pandas, numpy, matplotlib, seaborn, scipy, scikit-learn, statsmodels, tabulate, sqlite3, plotly.

Look at the files before you compute, and check your result. The answer is one clean value: a bare number without
thousands separators or units, a short label, yes or no, or a comma-separated list. Where the question asks for another
form, follow the question. If the data can't answer it, the answer is Not Applicable.
{answer_as}Write the value, and nothing else, to /workdir/answer.txt.
"""


def read_tasks() -> list[dict]:
    """The tasks of tasks/*.toml, dataset by dataset in the order of `DATASETS`, each with its dataset's name."""
    tasks = []
    for dataset in DATASETS:
        source = HERE / "tasks" / f"{dataset.split('/')[1].replace('-', '_')}.toml"
        of_dataset = tomllib.loads(source.read_text(encoding="utf-8"))
        if of_dataset["dataset"] != dataset:
            raise ValueError(f"{source.name} is about {of_dataset['dataset']}, not {dataset}")
        common = {"kaggle_dataset": dataset, "files": of_dataset["files"]}
        tasks += [common | {"source": f"assets/demo/tasks/{source.name}"} | task for task in of_dataset["task"]]
    return tasks


def gold_of(task_id: str, inputs: list[Path]) -> str:
    """What the reference program writes when it finds these files, flattened, in `../input`."""
    with tempfile.TemporaryDirectory() as session:
        for name in ("input", "work"):
            Path(session, name).mkdir()
        for path in inputs:
            shutil.copy(path, Path(session, "input", path.name))
        with contextlib.chdir(Path(session, "work")):
            runpy.run_path(str(HERE / "solutions" / f"{task_id}.py"))
            return Path("answer.txt").read_text(encoding="utf-8")


def row_of(task: dict, files: Path) -> dict:
    """The task as a row of the dataset; `files` is the folder that holds its bucket prefix."""
    prefix = task["kaggle_dataset"].replace("/", "__")
    # a task that names no file is given all of its folder
    inputs = [files / prefix / name for name in task["files"]] or [
        path for path in sorted((files / prefix).rglob("*")) if path.is_file()
    ]
    names = ", ".join(dict.fromkeys(path.name for path in inputs))
    answer_as = f"Answer as: {task['answer_as']}\n" if "answer_as" in task else ""
    return {
        "task_id": task["task_id"],
        "source_row_id": f"{task['source']}_qa_{task['task_id'].rsplit('_', 1)[1]}",
        "question": task["question"],
        "answer": gold_of(task["task_id"], inputs),
        "reward_mode": task["reward_mode"],
        "atol": task.get("atol", 1e-3),
        "rtol": task.get("rtol", 1e-3),
        "difficulty_level": task["difficulty_level"],
        "difficulty_tier": task["difficulty_tier"],
        "kaggle_dataset": task["kaggle_dataset"],
        "hf_bucket": "",
        "bucket_prefix": prefix,
        "files": task["files"],
        "instruction": INSTRUCTION.format(question=task["question"], files=names, answer_as=answer_as),
        "package_tier": task.get("package_tier", 0),
    }


def build(target: Path) -> None:
    """Write `files/` and `data/` of the suite into `target`, in place of any that are there."""
    for name in ("files", "data"):
        shutil.rmtree(target / name, ignore_errors=True)
    for dataset, make in DATASETS.items():
        folder = target / "files" / dataset.replace("/", "__")
        folder.mkdir(parents=True)
        make(folder)
    tasks = read_tasks()
    (target / "data").mkdir()
    for split in SPLITS:
        rows = [row_of(task, target / "files") for task in tasks if task["split"] == split]
        table = pa.Table.from_pylist(rows, SCHEMA)
        pq.write_table(table, target / "data" / f"{split}-00000-of-00001.parquet", compression="zstd")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    build(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else HERE)
