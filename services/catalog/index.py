"""The catalog's SQLite file: built once from a source's contents, then only read."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Iterable
from contextlib import closing, suppress
from dataclasses import fields
from pathlib import Path
from posixpath import splitext
from typing import BinaryIO
from urllib.parse import quote

from services.catalog.parquet import Findings, read_tasks
from services.catalog.query import encodable, folded
from services.catalog.task import TIERS, Task

FORMAT = 2  # raise it when the tables below change: it is part of an index's name
COLUMNS = tuple(field.name for field in fields(Task))
CELL_COLUMNS = ("split", "tier", "level", "dataset", "mode", "package_tier", "file_types")
ABANDONED_SECONDS = 3600
KEPT = 5  # indexes no process uses, the newest

# position counts tasks as listed, from 0. A cell is one combination of facet values: counting cells counts tasks.
# The full-text table holds no answers, so no search can find one.
SCHEMA = f"""
CREATE TABLE task (position INTEGER PRIMARY KEY, cell INTEGER NOT NULL, shuffle_key INTEGER NOT NULL,
  {", ".join(COLUMNS)}, UNIQUE (task_id));
CREATE TABLE cell (cell INTEGER PRIMARY KEY, {", ".join(CELL_COLUMNS)}, tasks INTEGER NOT NULL);
CREATE TABLE curriculum (place INTEGER PRIMARY KEY, position INTEGER NOT NULL);
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'trigram case_sensitive 1');
"""


class CatalogError(Exception):
    """No index can be made; the message is a sentence for the operator."""


def index_for(folder: Path, cache_dir: Path) -> Path:
    """The index of the tasks in `folder`, built now unless one of the same contents is kept in `cache_dir`.

    Two processes may do this at once: each builds under its own name and moves the finished file into place.

    Raises:
        CatalogError: the folder can't be written.
    """
    files = file_hashes(folder)
    target = cache_dir / "catalog" / f"{_contents_hash(files)}.sqlite"
    if _is_whole(target):
        with suppress(OSError):  # a cache that can only be read
            os.utime(target)
        return target
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        unfinished = target.with_name(f"{target.stem}.{os.getpid()}.{time.monotonic_ns()}.unfinished")
        try:
            _build(folder, files, unfinished)
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except (OSError, sqlite3.Error) as error:
        message = f"The task index can't be written to {target.parent} ({error}). Set CACHE_DIR to a folder that can."
        raise CatalogError(message) from error
    return target


def open_index(path: Path) -> sqlite3.Connection:
    """A read-only connection to a finished index."""
    return sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True)


def hold_index(path: Path) -> BinaryIO:
    """The index as an open file: while it is open no other process removes the index."""
    file = path.open("rb")
    fcntl.flock(file, fcntl.LOCK_SH)
    return file


def file_hashes(folder: Path) -> dict[str, str]:
    """The sha256 of each parquet file of a source, in hexadecimal; of one that can't be read why, in few words."""
    hashes = {}
    for path in sorted((folder / "data").glob("*.parquet")):
        name = f"data/{encodable(path.name)}"
        if not path.is_file():  # a pipe or a device may never end
            hashes[name] = "unreadable"
            continue
        try:
            with path.open("rb") as file:
                hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError as error:
            hashes[name] = f"unreadable: {error.errno}"
    return hashes


def _contents_hash(files: dict[str, str]) -> str:
    """Names a source by what is in its parquet files, wherever they are."""
    return hashlib.sha256(json.dumps([FORMAT, files]).encode()).hexdigest()[:32]


def _is_whole(path: Path) -> bool:
    if not path.is_file():
        return False
    try:
        with closing(open_index(path)) as index:
            tasks = index.execute("SELECT value FROM about WHERE name = 'tasks'").fetchone()
            return bool(tasks and int(tasks[0]) == index.execute("SELECT count(*) FROM task").fetchone()[0])
    except sqlite3.Error:
        return False


def _sweep(folder: Path) -> None:
    """Remove what builds that were killed left behind, and all but the newest indexes that no process uses."""
    for path in folder.glob("*.unfinished"):
        with suppress(FileNotFoundError):  # another process sweeps too
            if time.time() - path.stat().st_mtime > ABANDONED_SECONDS:
                path.unlink()
    dated = []
    for path in folder.glob("*.sqlite"):
        with suppress(FileNotFoundError):
            dated.append((path.stat().st_mtime, path))
    for _, path in sorted(dated, reverse=True)[KEPT:]:
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()


def _build(folder: Path, files: dict[str, str], target: Path) -> None:
    findings = Findings()
    with closing(sqlite3.connect(target)) as index:
        # a crash leaves only an unfinished file, so nothing needs a journal
        index.executescript(
            "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -100000;" + SCHEMA
        )
        cells = _insert_tasks(index, read_tasks(folder, findings))
        marks = ", ".join("?" * (len(CELL_COLUMNS) + 2))
        index.executemany(
            f"INSERT INTO cell VALUES ({marks})", [(cell, *key, tasks) for key, (cell, tasks) in cells.items()]
        )
        tier = " ".join(f"WHEN '{name}' THEN {rank}" for rank, name in enumerate(TIERS))
        index.execute(
            "INSERT INTO curriculum SELECT row_number() OVER () - 1, position FROM (SELECT position FROM task "
            f"ORDER BY CASE difficulty_tier {tier} END, difficulty_level, task_id)"
        )
        tasks = sum(tasks for _, tasks in cells.values())
        about = {
            "tasks": str(tasks),
            "left_out": json.dumps(findings.left_out),
            "remark": findings.remark,
            "sha256": json.dumps(files),
        }
        index.executemany("INSERT INTO about VALUES (?, ?)", about.items())
        index.execute("INSERT INTO search (search) VALUES ('optimize')")
        index.commit()


def _insert_tasks(index: sqlite3.Connection, tasks: Iterable[Task]) -> dict[tuple[object, ...], tuple[int, int]]:
    """Write tasks and their searched text; returns each cell's number and count of tasks by its values."""
    cells: dict[tuple[object, ...], tuple[int, int]] = {}
    insert = f"INSERT INTO task VALUES (?, ?, ?, {', '.join('?' * len(COLUMNS))})"
    for position, task in enumerate(tasks):
        key = (
            task.split,
            task.difficulty_tier,
            task.difficulty_level,
            task.kaggle_dataset,
            task.reward_mode,
            task.package_tier,
            " ".join(file_types(task)),
        )
        cell, count = cells.get(key, (len(cells), 0))
        cells[key] = (cell, count + 1)
        values = [getattr(task, name) for name in COLUMNS]
        values[COLUMNS.index("files")] = json.dumps(task.files)
        index.execute(insert, (position, cell, _shuffle_key(task.task_id), *values))
        index.execute("INSERT INTO search (rowid, text) VALUES (?, ?)", (position, searched_text(task)))
    return cells


def _shuffle_key(task_id: str) -> int:
    digest = hashlib.blake2b(task_id.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def searched_text(task: Task) -> str:
    """What free text is looked for in: never the gold answer, nor the prompt."""
    parts = (task.question, task.task_id, task.kaggle_dataset, *dict.fromkeys(task.files))
    return "\n".join(folded(part) for part in parts)


def file_types(task: Task) -> list[str]:
    """The endings of the task's files in lower case, without the dot, each once; files without one have no type."""
    endings = {splitext(name)[1][1:].lower() for name in task.files}
    return sorted(ending for ending in endings if ending and " " not in ending)


def task_of(row: tuple[object, ...]) -> Task:
    """The task of a row of the `task` table's `COLUMNS`."""
    values = dict(zip(COLUMNS, row, strict=True))
    return Task(**values | {"files": tuple(json.loads(str(values["files"])))})  # type: ignore[arg-type]
