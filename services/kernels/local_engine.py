"""A kernel on this machine: an ipykernel process of its own, reached over sockets in a private folder."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import zmq
import zmq.asyncio
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager

from services.kernels.channels import BAD_MESSAGE, Channels, Message, Name, new_context
from services.kernels.engine import (
    Completions,
    Emit,
    Head,
    InputEnded,
    InputRequest,
    KernelDied,
    KernelNotStarted,
    Reply,
    Variables,
)
from services.kernels.messages import (
    TOO_LARGE,
    completions_of,
    head_of,
    inspection_of,
    notice,
    output_of,
    pages_of,
    variables_of,
)
from services.kernels.provisioner import KernelStart, SessionProvisioner, kernel_command
from services.kernels.session_folder import SessionFolder

T = TypeVar("T")

START_SECONDS = 60.0
WATCH_SECONDS = 0.2  # how soon a death is noticed
REPLY_SECONDS = 0.3  # how long after `idle` the reply of an interrupted cell may come
IDLE_SECONDS = 5.0  # silence after a reply that stands for a lost `idle`
START_LOG_CHARACTERS = 100_000
CHECK_SECONDS = 0.3  # how long after a message was lost the kernel is asked where it is
ANSWER_SECONDS = 5.0  # how long a completion or an inspection may take
TOO_LONG_A_QUESTION = "The cell asks a question too long to be shown: "
KEPT_CELLS = 64  # cells whose threads' late outputs still find their way


@dataclass
class _Cell:
    """What came back for one request."""

    emit: Emit
    started: asyncio.Event = field(default_factory=asyncio.Event)
    idle: asyncio.Event = field(default_factory=asyncio.Event)
    reply: asyncio.Future[Message] = field(default_factory=asyncio.Future)
    interrupted: bool = False
    failed: bool = False  # an error was among its outputs
    cut: bool = False  # some output of it was lost
    count: int | None = None
    ahead: _Cell | None = None  # the kernel came to this request, so it is done with that one

    def settle(self) -> None:
        """Take what has not come of the cell ahead for lost, once this one is through."""
        if self.ahead is not None and self.idle.is_set() and self.reply.done():
            self.ahead.idle.set()
            self.ahead.end({})

    def end(self, content: Message) -> None:
        """Take `content` as the reply unless one came."""
        if not self.reply.done():
            self.reply.set_result(content)


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
        self._channels: Channels | None = None
        self._context: zmq.asyncio.Context | None = None
        self._watching: asyncio.Task[None] | None = None
        self._cells: OrderedDict[str, _Cell] = OrderedDict()
        self._cell: _Cell | None = None  # the newest
        self._question: tuple[Message, InputRequest] | None = None
        self._check: asyncio.TimerHandle | None = None
        self._ended = asyncio.Event()
        self._welcomed = asyncio.Event()
        self._closing: asyncio.Task[None] | None = None
        self._exit_code: int | None = None
        self._heard = 0.0

    @property
    def alive(self) -> bool:
        return self._channels is not None and not self._ended.is_set()

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
        self._context = new_context()
        self._manager = _Manager(how, self._folder, self._context)
        await self._manager.start_kernel()
        self._channels = Channels(self._manager, self._on_message, self._on_reopened)
        self._watching = asyncio.create_task(self._watch(self._manager, self._channels))
        async with asyncio.timeout(START_SECONDS):
            await self._or_death(self._request("kernel_info_request", {}).reply)
            # outputs sent before the kernel knows of our subscription would be lost
            await self._or_death(self._welcomed.wait())

    async def execute(self, code: str, emit: Emit, *, can_ask: bool = True) -> Reply:
        # one cell at a time is sent, so there is no queue in the kernel for an error to clear
        options = {"silent": False, "store_history": True, "user_expressions": {}, "stop_on_error": False}
        cell = self._cell = self._request("execute_request", {"code": code, "allow_stdin": can_ask} | options, emit)
        try:
            content = await self._or_death(cell.reply)
            await self._or_death(self._idle(cell))
        finally:
            self._end_question()
        if not content and not cell.interrupted:  # its reply was lost
            emit(notice(TOO_LARGE))
            content = {"status": "error" if cell.failed else "ok"}
        with contextlib.suppress(*BAD_MESSAGE):
            if cell.cut and not cell.failed and "traceback" in content and (error := output_of("error", content)):
                emit(error)
            for page in pages_of(content):
                emit(page)
        count = content.get("execution_count", cell.count)
        return Reply("ok" if content.get("status") == "ok" else "error", count if isinstance(count, int) else None)

    def answer_input(self, text: str) -> bool:
        if self._question is None or self._channels is None:
            return False
        asked, question = self._question
        self._channels.send("stdin", "input_reply", {"value": text}, asked)
        self._end_question("•" * len(text) if question.password else text)
        return True

    async def complete(self, code: str, cursor: int) -> Completions:
        content = await self._ask("complete_request", {"code": code, "cursor_pos": cursor})
        try:
            return completions_of(code, content)
        except BAD_MESSAGE:
            return Completions(cursor, cursor, [])

    async def inspect(self, code: str, cursor: int) -> str:
        content = await self._ask("inspect_request", {"code": code, "cursor_pos": cursor, "detail_level": 0})
        try:
            return inspection_of(content)
        except BAD_MESSAGE:
            return ""

    async def variables(self) -> Variables | None:
        content = await self._ask("variables_request", {})
        try:
            return variables_of(content)
        except BAD_MESSAGE:
            return None

    async def head(self, name: str) -> Head | None:
        content = await self._ask("head_request", {"name": name})
        try:
            return head_of(content)
        except BAD_MESSAGE:
            return None

    async def _ask(self, kind: str, content: Message) -> Message:
        """The reply's content; empty when none comes in time."""
        try:
            return await asyncio.wait_for(self._or_death(self._request(kind, content).reply), ANSWER_SECONDS)
        except TimeoutError:
            return {}

    async def interrupt(self) -> None:
        if not self.alive or self._manager is None:
            return
        if running := self._cell:
            # before it runs the cell's code the kernel ignores the signal
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(running.started.wait(), 3)
            running.interrupted = True
            self._end_if_unanswered(running)
        self._end_question()  # first, so that its text stands above the traceback
        await self._manager.interrupt_kernel()

    async def close(self) -> None:
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        # who asked may be cancelled; the kernel still ends
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
        if self._check is not None:
            self._check.cancel()
        if self._channels is not None:
            await self._channels.close()
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

    def _request(self, kind: str, content: Message, emit: Emit = lambda event: None) -> _Cell:
        if not self.alive or self._channels is None:
            raise KernelDied(self._exit_code)
        cell = _Cell(emit)
        self._cells[self._channels.send("shell", kind, content)] = cell
        while len(self._cells) > KEPT_CELLS:
            oldest = next(each for each, kept in self._cells.items() if kept is not self._cell)
            del self._cells[oldest]
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

    async def _idle(self, cell: _Cell) -> None:
        """Return once the cell's last output has come; `idle` may come before the reply or after it."""
        while not cell.idle.is_set() and time.monotonic() - self._heard < IDLE_SECONDS:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(cell.idle.wait(), IDLE_SECONDS)

    def _on_message(self, channel: Name, message: Message) -> None:
        cell = self._cells.get(message["parent_header"].get("msg_id", ""))
        kind, content = message["msg_type"], message["content"]
        if channel == "iopub":
            self._on_iopub(cell, kind, content)
        elif channel == "shell" and cell is not None:
            cell.end(dict(content))
            cell.settle()
        elif channel == "stdin" and cell is not None and kind == "input_request":
            self._on_question(cell, message["header"], InputRequest(str(content["prompt"]), bool(content["password"])))

    def _on_iopub(self, cell: _Cell | None, kind: str, content: Message) -> None:
        self._heard = time.monotonic()
        if kind == "iopub_welcome":
            self._welcomed.set()
        if cell is None:
            return
        if kind == "execute_input":
            cell.count = content["execution_count"]
            cell.started.set()
        elif kind == "status" and content["execution_state"] == "idle":
            cell.started.set()
            cell.idle.set()
            self._end_if_unanswered(cell)
            cell.settle()
        elif kind == "error":
            cell.failed = True
        output = output_of(kind, content)
        if output is not None:
            cell.emit(output)

    def _on_question(self, cell: _Cell, header: Message, question: InputRequest) -> None:
        self._end_question()
        self._question = header, question
        cell.emit(question)

    def _end_question(self, answer: str = "") -> None:
        if self._question is not None and self._cell is not None:
            question, self._question = self._question[1], None
            self._cell.emit(InputEnded(f"{question.prompt}{answer}\n"))

    def _on_reopened(self, channel: Name) -> None:
        """A message of the kernel was too large."""
        if channel == "iopub" and self._cell is not None and not self._cell.cut:
            self._cell.cut = True
            self._cell.emit(notice(TOO_LARGE))
        elif channel == "stdin" and self._cell is not None and not self._cell.reply.done():
            # the cell may wait for an answer to it, and goes on with any
            self._on_question(self._cell, {}, InputRequest(TOO_LONG_A_QUESTION, password=True))
        self._check_later()

    def _check_later(self) -> None:
        if self._check is None:
            self._check = asyncio.get_running_loop().call_later(CHECK_SECONDS, self._check_now)

    def _check_now(self) -> None:
        """Ask the kernel something behind the cell: with the answer all that the cell sent has come, or never will."""
        self._check = None
        if self.alive and self._cell is not None and not (self._cell.reply.done() and self._cell.idle.is_set()):
            self._request("kernel_info_request", {}).ahead = self._cell

    def _end_if_unanswered(self, cell: _Cell) -> None:
        """An interrupt just before or after the cell's code leaves it without a reply."""
        if cell.interrupted and cell.idle.is_set() and not cell.reply.done():
            asyncio.get_running_loop().call_later(REPLY_SECONDS, cell.end, {"status": "error"})

    async def _watch(self, manager: _Manager, channels: Channels) -> None:
        # a heartbeat would go on for a while after the process has ended
        while await manager.is_alive():  # noqa: ASYNC110 - the process has no event to wait for
            await asyncio.sleep(WATCH_SECONDS)
        await channels.drained()
        if manager.provisioner is not None:
            self._exit_code = await manager.provisioner.poll()
        self._ended.set()
        await channels.close()

    def _why_not(self, error: Exception) -> str:
        if isinstance(error, TimeoutError):
            return f"it did not answer within {START_SECONDS:.0f} s"
        if isinstance(error, OSError):
            return error.strerror or str(error)
        with contextlib.suppress(OSError):
            with self._folder.start_log.open(errors="replace") as log:
                lines = log.read(START_LOG_CHARACTERS).split("\n")
            said = [line.strip() for line in lines if line.strip()]
            if said:
                return said[-1][-300:]
        return str(error)
