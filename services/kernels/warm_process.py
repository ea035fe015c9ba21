"""The app's side of the warm process: a kernel is forked from it with the libraries already imported."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

INSIDE = Path(__file__).with_name("inside")
READY_SECONDS = 60.0
FORK_SECONDS = 5.0


class WarmProcessEnded(Exception):
    """The warm process does not run, or does not answer."""


@dataclass
class ForkedKernel:
    """A kernel forked from the warm process, as far as jupyter_client uses `subprocess.Popen`."""

    pid: int
    returncode: int | None = None
    stdin: None = field(default=None, init=False)
    stdout: None = field(default=None, init=False)
    stderr: None = field(default=None, init=False)

    def poll(self) -> int | None:
        """The exit code, negative for a signal; None while it runs."""
        return self.returncode

    def wait(self) -> int | None:
        """The exit code; jupyter_client calls it once `poll` has given one."""
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send a signal, while it runs."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    terminate = kill


class WarmProcess:
    """Starts the warm process and asks it for kernels. Linux only. All calls come from one event loop."""

    def __init__(self, kernel_python: Path, environment: dict[str, str]) -> None:
        """`environment` is the whole environment of the warm process; those of its kernels are given with each."""
        self._python = kernel_python
        self._environment = environment
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._channel: socket.socket | None = None
        self._listening: asyncio.Task[None] | None = None
        self._ready = asyncio.Event()
        self._asking = asyncio.Lock()
        self._answer: asyncio.Future[int] | None = None
        self._kernels: dict[int, ForkedKernel] = {}
        self._ended: dict[int, int] = {}

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None and self._writer is not None

    async def start(self) -> None:
        """Start the process and wait until its libraries are imported.

        Raises:
            WarmProcessEnded: it did not come up.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            theirs.set_inheritable(True)
            self._process = subprocess.Popen(  # noqa: ASYNC220 - it returns at once
                [str(self._python), "-I", str(INSIDE), "warm", str(theirs.fileno())],
                env=self._environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        self._channel = ours.dup()
        reader, self._writer = await asyncio.open_connection(sock=ours)
        self._listening = asyncio.create_task(self._listen(reader))
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self._ready.wait()
        except TimeoutError:
            await self.close()
            raise WarmProcessEnded(f"it was not ready within {READY_SECONDS:.0f} s") from None
        if not self.alive:
            raise WarmProcessEnded("it ended while it imported the libraries")

    async def fork(
        self, policy: dict[str, Any] | None, connection_file: Path, environment: dict[str, str], folder: Path, log: Path
    ) -> ForkedKernel:
        """A new kernel under `policy`, working in `folder`; what it says while it starts goes to `log`.

        Raises:
            WarmProcessEnded: there is none; the warm process has to be started anew.
        """
        asked = {
            "policy": policy,
            "connection_file": str(connection_file),
            "environment": environment,
            "folder": str(folder),
            "log": str(log),
        }
        forked = asyncio.create_task(self._ask(asked))
        try:
            return await asyncio.shield(forked)
        except asyncio.CancelledError:
            forked.add_done_callback(_kill_unwanted)
            raise

    async def _ask(self, asked: dict[str, Any]) -> ForkedKernel:
        async with self._asking:
            if not self.alive or self._writer is None:
                raise WarmProcessEnded("it has ended")
            self._answer = asyncio.get_running_loop().create_future()
            self._send(json.dumps(asked).encode())
            try:
                async with asyncio.timeout(FORK_SECONDS):
                    pid = await self._answer
            except TimeoutError:
                await self.close()
                raise WarmProcessEnded(f"it did not answer within {FORK_SECONDS:.0f} s") from None
            finally:
                self._answer = None
        kernel = ForkedKernel(pid, self._ended.pop(pid, None))
        if kernel.returncode is None:
            self._kernels[pid] = kernel
        return kernel

    def _send(self, request: bytes) -> None:
        """Send a request as a pipe that holds it; it must fit into one, 64 kB."""
        if self._channel is None:
            raise WarmProcessEnded("it has ended")
        read, write = os.pipe()
        try:
            os.write(write, request)
            socket.send_fds(self._channel, [b"k"], [read])
        except OSError as error:
            raise WarmProcessEnded(f"it can't be asked: {error.strerror}") from error
        finally:
            os.close(read)
            os.close(write)

    async def ended(self) -> None:
        """Return once the process has ended."""
        if self._listening is not None:
            await asyncio.wait({self._listening})

    async def close(self) -> None:
        """End the process, and with it its kernels. May be called again."""
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
        if self._writer is not None:
            self._writer.close()
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._listening is not None:
            await asyncio.wait({self._listening})

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with contextlib.suppress(ConnectionError):
            while line := await reader.readline():
                self._hear(json.loads(line))
        # its kernels were ended with it, by the parent-death signal
        for kernel in self._kernels.values():
            kernel.returncode = -signal.SIGKILL
        self._kernels.clear()
        self._writer = None
        self._ready.set()
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(WarmProcessEnded("it has ended"))

    def _hear(self, told: dict[str, Any]) -> None:
        if "ready" in told:
            self._ready.set()
        elif "pid" in told:
            if self._answer is not None and not self._answer.done():
                self._answer.set_result(told["pid"])
        elif kernel := self._kernels.pop(told["ended"], None):
            kernel.returncode = told["code"]
        else:
            self._ended[told["ended"]] = told["code"]  # before its fork was told


def _kill_unwanted(forked: asyncio.Task[ForkedKernel]) -> None:
    if not forked.cancelled() and not forked.exception():
        forked.result().kill()


def can_fork_warm() -> bool:
    """Whether forking after the libraries' import is safe here: on macOS it is not."""
    return sys.platform == "linux"
