"""Files of tasks on the Hub: listed, and fetched into the cache once for all who want them."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path, PurePosixPath

from services.catalog.task import Task
from services.datafiles.cache import Cache, PartBusy
from services.datafiles.connection import CONNECT_SECONDS, Connection
from services.datafiles.download import Downloader, Transfer, Wanted, kept
from services.datafiles.errors import (
    Corrupt,
    DataFileError,
    NotFound,
    Refused,
    StillComing,
    TimedOut,
    megabytes,
)
from services.datafiles.listing import Entry, Listing, Listings
from services.datafiles.names import checked

logger = logging.getLogger(__name__)

STOP_SECONDS = 4.0  # in which another visitor's page, which asks again and again, keeps a stopped download alive
_BUCKET = re.compile(r"[\w.-]+/[\w.-]+")

Progress = Callable[[str, int, int | None], None]
_Key = tuple[str, str, str]  # bucket, prefix, name


class HubFiles:
    """The files of tasks on the Hub at `connection`, kept in `cache`. Safe in threads."""

    def __init__(self, connection: Connection, cache: Cache, listings: Listings, deadline_seconds: float) -> None:
        self._connection = connection
        self.cache = cache
        self._listings = listings
        self._deadline_seconds = deadline_seconds
        self._downloader = Downloader(connection, cache, deadline_seconds)
        self._transfers: dict[_Key, Transfer] = {}
        self._failures: dict[_Key, DataFileError] = {}
        self._lock = threading.Lock()

    def known(self, task: Task) -> Listing | None:
        """The last listing of the task's folder, without asking the Hub.

        Raises:
            Refused: the task names no folder of a bucket.
        """
        return self._listings.kept(*_folder(task))

    def listing(self, task: Task) -> Listing:
        """The listing of the task's folder, asked for unless it is fresh.

        Raises:
            DataFileError: the Hub doesn't list it.
        """
        return self._listings.get(*_folder(task))

    def here(self, task: Task, name: str) -> Path | None:
        """The file's path in the cache, None where it isn't there or its name is refused."""
        try:
            return self._here(_key(task, name))
        except Refused:
            return None

    def coming(self, task: Task, name: str) -> tuple[int, int | None] | None:
        """Bytes of the file that are here and in all, while it is on its way."""
        transfer = self._transfers.get((task.hf_bucket, task.bucket_prefix, name))
        return (transfer.done, transfer.total) if transfer else None

    def failure(self, task: Task, name: str) -> DataFileError | None:
        """The state in which the file's last download ended badly, until the next one begins."""
        return self._failures.get((task.hf_bucket, task.bucket_prefix, name))

    def open(self, task: Task, name: str, wait_seconds: float | None = None, progress: Progress | None = None) -> Path:
        """The file's path in the cache, once it has arrived whole.

        A caller that stops waiting after `wait_seconds` leaves the download to the next one.

        Raises:
            DataFileError: the state in which the download ended, or `StillComing`.
        """
        key = _key(task, name)
        if path := self._here(key):
            return path
        transfer = self._transfer(key, patient=wait_seconds is None)
        longest = self._deadline_seconds + 2 * CONNECT_SECONDS
        end = time.monotonic() + (longest if wait_seconds is None else wait_seconds)
        try:
            while True:
                try:
                    return transfer.result.result(timeout=max(0.0, min(0.25, end - time.monotonic())))
                except TimeoutError:
                    if time.monotonic() >= end:
                        raise _still_coming(name, transfer) from None
                    if progress:
                        progress(name, transfer.done, transfer.total)
        finally:
            if wait_seconds is None:
                with self._lock:
                    transfer.patient -= 1

    def stop(self, task: Task, name: str) -> str:
        """Stop the file's download, unless others want it too; a sentence says which."""
        with self._lock:
            transfer = self._transfers.get((task.hf_bucket, task.bucket_prefix, name))
            if transfer is None:
                return f"{name} is not on its way."
            if transfer.patient:
                return f"Others wait for {name} too, so it goes on coming. This page has stopped waiting."
            transfer.stop_at = time.monotonic() + STOP_SECONDS
        return f"The download of {name} stops, unless others want it too. {kept(transfer.done)} Try again to go on."

    def _here(self, key: _Key) -> Path | None:
        bucket, prefix, name = key
        listing = self._listings.kept(bucket, prefix)
        entry = listing.entries.get(name) if listing else None
        if entry is None:
            return None
        place = self._place(key, entry)
        return place if self.cache.has(place, entry) else None

    def _place(self, key: _Key, entry: Entry) -> Path:
        bucket, prefix, name = key
        return self.cache.place(bucket, PurePosixPath(prefix) / name, entry)

    def _transfer(self, key: _Key, patient: bool) -> Transfer:
        """The running download of the file, started if there is none."""
        _ = self._connection.endpoint  # which there is none of offline
        with self._lock:
            transfer = self._transfers.get(key)
            if transfer is None or transfer.stopping.is_set():
                transfer = self._transfers[key] = Transfer(key[2])
                self._failures.pop(key, None)
                threading.Thread(target=self._run, args=(key, transfer), daemon=True, name="download").start()
            transfer.stop_at = None
            transfer.patient += patient
        return transfer

    def _run(self, key: _Key, transfer: Transfer) -> None:
        outcome: DataFileError | Path
        try:
            outcome = self._fetched(key, transfer)
        except DataFileError as error:
            outcome = error
        except OSError as error:
            outcome = DataFileError(
                f"{transfer.name} can't be kept in the cache: {error.strerror or error}. "
                "Nothing else is lost. Whoever runs the app should look at its disk."
            )
        except Exception:  # whoever waits must hear of it
            logger.exception("A download ended in a way nobody foresaw")
            outcome = DataFileError(f"{transfer.name} was not fetched: of a mistake in the app, noted in its log.")
        with self._lock:
            if self._transfers.get(key) is transfer:
                del self._transfers[key]
                if isinstance(outcome, DataFileError):
                    self._failures[key] = outcome
        if isinstance(outcome, Path):
            transfer.result.set_result(outcome)
        else:
            transfer.result.set_exception(outcome)

    def _fetched(self, key: _Key, transfer: Transfer) -> Path:
        end = time.monotonic() + self._deadline_seconds
        entry = self._entry(key)
        try:
            return self._brought(key, entry, transfer, end)
        except (Corrupt, NotFound):
            # The bucket has no versions: the file may have changed since it was listed
            newer = self._entry(key, anew=True)
            if newer == entry:
                raise
            return self._brought(key, newer, transfer, end)

    def _entry(self, key: _Key, anew: bool = False) -> Entry:
        entry = self._listings.entry(*key, anew=anew)
        if entry is None and not anew:
            entry = self._listings.entry(*key, anew=True)  # it may have come since
        if entry is None:
            raise NotFound(
                f"{key[2]} is not on the Hub: the task's folder there holds no such file. "
                "The task's other files are not touched."
            )
        return entry

    def _brought(self, key: _Key, entry: Entry, transfer: Transfer, end: float) -> Path:
        bucket, prefix, name = key
        place = self._place(key, entry)
        transfer.total = entry.size
        while not self.cache.has(place, entry):
            transfer.look()
            try:
                with (
                    self.cache.room(place, name, entry.size - min(entry.size, self.cache.part_size(place))),
                    self.cache.part(place) as part,
                ):
                    if not self.cache.has(place, entry):
                        wanted = Wanted(bucket, f"{prefix}/{name}", name, entry)
                        self._downloader.bring(wanted, place, part, transfer, end)
            except PartBusy:
                # Another app on this folder is at it
                transfer.done = self.cache.part_size(place)
                if time.monotonic() > end:
                    raise TimedOut(
                        f"{name} did not arrive within {self._deadline_seconds:g} seconds: another app on this cache "
                        "is fetching it. What has come is kept. Try again later."
                    ) from None
                transfer.stopping.wait(0.1)
        return place


def _folder(task: Task) -> tuple[str, str]:
    if not _BUCKET.fullmatch(task.hf_bucket):
        raise Refused(f"The task names no bucket on the Hub ({task.hf_bucket!r}), so its files can't be fetched.")
    return task.hf_bucket, str(checked(task.bucket_prefix))


def _key(task: Task, name: str) -> _Key:
    return *_folder(task), str(checked(name))


def _still_coming(name: str, transfer: Transfer) -> StillComing:
    of = f" of {transfer.total / 1e6:,.1f}" if transfer.total else ""
    sentence = f"{name} is still coming from the Hub: {megabytes(transfer.done).removesuffix(' MB')}{of} MB are here. "
    return StillComing(sentence + "Try again in a moment.", transfer.done, transfer.total)
