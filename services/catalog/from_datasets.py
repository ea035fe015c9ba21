"""Read rows by the library `datasets` and write them in the layout of the dataset: what `converted` runs.

python -m services.catalog.from_datasets WHAT FOLDER SECONDS, a token (or nothing) on standard input; the last line of
standard output is `{"reason", "state", "wait_seconds", "revision"}`, with an empty reason when all went well.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from services.catalog.converted import ON_THE_HUB
from services.catalog.hub_client import HubError, causes, state_of, within
from services.catalog.parquet import COLUMNS, TYPES
from services.catalog.task import SPLITS

if TYPE_CHECKING:
    from datasets import Dataset, DatasetDict

READERS = {".json": "json", ".jsonl": "json", ".csv": "csv", ".parquet": "parquet", ".arrow": "arrow"}
SAME_SPLIT = {"validation": "eval", "valid": "eval", "val": "eval", "dev": "eval"}


def main(what: str, folder: str, seconds: str) -> None:
    token = sys.stdin.readline().strip()
    try:
        revision = within(float(seconds), partial(convert, what, Path(folder), token))
        answer: dict[str, str | int | None] = {"reason": "", "state": "", "wait_seconds": None, "revision": revision}
    except HubError as error:
        answer = {"reason": str(error), "state": error.state, "wait_seconds": error.wait_seconds, "revision": ""}
    print(f"\n{json.dumps(answer)}", flush=True)


def convert(what: str, folder: Path, token: str) -> str:
    """Write `data/{split}-00000-of-00001.parquet` below the folder; the commit read, empty for what isn't on the Hub.

    Raises:
        HubError: it can't be read, or holds no tasks.
    """
    commit = "" if Path(what).exists() else _commit(what, token)  # first: importing the library takes seconds
    import datasets

    datasets.disable_progress_bars()
    try:
        splits = _local_splits(Path(what)) if not commit else _hub_splits(what, commit, token)
    except HubError:
        raise
    except Exception as error:
        raise _state_of(error, what) from error
    (folder / "data").mkdir()
    for name, dataset in splits.items():
        split = SAME_SPLIT.get(str(name), str(name))
        if "messages" in dataset.column_names and "question" not in dataset.column_names:
            raise HubError(_trajectories(what, dataset), "not_found")
        if split in splits and split != name:
            raise HubError(f"{what} has both a split {name} and a split {split}", "corrupt")
        pq.write_table(_table(dataset), folder / "data" / f"{split}-00000-of-00001.parquet")
    return commit


def _commit(what: str, token: str) -> str:
    """The commit that a dataset on the Hub stands at, or its revision named."""
    found = ON_THE_HUB.fullmatch(what)
    if not found:
        raise HubError(f"there is no {what}", "not_found")
    from huggingface_hub import HfApi

    try:
        return str(HfApi(token=token or False).dataset_info(found[1], revision=found[3]).sha)
    except Exception as error:
        raise state_of(error, found[1], found[3] or "main") from error


def _hub_splits(what: str, commit: str, token: str) -> DatasetDict:
    found = ON_THE_HUB.fullmatch(what)
    assert found
    return _loaded(found[1], name=found[2], revision=commit, token=token or False)


def _local_splits(path: Path) -> DatasetDict:
    from datasets import DatasetDict, load_from_disk

    if (path / "dataset_dict.json").is_file():
        return load_from_disk(path)
    if (path / "state.json").is_file():
        return DatasetDict({_split_named(path.name): load_from_disk(path)})
    if path.is_dir():
        return _loaded(str(path))
    if path.suffix.lower() not in READERS:
        raise HubError(f"{path.name} is none of {', '.join(READERS)}", "not_found")
    return _loaded(READERS[path.suffix.lower()], data_files={_split_named(path.name): str(path)})


def _split_named(name: str) -> str:
    """The split a file's or folder's name begins with; train for any other, as the library has it."""
    return next((split for split in (*SPLITS, *SAME_SPLIT) if name.lower().startswith(split)), "train")


def _loaded(path: str, **how: Any) -> DatasetDict:
    from datasets import load_dataset_builder
    from datasets.packaged_modules.csv.csv import Csv

    builder = load_dataset_builder(path, **how)
    if isinstance(builder, Csv):  # cells as they stand: no number, date or missing value is guessed
        builder = load_dataset_builder(path, **how, converters=dict.fromkeys(COLUMNS, str), keep_default_na=False)
    builder.download_and_prepare()
    return builder.as_dataset()


def _trajectories(what: str, dataset: Dataset) -> str:
    tasks = f" of {len(set(dataset['task_id'])):,} tasks" if "task_id" in dataset.column_names else ""
    repository = re.split("[:@]", what)[0]
    where = f"; the tasks are in {repository.removesuffix('-sft')}" if repository.endswith("-sft") else ""
    return f"it holds {len(dataset):,} trajectories{tasks} (`messages`), without questions and gold answers{where}"


def _table(dataset: Dataset) -> pa.Table:
    """The columns of a task as the dataset types them, as far as their values allow."""
    from datasets import ClassLabel

    table = dataset.with_format("arrow")[:]
    columns = {}
    for name in (each for each in COLUMNS if each in table.column_names):
        column = table.column(name)
        feature = dataset.features[name]
        if isinstance(feature, ClassLabel):
            names = pa.array(feature.names, pa.string())
            column = pa.chunked_array([names.take(chunk) for chunk in column.chunks], pa.string())
        columns[name] = _typed(column, COLUMNS[name][0])
    return pa.table(columns)


def _typed(column: pa.ChunkedArray, expected: str) -> pa.ChunkedArray:
    """The column as what is expected; as it is where that can't be, for the reader of tasks to say so."""
    is_text = TYPES["text"](column.type)
    if expected == "text" and (TYPES["a number"](column.type) or pa.types.is_boolean(column.type)):
        return column.cast(pa.string())
    if expected == "a number" and is_text:
        with suppress(pa.ArrowInvalid):
            return pc.if_else(pc.equal(column, ""), None, column).cast(pa.float64())
    if expected == "a list of text" and is_text:
        return pa.chunked_array([[_names(text) for text in column.to_pylist()]], pa.list_(pa.string()))
    return column


def _names(text: str | None) -> list[str]:
    """File names as a cell of a CSV file holds them: a JSON list, a Python list, or one name."""
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            names = read(text or "[]")
            if isinstance(names, list):
                return [str(name) for name in names]
    return [str(text)]


def _state_of(error: Exception, what: str) -> HubError:
    """What the library's error means. It tells of the network by the Hub client's errors, somewhere in the chain."""
    import httpx2
    from datasets.exceptions import DataFilesNotFoundError, DatasetNotFoundError
    from huggingface_hub.errors import HfHubHTTPError

    chain = list(causes(error))
    if any(isinstance(each, HubError | HfHubHTTPError | httpx2.HTTPError) for each in chain):
        return state_of(error, what, "main")
    first_line = (str(chain[-1]).splitlines() or [""])[0][:200]
    if isinstance(error, DataFilesNotFoundError | DatasetNotFoundError | FileNotFoundError):
        return HubError(f"there is nothing in {what} that datasets can read", "not_found")
    if "BuilderConfig" in first_line:
        return HubError(f"{what} is no configuration of it ({first_line})", "not_found")
    return HubError(f"datasets can't read it ({type(chain[-1]).__name__}: {first_line})", "corrupt")


if __name__ == "__main__":
    main(*sys.argv[1:])
