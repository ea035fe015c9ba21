"""Fetch a task's files ahead, or see what is there: `python -m services.datafiles fetch|status …`."""

from __future__ import annotations

import argparse
import os
import sys
import time

from services.catalog import CatalogError, Task, UnknownTask, open_catalog
from services.datafiles.errors import DataFileError, megabytes
from services.datafiles.files import DataFiles
from services.settings import Settings, SettingsError, load_settings

ENDINGS = "Exit code: 0 all files are there, 1 one is missing, 2 the command can't be carried out, 130 interrupted."
LINE_SECONDS = 5.0  # between lines of progress where there is no terminal


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m services.datafiles", description="Files of tasks, on this machine and on the Hub."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    fetch = commands.add_parser("fetch", help="fetch a task's files into the cache", epilog=ENDINGS)
    fetch.add_argument("task", help="id of the task")
    status = commands.add_parser("status", help="what the cache holds, and which of a task's files", epilog=ENDINGS)
    status.add_argument("task", nargs="?", help="id of a task")
    for each in (fetch, status):
        each.add_argument("--source", help="in place of TASKS_SOURCE: bundled, hub or a folder")
    given = parser.parse_args(arguments)
    if given.source:
        os.environ["TASKS_SOURCE"] = given.source
    try:
        settings = load_settings()
        catalog = open_catalog(settings)
        datafiles = DataFiles.from_settings(catalog.source, settings)
        task = catalog.task(given.task) if given.task else None
        if given.command == "fetch" and task:
            return _fetch(datafiles, task)
        return _status(datafiles, task, settings)
    except KeyboardInterrupt:
        print("\nStopped. What has come is kept; fetch again to go on.", file=sys.stderr)
        return 130
    except (SettingsError, CatalogError, UnknownTask, DataFileError) as error:
        print(error, file=sys.stderr)
    return 2


def _fetch(datafiles: DataFiles, task: Task) -> int:
    files = datafiles.list(task)
    known = [file.size for file in files if file.size is not None]
    print(
        f"{task.task_id}: {_files(len(files))}, {megabytes(sum(known))}"
        + ("" if len(known) == len(files) else " known")
    )
    line = _Progress(sum(known) if len(known) == len(files) else None)
    failed = 0
    for file in files:
        try:
            path = datafiles.open(task, file.name, progress=line.tell)
        except DataFileError as error:
            failed += 1
            line.clear()
            print(f"{file.name}: {error}", file=sys.stderr)
        else:
            size = path.stat().st_size
            line.came(file.name, size)
            print(f"{file.name}\t{size}\t{path}", flush=True)
    return 1 if failed else 0


def _status(datafiles: DataFiles, task: Task | None, settings: Settings) -> int:
    use = datafiles.cache_use()
    if use is None:
        print("The source is on this machine: nothing is fetched.")
    else:
        print(f"Cache: {settings.cache_dir / 'files'}")
        print(f"Whole: {_files(use.files)}, {megabytes(use.bytes)} of {megabytes(use.max_bytes)}")
        print(f"In part: {_files(use.parts)}, {megabytes(use.part_bytes)}")
        print(f"Disk: {megabytes(use.disk_free)} free, {settings.disk_free_gb:g} GB of them kept free")
    if task is None:
        return 0
    files = datafiles.list(task)
    for file in files:
        size = "size unknown" if file.size is None else megabytes(file.size)
        told = f" {file.missing}" if file.missing else ""
        changed = f" Changed on the Hub, seen on {file.changed}." if file.changed else ""
        print(f"{file.name}: {file.state}, {size}.{told}{changed}")
    return 0 if all(file.path for file in files) else 1


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"


class _Progress:
    """One line on a terminal, rewritten as bytes come; elsewhere a line now and then."""

    def __init__(self, total: int | None) -> None:
        self._total = total
        self._done: dict[str, int] = {}
        self._told = time.monotonic()
        self._width = 0

    def tell(self, name: str, done: int, total: int | None) -> None:
        self._done[name] = done
        of = f" of {megabytes(total)}" if total else ""
        whole = f" of {megabytes(self._total)}" if self._total else ""
        line = f"{name}: {megabytes(done)}{of} · in all {megabytes(sum(self._done.values()))}{whole}"
        if sys.stderr.isatty():
            print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(line)
        elif time.monotonic() - self._told > LINE_SECONDS:
            print(line, file=sys.stderr, flush=True)
            self._told = time.monotonic()

    def came(self, name: str, size: int) -> None:
        self._done[name] = size
        self.clear()

    def clear(self) -> None:
        if self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0


if __name__ == "__main__":
    sys.exit(main())
