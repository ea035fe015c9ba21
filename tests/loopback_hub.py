"""A small Hub on this machine, over real sockets, for the app's own Hub client and huggingface_hub's.

It serves dataset repositories and buckets from folders: enough of the Hub's HTTP interface to download a file of
either by HTTP or of a bucket by Xet, to list a bucket's files by prefix, and to misbehave in the ways a network does.
"""

from __future__ import annotations

import hashlib
import json
import mmap
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

from hf_xet import hash_files

from tests.loopback_datasets import DATASET_API, dataset_answer

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY_FILE = re.compile(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)")
BUCKET_FILE = re.compile(r"/buckets/([^/]+/[^/]+)/resolve/(.+)")
BUCKET_TREE = re.compile(r"/api/buckets/([^/]+/[^/]+)/tree(?:/(.+))?")
BUCKET_OTHER = re.compile(r"/api/buckets/([^/]+/[^/]+)/(paths-info|xet-read-token)")
XET_FILE = re.compile(r"/cas/v1/reconstructions/([0-9a-f]{64})")
XET_BLOCK = re.compile(r"/cas/xorb/([0-9a-f]{64})")
XET_CHUNK = 1 << 16
XET_HEADER = 8  # bytes before each chunk of a stored block: version, length, scheme (0: not compressed), length
UPLOADED = "2026-05-01T00:00:00.000Z"


@dataclass(frozen=True)
class Fault:
    """How requests whose path holds `match` go wrong.

    `status` answers with that status and `headers`; `silent` accepts and never answers; `drip` sends that many bytes of
    a body a second; `cut` closes the connection after that many bytes of it; `flip` changes the last byte;
    `redirect` leads to that address, with `headers`, `{path}` in it being what was asked for; `drop` hangs up without
    an answer. `times` requests are hit, then none.
    """

    match: str = ""
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    silent: bool = False
    drip: float = 0
    cut: int = 0
    flip: bool = False
    redirect: str = ""
    drop: bool = False
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
        self.stored: dict[str, Path] = {}  # by Xet hash
        self._hashes: dict[tuple[Path, int, int], tuple[str, str]] = {}

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

    def hashes(self, path: Path) -> tuple[str, str]:
        """SHA-256 and Xet hash of a file's content."""
        stat = path.stat()
        key = (path, stat.st_size, stat.st_mtime_ns)
        if key not in self._hashes:
            with path.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
            self._hashes[key] = (sha256, hash_files([str(path)])[0].hash)
        self.stored[self._hashes[key][1]] = path
        return self._hashes[key]

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
        elif self.fault and self.fault.drop:
            self.close_connection = True
        elif self.fault and self.fault.redirect:
            self.send(302, b"", {**self.fault.headers, "Location": self.fault.redirect.replace("{path}", self.path)})
        elif self.fault and self.fault.status:
            self.send(self.fault.status, b'{"error": "fault"}', dict(self.fault.headers))
        elif found := REPOSITORY_FILE.fullmatch(path):
            self.repository_file(found[1], found[2], found[3])
        elif found := DATASET_API.fullmatch(path):
            self.dataset(found[1], found[2] or "", found[3] or "main", found[4] or "")
        elif found := BUCKET_FILE.fullmatch(path):
            token = f"{self.hub.url}/api/buckets/{found[1]}/xet-read-token"
            self.file(self.hub.buckets.get(found[1]), found[2], {"X-Xet-Refresh-Route": token})
        elif found := BUCKET_TREE.fullmatch(path):
            self.bucket_tree(found[1], found[2] or "", int(parse_qs(address.query).get("cursor", ["0"])[0]))
        elif found := BUCKET_OTHER.fullmatch(path):
            self.paths_info(found[1]) if found[2] == "paths-info" else self.xet_token()
        elif found := XET_FILE.fullmatch(path):
            self.xet_file(found[1])
        elif found := XET_BLOCK.fullmatch(path):
            self.ranged(xet_block(self.hub.stored[found[1]].read_bytes()), {})
        else:
            self.missing("NotFound")

    do_HEAD = do_POST = do_GET

    def dataset(self, name: str, kind: str, revision: str, below: str) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if name not in self.hub.datasets:
            self.missing("RepoNotFound", 401)
        elif revision not in {"main", self.hub.commit}:
            self.missing("RevisionNotFound")
        else:
            recursive = parse_qs(urlsplit(self.path).query).get("recursive", [""])[0].lower() == "true"
            answer = dataset_answer(self.hub.datasets[name], name, self.hub.commit, kind, below, recursive, body)
            self.send(200, json.dumps(answer).encode(), {})

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
        sha256, xet_hash = self.hub.hashes(path)
        headers = headers | {"ETag": f'"{sha256}"', "Accept-Ranges": "bytes", "X-Linked-Size": str(path.stat().st_size)}
        if "X-Xet-Refresh-Route" in headers:
            headers["X-Xet-Hash"] = xet_hash
        if not path.stat().st_size:
            return self.send(200, b"", headers, "application/octet-stream")
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as body:
            self.ranged(body, headers)

    def ranged(self, body: bytes | mmap.mmap, headers: dict[str, str]) -> None:
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        with memoryview(body) as view:
            if not asked:
                return self.send(200, view, headers, "application/octet-stream")
            first, last = int(asked[1]), min(int(asked[2] or len(view) - 1), len(view) - 1)
            if first > last:
                return self.send(416, b"", {"Content-Range": f"bytes */{len(view)}"})
            headers |= {"Content-Range": f"bytes {first}-{last}/{len(view)}"}
            with view[first : last + 1] as piece:
                self.send(206, piece, headers, "application/octet-stream")

    def paths_info(self, name: str) -> None:
        wanted = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["paths"]
        root = self.hub.buckets.get(name)
        if root is None:
            return self.missing("RepoNotFound", 401)
        self.send(200, json.dumps([self.item(root, path) for path in wanted if (root / path).is_file()]).encode(), {})

    def item(self, root: Path, path: str) -> dict[str, object]:
        held = {"size": (root / path).stat().st_size, "xetHash": self.hub.hashes(root / path)[1]}
        return {"type": "file", "path": path} | held | {"mtime": UPLOADED, "uploadedAt": UPLOADED}

    def xet_token(self) -> None:
        until = int(time.time()) + 3600
        store = f"{self.hub.url}/cas"
        headers = {"X-Xet-Cas-Url": store, "X-Xet-Access-Token": "of-xet", "X-Xet-Token-Expiration": str(until)}
        self.send(200, json.dumps({"casUrl": store, "accessToken": "of-xet", "exp": until}).encode(), headers)

    def xet_file(self, xet_hash: str) -> None:
        """Where the pieces of a file are: here one block that holds all its chunks."""
        if xet_hash not in self.hub.stored:
            return self.missing("NotFound")
        size = self.hub.stored[xet_hash].stat().st_size
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        first, end = (int(asked[1]), min(int(asked[2] or size - 1) + 1, size)) if asked else (0, size)
        if first >= size:
            return self.send(416, b"", {"Content-Range": f"bytes */{size}"})
        chunks = {"start": first // XET_CHUNK, "end": -(-end // XET_CHUNK)}
        at, until = (min(chunk * XET_CHUNK, size) + XET_HEADER * chunk for chunk in chunks.values())
        length = min(chunks["end"] * XET_CHUNK, size) - chunks["start"] * XET_CHUNK
        piece = {"range": chunks, "url_range": {"start": at, "end": until - 1}}
        answer = {
            "offset_into_first_range": first % XET_CHUNK,
            "terms": [{"hash": xet_hash, "unpacked_length": length, "range": chunks}],
            "fetch_info": {xet_hash: [piece | {"url": f"{self.hub.url}/cas/xorb/{xet_hash}"}]},
        }
        self.send(200, json.dumps(answer).encode(), {})

    def bucket_tree(self, name: str, prefix: str, first: int) -> None:
        root = self.hub.buckets.get(name)
        if root is None:
            return self.missing("RepoNotFound", 401)
        paths = sorted(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
        kept = [path for path in paths if path.startswith(prefix)]
        items = [self.item(root, path) for path in kept[first : first + self.hub.page]]
        headers = {}
        if first + self.hub.page < len(kept):
            here = f"{self.hub.url}/api/buckets/{quote(name)}/tree/{quote(prefix, safe='')}"
            headers["Link"] = f'<{here}?recursive=true&cursor={first + self.hub.page}>; rel="next"'
        return self.send(200, json.dumps(items).encode(), headers)

    def missing(self, code: str, status: int = 404, headers: Mapping[str, str] | None = None) -> None:
        self.send(status, b"{}", {**(headers or {}), "X-Error-Code": code, "X-Error-Message": code})

    def send(
        self, status: int, body: bytes | memoryview, headers: Mapping[str, str], kind: str = "application/json"
    ) -> None:
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

    def send_body(self, body: bytes | memoryview) -> None:
        fault = self.fault
        if fault and fault.flip:
            body = bytes(body[:-1]) + bytes([body[-1] ^ 1])
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


def xet_block(content: bytes) -> bytes:
    """The content as Xet stores it: each chunk behind its header."""
    block = bytearray()
    for start in range(0, len(content), XET_CHUNK):
        chunk = content[start : start + XET_CHUNK]
        length = len(chunk).to_bytes(3, "little")
        block += b"\0" + length + b"\0" + length + chunk
    return bytes(block)
