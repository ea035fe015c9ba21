"""The Hub's client within bounds: every request of a piece of work ends by its deadline, and no limit is slept off.

The client has no timeout of its own for most calls, and waits as long as a Hub that limits its readers tells it to.
"""

from __future__ import annotations

import contextvars
import errno
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from services.catalog.status import State

if TYPE_CHECKING:
    import httpx2

# Read when the client is imported. It would ask for a list of programs it might be run by, before anything else.
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")

SILENCE_SECONDS = 15.0  # longest wait for the next bytes of an answer
WORK_SECONDS = 120.0  # of work nobody waits for any more: what it keeps serves the next try

OF_THE_DISK = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EACCES,
    errno.EPERM,
    errno.EROFS,
    errno.EIO,
    errno.ENOTDIR,
    errno.EMFILE,
}

T = TypeVar("T")
_end: contextvars.ContextVar[float | None] = contextvars.ContextVar("end", default=None)


class HubError(Exception):
    """The Hub gave no dataset. The message is a clause that says why, as in "the Hub did not answer within 3 s".

    state: one of the six. wait_seconds: how long the Hub asks to wait; None where it doesn't say.
    """

    def __init__(self, reason: str, state: State, wait_seconds: int | None = None) -> None:
        super().__init__(reason)
        self.state: State = state
        self.wait_seconds = wait_seconds


def started(work: Callable[[], T]) -> Future[T]:
    """Start work in a thread that never holds up the end of the program, in the deadline of the thread that starts it.

    Outside any deadline, its requests end after `WORK_SECONDS`.
    """
    future: Future[T] = Future()
    context = contextvars.copy_context()

    def run() -> None:
        if _end.get() is None:
            _end.set(time.monotonic() + WORK_SECONDS)
        try:
            _bound_client()
            future.set_result(work())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=context.run, args=(run,), daemon=True, name="hub").start()
    return future


def within(seconds: float, work: Callable[[], T]) -> T:
    """What `work` returns or raises; when it takes longer, it goes on alone and what it kept serves the next try.

    Raises:
        HubError: time is up.
    """
    try:
        return started(work).result(seconds)
    except TimeoutError:
        raise HubError(f"the Hub did not deliver it within {seconds:.3g} s", "timed_out") from None


@cache
def _bound_client() -> None:
    """Have the library make its client with our hooks, once. They leave work outside a deadline alone."""
    import httpx2
    from huggingface_hub import set_client_factory
    from huggingface_hub.utils._http import hf_request_event_hook  # without it offline mode stops working

    def client() -> httpx2.Client:
        return httpx2.Client(
            event_hooks={"request": [hf_request_event_hook, _limit_wait], "response": [_limit_answer]},
            follow_redirects=True,
            timeout=None,
        )

    set_client_factory(client)


def _limit_wait(request: httpx2.Request) -> None:
    end = _end.get()
    if end is None:
        return
    left = min(end - time.monotonic(), SILENCE_SECONDS)
    if left <= 0:
        raise HubError("the Hub took too long", "timed_out")
    given = request.extensions.get("timeout") or {}
    request.extensions["timeout"] = {
        phase: min(left, given.get(phase) or left) for phase in ("connect", "read", "write", "pool")
    }


def _limit_answer(response: httpx2.Response) -> None:
    import httpx2

    end, stream = _end.get(), response.stream
    if end is None or not isinstance(stream, httpx2.SyncByteStream):
        return
    if response.status_code == 429:
        raise rate_limited(response.headers.get("Retry-After", ""), response.headers.get("RateLimit", ""))

    class Ending(httpx2.SyncByteStream):
        """A body that comes until the end: the timeouts of the client are for each piece of it."""

        def __init__(self, stream: httpx2.SyncByteStream, end: float) -> None:
            self.stream, self.end = stream, end

        def __iter__(self) -> Iterator[bytes]:
            for piece in self.stream:
                yield piece
                if time.monotonic() > self.end:
                    raise HubError("the Hub took too long", "timed_out")

        def close(self) -> None:
            self.stream.close()

    response.stream = Ending(stream, end)


def rate_limited(retry_after: str, rate_limit: str = "") -> HubError:
    """The state of a Hub that answers 429. `rate_limit` is the header of draft-ietf-httpapi-ratelimit-headers."""
    found = re.fullmatch(r"\s*(\d{1,9})\s*", retry_after) or re.search(r"\bt=(\d{1,9})", rate_limit)
    if not found:
        return HubError("the Hub limits how often it is asked", "rate_limited")
    seconds = int(found[1])
    return HubError(f"the Hub limits how often it is asked; it says to wait {seconds} s", "rate_limited", seconds)


def causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it: the client hides a refusal behind "not found in the local cache"."""
    current: BaseException | None = error
    while current is not None:
        yield current
        current = current.__cause__ or current.__context__


def state_of(error: BaseException, dataset: str, revision: str) -> HubError:
    """What an error of the client means to a reader. Nothing of a request, such as a token, is in its message."""
    import httpx2
    from huggingface_hub import errors

    for cause in causes(error):
        if isinstance(cause, HubError):
            return cause
        if isinstance(cause, errors.GatedRepoError):
            return HubError(f"access to {dataset} on the Hub is restricted", "access_denied")
        if isinstance(cause, errors.RevisionNotFoundError):
            return HubError(f"{dataset} has no revision {revision}", "not_found")
        if isinstance(cause, errors.RepositoryNotFoundError):
            return HubError(f"the Hub has no public dataset {dataset}", "not_found")
        if isinstance(cause, errors.HfHubHTTPError):
            return _state_of_status(cause.response.status_code, cause.response.headers.get("Retry-After", ""))
        if isinstance(cause, httpx2.TimeoutException | TimeoutError):
            return HubError("the Hub took too long", "timed_out")
        if isinstance(cause, httpx2.RemoteProtocolError) or "Consistency check failed" in str(cause):
            return HubError(f"what the Hub sent of {dataset} was cut short", "corrupt")
        if isinstance(cause, OSError) and cause.errno in OF_THE_DISK:
            return not_kept(cause)
        if isinstance(cause, ValueError | KeyError | TypeError | AttributeError | ArithmeticError | RecursionError):
            return HubError(f"the Hub's answer on {dataset} makes no sense", "corrupt")
    return HubError(f"the Hub can't be reached ({type(list(causes(error))[-1]).__name__})", "offline")


def not_kept(error: OSError) -> HubError:
    """The state where what came can't be written."""
    return HubError(f"what is read can't be kept in CACHE_DIR ({error.strerror})", "no_room")


def _state_of_status(status: int, retry_after: str) -> HubError:
    if status == 429:
        return rate_limited(retry_after)
    if status in {401, 403}:
        return HubError(f"the Hub denied access (status {status})", "access_denied")
    if status == 404:
        return HubError("the Hub has no such file (status 404)", "not_found")
    return HubError(f"the Hub answered with status {status}", "offline")
