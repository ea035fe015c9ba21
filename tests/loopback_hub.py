"""A small Hub on this machine, over real sockets, for the app's own Hub client and huggingface_hub's.

It serves dataset repositories and buckets from folders: enough of the Hub's HTTP interface to download a file of
either, list a bucket's files by prefix, and to misbehave in the ways a network does.
"""

from __future__ import annotations

import hashlib
import json
import re
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from urllib.parse import parse_qs, quote, unquote, urlsplit

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY_FILE = re.compile(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
BUCKET_FILE = re.compile(r"/buckets/([^/]+/[^/]+)/resolve/(.+)")
BUCKET_TREE = re.compile(r"/api/buckets/([^/]+/[^/]+)/tree(?:/(.+))?")
UPLOADED = "2026-05-01T00:00:00.000Z"


@dataclass(frozen=True)
class Fault:
    """How requests whose path holds `match` go wrong.

    `status` answers with that status and `headers`; `silent` accepts and never answers; `drip` sends that many bytes of
    a body a second; `cut` closes the connection after that many bytes of it. `times` requests are hit, then none.
    """

    match: str = ""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    drip: float = 0
    cut: int = 0
    times: int = 1_000_000


class LoopbackHub:
    """A context manager: `url` is its address, `requests` what it was asked (method, path, headers in lower case)."""

    def __init__(
        self,
        datasets: Mapping[str, Path] | None = None,
        buckets: Mapping[str, Path] | None = None,
        commit: str = COMMIT,
        page: int = 1000,
    ) -> None:
        self.datasets = {name: path.resolve() for name, path in (datasets or {}).items()}
        self.buckets = {name: path.resolve() for name, path in (buckets or {}).items()}
        self.commit = commit
        self.page = page
        self.faults: list[Fault] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.closing = threading.Event()

    def __enter__(self) -> LoopbackHub:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()

    def fault_for(self, path: str) -> Fault | None:
        for position, fault in enumerate(self.faults):
            if fault.match in path and fault.times:
                self.faults[position] = Fault(**{**fault.__dict__, "times": fault.times - 1})
                return fault
        return None


@contextmanager
def refusing_hub() -> Iterator[str]:
    """An address where connections are refused: the port is bound, so nothing else takes it, and nobody listens."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"


class _Handler(BaseHTTPRequestHandler):
    hub: LoopbackHub
    protocol_version = "HTTP/1.1"
    fault: Fault | None = None

    def log_message(self, *_: object) -> None:
        """Say nothing: a test's output is the test's."""

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        path = unquote(address.path)
        self.hub.requests.append((self.command, path, {name.lower(): value for name, value in self.headers.items()}))
        self.fault = self.hub.fault_for(path)
        if self.fault and self.fault.silent:
            self.hub.closing.wait()
            self.close_connection = True
        elif self.fault and self.fault.status:
            self.send(self.fault.status, b'{"error": "fault"}', dict(self.fault.headers))
        elif found := REPOSITORY_FILE.fullmatch(path):
            self.repository_file(found[1], found[2], found[3])
        elif found := BUCKET_FILE.fullmatch(path):
            self.file(self.hub.buckets.get(found[1]), found[2], {})
        elif found := BUCKET_TREE.fullmatch(path):
            self.bucket_tree(found[1], found[2] or "", int(parse_qs(address.query).get("cursor", ["0"])[0]))
        else:
            self.missing("NotFound")

    do_HEAD = do_GET

    def repository_file(self, name: str, revision: str, path: str) -> None:
        if name in self.hub.datasets and revision not in {"main", self.hub.commit}:
            self.missing("RevisionNotFound")
        else:
            self.file(self.hub.datasets.get(name), path, {"X-Repo-Commit": self.hub.commit})

    def file(self, root: Path | None, name: str, headers: dict[str, str]) -> None:
        if root is None:
            return self.missing("RepoNotFound", 401)
        path = (root / name).resolve()
        if not path.is_relative_to(root) or not path.is_file():
            return self.missing("EntryNotFound", 404, headers)
        body = path.read_bytes()
        headers = headers | {"ETag": f'"{hashlib.sha256(body).hexdigest()}"', "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self.send(200, body, headers, "application/octet-stream")
        first, last = int(asked[1]), min(int(asked[2] or len(body) - 1), len(body) - 1)
        if first > last:
            return self.send(416, b"", {"Content-Range": f"bytes */{len(body)}"})
        headers |= {"Content-Range": f"bytes {first}-{last}/{len(body)}"}
        return self.send(206, body[first : last + 1], headers, "application/octet-stream")

    def bucket_tree(self, name: str, prefix: str, first: int) -> None:
        root = self.hub.buckets.get(name)
        if root is None:
            return self.missing("RepoNotFound", 401)
        paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        kept = [path for path in paths if path.startswith(prefix)]
        items = [
            {"type": "file", "path": path, "size": (root / path).stat().st_size, "xetHash": "0" * 64}
            | {"mtime": UPLOADED, "uploadedAt": UPLOADED}
            for path in kept[first : first + self.hub.page]
        ]
        headers = {}
        if first + self.hub.page < len(kept):
            here = f"{self.hub.url}/api/buckets/{quote(name)}/tree/{quote(prefix, safe='')}"
            headers["Link"] = f'<{here}?recursive=true&cursor={first + self.hub.page}>; rel="next"'
        return self.send(200, json.dumps(items).encode(), headers)

    def missing(self, code: str, status: int = 404, headers: Mapping[str, str] | None = None) -> None:
        self.send(status, b"{}", {**(headers or {}), "X-Error-Code": code, "X-Error-Message": code})

    def send(self, status: int, body: bytes, headers: Mapping[str, str], kind: str = "application/json") -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "HEAD":
            return
        try:
            self.send_body(body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def send_body(self, body: bytes) -> None:
        fault = self.fault
        if fault and fault.cut:
            self.wfile.write(body[: fault.cut])
            self.close_connection = True
        elif fault and fault.drip:
            step = max(1, int(fault.drip / 10))
            for start in range(0, len(body), step):
                if self.hub.closing.is_set():
                    break
                self.wfile.write(body[start : start + step])
                time.sleep(step / fault.drip)
        else:
            self.wfile.write(body)
