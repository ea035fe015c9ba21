"""All kernels of the app: who has one, how many there may be, and which ends when there are too many."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from services.kernels.engine import Engine, KernelNotStarted
from services.kernels.launch import Launcher
from services.kernels.limits import Limits
from services.kernels.session import Inputs, Run, Session
from services.kernels.session_folder import SessionFolder, sweep
from services.settings import Settings

KEPT_FAREWELLS = 1000


class UnknownRun(LookupError):
    """There is no such run: its kernel is gone, or it was never started."""


class KernelPool:
    """Gives each visitor, known by a random token, one kernel.

    An async context manager; all calls come from one event loop.
    """

    def __init__(
        self,
        new_engine: Callable[[SessionFolder], Engine],
        sessions: Path,
        limits: Limits,
        refusal: Callable[[], str] = lambda: "",
    ) -> None:
        """`sessions` is where session folders are made. While `refusal` gives a sentence, no kernel is started."""
        self._new_engine = new_engine
        self._folders = sessions
        self._limits = limits
        self._refusal = refusal
        self._sessions: dict[str, Session] = {}
        self._farewells: OrderedDict[str, str] = OrderedDict()
        self._endings: set[asyncio.Task[None]] = set()
        self._reaper: asyncio.Task[None] | None = None

    @classmethod
    def from_settings(cls, settings: Settings, launcher: Launcher) -> Self:
        return cls(
            launcher.engine,
            settings.cache_dir / "sessions",
            Limits.from_settings(settings),
            refusal=lambda: launcher.refusal,
        )

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(sweep, self._folders)
        self._reaper = asyncio.create_task(self._reap())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._reaper:
            self._reaper.cancel()
        for token in list(self._sessions):
            self._end(token, "The app was stopped. Your cells and outputs are kept.")
        if self._endings:
            await asyncio.wait(self._endings)

    def run(self, token: str, task_id: str, cell_id: str, code: str, inputs: Inputs) -> Run:
        """Run a cell in the visitor's kernel, starting one where there is none for this task.

        `inputs` is called in a thread when a folder is filled: file name → path; it may raise `InputsUnavailable`.
        The run always exists; one that was refused is done at once and says why.
        """
        note = ""
        session = self._sessions.get(token)
        if session is not None and session.task_id != task_id:
            self._end(token, "A cell of another task was run. Your cells and outputs are kept.")
            del self._farewells[token]  # said here, by the note
            note = "A fresh kernel was started for this task; the variables of the previous task are gone."
            session = None
        if session is None:
            note = note or self._farewells.pop(token, "")
            refused = self._refusal() or self._make_room()
            try:
                folder = None if refused else SessionFolder(self._folders)
            except OSError as error:
                folder, refused = None, f"No folder could be made for a kernel: {error.strerror}. Your cells are kept."
            if folder is None:
                run = Run(cell_id, code, self._limits.output_bytes)
                run.finish("refused", refused)
                return run
            session = Session(task_id, folder, self._new_engine, self._limits.output_bytes)
            self._sessions[token] = session
        return session.run(cell_id, code, inputs, note)

    def find(self, token: str, run_id: str) -> Run:
        """A run of this visitor's kernel.

        Raises:
            UnknownRun: it is not there.
        """
        session = self._sessions.get(token)
        if session is None or run_id not in session.runs:
            raise UnknownRun("This run is not known here any more. Its output up to here is kept; run the cell again.")
        return session.runs[run_id]

    def status(self, token: str) -> dict[str, Any]:
        """State, task and runs of the visitor's kernel, and a `message` when there is something to say.

        Being asked is no use of the kernel: a page left open does not keep one for ever.
        """
        session = self._sessions.get(token)
        message = self._refusal() or self._farewells.pop(token, "")
        runs = session.runs.values() if session else ()
        return {
            "state": session.state if session else "none",
            "task_id": session.task_id if session else None,
            "runs": [{"run_id": run.run_id, "cell_id": run.cell_id, "done": run.log.done} for run in runs],
            "message": message,
        }

    async def stop(self, token: str) -> str:
        """Stop what runs; gives a sentence."""
        session = self._sessions.get(token)
        return await session.stop() if session else "Nothing is running."

    async def restart(self, token: str) -> str:
        """Start the visitor's kernel afresh in the same folder; gives a sentence."""
        session = self._sessions.get(token)
        if session is None:
            return "There is no kernel; the next cell you run starts one."
        try:
            await session.restart()
        except KernelNotStarted as error:
            return str(error)
        return "The kernel was restarted: its variables are gone; cells, outputs and files are kept."

    def answer(self, token: str, task_id: str) -> str | None:
        """The text of the visitor's `answer.txt` for a task, None when their kernel has none or is another task's.

        Raises:
            AnswerUnreadable: it is there and can't be taken as text.
        """
        session = self._sessions.get(token)
        return session.folder.answer() if session and session.task_id == task_id else None

    def _make_room(self) -> str:
        """End the kernel unused for longest when there are too many; gives a sentence when none can be ended."""
        if len(self._sessions) < self._limits.kernels:
            return ""
        idle = [token for token, session in self._sessions.items() if not session.busy]
        if not idle:
            return f"All {self._limits.kernels} kernels are running cells. Your cells are kept; try again in a minute."
        self._end(
            min(idle, key=lambda token: self._sessions[token].used),
            "Your kernel was ended to make room for another visitor: it was the one unused for longest. "
            "Variables are gone; cells and outputs are kept.",
        )
        return ""

    def _end(self, token: str, farewell: str) -> None:
        session = self._sessions.pop(token)
        self._farewells[token] = farewell
        while len(self._farewells) > KEPT_FAREWELLS:
            self._farewells.popitem(last=False)
        ending = asyncio.create_task(session.close(farewell))
        self._endings.add(ending)
        ending.add_done_callback(self._endings.discard)

    async def _reap(self) -> None:
        while True:
            await asyncio.sleep(min(5.0, self._limits.idle_seconds / 4))
            before = time.monotonic() - self._limits.idle_seconds
            for token, session in list(self._sessions.items()):
                if session.used < before and not session.busy:
                    minutes = self._limits.idle_seconds / 60
                    span = f"{minutes:.0f} minutes" if minutes >= 2 else f"{self._limits.idle_seconds:.0f} seconds"
                    self._end(
                        token,
                        f"Your kernel was ended after {span} without use. "
                        "Variables are gone; cells and outputs are kept.",
                    )
