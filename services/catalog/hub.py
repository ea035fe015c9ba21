"""A copy of a dataset's parquet files from the Hub, within a bounded time."""

from __future__ import annotations

import json
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import getproxies

from services.catalog.task import SPLITS

CONNECT_SECONDS = 10

T = TypeVar("T")


class HubError(Exception):
    """The Hub gave no dataset. The message is a clause that says why, as in "the Hub did not answer within 3 s"."""


def started(work: Callable[[], T]) -> Future[T]:
    """Start work in a thread that never holds up the end of the program: the Hub's client can't be interrupted."""
    future: Future[T] = Future()

    def run() -> None:
        try:
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=run, daemon=True, name="hub").start()
    return future


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; when it takes longer, it goes on alone and what it kept serves the next start.

    Raises:
        HubError: time is up.
    """
    try:
        return started(work).result(seconds)
    except TimeoutError:
        raise HubError(f"the Hub did not deliver it within {seconds:.3g} s") from None


def fetch_dataset(dataset: str, revision: str, cache_dir: Path, endpoint: str) -> Path:
    """The folder of the dataset at that revision, its parquet files fetched unless they are kept here already.

    The folder is named by the commit. Reads without a token, so nobody's own is ever spent on a visitor. A split the
    dataset has no file for is left out. May take minutes on a bad network: see `within`.

    Raises:
        HubError: the Hub refused, or can't be reached.
    """
    kept = kept_copy(dataset, cache_dir)
    if kept and kept.name == revision:  # a commit doesn't change
        return kept
    names = [f"data/{split}-00000-of-00001.parquet" for split in SPLITS]
    _check_reachable(endpoint)
    downloads = [started(partial(_download, dataset, name, revision, cache_dir, endpoint)) for name in names]
    folders = {path.parent.parent for download in downloads if (path := download.result())}
    if not folders:
        raise HubError(f"{dataset} has no file data/{{split}}-00000-of-00001.parquet at revision {revision}")
    folder = folders.pop()
    _remember(dataset, folder, cache_dir)
    return folder


def fetch_file(dataset: str, name: str, revision: str, cache_dir: Path, endpoint: str) -> Path | None:
    """One file of the dataset at that revision, in a folder named by the commit; None where there is no such file.

    Without a token, and it may take minutes, as `fetch_dataset`.

    Raises:
        HubError: the Hub refused, or can't be reached.
    """
    _check_reachable(endpoint)
    return _download(dataset, name, revision, cache_dir, endpoint)


def kept_file(dataset: str, name: str, commit: str, cache_dir: Path) -> Path | None:
    """The copy of a file fetched before at that commit: it doesn't change."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(dataset, name, cache_dir=cache_dir / "hub", revision=commit, repo_type="dataset")
    return Path(path) if isinstance(path, str) and Path(path).parts[-1 - len(Path(name).parts)] == commit else None


def _download(dataset: str, name: str, revision: str, cache_dir: Path, endpoint: str) -> Path | None:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import RemoteEntryNotFoundError
    from huggingface_hub.utils.tqdm import disable_progress_bars

    disable_progress_bars()
    try:
        path = hf_hub_download(
            dataset,
            name,
            repo_type="dataset",
            revision=revision,
            cache_dir=cache_dir / "hub",
            endpoint=endpoint,
            token=False,
        )
        return Path(path)
    except RemoteEntryNotFoundError:
        return None
    except Exception as error:
        raise HubError(_reason(error, dataset, revision)) from error


def _check_reachable(endpoint: str) -> None:
    """Fail at once where the Hub's client would go on trying for 25 s. Behind a proxy only the client can tell."""
    address = urlsplit(endpoint)
    if getproxies() or not address.hostname:
        return
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname, port), CONNECT_SECONDS).close()
    except OSError as error:
        raise HubError(f"the Hub can't be reached ({error.strerror or error})") from error


def kept_copy(dataset: str, cache_dir: Path) -> Path | None:
    """The folder of the copy fetched last, if it is still here."""
    try:
        folder = Path(json.loads(_record(dataset, cache_dir).read_text())["folder"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return folder if any((folder / "data").glob("*.parquet")) else None


def _record(dataset: str, cache_dir: Path) -> Path:
    return cache_dir / "hub" / f"{dataset.replace('/', '--')}.json"


def _remember(dataset: str, folder: Path, cache_dir: Path) -> None:
    record = _record(dataset, cache_dir)
    with tempfile.NamedTemporaryFile("w", dir=record.parent, delete=False) as file:
        json.dump({"folder": str(folder)}, file)
    Path(file.name).replace(record)


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it: the client hides a refusal behind "not found in the local cache"."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def _reason(error: BaseException, dataset: str, revision: str) -> str:
    from huggingface_hub import errors

    for cause in _causes(error):
        if isinstance(cause, errors.GatedRepoError):
            return f"access to {dataset} on the Hub is restricted"
        if isinstance(cause, errors.RevisionNotFoundError):
            return f"{dataset} has no revision {revision}"
        if isinstance(cause, errors.RepositoryNotFoundError):
            return f"the Hub has no public dataset {dataset}"
        if isinstance(cause, errors.HfHubHTTPError):
            return _status_reason(cause.response.status_code, cause.response.headers.get("Retry-After", ""))
    return f"the Hub can't be reached ({type(list(_causes(error))[-1]).__name__})"


def _status_reason(status: int, retry_after: str) -> str:
    if status == 429:
        return "the Hub limits how often it is asked" + (f"; it says to wait {retry_after} s" if retry_after else "")
    if status in {401, 403}:
        return f"the Hub denied access (status {status})"
    return f"the Hub answered with status {status}"
