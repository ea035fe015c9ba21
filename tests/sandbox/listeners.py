"""Sockets of every kind that wait for a word from a kernel, and remember all they hear."""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import threading
from pathlib import Path

ONE_DATAGRAM = 65536
NOTHING_HERE = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


class Listeners:
    """One socket of each kind, read in a thread; `places` is where they are, as an attack needs it."""

    def __init__(self, folder: Path, hidden: str) -> None:
        """Pathname sockets go into `folder`; the names of the abstract ones hold the word `hidden`."""
        self.heard = bytearray()
        self._selector = selectors.DefaultSelector()
        self._waker, self._wake = socket.socketpair()
        self._selector.register(self._waker, selectors.EVENT_READ)
        tcp = self._open(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        udp = self._open(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self.places: dict[str, str | int] = {"tcp": tcp.getsockname()[1], "udp": udp.getsockname()[1]}
        for name, kind in (("stream", socket.SOCK_STREAM), ("datagram", socket.SOCK_DGRAM)):
            path, word = folder / f"{name}.socket", os.urandom(8).hex()
            self._open(socket.AF_UNIX, kind, str(path))
            path.chmod(0o777)
            self._open(socket.AF_UNIX, kind, f"\0{word}")
            self.places |= {f"unix_{name}": str(path), f"abstract_{name}": word}
        self._open(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{hidden}")
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _open(self, family: int, kind: int, address: object) -> socket.socket:
        opened = socket.socket(family, kind)
        opened.bind(address)  # type: ignore[arg-type]
        if kind == socket.SOCK_STREAM:
            opened.listen()
        self._selector.register(opened, selectors.EVENT_READ, "listens" if kind == socket.SOCK_STREAM else "hears")
        return opened

    def _read(self) -> None:
        while True:
            for key, _ in self._selector.select():
                ready = key.fileobj
                assert isinstance(ready, socket.socket)
                if ready is self._waker:
                    return
                if key.data == "listens":
                    self._selector.register(ready.accept()[0], selectors.EVENT_READ, "hears")
                    continue
                heard = b""
                with contextlib.suppress(ConnectionError):
                    heard = ready.recv(ONE_DATAGRAM)
                self.heard += heard
                if heard and ready.family == socket.AF_INET and ready.type == socket.SOCK_STREAM:
                    # a browser stays where it is, and does not wait
                    with contextlib.suppress(OSError):
                        ready.send(NOTHING_HERE)
                    heard = b""
                if not heard and ready.type == socket.SOCK_STREAM:
                    self._selector.unregister(ready)
                    ready.close()

    def close(self) -> None:
        self._wake.send(b"x")
        self._thread.join()
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._wake.close()
        self._selector.close()
