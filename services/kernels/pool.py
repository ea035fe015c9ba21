"""All kernels of the app: who has one, how many there may be, and which ends when there are too many."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from services.kernels.ahead import KernelsAhead, Prepared
from services.kernels.engine import Completions, Engine, Head, KernelDied, KernelNotStarted, Variables
from services.kernels.launch import Launcher
from services.kernels.limits import Limits, span_in_words
from services.kernels.line import Line
from services.kernels.run import Run, Stopped
from services.kernels.session import RUN_AGAIN, Inputs, Session, Tell
from services.kernels.session_folder import SessionFolder, sweep
from services.kernels.supervisor import Supervisor
from services.settings import Settings

logger = logging.getLogger(__name__)

TICK_SECONDS = 0.25  # how often kernels are looked at
GRACE_SECONDS = 1.0  # between two cells of a row of them a kernel is not idle
ABSENT_SECONDS = 60.0  # without a reader of a run in line, or a question about it
LONGEST_LINE = 100
KEPT_FAREWELLS = 1000
KEPT = "Its variables and files are gone; cells and outputs are kept."


class UnknownRun(LookupError):
    """There is no such run: its kernel is gone, or it was never started."""


class KernelPool:
    """Gives each visitor, known by a random token, one kernel; more visitors than kernels stand in line.

    There are never more kernels than `limits.kernels`, those that end and those that wait for a visitor counted.
    A visitor takes a waiting kernel first, so these are in nobody's way. An async context manager; all calls come from
    one event loop.
    """

    def __init__(
        self,
        new_engine: Callable[[SessionFolder], Engine],
        sessions: Path,
        limits: Limits,
        refusal: Callable[[], str] = lambda: "",
        settled: Callable[[], bool] = lambda: True,
    ) -> None:
        """`sessions` is where session folders are made.

        While `refusal` gives a sentence, no kernel is started; before `settled`, none is started ahead.
        """
        self._new_engine = new_engine
        self._folders = sessions
        self._limits = limits
        self._refusal = refusal
        self._settled = settled
        self._sessions: dict[str, Session] = {}
        self._line = Line()
        self._ahead = KernelsAhead(limits.waiting, self._new_kernel)
        self._supervisor = Supervisor(limits)
        self._farewells: OrderedDict[str, str] = OrderedDict()
        self._endings: set[asyncio.Task[None]] = set()
        self._freeing: set[asyncio.Task[None]] = set()  # endings after which one more kernel may start
        self._ticking: asyncio.Task[None] | None = None

    @classmethod
    def from_settings(cls, settings: Settings, launcher: Launcher) -> Self:
        return cls(
            launcher.engine,
            settings.cache_dir / "sessions",
            Limits.from_settings(settings),
            refusal=lambda: launcher.refusal,
            settled=lambda: launcher.settled,
        )

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(sweep, self._folders)
        self._ticking = asyncio.create_task(self._tick())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._ticking:
            self._ticking.cancel()
        for token in list(self._sessions):
            self._end(token, "The app was stopped. Your cells and outputs are kept.")
        await self._ahead.close()
        if self._endings:
            await asyncio.wait(self._endings)

    def run(self, token: str, task_id: str, cell_id: str, code: str, inputs: Inputs, address: str = "") -> Run:
        """Run a cell in the visitor's kernel, starting one where there is none for this task.

        `inputs` is called in a thread when a folder is filled: file name → path,
        or a sentence that says why the file is missing; it may raise `InputsUnavailable`.
        `address` stands for the visitor's network, '' when that does not count. The run always exists; one that was
        refused is done at once and says why.
        """
        session = self._sessions.get(token)
        if session is not None and session.task_id == task_id:
            return session.run(cell_id, code, inputs, self._farewells.pop(token, ""))
        note, before, ending = "", None, None
        if session is not None:
            before, ending = (
                session,
                self._end(token, "A cell of another task was run. Your cells and outputs are kept."),
            )
            note = "A fresh kernel was started for this task; the variables of the previous task are gone."
            del self._farewells[token]  # said here, by the note
        note = note or self._farewells.pop(token, "")
        refused = self._refusal()
        if not refused and before is None:
            before, ending, refused = self._room_at(address)
        if not refused and len(self._line) >= LONGEST_LINE:
            refused = f"{LONGEST_LINE} visitors stand in line already. Your cells are kept; try again in a few minutes."
        if refused:
            run = Run(cell_id, self._limits.output_bytes)
            run.finish("refused", refused)
            return run
        session = Session(task_id, partial(self._prepare, ending), self._new_engine, self._limits, address)
        if before is not None and before.seated and ending is not None:
            session.seated = True  # in its place
            self._freeing.discard(ending)
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
        session.seen = time.monotonic()
        return session.runs[run_id]

    def status(self, token: str) -> dict[str, Any]:
        """State, task and runs of the visitor's kernel, a `message` when there is something to say.

        `ended` tells that there is no kernel because the one there was has ended.
        `offer` tells that the running cell ignored an interrupt, so that its kernel can be ended. Being asked is no use
        of the kernel: a page left open does not keep one for ever.
        """
        session = self._sessions.get(token)
        farewell = f"{self._farewells[token]} {RUN_AGAIN}" if token in self._farewells else ""
        message = self._refusal() or farewell or (session.message if session else "")
        runs = session.runs.values() if session else ()
        if session:
            session.seen = time.monotonic()
        return {
            "state": session.state if session else "none",
            "ended": session.ended if session else token in self._farewells,
            "task_id": session.task_id if session else None,
            "runs": [{"run_id": run.run_id, "cell_id": run.cell_id, "done": run.log.done} for run in runs],
            "message": message,
            "offer": bool(session and session.offers_end),
        }

    def answer_input(self, token: str, run_id: str, text: str) -> bool:
        """Answer what a run of the visitor's asks; False when it asks nothing."""
        session = self._sessions.get(token)
        return session is not None and session.answer_input(run_id, text)

    async def complete(self, token: str, task_id: str, code: str, cursor: int) -> Completions | None:
        """What could be typed at code point `cursor` of `code`; None when no kernel of this task is free to say."""
        with contextlib.suppress(KernelDied):
            if engine := self._free_engine(token, task_id):
                return await engine.complete(code, cursor)
        return None

    async def inspect(self, token: str, task_id: str, code: str, cursor: int) -> str:
        """Signature and documentation of the name at code point `cursor`; "" when there is none to be had."""
        with contextlib.suppress(KernelDied):
            if engine := self._free_engine(token, task_id):
                return await engine.inspect(code, cursor)
        return ""

    async def variables(self, token: str, task_id: str) -> Variables | None:
        """What the visitor's cells have made; None when no kernel of this task is free to say."""
        with contextlib.suppress(KernelDied):
            if engine := self._free_engine(token, task_id):
                return await engine.variables()
        return None

    async def head(self, token: str, task_id: str, name: str) -> Head | None:
        """The first rows of the table of that name; None when there are none to be had."""
        with contextlib.suppress(KernelDied):
            if engine := self._free_engine(token, task_id):
                return await engine.head(name)
        return None

    def _free_engine(self, token: str, task_id: str) -> Engine | None:
        session = self._sessions.get(token)
        if session is None or session.task_id != task_id:
            return None
        session.used = time.monotonic()  # who types has not left
        return session.free_engine

    async def stop(self, token: str, end: bool = False) -> Stopped:
        """Stop what runs: by an interrupt, or with `end` by the kernel's end."""
        session = self._sessions.get(token)
        return await session.stop(end) if session else Stopped("Nothing is running.")

    async def restart(self, token: str) -> str:
        """Start the visitor's kernel afresh in the same folder; gives a sentence."""
        session = self._sessions.get(token)
        if session is None or session.folder is None:
            if session:
                session.leave("Not run: the kernel was restarted.")
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
        return session.folder.answer() if session and session.folder and session.task_id == task_id else None

    # ---- who gets a kernel

    def _new_kernel(self) -> Prepared:
        folder = SessionFolder(self._folders)
        return Prepared(folder, self._new_engine(folder))

    async def _prepare(self, ending: asyncio.Task[None] | None, session: Session, tell: Tell) -> Prepared:
        """A kernel for a session, once there may be one more; `ending` is the end of one whose place it takes."""
        if not session.seated:
            taken = self._line.wait(partial(setattr, session, "seated", True), partial(tell, "waiting"))
            waiting = asyncio.ensure_future(taken)
            await asyncio.sleep(0)
            self._serve()
            await waiting
        if prepared := self._ahead.claim():
            return prepared
        if ending is not None:
            await asyncio.wait({ending})
        return self._new_kernel()

    def _free(self) -> int:
        seated = sum(session.seated for session in self._sessions.values())
        return self._limits.kernels - seated - len(self._freeing)

    def _serve(self) -> None:
        """Give what is free to those first in line, and make room for those behind them."""
        self._line.serve(self._free())
        for token in self._unused()[: max(0, len(self._line) - len(self._freeing))]:
            self._end(
                token,
                "Your kernel was ended to make room for another visitor or tab: it was the one unused for longest. "
                f"{KEPT}",
            )
        self._line.tell(self._news)

    def _news(self, number: int) -> str:
        if number <= len(self._freeing):
            return "A kernel nobody uses is being ended to make room."
        kernels = self._limits.kernels
        runs = f"all {kernels} kernels are running cells" if kernels > 1 else "the one kernel is running a cell"
        next_step = "Your cell starts by itself once one is free; Stop leaves the line."
        return f"You are number {number} in line: {runs}. {next_step}"

    def _unused(self) -> list[str]:
        """Tokens of those whose kernel is idle, longest first."""
        before = time.monotonic() - GRACE_SECONDS
        idle = [(each.used, token) for token, each in self._sessions.items() if each.seated and not each.busy]
        return [token for used, token in sorted(idle) if used < before]

    def _room_at(self, address: str) -> tuple[Session | None, asyncio.Task[None] | None, str]:
        """The session ended, with its ending, so that an address has no kernel too many, or why none could be."""
        own = {token: each for token, each in self._sessions.items() if address and each.address == address}
        own = {token: each for token, each in own.items() if each.seated or each.busy}
        most = self._limits.per_address
        if len(own) < most:
            return None, None, ""
        idle = [token for token, each in own.items() if not each.busy]
        if not idle:
            kernels = "a kernel" if most == 1 else f"{most} kernels"
            return (
                None,
                None,
                (
                    f"Your network address has {kernels} already, running or in line, and may not have more. "
                    "Your cells are kept: stop a cell in another tab, or wait until it is done."
                ),
            )
        oldest = min(idle, key=lambda token: own[token].used)
        ending = self._end(
            oldest, f"Your kernel was ended: your network address started another and may have {most} at once. {KEPT}"
        )
        return own[oldest], ending, ""

    def _end(self, token: str, farewell: str) -> asyncio.Task[None]:
        session = self._sessions.pop(token)
        self._farewells[token] = farewell
        while len(self._farewells) > KEPT_FAREWELLS:
            self._farewells.popitem(last=False)
        ending = asyncio.create_task(session.close(farewell))
        self._endings.add(ending)
        if session.seated:
            self._freeing.add(ending)
        ending.add_done_callback(self._ended)
        return ending

    def _ended(self, ending: asyncio.Task[None]) -> None:
        self._endings.discard(ending)
        self._freeing.discard(ending)
        self._serve()

    # ---- over and over

    async def _tick(self) -> None:
        while True:
            try:
                self._look_after_all()
            except Exception:
                # kernels must be looked after whatever happened to one of them
                logger.exception("Kernels could not be looked after")
            await asyncio.sleep(TICK_SECONDS)

    def _look_after_all(self) -> None:
        now = time.monotonic()
        self._supervisor.guard_app(self._sessions.values())
        for token, session in list(self._sessions.items()):
            self._supervisor.check(session)
            if any(run.log.followed for run in session.runs.values()):
                session.seen = now
            absent = now - session.seen > ABSENT_SECONDS
            if session.state == "waiting" and absent:
                session.leave("You lost your place in line: nobody asked for it for a minute. Run the cell again.")
            elif session.busy:
                continue
            elif not session.seated and absent:
                del self._sessions[token]
            elif session.seated and now - session.used > self._limits.idle_seconds:
                span = span_in_words(self._limits.idle_seconds)
                self._end(token, f"Your kernel was ended after {span} without use. {KEPT}")
        self._serve()
        if self._refusal():
            return
        if self._settled():
            self._ahead.tend(self._free() - len(self._endings - self._freeing) - len(self._ahead))
