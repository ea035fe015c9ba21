"""A kernel on this machine: an ipykernel process of its own, reached over sockets in a private folder."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import zmq
import zmq.asyncio
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from services.kernels.engine import Emit, KernelDied, KernelNotStarted, Reply
from services.kernels.messages import output_of, pages_of
from services.kernels.provisioner import KernelStart, SessionProvisioner, kernel_command
from services.kernels.session_folder import SessionFolder

Message = dict[str, Any]
T = TypeVar("T")

START_SECONDS = 60.0
WATCH_SECONDS = 0.2  # how soon a death is noticed
LAST_WORDS_SECONDS = 0.2  # what a dying kernel sent may still be on its way
REPLY_SECONDS = 0.3  # how long after `idle` the reply of an interrupted cell may come
IDLE_SECONDS = 5.0  # silence after a reply that stands for a lost `idle`
START_LOG_CHARACTERS = 100_000
KEPT_CELLS = 64  # cells whose threads' late outputs still find their way


@dataclass
class _Cell:
    """What came back for one request."""

    emit: Emit
    started: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    interrupted: bool = False
    reply: asyncio.Future[Message] = field(default_factory=asyncio.Future)


class _Manager(AsyncKernelManager):
    """The manager of one kernel whose spec is ours, not one found on the machine."""

    def __init__(self, how: KernelStart, folder: SessionFolder, context: zmq.asyncio.Context) -> None:
        super().__init__(
            transport="ipc",
            ip=str(folder.sockets / "k"),
            connection_file=str(folder.sockets / "kernel.json"),
            context=context,
        )
        argv = kernel_command(how)
        self._kernel_spec = KernelSpec(argv=argv, display_name="Python", language="python")
        self.provisioner = SessionProvisioner(
            kernel_id="", kernel_spec=self._kernel_spec, parent=self, folder=folder, how=how
        )


class LocalEngine:
    """An `Engine` over jupyter_client: messages are read at all times, so the kernel never waits for a reader."""

    def __init__(self, how: Callable[[SessionFolder], Awaitable[KernelStart]], folder: SessionFolder) -> None:
        """`how` is asked when the kernel starts; it may raise KernelNotStarted."""
        self._how = how
        self._folder = folder
        self._manager: _Manager | None = None
        self._client: AsyncKernelClient | None = None
        self._context: zmq.asyncio.Context | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._cells: OrderedDict[str, _Cell] = OrderedDict()
        self._ended = asyncio.Event()
        self._welcomed = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None
        self._exit_code: int | None = None
        self._heard = 0.0

    @property
    def alive(self) -> bool:
        return self._client is not None and not self._ended.is_set()

    @property
    def pid(self) -> int | None:
        provisioner = self._manager.provisioner if self._manager else None
        return provisioner.pid if isinstance(provisioner, SessionProvisioner) and self.alive else None

    @property
    def exit_code(self) -> int | None:
        return self._exit_code

    async def start(self) -> None:
        how = await self._how(self._folder)
        try:
            await self._start(how)
        except (OSError, TimeoutError, zmq.ZMQError, KernelDied) as error:
            reason = self._why_not(error)
            await self.close()
            raise KernelNotStarted(
                f"The kernel could not be started: {reason}. Run the cell again; your cells are kept."
            ) from error
        except BaseException:
            await self.close()
            raise

    async def _start(self, how: KernelStart) -> None:
        self._context = zmq.asyncio.Context()
        # no limit on messages not yet read: one that is dropped may be the cell's end
        self._context.setsockopt(zmq.RCVHWM, 0)
        self._context.setsockopt(zmq.LINGER, 0)
        self._context.setsockopt(zmq.RECONNECT_IVL, 10)  # ms; the kernel binds its sockets after we connect
        self._manager = _Manager(how, self._folder, self._context)
        await self._manager.start_kernel()
        self._client = self._manager.client(context=self._context)
        self._client.start_channels(stdin=False, hb=False, control=False)
        self._tasks = [
            asyncio.create_task(self._read(self._client.get_iopub_msg, self._on_iopub)),
            asyncio.create_task(self._read(self._client.get_shell_msg, self._on_shell)),
            asyncio.create_task(self._watch(self._manager)),
        ]
        async with asyncio.timeout(START_SECONDS):
            hello = self._expect(self._client.kernel_info(), lambda output: None)
            await self._or_death(hello.reply)
            # outputs sent before the kernel knows of our subscription would be lost
            await self._or_death(self._welcomed.wait())

    async def execute(self, code: str, emit: Emit) -> Reply:
        if not self.alive or self._client is None:
            raise KernelDied(self._exit_code)
        # one cell at a time is sent, so there is no queue in the kernel for an error to clear
        cell = self._expect(self._client.execute(code, allow_stdin=False, stop_on_error=False), emit)
        content = await self._or_death(self._reply(cell))
        await self._or_death(self._idle(cell))
        for page in pages_of(content):
            emit(page)
        return Reply("ok" if content.get("status") == "ok" else "error", content.get("execution_count"))

    async def interrupt(self) -> None:
        if not self.alive or self._manager is None:
            return
        if self._cells:
            # before it runs the cell's code the kernel ignores the signal
            running = next(reversed(self._cells.values()))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(running.started.wait(), 3)
            running.interrupted = True
        await self._manager.interrupt_kernel()

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        # who asked may be cancelled; the kernel still ends
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._manager is not None and self._manager.provisioner is not None:
            # not by shutdown_kernel, which interrupts and asks first
            await self._manager.provisioner.kill()
            code = await self._manager.provisioner.wait()
            if not self._ended.is_set():
                self._exit_code = code
            self._manager.cleanup_connection_file()
            self._manager.cleanup_ipc_files()
        self._ended.set()
        if self._context is not None:
            self._context.destroy(linger=0)

    def _expect(self, message_id: str, emit: Emit) -> _Cell:
        cell = self._cells[message_id] = _Cell(emit)
        while len(self._cells) > KEPT_CELLS:
            self._cells.popitem(last=False)
        return cell

    async def _or_death(self, awaited: Awaitable[T]) -> T:
        """The result of `awaited`, or KernelDied when the kernel ends before it comes."""
        result = asyncio.ensure_future(awaited)
        ended = asyncio.ensure_future(self._ended.wait())
        try:
            await asyncio.wait({result, ended}, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            raise KernelDied(self._exit_code)
        finally:
            result.cancel()
            ended.cancel()

    async def _reply(self, cell: _Cell) -> Message:
        """The cell's reply. None comes when an interrupt hits the kernel just before or after the cell's code."""
        idle = asyncio.create_task(cell.idle.wait())
        try:
            await asyncio.wait((cell.reply, idle), return_when=asyncio.FIRST_COMPLETED)
        finally:
            idle.cancel()
        while not cell.reply.done():
            await asyncio.wait({cell.reply}, timeout=REPLY_SECONDS)
            if cell.interrupted and not cell.reply.done():
                return {"status": "error"}
        return cell.reply.result()

    async def _idle(self, cell: _Cell) -> None:
        """Return once the cell's last output has come; `idle` may come before the reply or after it."""
        while not cell.idle.is_set() and time.monotonic() - self._heard < IDLE_SECONDS:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(cell.idle.wait(), IDLE_SECONDS)

    async def _read(self, receive: Callable[[], Awaitable[Message]], handle: Callable[[Message], None]) -> None:
        while True:
            # a message not signed with this kernel's key, or malformed, is not from a well-behaved kernel
            with contextlib.suppress(ValueError, TypeError, LookupError, AttributeError, RecursionError):
                handle(await receive())

    def _on_shell(self, message: Message) -> None:
        cell = self._cells.get(message["parent_header"].get("msg_id", ""))
        if cell is not None and not cell.reply.done():
            cell.reply.set_result(message["content"])

    def _on_iopub(self, message: Message) -> None:
        self._heard = time.monotonic()
        kind, content = message["msg_type"], message["content"]
        if kind == "iopub_welcome":
            self._welcomed.set()
        cell = self._cells.get(message["parent_header"].get("msg_id", ""))
        if cell is None:
            return
        if kind == "execute_input":
            cell.started.set()
        elif kind == "status" and content.get("execution_state") == "idle":
            cell.started.set()
            cell.idle.set()
        output = output_of(kind, content)
        if output is not None:
            cell.emit(output)

    async def _watch(self, manager: _Manager) -> None:
        # a heartbeat would go on for a while after the process has ended
        while await manager.is_alive():  # noqa: ASYNC110 - the process has no event to wait for
            await asyncio.sleep(WATCH_SECONDS)
        await asyncio.sleep(LAST_WORDS_SECONDS)
        if manager.provisioner is not None:
            self._exit_code = await manager.provisioner.poll()
        self._ended.set()

    def _why_not(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"it did not answer within {START_SECONDS:.0f} s"
        with contextlib.suppress(OSError):
            with self._folder.start_log.open(errors="replace") as log:
                lines = log.read(START_LOG_CHARACTERS).split("\n")
            said = [line.strip() for line in lines if line.strip()]
            if said:
                return said[-1][-300:]
        return str(error)
