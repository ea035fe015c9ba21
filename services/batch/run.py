"""Grade a plan: in threads, in a shuffled order of tasks, to be stopped and resumed at any time."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, Literal, TypeVar

from services.batch.apart import outcome_of
from services.batch.compare import FlipsPage, Won, compare, flips
from services.batch.matching import Plan, Policy
from services.batch.report import Export, build_report, export_rows
from services.batch.store import (
    BatchRow,
    Beside,
    Findings,
    Graded,
    RowsPage,
    Waiting,
    record,
    record_beside,
    record_findings,
)
from services.batch.versions import Versions
from services.catalog import Catalog
from services.grading import Grader, Verdict
from services.reference import ReferenceGrader

State = Literal["ready", "grading", "retrying", "explaining", "comparing", "stopped", "failed", "done"]
T = TypeVar("T")

_UNGRADED = "graded.row IS NULL"
_COULD_NOT_RUN = "graded.outcome = 'not gradable'"
_IN_DOUBT = "graded.outcome IN ('right', 'wrong') AND graded.method != 'exact' AND NOT graded.explained"
_NOT_COMPARED = "graded.reward IS NOT NULL AND graded.reference = ''"
_READ_AT_ONCE = 64
_IN_FLIGHT = 32  # so that answers that take long leave work for the other threads
_KNOWN = 4096  # results kept for rows that are the same
_COMMIT_SECONDS = 0.3
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Progress:
    """How far the batch is: `done` of `total` rows in this state, `seconds` since it was started, `rate` rows a second.

    `sentence` says the same to a person, and what was kept where the batch stopped or failed.
    """

    state: State
    done: int
    total: int
    seconds: float
    rate: float
    sentence: str

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


class Batch:
    """A plan under a policy, and its grading. All methods may be called from any thread."""

    def __init__(
        self,
        plan: Plan,
        policy: Policy,
        grader: Grader,
        catalog: Catalog,
        reference: ReferenceGrader | None = None,
    ) -> None:
        """Choose the rows. All verdicts come first, then the cautions and near misses of rows not matched exactly, then
        the verdicts of the dataset's own grader where there is one.
        """
        self.plan = plan
        self.policy = policy
        self.total = plan.choose(policy)
        self._store = plan.store
        self._grader = grader
        self._catalog = catalog
        self._reference = reference
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._state: State = "ready"
        self._done = 0
        self._of = self.total
        self._worked = 0  # rows since the last start
        self._began = self._ended = 0.0
        self._failure = ""

    def start(self) -> None:
        """Begin in the background, or go on after a stop or a failure; nothing happens while it runs."""
        with self._lock:
            if self._thread and self._thread.is_alive():
                return
            self._stopping.clear()
            self._state, self._worked, self._failure = "grading", 0, ""
            self._began = time.monotonic()
            self._thread = threading.Thread(target=self._run, name="batch", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Ask for an end; what was graded is kept, and answers being graded are finished first."""
        self._stopping.set()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until nothing runs; False when `seconds` passed before."""
        if self._thread:
            self._thread.join(seconds)
            return not self._thread.is_alive()
        return True

    def close(self) -> None:
        """Stop, and delete everything that was kept."""
        self.stop()
        self.wait()
        self._store.remove()

    def progress(self) -> Progress:
        state, done, of = self._state, self._done, self._of
        ended = state in {"ready", "stopped", "failed", "done"}
        seconds = (self._ended if ended else time.monotonic()) - self._began
        rate = self._worked / seconds if seconds > 0 else 0.0
        return Progress(state, done, of, seconds, rate, self._failure or _sentence(state, done, of))

    def report(self) -> dict[str, Any]:
        """The numbers so far, see `build_report`; partial until the state is `done`."""
        versions = Versions.of(self._catalog)
        return build_report(self._store, versions, self.plan.counts(self.policy), self.policy, self._state)

    def look(self) -> tuple[Progress, dict[str, Any]]:
        """The progress and the report, of the same state."""
        while True:
            progress, report = self.progress(), self.report()
            if progress.state == report["state"] == self._state:
                return progress, report

    def rows(self, filters: Mapping[str, str], offset: int = 0, limit: int = 50) -> RowsPage:
        """Graded rows that pass the filters, see `Store.rows`."""
        return self._store.rows(filters, offset, limit)

    def row(self, number: int) -> BatchRow:
        """The graded row of this number, its answer whole.

        Raises:
            KeyError: none has it.
        """
        return self._store.rows_numbered([number])[number]

    def compare(self, first: str, second: str) -> dict[str, Any]:
        """Two runs side by side, see `compare.compare`."""
        return compare(self._store, first, second)

    def flips(
        self, first: str, second: str, won: Won | Literal[""] = "", offset: int = 0, limit: int = 50
    ) -> FlipsPage:
        """The tasks that one of two runs got right and the other wrong."""
        return flips(self._store, first, second, won, offset, limit)

    def export(self, kind: Export, path: Path, filters: Mapping[str, str] | None = None) -> int:
        """Write the graded rows to `path` as `csv` or `jsonl`; gives back how many. See `export_rows`."""
        return export_rows(self._store.each_row(filters or {}), Versions.of(self._catalog), kind, path)

    def _run(self) -> None:
        end: State = "failed"
        try:
            self._work_through(_UNGRADED, "grading", self._grade, record)
            self._work_through(_COULD_NOT_RUN, "retrying", self._grade, record)
            self._work_through(_IN_DOUBT, "explaining", self._explain, record_findings)
            if self._reference:
                self._work_through(_NOT_COMPARED, "comparing", partial(self._beside, self._reference), record_beside)
            end = "stopped" if self._stopping.is_set() else "done"
        except Exception as error:
            _LOG.exception("A batch ended early.")
            full = isinstance(error, OSError | sqlite3.Error)
            why = f"the results can't be written ({error})" if full else "of an error of the app, which its log tells"
            self._failure = f"Grading ended early: {why}. What was graded is kept; start again to go on."
        self._ended = time.monotonic()
        if end == "done":
            self._done = self._of = self.total
        self._state = end

    def _count(self, select: str) -> int:
        with self._store.connection() as database:
            found = database.execute(f"SELECT count(*) FROM queue LEFT JOIN graded USING (row) WHERE {select}")
            return int(found.fetchone()[0])

    def _grade(self, waiting: Waiting) -> Graded:
        task = self._catalog.task(waiting.task_id)
        verdict = self._grader.grade(
            task.answer, waiting.prediction, task.reward_mode, task.atol, task.rtol, explain=False
        )
        return graded(verdict, waiting.prediction)

    def _explain(self, waiting: Waiting) -> Findings:
        task = self._catalog.task(waiting.task_id)
        found = self._grader.explain(
            task.answer, waiting.prediction, task.reward_mode, task.atol, task.rtol, question=task.question
        )
        return tuple(each.kind for each in found.cautions), tuple(each.kind for each in found.near_misses)

    def _beside(self, reference: ReferenceGrader, waiting: Waiting) -> Beside:
        task = self._catalog.task(waiting.task_id)
        case = (task.answer, waiting.prediction, task.reward_mode, task.atol, task.rtol)
        theirs = reference.grade(*case)
        if theirs.reward is None:
            return "no verdict"
        ours = self._grader.grade(*case, explain=False)
        return "disagrees" if theirs.disagrees(ours.reward, ours.method) else "agrees"

    def _work_through(
        self,
        select: str,
        state: State,
        work: Callable[[Waiting], T],
        keep: Callable[[sqlite3.Connection, int, T], None],
    ) -> None:
        """Do `work` on the queued rows that `select` picks, and `keep` what comes of it; equal rows are worked once."""
        if self._stopping.is_set():
            return
        left = self._count(select)
        self._of = self.total if state == "grading" else left
        self._done, self._state = self._of - left, state
        with (
            self._store.connection() as reading,
            self._store.connection() as writing,
            ThreadPoolExecutor(self._grader.workers, thread_name_prefix="batch") as threads,
        ):
            rows = self._until_stopped(self._store.waiting(reading, select, _READ_AT_ONCE))
            committed = time.monotonic()
            kept = 0  # since then
            try:
                for row, result in _Shared(threads, work, self._stopping).results(rows):
                    keep(writing, row, result)
                    kept += 1
                    if time.monotonic() - committed > _COMMIT_SECONDS:
                        writing.commit()
                        self._advance(kept)
                        committed, kept = time.monotonic(), 0
            finally:
                threads.shutdown(cancel_futures=True)
        self._advance(kept)

    def _advance(self, rows: int) -> None:
        """Count rows that the store now has for everyone."""
        self._done += rows
        self._worked += rows

    def _until_stopped(self, blocks: Iterator[list[Waiting]]) -> Iterator[Waiting]:
        for block in blocks:
            for waiting in block:
                if self._stopping.is_set():
                    return
                yield waiting


class _Shared(Generic[T]):
    """Work in threads, a few rows in flight, and once for rows of the same task and answer."""

    def __init__(self, threads: ThreadPoolExecutor, work: Callable[[Waiting], T], stopping: threading.Event) -> None:
        self._threads = threads
        self._stopping = stopping
        self._work = work
        self._known: OrderedDict[bytes, T] = OrderedDict()
        self._rows: dict[bytes, list[int]] = {}
        self._keys: dict[Future[T], bytes] = {}

    def results(self, rows: Iterable[Waiting]) -> Iterator[tuple[int, T]]:
        """Each row's number and result, as they come."""
        for waiting in rows:
            key = _key(waiting)
            if key in self._known:
                yield waiting.row, self._known[key]
            elif key in self._rows:
                self._rows[key].append(waiting.row)
            else:
                self._rows[key] = [waiting.row]
                self._keys[self._threads.submit(self._work, waiting)] = key
            if len(self._keys) >= _IN_FLIGHT:
                yield from self._finished()
        while self._keys:
            if self._stopping.is_set():
                self._keys = {future: key for future, key in self._keys.items() if not future.cancel()}
            yield from self._finished()

    def _finished(self) -> Iterator[tuple[int, T]]:
        for future in wait(self._keys, return_when=FIRST_COMPLETED).done:
            key = self._keys.pop(future)
            result = self._known[key] = future.result()
            if len(self._known) > _KNOWN:
                self._known.popitem(last=False)
            for row in self._rows.pop(key):
                yield row, result


def graded(verdict: Verdict, prediction: str | None) -> Graded:
    """A verdict as a row keeps it."""
    outcome, kind = outcome_of(verdict.outcome, prediction)
    why = "There is no answer." if outcome == "no answer" else reason(verdict)
    return Graded(outcome, verdict.reward, verdict.method, why, kind)


def reason(verdict: Verdict) -> str:
    """Why, in a line: the rung that matched, what could not run, or how each rung that was tried failed, the one that
    says most first.
    """
    state = "matched" if verdict.reward else "could not run" if verdict.reward is None else "failed"
    rungs = sorted(verdict.rungs, key=lambda rung: rung.name != verdict.telling)
    told = [f"{rung.name}: {rung.detail}" for rung in rungs if rung.state == state]
    return " ".join(told) or verdict.rungs[0].detail


def _key(waiting: Waiting) -> bytes:
    answer = "\0" if waiting.prediction is None else f"\1{waiting.prediction}"
    return hashlib.blake2b(f"{waiting.task_id}{answer}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _sentence(state: State, done: int, of: int) -> str:
    rows, are = ("row", "is") if of == 1 else ("rows", "are")
    return {
        "ready": f"{of:,} {rows} {are} ready to be graded.",
        "grading": f"{done:,} of {of:,} {rows} {are} graded.",
        "retrying": f"All rows are graded. {done:,} of {of:,} that could not be {are} tried once more.",
        "explaining": f"All rows are graded. {done:,} of {of:,} {are} looked at for cautions and near misses.",
        "comparing": f"All rows are graded. {done:,} of {of:,} {are} graded by the dataset's own grader as well.",
        "stopped": "Stopped. What was graded is kept and shown; start again to go on.",
        "failed": "Grading ended early.",
        "done": f"All {of:,} rows are graded." if of != 1 else "The one row is graded.",
    }[state]
