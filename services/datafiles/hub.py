"""Files of tasks on the Hub: one file by plain HTTP into the cache, never with a token."""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, urlsplit

import httpx

from services.catalog.task import Task
from services.datafiles.errors import (
    AccessDenied,
    Corrupt,
    DataFileError,
    NotFound,
    Offline,
    RateLimited,
    Refused,
    StillComing,
    TimedOut,
)
from services.datafiles.names import checked

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 15.0  # longest wait for the next bytes
LIST_SECONDS = 10.0
MAX_PAGES = 20  # of a folder's listing
_BUCKET = re.compile(r"[\w.-]+/[\w.-]+")

Progress = Callable[[str, int, int | None], None]


@dataclass
class Transfer:
    """One download, shared by all who want the file. Counts are in bytes."""

    done: int = 0
    total: int | None = None
    result: Future[Path] = field(default_factory=Future)


class HubFiles:
    """The files of tasks on the Hub at `endpoint` (empty: work offline), kept below `cache_dir`."""

    def __init__(self, endpoint: str, cache_dir: Path, deadline_seconds: float) -> None:
        self.endpoint = endpoint.rstrip("/")
        self.folder = cache_dir / "files"
        self.deadline_seconds = deadline_seconds
        self._transfers: dict[Path, Transfer] = {}
        self._listings: dict[tuple[str, str], list[str]] = {}
        self._lock = threading.Lock()

    def names(self, task: Task) -> list[str]:
        """Paths of the files in the task's folder of the bucket, relative to it.

        Raises:
            DataFileError: the Hub doesn't list it.
        """
        key = (task.hf_bucket, task.bucket_prefix)
        if key not in self._listings:
            # The slash keeps out a sibling whose name merely starts the same
            folder = f"{checked(task.bucket_prefix)}/"
            address = f"{self._api()}/api/buckets/{_bucket(task)}/tree/{quote(folder, safe='')}?recursive=true"
            self._listings[key] = sorted(path.removeprefix(folder) for path in self._listed(address, folder))
        return self._listings[key]

    def here(self, task: Task, name: str) -> Path | None:
        """The file's path in the cache, None where it isn't there or its name is refused."""
        try:
            path = self._cached(task, name)
        except Refused:
            return None
        return path if path.is_file() else None

    def open(self, task: Task, name: str, wait_seconds: float | None = None, progress: Progress | None = None) -> Path:
        """The file's path in the cache, once it has arrived whole.

        A caller that stops waiting after `wait_seconds` leaves the download to the next one.

        Raises:
            DataFileError: the state in which the download ended, or `StillComing`.
        """
        path = self._cached(task, name)
        if path.is_file():
            return path
        transfer = self._transfer(task, name, path)
        longest = self.deadline_seconds + 2 * CONNECT_SECONDS
        end = time.monotonic() + (longest if wait_seconds is None else wait_seconds)
        while True:
            try:
                return transfer.result.result(timeout=max(0.0, min(0.25, end - time.monotonic())))
            except TimeoutError:
                if time.monotonic() >= end:
                    raise _still_coming(name, transfer) from None
                if progress:
                    progress(name, transfer.done, transfer.total)

    def _transfer(self, task: Task, name: str, path: Path) -> Transfer:
        """The running download of the file, started if there is none."""
        address = (
            f"{self._api()}/buckets/{_bucket(task)}/resolve/{quote(str(checked(task.bucket_prefix)))}/{quote(name)}"
        )
        with self._lock:
            transfer = self._transfers.get(path)
            if transfer is None:
                transfer = self._transfers[path] = Transfer()
                threading.Thread(target=self._run, args=(address, name, path, transfer), daemon=True).start()
        return transfer

    def _run(self, address: str, name: str, path: Path, transfer: Transfer) -> None:
        try:
            with _states(name):
                self._download(address, name, path, transfer)
        except DataFileError as error:
            outcome: DataFileError | None = error
        except OSError as error:
            outcome = DataFileError(f"{name} can't be kept in the cache: {error.strerror or error}.")
        else:
            outcome = None
        with self._lock:
            del self._transfers[path]
        if outcome is None:
            transfer.result.set_result(path)
        else:
            transfer.result.set_exception(outcome)

    def _download(self, address: str, name: str, path: Path, transfer: Transfer) -> None:
        end = time.monotonic() + self.deadline_seconds
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=".part-")
        try:
            with os.fdopen(handle, "wb") as file, self._get(address, self.deadline_seconds) as response:
                _check(response, name)
                length = response.headers.get("content-length", "")
                transfer.total = int(length) if length.isdecimal() else None
                for chunk in _before(end, response, name, self.deadline_seconds):
                    file.write(chunk)
                    transfer.done += len(chunk)
            if transfer.total is not None and transfer.done != transfer.total:
                raise Corrupt(_cut_short(name))
            Path(part).chmod(0o644)
            Path(part).replace(path)
        finally:
            Path(part).unlink(missing_ok=True)

    def _listed(self, address: str, folder: str) -> Iterator[str]:
        end = time.monotonic() + LIST_SECONDS
        origin = urlsplit(address)[:2]
        what = "The task's folder"
        with _states(what):
            for _ in range(MAX_PAGES):
                with self._get(address, LIST_SECONDS) as response:
                    _check(response, what)
                    entries = json.loads(b"".join(_before(end, response, what, LIST_SECONDS)))
                    following = response.links.get("next", {}).get("url")
                for entry in entries:
                    if entry["type"] == "file" and entry["path"].startswith(folder):
                        yield entry["path"]
                if not following or urlsplit(following)[:2] != origin:
                    return
                address = following

    @contextmanager
    def _get(self, address: str, seconds: float) -> Iterator[httpx.Response]:
        timeout = httpx.Timeout(min(SILENCE_SECONDS, seconds), connect=min(CONNECT_SECONDS, seconds))
        headers = {"Accept-Encoding": "identity"}
        with (
            httpx.Client(timeout=timeout, follow_redirects=True, headers=headers) as client,
            client.stream("GET", address) as response,
        ):
            yield response

    def _api(self) -> str:
        if not self.endpoint:
            raise Offline("The file is on the Hub, and the app is set to work offline.")
        return self.endpoint

    def _cached(self, task: Task, name: str) -> Path:
        """One folder a file, named by a hash: any two names live side by side, and the ending stays."""
        relative = checked(name)
        whole = f"{_bucket(task)}/{checked(task.bucket_prefix)}/{relative}"
        return self.folder / hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()[:32] / relative.name


def _bucket(task: Task) -> str:
    if not _BUCKET.fullmatch(task.hf_bucket):
        raise Refused(f"The task names no bucket on the Hub ({task.hf_bucket!r}), so its files can't be fetched.")
    return task.hf_bucket


def _check(response: httpx.Response, what: str) -> None:
    """Turn the Hub's refusals into states."""
    status = response.status_code
    if status == 200:
        return
    if status in (401, 403):
        raise AccessDenied(f"{what} is not given to anonymous readers by the Hub.")
    if status == 404:
        raise NotFound(f"{what} is not on the Hub.")
    if status == 429:
        wait = response.headers.get("retry-after", "")
        seconds = int(wait) if wait.isdecimal() else 60
        raise RateLimited(f"The Hub limits how much may be read; try again in {seconds} seconds.", seconds)
    raise Offline(f"{what} did not come: the Hub answered with status {status}. Try again later.")


def _before(end: float, response: httpx.Response, what: str, seconds: float) -> Iterator[bytes]:
    """The body as it comes, given up at `end`, which was `seconds` away when the work began."""
    for chunk in response.iter_raw():
        yield chunk
        if time.monotonic() > end:
            raise TimedOut(f"{what} did not arrive from the Hub within {seconds:g} seconds. Try again.")


@contextmanager
def _states(what: str) -> Iterator[None]:
    """Turn what a connection can suffer into states."""
    try:
        yield
    except httpx.TimeoutException:
        raise TimedOut(f"{what} did not come: the Hub is silent. Try again.") from None
    except httpx.RemoteProtocolError:
        raise Corrupt(_cut_short(what)) from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise Offline(f"{what} did not come: the Hub can't be reached. Try again when the network is back.") from None
    except (ValueError, KeyError, TypeError):
        raise Corrupt(f"{what} did not come: the Hub's answer makes no sense. Try again.") from None


def _still_coming(name: str, transfer: Transfer) -> StillComing:
    of = f" of {transfer.total / 1e6:,.1f}" if transfer.total else ""
    sentence = (
        f"{name} is still coming from the Hub: {transfer.done / 1e6:,.1f}{of} MB are here. Try again in a moment."
    )
    return StillComing(sentence, transfer.done, transfer.total)


def _cut_short(what: str) -> str:
    return f"{what} arrived cut short and was thrown away. Try again."
