"""The sockets to one kernel: read at all times, and opened anew when a message was too large to take."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import Any, Literal

import zmq
import zmq.asyncio
from jupyter_client.connect import ConnectionFileMixin
from zmq.utils.monitor import parse_monitor_message

Message = dict[str, Any]
Name = Literal["shell", "iopub", "stdin"]
NAMES: tuple[Name, ...] = ("shell", "iopub", "stdin")

MESSAGE_BYTES = 8_000_000
UNREAD_MESSAGES = 4  # received and not yet read; with more to come the kernel waits
TURN_SECONDS = 0.02  # reading goes on for this long before the app's other work has its turn
DRAIN_SECONDS = 5.0
# not signed with this kernel's key, or malformed: not from a well-behaved kernel
BAD_MESSAGE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


def new_context() -> zmq.asyncio.Context:
    """A context whose sockets take in little ahead, and refuse a message over `MESSAGE_BYTES` by disconnecting."""
    context = zmq.asyncio.Context()
    context.setsockopt(zmq.RCVHWM, UNREAD_MESSAGES)
    context.setsockopt(zmq.MAXMSGSIZE, MESSAGE_BYTES)
    context.setsockopt(zmq.LINGER, 0)
    context.setsockopt(zmq.RECONNECT_IVL, 10)  # ms; the kernel binds its sockets after we connect
    return context


class Channels:
    """The shell, iopub and stdin channels of the kernel whose connection file `connection` has.

    `receive` gets every message with its channel. After a message too large libzmq cuts the connection and makes no new
    one: a new socket is opened, and `reopened` told the channel once the kernel is there again. What it sent in between
    is lost.
    """

    def __init__(
        self,
        connection: ConnectionFileMixin,
        receive: Callable[[Name, Message], None],
        reopened: Callable[[Name], None],
    ) -> None:
        self._connection = connection
        self._receive = receive
        self._reopened = reopened
        self._sockets: dict[Name, zmq.asyncio.Socket] = {}
        self._connected: set[Name] = set()
        self._all_cut = asyncio.Event()
        self._all_cut.set()
        self._readers = [asyncio.create_task(self._read(name, self._open(name))) for name in NAMES]

    def send(self, channel: Name, kind: str, content: dict[str, Any], parent: Message | None = None) -> str:
        """Send a message; gives its id."""
        message = self._connection.session.send(self._sockets[channel], kind, content, parent)
        return str(message["header"]["msg_id"])

    async def drained(self) -> None:
        """Return once all that an ended kernel had sent was received."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._all_cut.wait(), DRAIN_SECONDS)

    async def close(self) -> None:
        """Stop reading and close the sockets. May be called again."""
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)

    def _open(self, name: Name) -> zmq.asyncio.Socket:
        """Connect a new socket; gives the one that tells when it is connected and cut off."""
        info: dict[str, Any] = dict(self._connection.get_connection_info())
        socket: zmq.asyncio.Socket = self._connection.context.socket(zmq.SUB if name == "iopub" else zmq.DEALER)
        monitor: zmq.asyncio.Socket = socket.get_monitor_socket(zmq.EVENT_HANDSHAKE_SUCCEEDED | zmq.EVENT_DISCONNECTED)
        if name == "iopub":
            socket.subscribe(b"")
        else:
            # the kernel's questions go to the socket of the name that sent the cell
            socket.identity = self._connection.session.bsession
        socket.connect(f"ipc://{info['ip']}-{info[f'{name}_port']}")
        self._sockets[name] = socket
        return monitor

    async def _read(self, name: Name, monitor: zmq.asyncio.Socket) -> None:
        again = False
        while True:
            try:
                await self._read_until_cut(name, monitor, again)
            finally:
                self._connected.discard(name)
                if not self._connected:
                    self._all_cut.set()
                self._sockets[name].disable_monitor()
                monitor.close(linger=0)
                self._sockets[name].close(linger=0)
            monitor = self._open(name)
            again = True

    async def _read_until_cut(self, name: Name, monitor: zmq.asyncio.Socket, again: bool) -> None:
        socket = self._sockets[name]
        poller = zmq.asyncio.Poller()
        poller.register(socket, zmq.POLLIN)
        poller.register(monitor, zmq.POLLIN)
        cut = False
        while True:
            ready = dict(await poller.poll(0 if cut else -1))
            if monitor in ready:
                event = parse_monitor_message(await monitor.recv_multipart())["event"]
                if event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                    self._on_connected(name, again)
                else:
                    cut = True  # after what had come before
            elif socket in ready:
                await self._receive_some(name, socket)
            elif cut:
                return

    def _on_connected(self, name: Name, again: bool) -> None:
        self._connected.add(name)
        self._all_cut.clear()
        if again:
            self._reopened(name)

    async def _receive_some(self, name: Name, socket: zmq.asyncio.Socket) -> None:
        session, end = self._connection.session, time.monotonic() + TURN_SECONDS
        while time.monotonic() < end:
            try:
                frames = await socket.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            with contextlib.suppress(*BAD_MESSAGE):
                self._receive(name, session.deserialize(session.feed_identities(frames)[1]))
        await asyncio.sleep(0)
