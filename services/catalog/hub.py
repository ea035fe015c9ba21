"""A copy of a dataset's parquet files from the Hub, checked against the hashes the Hub gives."""

from __future__ import annotations

import hashlib
import json
import re
import socket
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import getproxies

from pydantic import SecretStr

from services.catalog.hub_client import HubError, not_kept, started, state_of, within
from services.catalog.task import SPLITS

if TYPE_CHECKING:
    from huggingface_hub import DatasetInfo

__all__ = ["HubError", "fetch_dataset", "fetch_file", "kept_copy", "kept_file", "newest_revision", "started", "within"]

CONNECT_SECONDS = 10
ASK_SECONDS = 10.0
ROWS = re.compile(rf"data/(?:{'|'.join(SPLITS)})-[^/]*\.parquet")


def fetch_dataset(
    dataset: str,
    revision: str,
    cache_dir: Path,
    endpoint: str,
    token: SecretStr | None = None,
    answer_seconds: float = ASK_SECONDS,
) -> Path:
    """The folder of the dataset at that revision, its parquet files fetched unless they are kept here already.

    The folder is named by the commit: a branch is resolved once, and all files are of that commit. A split the dataset
    has no file for is left out. May take minutes on a bad network: see `within`. A Hub that leaves the first question
    unanswered for `answer_seconds` is given up.

    Raises:
        HubError: the Hub refused, can't be reached, or sent something else than its hashes say.
    """
    kept = kept_copy(dataset, cache_dir)
    if kept and kept.name == revision:  # a commit doesn't change
        return kept
    check_reachable(endpoint)
    info = _info(dataset, revision, endpoint, token, answer_seconds, files_metadata=True)
    names = {each.rfilename: each.lfs.sha256 if each.lfs else "" for each in info.siblings or []}
    wanted = {name: sha256 for name, sha256 in names.items() if ROWS.fullmatch(name)}
    if not wanted:
        raise HubError(
            f"{dataset} has no file data/{{split}}-*.parquet at revision {revision} "
            f"(TASKS_SOURCE=datasets:{dataset} reads other layouts)",
            "not_found",
        )
    commit = str(info.sha)
    fetch = partial(_download_checked, dataset, commit, cache_dir, endpoint, token)
    downloads = [started(partial(fetch, name, sha256)) for name, sha256 in sorted(wanted.items())]
    hashes, folder = {}, Path()
    for name, download in zip(sorted(wanted), downloads, strict=True):
        path, hashes[name] = download.result()
        folder = path.parent.parent
    try:
        _remember(dataset, folder, hashes, cache_dir)
    except OSError as error:
        raise not_kept(error) from None
    return folder


def newest_revision(dataset: str, endpoint: str, token: SecretStr | None = None) -> str:
    """The commit the dataset's main branch stands at.

    Raises:
        HubError: the Hub refused, or can't be reached.
    """
    return str(_info(dataset, "main", endpoint, token).sha)


def fetch_file(
    dataset: str, name: str, revision: str, cache_dir: Path, endpoint: str, token: SecretStr | None = None
) -> Path | None:
    """One file of the dataset at that revision, in a folder named by the commit; None where there is no such file.

    It may take minutes, as `fetch_dataset`.

    Raises:
        HubError: the Hub refused, or can't be reached.
    """
    check_reachable(endpoint)
    return _download(dataset, name, revision, cache_dir, endpoint, token)


def kept_file(dataset: str, name: str, commit: str, cache_dir: Path) -> Path | None:
    """The copy of a file fetched before at that commit: it doesn't change."""
    from huggingface_hub import try_to_load_from_cache

    path = try_to_load_from_cache(dataset, name, cache_dir=cache_dir / "hub", revision=commit, repo_type="dataset")
    return Path(path) if isinstance(path, str) and Path(path).parts[-1 - len(Path(name).parts)] == commit else None


def _info(
    dataset: str,
    revision: str,
    endpoint: str,
    token: SecretStr | None,
    seconds: float = ASK_SECONDS,
    *,
    files_metadata: bool = False,
) -> DatasetInfo:
    from huggingface_hub import HfApi

    try:
        return HfApi(endpoint, token=_spent(token)).dataset_info(
            dataset, revision=revision, timeout=seconds, files_metadata=files_metadata
        )
    except Exception as error:
        state = state_of(error, dataset, revision)
        if state.state == "timed_out":
            state = HubError(f"the Hub did not answer within {seconds:.3g} s", "timed_out")
        raise state from None


def _spent(token: SecretStr | None) -> str | bool:
    """What the client takes as a token; False is none at all, where None would be this machine's own."""
    return token.get_secret_value() if token else False


def _download(
    dataset: str, name: str, revision: str, cache_dir: Path, endpoint: str, token: SecretStr | None
) -> Path | None:
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
            token=_spent(token),
        )
        return Path(path)
    except RemoteEntryNotFoundError:
        return None
    except Exception as error:
        raise state_of(error, dataset, revision) from None


def _download_checked(
    dataset: str, commit: str, cache_dir: Path, endpoint: str, token: SecretStr | None, name: str, sha256: str
) -> tuple[Path, str]:
    """The file and its sha256. One that isn't what the Hub says, kept or new, is thrown away and fetched once more."""
    for _ in range(2):
        path = _download(dataset, name, commit, cache_dir, endpoint, token)
        if path is None:
            raise HubError(f"{dataset} names {name} at revision {commit[:7]}, but has no such file", "not_found")
        found = _sha256(path)
        if found == (sha256 or found):
            return path, found
        path.resolve().unlink(missing_ok=True)
        path.unlink(missing_ok=True)
    raise HubError(f"{name} of {dataset} did not arrive as the Hub has it", "corrupt")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_reachable(endpoint: str) -> None:
    """Fail at once where the Hub's client would go on trying for 25 s. Behind a proxy only the client can tell."""
    address = urlsplit(endpoint)
    if getproxies() or not address.hostname:
        return
    port = address.port or (80 if address.scheme == "http" else 443)
    try:
        socket.create_connection((address.hostname, port), CONNECT_SECONDS).close()
    except OSError as error:
        raise HubError(f"the Hub can't be reached ({error.strerror or error})", "offline") from error


def kept_copy(dataset: str, cache_dir: Path) -> Path | None:
    """The folder of the copy fetched last, if it is still here as it came."""
    try:
        record = json.loads(_record(dataset, cache_dir).read_text())
        folder = Path(record["folder"])
        whole = bool(record["sha256"]) and all(_sha256(folder / name) == sha for name, sha in record["sha256"].items())
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return folder if whole else None


def _record(dataset: str, cache_dir: Path) -> Path:
    return cache_dir / "hub" / f"{dataset.replace('/', '--')}.json"


def _remember(dataset: str, folder: Path, hashes: dict[str, str], cache_dir: Path) -> None:
    record = _record(dataset, cache_dir)
    with tempfile.NamedTemporaryFile("w", dir=record.parent, delete=False) as file:
        json.dump({"folder": str(folder), "sha256": hashes}, file)
    Path(file.name).replace(record)
