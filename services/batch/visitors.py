"""The batches of an app's visitors: files taken in, one batch a visitor, bounded in number, size and idle time."""

from __future__ import annotations

import contextlib
import csv
import fcntl
import io
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from services.batch.matching import Plan, Policy, told_as_batch_error
from services.batch.predictions import Columns
from services.batch.run import Batch
from services.batch.store import BatchError
from services.catalog import Catalog, Query
from services.grading import Grader
from services.reference import ReferenceGrader

FILES = 10
MOST = 8  # visitors with files or a batch here
IDLE_SECONDS = 3600.0  # then a batch may be deleted
SOON_SECONDS = 300.0  # and this, where another visitor needs the room
_MB = 1_000_000


@dataclass(frozen=True)
class UploadedFile:
    """A file of predictions a visitor gave; `size` in bytes."""

    name: str
    path: Path
    size: int


@dataclass
class Visitor:
    """What one visitor has here. `lock` is held by whoever changes it."""

    folder: Path
    files: list[UploadedFile] = field(default_factory=list)
    arriving: set[Upload] = field(default_factory=set)
    plan: Plan | None = None
    batch: Batch | None = None
    used: float = field(default_factory=time.monotonic)
    lock: threading.RLock = field(default_factory=threading.RLock)

    @property
    def grading(self) -> bool:
        return self.batch is not None and not self.batch.wait(0)


class Batches:
    """Every visitor's files and batch, below a folder of this app's own that goes with it. Safe from any thread."""

    def __init__(
        self,
        folder: Path,
        catalog: Catalog,
        new_grader: Callable[[], Grader],
        upload_mb: int,
        reference: ReferenceGrader | None = None,
    ) -> None:
        """`new_grader` makes the grader all batches share, at the first of them, apart from the one the page uses."""
        _sweep(folder)
        self._root = folder / secrets.token_hex(8)
        self._alive: IO[bytes] | None = None
        self._catalog = catalog
        self._new_grader = new_grader
        self._grader: Grader | None = None
        self._limit = upload_mb * _MB
        self._reference = reference
        self._visitors: dict[str, Visitor] = {}
        self._lock = threading.Lock()
        self._closed = False

    def close(self) -> None:
        """Stop all batches and delete everything."""
        with self._lock:
            self._closed = True
            visitors, self._visitors = list(self._visitors.values()), {}
        for visitor in visitors:
            _end(visitor)
        if self._grader:
            self._grader.close()
        shutil.rmtree(self._root, ignore_errors=True)
        if self._alive:
            self._alive.close()

    def visitor(self, token: str) -> Visitor | None:
        """What this visitor has here, if anything."""
        with self._lock:
            found = self._visitors.get(token)
            if found:
                found.used = time.monotonic()
            return found

    def example(self) -> str:
        """A file of predictions as CSV: a placeholder for an answer to each of the first two tasks."""
        text = io.StringIO(newline="")
        table = csv.writer(text)
        table.writerow(("task_id", "prediction", "sample", "run"))
        for task in self._catalog.tasks(Query(), page=0, size=2):
            table.writerow((task.task_id, "your model's answer", 1, "my-model"))
        return text.getvalue()

    def upload(self, token: str, name: str) -> Upload:
        """Begin to take in a file; it counts once `Upload.keep` was called.

        Raises:
            BatchError: there is no room for another visitor, or this one has enough files.
        """
        visitor = self._visitor_for(token)
        with self._lock:
            if len(visitor.files) + len(visitor.arriving) >= FILES:
                raise BatchError(f"{FILES} files are the most. Remove one first.")
            try:
                return Upload(visitor, name, self._limit)
            except OSError as error:
                raise BatchError(f"{name} was not taken in: it can't be written here ({error.strerror}).") from error

    def remove_file(self, token: str, number: int) -> None:
        """Take a file back, and what was made of it."""
        visitor = self.visitor(token)
        if visitor is None:
            return
        with visitor.lock:
            if 0 <= number < len(visitor.files):
                visitor.files.pop(number).path.unlink(missing_ok=True)
                _drop_plan(visitor)

    def read(self, token: str, columns: Mapping[str, Columns]) -> Plan:
        """Read the visitor's files and match them with the tasks. A batch that was there is gone.

        Raises:
            BatchError, UnreadableFile, ColumnsUnclear: see `Plan.read`.
        """
        visitor = self.visitor(token)
        if visitor is None or not visitor.files:
            raise BatchError("There are no files here any more. Choose them again.")
        with visitor.lock:
            _drop_plan(visitor)
            files = [(file.name, file.path) for file in visitor.files]
            visitor.plan = Plan.read(files, self._catalog, visitor.folder / "plan", columns)
            return visitor.plan

    def start(self, token: str, policy: Policy) -> Batch:
        """Grade the plan under a policy, from the start.

        Raises:
            BatchError: there is no plan, or the app is ending.
        """
        visitor = self.visitor(token)
        if visitor is None or visitor.plan is None:
            raise BatchError("The files are not here any more. Choose them again.")
        with visitor.lock:
            _end_batch(visitor)
            with told_as_batch_error(visitor.folder):
                batch = Batch(visitor.plan, policy, self._shared_grader(), self._catalog, self._reference)
            batch.start()
            visitor.batch = batch
            return batch

    def go_on(self, token: str) -> Batch | None:
        """Resume the visitor's batch, if there is one."""
        visitor = self.visitor(token)
        if visitor is None:
            return None
        with visitor.lock:  # not while another policy takes its place
            if visitor.batch:
                visitor.batch.start()
            return visitor.batch

    def _shared_grader(self) -> Grader:
        with self._lock:
            if self._closed:
                raise BatchError("The app is ending.")
            self._grader = self._grader or self._new_grader()
            return self._grader

    def _visitor_for(self, token: str) -> Visitor:
        now = time.monotonic()
        with self._lock:
            if self._closed:
                raise BatchError("The app is ending.")
            if token not in self._visitors:
                gone = self._make_room(now)
                self._visitors[token] = Visitor(self._new_folder())
            else:
                gone = []
            found = self._visitors[token]
            found.used = now
        for visitor in gone:
            _end(visitor)
        return found

    def _make_room(self, now: float) -> list[Visitor]:
        """Take out who was idle for long, and the longest idle one where that is needed."""
        idle = sorted((v.used, token) for token, v in self._visitors.items() if not v.grading)
        gone = [token for used, token in idle if now - used > IDLE_SECONDS]
        if not gone and len(self._visitors) >= MOST:
            gone = [token for used, token in idle[:1] if now - used > SOON_SECONDS]
            if not gone:
                raise BatchError(f"{MOST} others have files here now. Try again in some minutes.")
        return [self._visitors.pop(token) for token in gone]

    def _new_folder(self) -> Path:
        try:
            if self._alive is None:
                self._root.mkdir(parents=True)
                self._alive = _held(self._root)
            folder = self._root / secrets.token_hex(8)
            folder.mkdir()
        except OSError as error:
            raise BatchError(f"There is no room for files here ({error.strerror}).") from error
        return folder


class Upload:
    """A file on its way in. Exactly one of `keep` and `discard` ends it."""

    def __init__(self, visitor: Visitor, name: str, limit: int) -> None:
        self._visitor = visitor
        self._name = name
        self._limit = limit
        self._path = visitor.folder / secrets.token_hex(8)
        self._file = self._path.open("xb")
        self._size = 0
        visitor.arriving.add(self)

    def write(self, part: bytes) -> None:
        """Add to the file.

        Raises:
            BatchError: the visitor's files together are over the limit, or the disk is full.
        """
        self._size += len(part)
        self._visitor.used = time.monotonic()
        held = [file.size for file in list(self._visitor.files)]
        held += [upload._size for upload in list(self._visitor.arriving)]
        if sum(held) > self._limit:
            most = self._limit // _MB
            raise BatchError(
                f"{self._name} was not taken in: {most:,} MB in all is the most. Give fewer rows or columns."
            )
        try:
            self._file.write(part)
        except OSError as error:
            raise BatchError(f"{self._name} was not taken in: it can't be written here ({error.strerror}).") from error

    def keep(self) -> None:
        """The file is whole.

        Raises:
            BatchError: the last of it can't be written.
        """
        try:
            self._file.close()
        except OSError as error:
            raise BatchError(f"{self._name} was not taken in: it can't be written here ({error.strerror}).") from error
        with self._visitor.lock:
            self._visitor.arriving.discard(self)
            self._visitor.files.append(UploadedFile(self._name, self._path, self._size))
            _drop_plan(self._visitor)

    def discard(self) -> None:
        with contextlib.suppress(OSError):  # what could not be written is written again as it closes
            self._file.close()
        self._path.unlink(missing_ok=True)
        self._visitor.arriving.discard(self)


def _end_batch(visitor: Visitor) -> None:
    if visitor.batch:
        visitor.batch.stop()
        visitor.batch.wait()
    visitor.batch = None


def _drop_plan(visitor: Visitor) -> None:
    _end_batch(visitor)
    if visitor.plan:
        visitor.plan.store.remove()
    visitor.plan = None


def _end(visitor: Visitor) -> None:
    with visitor.lock:
        _drop_plan(visitor)
    shutil.rmtree(visitor.folder, ignore_errors=True)


def _held(folder: Path) -> IO[bytes]:
    """Mark a folder as in use for as long as this process lives."""
    mark = (folder / "in-use").open("wb")
    fcntl.flock(mark, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return mark


def _sweep(folder: Path) -> None:
    """Remove what apps that were killed left."""
    for left in folder.glob("*/in-use"):
        with contextlib.suppress(OSError):  # held by an app that runs, or just removed by another one
            _held(left.parent).close()
            shutil.rmtree(left.parent, ignore_errors=True)
