"""One visitor's session: a folder, its kernel, and the runs of cells in it, one at a time and in order."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Literal

from services.kernels.ahead import Prepared
from services.kernels.deaths import kernel_stopped
from services.kernels.engine import Engine, KernelDied, KernelNotStarted
from services.kernels.limits import Limits
from services.kernels.missing_files import told_missing
from services.kernels.run import STOPPED, Run, Stop, Stopped
from services.kernels.session_folder import SessionFolder
from services.kernels.text_limits import size_in_words

Inputs = Callable[[], Mapping[str, Path | str]]  # name → the file, or a sentence that says why it is missing
State = Literal["none", "waiting", "starting", "idle", "busy"]
Tell = Callable[[str, str], None]  # a run's status and a sentence

STOP_SECONDS = 3.0  # how long an interrupted cell has
YOUNG_SECONDS = 2.0  # after this a cell's code runs for sure
YOUNG_PAUSES = (0.5, 1.0, STOP_SECONDS)  # a younger one is interrupted again after these, in seconds from the first
MOST_WAITING = 50  # cells, the running one among them; the page sends one at a time
KEPT_RUNS = 50
KEPT_RUNS_FACTOR = 20  # all runs of a session may keep this many times the output of one

AFTER_DEATH = "Variables are gone; your cells, outputs and files are kept."
RUN_AGAIN = "Run a cell to start a fresh kernel."
GOES_ON = (
    f"The cell goes on: it has ignored the interrupt for {STOP_SECONDS:.0f} s. You can wait, or end its kernel: "
    "variables will be lost; cells, outputs and files are kept."
)
ENDED_BY_STOP = f"Kernel ended. {AFTER_DEATH}"


class InputsUnavailable(Exception):
    """A task's files can't be had; the message is a sentence for the visitor."""


class Session:
    """A kernel for one task. A kernel that ended is started anew in the same folder by the next run."""

    def __init__(
        self,
        task_id: str,
        prepare: Callable[[Session, Tell], Awaitable[Prepared]],
        new_engine: Callable[[SessionFolder], Engine],
        limits: Limits,
        address: str = "",
    ) -> None:
        """`prepare` gives the session its folder and its first kernel, once it may have one."""
        self.task_id = task_id
        self.address = address
        self.seated = False  # it counts among the kernels there may be
        self.folder: SessionFolder | None = None
        self.used = self.seen = time.monotonic()
        self.runs: OrderedDict[str, Run] = OrderedDict()
        self.warning = ""  # what is about to go wrong
        self.executions = 0  # runs whose code the kernel got
        self.memory = 0  # bytes its kernel held when it was last looked at
        self._prepare = prepare
        self._new_engine = new_engine
        self._limits = limits
        self._engine: Engine | None = None
        self._start: asyncio.Task[None] | None = None  # of a kernel started ahead
        self._live = False  # a kernel is there, and its end would be news
        self._turn = asyncio.Lock()
        self._running: Run | None = None
        self._ignoring: Run | None = None  # it went on after an interrupt
        self._state: State = "none"
        self._had_kernel = False
        self._gone = ""  # why there is no kernel any more
        self._missing: dict[str, str] = {}  # files of the task that could not be had, and why
        self._fill_due = True  # by the next run; a restart asks for missing files again
        self._tasks: set[asyncio.Task[None]] = set()  # restarts, and kernels being ended
        self._emptying: asyncio.Task[None] | None = None
        self._next_restart: asyncio.Task[None] | None = None  # one that waits for its turn

    @property
    def state(self) -> State:
        if self._state == "idle" and not (self._engine and self._engine.alive):
            return "none"
        if self._state == "waiting" and self.seated:
            return "starting"
        return self._state

    @property
    def ended(self) -> bool:
        """Whether a kernel was there and is no more."""
        return self._had_kernel and self.state == "none"

    @property
    def message(self) -> str:
        """Why the kernel is gone, while it is, or what is wrong with it."""
        if self.state == "none":
            return f"{self._gone} {RUN_AGAIN}" if self._gone else ""
        return self.warning

    @property
    def busy(self) -> bool:
        """Whether a run is under way or waits for its turn, or the kernel restarts."""
        return self._turn.locked() or any(not run.log.done for run in self.runs.values())

    @property
    def offers_end(self) -> bool:
        """Whether the running cell has ignored an interrupt, so that only its kernel's end would stop it."""
        return self._ignoring is not None and self._ignoring is self._running

    @property
    def engine(self) -> Engine | None:
        """The kernel, None before the first and while one starts."""
        return self._engine if self._live else None

    @property
    def executing(self) -> Run | None:
        """The run whose code the kernel has."""
        return self._running if self._running and self._running.running_since is not None else None

    def run(self, cell_id: str, code: str, inputs: Inputs, note: str = "") -> Run:
        """Queue a cell. `note` is told once it runs. Where too many wait, the run is done at once and says so."""
        run = Run(cell_id, self._limits.output_bytes)
        self.used = self.seen = time.monotonic()
        if sum(not each.log.done for each in self.runs.values()) >= MOST_WAITING:
            run.finish(
                "refused", f"{MOST_WAITING} cells wait for this kernel already. Your cells are kept: run fewer at once."
            )
            return run
        if self.busy:
            run.log.status("waiting")
        self.runs[run.run_id] = run
        self._forget_old_runs()
        run.work = asyncio.create_task(self._work(run, code, inputs, note))
        run.work.add_done_callback(run.end_unended)
        return run

    def answer_input(self, run_id: str, text: str) -> bool:
        """Answer what the run asks; False when it asks nothing."""
        self.used = time.monotonic()
        running = self._running
        if self._engine is None or running is None or running.run_id != run_id:
            return False
        return self._engine.answer_input(text)

    @property
    def free_engine(self) -> Engine | None:
        """The kernel while no cell runs or waits, so that asking it something holds none up; None at other times."""
        return self.engine if self.state == "idle" and not self.busy else None

    async def stop(self, end: bool = False) -> Stopped:
        """Interrupt the running cell and drop those that wait; says how it went.

        A cell that goes on is left alone: its kernel is ended only by a further call with `end`, which ends it at once.
        """
        self.used = time.monotonic()
        running, state = self._running, self.state
        unfinished = [run for run in self.runs.values() if not run.log.done]
        if not unfinished:
            return Stopped("Nothing is running.")
        for run in unfinished:
            if run is not running or self.executing is None:
                self._cancel(run, "Stopped.")
        if running is None or self.executing is None or self._engine is None:
            left = {"waiting": "Stopped: you left the line.", "starting": "Stopped while the kernel was starting."}
            return Stopped(left.get(state, "Stopped."))
        if end:
            await self._end_kernel(running, ENDED_BY_STOP)
            return Stopped(running.message or ENDED_BY_STOP)
        if await self._interrupt(running, STOPPED):
            return Stopped(running.message or STOPPED.obeyed)
        self._ignoring = running
        return Stopped(GOES_ON, offer=True)

    async def enforce(self, stop: Stop, ended: str, *, at_once: bool = False, empty: bool = False) -> None:
        """Interrupt the running cell for going over a limit; end the kernel, saying `ended`, if it goes on.

        `at_once` leaves the interrupt out; `empty` empties the folder after the kernel's end.
        """
        run, engine = self.executing, self._engine
        if run is not None and not at_once and await self._interrupt(run, stop):
            return
        if engine is not self._engine or not self._live:
            return
        if run is not None:
            run.limit = stop.limit
        await self._end_kernel(run, ended)
        if empty and self.folder is not None:
            self._emptying = asyncio.create_task(asyncio.to_thread(self.folder.empty))
            await asyncio.wait({self._emptying})

    def note_death(self) -> None:
        """Take notice of a kernel that ended while no cell ran, and clear up what it left running."""
        if not self._live or self._turn.locked() or self._engine is None or self._engine.alive:
            return
        self._live = False
        self._gone = f"{kernel_stopped(self._engine.exit_code, idle=True, held=self._held())} {AFTER_DEATH}"
        self._state = "none"
        self._keep(asyncio.create_task(self._engine.close()))

    def leave(self, reason: str) -> None:
        """Give up the place in line; its runs are told `reason`."""
        self._cancel_runs(reason)

    async def restart(self) -> None:
        """End the kernel and all runs, and start a fresh kernel in the same folder: one for all who wait for it.

        Raises:
            KernelNotStarted: it did not come up.
        """
        self.used = time.monotonic()
        self._cancel_runs("The kernel was restarted.")
        self._fill_due = True
        if self._next_restart is None or self._next_restart.done():
            self._next_restart = self._keep(asyncio.create_task(self._restart()))
        restart = self._next_restart
        await asyncio.wait({restart})
        if restart.cancelled():
            raise KernelNotStarted("The kernel was ended while it restarted. Run a cell to start a fresh one.")
        restart.result()

    async def close(self, reason: str) -> None:
        """End everything and remove the folder; unfinished runs are told `reason`. No run may come after it."""
        self._cancel_runs(reason)
        for task in [*self._tasks, *filter(None, [self._start])]:
            task.cancel()
        async with self._turn:
            await asyncio.gather(*self._tasks, *filter(None, [self._start]), return_exceptions=True)
            self._live = False
            if self._engine is not None:
                await self._engine.close()
            self._state = "none"
        if self.folder is not None:
            await asyncio.to_thread(self.folder.remove)

    def _cancel_runs(self, reason: str) -> None:
        for run in self.runs.values():
            if not run.log.done:
                self._cancel(run, reason)

    def _cancel(self, run: Run, reason: str) -> None:
        run.ended = run.ended or reason
        if run.work:
            run.work.cancel()

    async def _interrupt(self, run: Run, stop: Stop) -> bool:
        """Interrupt a run the kernel has; whether it ended in time."""
        if self._engine is None or run.work is None:
            return True
        run.stop = run.stop or stop
        began = time.monotonic()
        # a kernel that is not yet at the code loses the signal; one that is at its traceback loses that to another
        young = run.running_since is not None and began - run.running_since < YOUNG_SECONDS and not run.at_work
        for number, until in enumerate(YOUNG_PAUSES if young else (STOP_SECONDS,)):
            if number == 0 or not run.at_work:
                self._keep(asyncio.create_task(self._engine.interrupt()))
            await asyncio.wait({run.work}, timeout=max(0.0, began + until - time.monotonic()))
            if run.work.done():
                return True
        return False

    async def _end_kernel(self, run: Run | None, reason: str) -> None:
        """End the kernel at once; the run in it, or else the next one, is told `reason`."""
        if self._engine is None:
            return
        self._live = False
        if run is None:
            self._gone = reason
        else:
            run.ended = run.ended or reason
        await self._engine.close()
        if run is not None and run.work is not None:
            await asyncio.wait({run.work})

    def _keep(self, task: asyncio.Task[None]) -> asyncio.Task[None]:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _restart(self) -> None:
        async with self._turn:
            self._next_restart = None
            try:
                await self._start_kernel()
            finally:
                self._settle()

    def _settle(self) -> None:
        self._state = "idle" if self._engine and self._engine.alive else "none"
        self.used = time.monotonic()

    async def _work(self, run: Run, code: str, inputs: Inputs, note: str) -> None:
        try:
            async with self._turn:
                self._running = run
                try:
                    engine, fresh = await self._kernel(run, inputs)
                    self._state = "busy"
                    run.log.status("running", " ".join(filter(None, (note, fresh, self.warning))))
                    run.running_since = time.monotonic()
                    self.executions += 1
                    run.replied(await engine.execute(code, run.emit), self._memory_hint())
                except KernelDied as error:
                    self._live = False
                    status = "stopped" if run.ended and not run.limit else "died"
                    death = f"{kernel_stopped(error.exit_code, held=self._held())} {AFTER_DEATH} {RUN_AGAIN}"
                    run.finish(status, run.ended or death)
                finally:
                    self._running = None
                    self._settle()
        except InputsUnavailable as error:
            run.finish("refused", str(error))
        except KernelNotStarted as error:
            run.finish("died", str(error))
        except asyncio.CancelledError:
            run.finish("stopped", run.ended or "Stopped.")
        except OSError as error:
            run.finish("died", f"The kernel's folder could not be made ready: {error.strerror}. Run the cell again.")

    async def _kernel(self, run: Run, inputs: Inputs) -> tuple[Engine, str]:
        """The session's kernel, started where there is none, and what to say of one that took another's place."""
        if self.folder is None:
            self._state = "starting" if self.seated else "waiting"
            prepared = await self._prepare(self, run.log.status)
            self.folder, self._engine, self._start = prepared.folder, prepared.engine, prepared.start
        unfilled = self._fill_due and (self._missing or not self.folder.filled)
        if unfilled:
            self._state = "starting"
            run.log.status("starting", "Filling the kernel's folder.")
            await self._fill(self.folder, inputs)
        if self._start is not None:
            await self._await_start(self._start)
        if self._engine is not None and self._engine.alive:
            return self._engine, told_missing(self._missing) if unfilled else ""
        run.log.status("starting", "Starting a kernel.")
        written = "gone too" if self._emptying else "kept"
        fresh = (
            f"A fresh kernel was started: earlier variables are gone, files you wrote are {written}."
            if self._had_kernel
            else ""
        )
        if self._gone:
            fresh = f"{self._gone} {fresh}"
        return await self._start_kernel(), " ".join(filter(None, (fresh, told_missing(self._missing))))

    async def _fill(self, folder: SessionFolder, inputs: Inputs) -> None:
        """Put the files that can be had into the folder, and note why the others can't."""
        found = await asyncio.to_thread(inputs)
        await asyncio.to_thread(
            folder.fill, {name: source for name, source in found.items() if isinstance(source, Path)}
        )
        self._missing = {name: why for name, why in found.items() if isinstance(why, str)}
        self._fill_due = False

    async def _await_start(self, start: asyncio.Task[None]) -> None:
        self._state = "starting"
        try:
            await start
        except KernelNotStarted:
            return  # the next one may come up, or say why not
        finally:
            self._start = None
        self._live = self._had_kernel = True

    async def _start_kernel(self) -> Engine:
        self._state = "starting"
        self._live = False
        if self._engine is not None:
            await self._engine.close()  # with what an ended kernel left running
        if self._emptying is not None:
            await asyncio.wait({self._emptying})
            self._emptying = None
        assert self.folder is not None
        self._engine = self._new_engine(self.folder)
        await self._engine.start()
        self._live = self._had_kernel = True
        self._gone = self.warning = ""
        self.memory = 0
        return self._engine

    def _held(self) -> int:
        """The memory last seen, when it is much of what is allowed."""
        return self.memory if self.memory > self._limits.memory_bytes / 2 else 0

    def _memory_hint(self) -> str:
        return (
            f"Out of memory: a kernel may hold {size_in_words(self._limits.memory_bytes)} here. Variables are kept. "
            "Delete what you don't need any more, read fewer columns or rows, or work in parts."
        )

    def _forget_old_runs(self) -> None:
        most = self._limits.output_bytes * KEPT_RUNS_FACTOR
        for run_id, run in list(self.runs.items())[:-1]:
            if len(self.runs) <= KEPT_RUNS and sum(each.log.size for each in self.runs.values()) <= most:
                return
            if run.log.done:
                del self.runs[run_id]
