"""Watches what every kernel takes and that it lives; over a limit, says so and has it stopped."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar
from weakref import WeakKeyDictionary

from services.kernels.engine import Engine
from services.kernels.flood_guard import FloodGuard
from services.kernels.limits import Limits, span_in_words
from services.kernels.run import Run, Stop
from services.kernels.session import AFTER_DEATH, Session
from services.kernels.text_limits import size_in_words
from services.kernels.usage import FolderUse, folder_use, process_use, unnamed_use

FAR_OVER = 1.25  # times a limit: no time is left to ask
TOO_FAR = 2  # times a folder's limit: it is emptied even if nothing is written any more
GROWTH = 1.02  # times what was there before a cell; less is no growth
LOOK_SHARE = 20  # looking at a folder takes a twentieth of one processor at most
LOOK_SECONDS = 0.2
IDLE_LOOK_SECONDS = 2.0

_T = TypeVar("_T")
Name = Literal["memory", "threads", "folder", "time", "output"]


@dataclass(frozen=True)
class Breach:
    """A limit that was passed: what happened, what helps, and how hard the answer is."""

    limit: Name
    what: str
    advice: str
    at_once: bool = False
    empty: bool = False

    @property
    def stop(self) -> Stop:
        """What is said when the cell obeys the interrupt, or ends before it."""
        return Stop(
            f"{self.what} The cell was stopped; variables and files are kept. {self.advice}",
            f"{self.what} The cell came to its end. {self.advice}",
            self.limit,
        )

    @property
    def ended(self) -> str:
        """What is said when the kernel is ended."""
        if self.empty:
            return (
                f"{self.what} The kernel was ended and its folder emptied: variables and files are gone; "
                f"your cells and outputs are kept. {self.advice}"
            )
        return f"{self.what} The kernel was ended. {AFTER_DEATH} {self.advice}"


@dataclass
class _Watch:
    """What is known of one kernel; of memory and folder also what they were when `run` began."""

    folder: FolderUse = field(default_factory=FolderUse)
    run: Run | None = None
    executions: int = 0
    memory_before: int = 0
    folder_before: FolderUse | None = None  # or when the cell was told to stop
    told_of_folder: bool = False
    look: asyncio.Task[None] | None = None
    next_look: float = 0.0
    enforcing: asyncio.Task[None] | None = None
    hard: bool = False  # the answer under way leaves the interrupt out


class Supervisor:
    """Looks at sessions when told to, several times a second; what takes time it does in tasks of its own.

    A kernel that is over a limit and does not go further is let be, so that its owner can delete what is too much.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._watches: WeakKeyDictionary[Engine, _Watch] = WeakKeyDictionary()
        self._flood_guard = FloodGuard()
        self._tasks: set[asyncio.Task[None]] = set()

    def check(self, session: Session) -> None:
        """Look at a session's kernel once."""
        engine = session.engine
        if engine is None:
            return
        if not engine.alive:
            session.note_death()
            return
        watch = self._watches.setdefault(engine, _Watch())
        run = session.executing
        if run is not watch.run or session.executions != watch.executions:  # the last may have come and gone unseen
            watch.executions = session.executions
            watch.run, watch.memory_before, watch.next_look = run, session.memory, 0.0
            watch.folder_before, watch.told_of_folder = None, False
        if time.monotonic() >= watch.next_look and (watch.look is None or watch.look.done()):
            watch.look = self._spawn(self._look(session, watch))
        breach = self._of_processes(session, watch, engine.pid) or self._of_folder(session, watch) or self._of_run(run)
        if breach is None or (watch.enforcing and not watch.enforcing.done() and (watch.hard or not breach.at_once)):
            return
        watch.hard = breach.at_once
        watch.enforcing = self._spawn(
            session.enforce(breach.stop, breach.ended, at_once=breach.at_once, empty=breach.empty)
        )

    def guard_app(self, sessions: Iterable[Session]) -> None:
        """End the kernel that fills the app's memory, if one does."""
        kernels = {each.engine.pid: each for each in sessions if each.engine is not None and each.engine.pid}
        culprit = self._flood_guard.culprit(kernels)
        if culprit is not None:
            breach = Breach("output", "The kernel sent more at once than the app can take in.", "Show less at a time.")
            self._spawn(kernels[culprit].enforce(breach.stop, breach.ended, at_once=True))

    def _of_processes(self, session: Session, watch: _Watch, pid: int | None) -> Breach | None:
        use = process_use(pid) if pid else None
        if use is None:
            return None
        session.memory = use.memory
        threads, most = self._limits.threads, self._limits.memory_bytes
        if use.threads > threads:
            what = f"The kernel had {use.threads} threads; it may have {threads}."
            return Breach("threads", what, "A few workers (concurrent.futures) are as fast here.", at_once=True)
        far = use.memory > FAR_OVER * most
        if far or (watch.run and use.memory > max(most, GROWTH * watch.memory_before)):
            what = f"The kernel held {size_in_words(use.memory)} of memory; it may hold {size_in_words(most)}."
            advice = "Read fewer columns or rows, delete what you don't need any more, or work in parts."
            return Breach("memory", what, advice, at_once=far)
        return None

    def _of_folder(self, session: Session, watch: _Watch) -> Breach | None:
        use, before, limits = watch.folder, watch.folder_before, self._limits
        session.warning = ""
        if use.unseen:
            what = "The kernel's folder holds folders that can't be looked into: too deep, or closed."
            return Breach("folder", what, "Keep files in a few plain folders.", at_once=True, empty=True)
        if not _over(use, limits, 1):
            return None
        least = "at least " if _over(use, limits, TOO_FAR) else ""  # it was counted no further
        what = (
            f"The kernel's folder holds {least}{size_in_words(use.size)} in {use.files} files; "
            f"{size_in_words(limits.folder_bytes)} in {limits.folder_files} files is the most."
        )
        grew = before is not None and (use.size > GROWTH * before.size or use.files > GROWTH * before.files)
        unstopped = grew and (watch.run is None or watch.told_of_folder) and _over(use, limits, FAR_OVER)
        if unstopped or _over(use, limits, TOO_FAR):
            return Breach("folder", what, "Write less, or delete files as you go.", at_once=True, empty=True)
        advice = "Delete files you don't need any more: a cell that writes more is stopped."
        session.warning = f"{what} {advice}"
        if watch.run is None or not grew or watch.told_of_folder:
            return None
        watch.told_of_folder, watch.folder_before = True, use
        return Breach("folder", what, advice)

    def _of_run(self, run: Run | None) -> Breach | None:
        limits = self._limits
        if run is None or run.running_since is None:
            return None
        if time.monotonic() - run.running_since > limits.cell_seconds:
            what = f"The cell ran for {span_in_words(limits.cell_seconds)}, the longest a cell may run here."
            return Breach("time", what, "Try it on a part of the data first, or split it over several cells.")
        if run.received > limits.flood_bytes:
            most = size_in_words(limits.flood_bytes)
            what = f"The cell gave {size_in_words(run.received)} of output; {most} is the most."
            return Breach("output", what, "Print less, or write it to a file.")
        return None

    async def _look(self, session: Session, watch: _Watch) -> None:
        if session.folder is None:
            return
        folder, limits = session.folder, self._limits
        # once past this nothing more needs to be known
        most = FolderUse(limits.folder_bytes * TOO_FAR, limits.folder_files * TOO_FAR)
        use, walked = await asyncio.to_thread(_with_cost, folder_use, folder.writable, most)
        beside = [folder.start_log.stat().st_size] if folder.start_log.exists() else []
        if pid := session.engine.pid if session.engine else None:
            unnamed, read = await asyncio.to_thread(_with_cost, unnamed_use, pid, folder.writable, limits.folder_bytes)
            beside.append(unnamed)
            walked += read
        use = replace(use, size=use.size + sum(beside))
        watch.folder = use
        watch.folder_before = watch.folder_before or watch.folder
        pause = LOOK_SECONDS if watch.run else IDLE_LOOK_SECONDS
        watch.next_look = time.monotonic() + max(pause, walked * LOOK_SHARE)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _with_cost(look: Callable[..., _T], *args: Any) -> tuple[_T, float]:
    """What a look gives, and the seconds of processor it took: a machine busy with other work makes it no dearer."""
    began = time.thread_time()
    return look(*args), time.thread_time() - began


def _over(use: FolderUse, limits: Limits, times: float) -> bool:
    return use.size > limits.folder_bytes * times or use.files > limits.folder_files * times
