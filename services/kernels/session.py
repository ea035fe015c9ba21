"""One visitor's session: a folder, its kernel, and the runs of cells in it, one at a time and in order."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from services.kernels.engine import Engine, KernelDied, KernelNotStarted
from services.kernels.run_log import RunLog
from services.kernels.session_folder import SessionFolder

logger = logging.getLogger(__name__)

Inputs = Callable[[], Mapping[str, Path]]
State = Literal["none", "starting", "idle", "busy"]

STOP_SECONDS = 3.0  # how long an interrupted cell has before its kernel is ended
KEPT_RUNS = 50
KEPT_RUNS_FACTOR = 20  # all runs of a session may keep this many times the output of one

FRESH_AFTER_END = "A fresh kernel was started: earlier variables are gone, files you wrote are kept."
ENDED_BY_STOP = (
    f"The cell did not stop within {STOP_SECONDS:.0f} s, so its kernel was ended. "
    "Variables are gone; your cells, outputs and files are kept."
)


class InputsUnavailable(Exception):
    """A task's files can't be had; the message is a sentence for the visitor."""


class Run:
    """One run of a cell: what it said so far, and how it is stopped."""

    def __init__(self, cell_id: str, code: str, output_bytes: int) -> None:
        self.run_id = secrets.token_hex(12)
        self.cell_id = cell_id
        self.code = code
        self.log = RunLog(output_bytes)
        self.stopped = ""  # why it was stopped, once it was
        self.work: asyncio.Task[None] | None = None
        self._began = time.monotonic()

    def finish(self, status: str, message: str = "", execution_count: int | None = None) -> None:
        """End the run, once: a second end is ignored."""
        if self.log.done:
            return
        event = {
            "status": status,
            "execution_count": execution_count,
            "seconds": round(time.monotonic() - self._began, 3),
        }
        self.log.finish(event | ({"message": message} if message else {}))


class Session:
    """A kernel for one task. A kernel that ended is started anew in the same folder by the next run."""

    def __init__(
        self, task_id: str, folder: SessionFolder, new_engine: Callable[[SessionFolder], Engine], output_bytes: int
    ) -> None:
        self.task_id = task_id
        self.folder = folder
        self.used = time.monotonic()
        self.runs: OrderedDict[str, Run] = OrderedDict()
        self._new_engine = new_engine
        self._output_bytes = output_bytes
        self._engine: Engine | None = None
        self._turn = asyncio.Lock()
        self._running: Run | None = None
        self._state: State = "none"
        self._had_kernel = False
        self._restarts: set[asyncio.Task[None]] = set()

    @property
    def state(self) -> State:
        if self._state == "idle" and not (self._engine and self._engine.alive):
            return "none"
        return self._state

    @property
    def busy(self) -> bool:
        """Whether a run is under way or waits for its turn, or the kernel restarts."""
        return self._turn.locked() or any(not run.log.done for run in self.runs.values())

    def run(self, cell_id: str, code: str, inputs: Inputs, note: str = "") -> Run:
        """Queue a cell. `note` is told once it runs."""
        run = Run(cell_id, code, self._output_bytes)
        self.used = time.monotonic()
        if self.busy:
            run.log.status("waiting")
        self.runs[run.run_id] = run
        self._forget_old_runs()
        run.work = asyncio.create_task(self._work(run, inputs, note))
        run.work.add_done_callback(lambda work: _end_unended(run, work))
        return run

    async def stop(self) -> str:
        """Stop the running cell and those that wait; gives the sentence that says how it went.

        A cell that goes on after an interrupt is ended with its kernel.
        """
        self.used = time.monotonic()
        running = self._running
        unfinished = [run for run in self.runs.values() if not run.log.done]
        if not unfinished:
            return "Nothing is running."
        for run in unfinished:
            run.stopped = "Stopped."
            if run is not running and run.work:
                run.work.cancel()
        if running is None or running.work is None:
            return "Stopped."
        if self._state == "starting" or self._engine is None:
            running.work.cancel()
            return "Stopped while the kernel was starting."
        await self._engine.interrupt()
        await asyncio.wait({running.work}, timeout=STOP_SECONDS)
        if running.work.done():
            return "Stopped. Variables are kept."
        running.stopped = ENDED_BY_STOP
        await self._engine.close()
        return ENDED_BY_STOP

    async def restart(self) -> None:
        """End the kernel and all runs, and start a fresh kernel in the same folder.

        Raises:
            KernelNotStarted: it did not come up.
        """
        self.used = time.monotonic()
        self._cancel_runs("The kernel was restarted.")
        restart = asyncio.create_task(self._restart())
        self._restarts.add(restart)
        restart.add_done_callback(self._restarts.discard)
        await asyncio.wait({restart})
        if restart.cancelled():
            raise KernelNotStarted("The kernel was ended while it restarted. Run a cell to start a fresh one.")
        restart.result()

    async def close(self, reason: str) -> None:
        """End everything and remove the folder; unfinished runs are told `reason`. No run may come after it."""
        self._cancel_runs(reason)
        for restart in self._restarts:
            restart.cancel()
        async with self._turn:
            if self._engine is not None:
                await self._engine.close()
            self._state = "none"
        await asyncio.to_thread(self.folder.remove)

    def _cancel_runs(self, reason: str) -> None:
        for run in self.runs.values():
            if not run.log.done:
                run.stopped = reason
                if run.work:
                    run.work.cancel()

    async def _restart(self) -> None:
        async with self._turn:
            try:
                await self._start_kernel()
            finally:
                self._settle()

    def _settle(self) -> None:
        self._state = "idle" if self._engine and self._engine.alive else "none"
        self.used = time.monotonic()

    async def _work(self, run: Run, inputs: Inputs, note: str) -> None:
        try:
            async with self._turn:
                self._running = run
                try:
                    engine, fresh = await self._kernel(run, inputs)
                    self._state = "busy"
                    run.log.status("running", " ".join(filter(None, (note, fresh))))
                    reply = await engine.execute(run.code, run.log.emit)
                    status = "stopped" if run.stopped and reply.status == "error" else reply.status
                    run.finish(status, run.stopped, reply.execution_count)
                finally:
                    self._running = None
                    self._settle()
        except InputsUnavailable as error:
            run.finish("refused", str(error))
        except KernelNotStarted as error:
            run.finish("died", str(error))
        except KernelDied as error:
            run.finish("stopped" if run.stopped else "died", run.stopped or str(error))
        except asyncio.CancelledError:
            run.finish("stopped", run.stopped or "Stopped.")
        except OSError as error:
            run.finish("died", f"The kernel's folder could not be made ready: {error.strerror}. Run the cell again.")

    async def _kernel(self, run: Run, inputs: Inputs) -> tuple[Engine, str]:
        """The session's kernel, started where there is none, and what to say of one that took another's place."""
        if self._engine is not None and self._engine.alive:
            return self._engine, ""
        self._state = "starting"
        if not self.folder.filled:
            run.log.status("starting", "Bringing the task's files.")
            files = await asyncio.to_thread(inputs)
            await asyncio.to_thread(self.folder.fill, files)
        run.log.status("starting", "Starting a kernel.")
        fresh = FRESH_AFTER_END if self._had_kernel else ""
        return await self._start_kernel(), fresh

    async def _start_kernel(self) -> Engine:
        self._state = "starting"
        if self._engine is not None:
            await self._engine.close()  # with what an ended kernel left running
        self._engine = self._new_engine(self.folder)
        await self._engine.start()
        self._had_kernel = True
        return self._engine

    def _forget_old_runs(self) -> None:
        most = self._output_bytes * KEPT_RUNS_FACTOR
        for run_id, run in list(self.runs.items())[:-1]:
            if len(self.runs) <= KEPT_RUNS and sum(each.log.size for each in self.runs.values()) <= most:
                return
            if run.log.done:
                del self.runs[run_id]


def _end_unended(run: Run, work: asyncio.Task[None]) -> None:
    """End a run its own work did not end: it was cancelled before its first step, or failed in a way not foreseen."""
    if work.cancelled():
        run.finish("stopped", run.stopped or "Stopped.")
    elif error := work.exception():
        logger.error("A cell could not be run", exc_info=error)
        run.finish("died", "The app failed at running this cell; nothing of yours is lost. Run the cell again.")
