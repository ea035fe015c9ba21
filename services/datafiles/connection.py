"""Requests to the Hub that always end, and what its answers mean."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import urljoin, urlsplit

import httpx

from services.datafiles.errors import AccessDenied, Corrupt, NotFound, Offline, RateLimited, TimedOut

CONNECT_SECONDS = 5.0
SILENCE_SECONDS = 15.0  # longest wait for the next bytes
UNSAID_WAIT_SECONDS = 60  # of a limit whose end the Hub does not tell
MOST_REDIRECTS = 5
MOST_BYTES = 32_000_000  # of an answer read as a whole; a page of a list has about 200 kB


class Connection:
    """Requests to the Hub at `endpoint` (empty: work offline), with `token` where there is one. Safe in threads.

    The token goes to the endpoint's own origin and nowhere else, wherever an answer leads.
    """

    def __init__(self, endpoint: str, token: str = "") -> None:
        self._endpoint = endpoint.rstrip("/")
        self._token = token
        self._client = httpx.Client(headers={"Accept-Encoding": "identity"}, follow_redirects=False)

    @property
    def offline(self) -> bool:
        return not self._endpoint

    @property
    def endpoint(self) -> str:
        """The Hub's address.

        Raises:
            Offline: the app is set to work offline.
        """
        if not self._endpoint:
            raise Offline("The file is on the Hub, and the app is set to work offline. Files fetched before are kept.")
        return self._endpoint

    @property
    def token(self) -> str:
        return self._token

    @contextmanager
    def stream(
        self, method: str, address: str, end: float, headers: Mapping[str, str] | None = None, body: Any = None
    ) -> Iterator[httpx.Response]:
        """The Hub's answer, followed to wherever it leads, its body not yet read; `end` is a monotonic time."""
        for _ in range(MOST_REDIRECTS):
            left = max(0.01, end - time.monotonic())
            timeout = httpx.Timeout(min(SILENCE_SECONDS, left), connect=min(CONNECT_SECONDS, left))
            sent = dict(headers or {}) | self._authorization(address)
            with self._client.stream(method, address, headers=sent, json=body, timeout=timeout) as response:
                if not response.has_redirect_location:
                    yield response
                    return
                address = urljoin(address, response.headers["location"])
            if urlsplit(address).scheme not in {"http", "https"}:
                break
        raise httpx.RemoteProtocolError("redirected too often")

    def json(self, method: str, address: str, what: str, seconds: float, body: Any = None) -> tuple[Any, str | None]:
        """The Hub's answer as data, and the address of the next page. An answer from another origin is none.

        Raises:
            DataFileError: one of the states; `what` is its subject.
        """
        end = time.monotonic() + seconds
        with states(what), self.stream(method, address, end, body=body) as response:
            check(response.status_code, response.headers, what)
            if not self._own(str(response.url)):
                raise Offline(f"{what} did not come: another site answered in the Hub's place. {AGAIN}", answered=True)
            data = json.loads(_small(before(end, response, what, seconds), what))
            following = response.links.get("next", {}).get("url")
        return data, following if following and self._own(following) else None

    def _own(self, address: str) -> bool:
        return urlsplit(address)[:2] == urlsplit(self._endpoint)[:2]

    def _authorization(self, address: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token}"} if self._token and self._own(address) else {}


AGAIN = "What was fetched before is kept. Try again later."


def check(status: int, headers: Mapping[str, str], what: str) -> None:
    """Turn the Hub's refusals into states."""
    if status in (200, 206):
        return
    if status in (401, 403):
        raise AccessDenied(
            f"The Hub does not give {what} to this app: it is private or gated, or no longer there. "
            "What was fetched before is kept. Ask its owner for access, or choose another task."
        )
    if status in (404, 410):
        raise NotFound(f"{what} is not on the Hub. What was fetched before is kept. Choose another file or task.")
    if status == 429:
        seconds = wait_asked(headers)
        raise RateLimited(
            f"{what} did not come: the Hub limits how much may be read. "
            f"{AGAIN.removesuffix(' later.')} in {seconds} seconds.",
            seconds,
        )
    raise Offline(f"{what} did not come: the Hub answered with status {status}. {AGAIN}", answered=True)


def _small(pieces: Iterator[bytes], what: str) -> bytes:
    body = bytearray()
    for piece in pieces:
        body += piece
        if len(body) > MOST_BYTES:
            raise Corrupt(f"{what} did not come: the Hub's answer has no end. {AGAIN}")
    return bytes(body)


def wait_asked(headers: Mapping[str, str]) -> int:
    """The seconds the Hub asks to wait; Retry-After is a number of them or a date (RFC 9110, 10.2.3)."""
    wait = headers.get("retry-after", "")
    if wait.isdecimal():
        return min(int(wait), 86_400)
    try:
        return max(1, round(parsedate_to_datetime(wait).timestamp() - time.time()))
    except ValueError:
        return UNSAID_WAIT_SECONDS


def before(end: float, response: httpx.Response, what: str, seconds: float) -> Iterator[bytes]:
    """The body as it comes, given up at `end`, which was `seconds` away when the work began."""
    for chunk in response.iter_raw():
        yield chunk
        if time.monotonic() > end:
            raise TimedOut(f"{what} did not arrive from the Hub within {seconds:g} seconds. {AGAIN}")


@contextmanager
def states(what: str) -> Iterator[None]:
    """Turn what a connection can suffer into states."""
    try:
        yield
    except httpx.TimeoutException:
        raise TimedOut(f"{what} did not come: the Hub is silent. {AGAIN}") from None
    except httpx.RemoteProtocolError:
        raise Corrupt(f"{what} was cut short on its way from the Hub. {AGAIN}") from None
    except (httpx.HTTPError, httpx.InvalidURL):
        raise Offline(
            f"{what} did not come: the Hub can't be reached. What was fetched before is kept. "
            "Try again when the network is back."
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
        raise Corrupt(f"{what} did not come: the Hub's answer makes no sense. {AGAIN}") from None
