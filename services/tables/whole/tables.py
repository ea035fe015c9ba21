"""Whole-file work as one object: the copy, rows of a view, cells and finds. Every answer comes at once."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import Any

from services.tables.model import TableError
from services.tables.whole.checks import Checks
from services.tables.whole.copies import Copies, Copy, Source
from services.tables.whole.limits import Limits
from services.tables.whole.profiles import Profiles
from services.tables.whole.workers import COUNT, Workers

WAIT_SECONDS = 2.0  # after which a question that takes longer is answered with its state
QUESTION_SECONDS = 60.0
KEPT_ANSWERS = 64
_DOING = {"rows": "sorting", "find": "finding", "chart": "drawing", "cell": "reading"}


class WholeTables:
    """Tables looked at whole. Answers are JSON-ready; those about work still going on hold a `state`."""

    def __init__(self, limits: Limits) -> None:
        self._copies = Copies(limits)
        self._checks = Checks(limits)
        self._profiles = Profiles(limits)
        self._workers = Workers(limits)
        self._threads = ThreadPoolExecutor(2 * COUNT, thread_name_prefix="whole")
        self._asked: OrderedDict[str, Future[dict[str, Any]]] = OrderedDict()
        self._lock = threading.Lock()
        self._warmed = False

    def whole(self, source: Source, *, again: bool = False) -> dict[str, Any]:
        """The state of the copy, which is started where there is none; `again` also after a stop or a failure.

        Once it is there every row is looked through: `Checks.state` says how far that is.
        """
        try:
            copy = self._copies.state(source, again=again)
        except TableError as error:
            return {"error": str(error)}
        if isinstance(copy, Copy):
            checked = self._checks.state(source, copy, again=again)
            return {"state": "ready", "rows": copy.rows, "columns": copy.columns, **checked}
        if copy.get("state") == "copying" and not self._warmed:
            self._warmed = True
            self._threads.submit(self._workers.warm)
        return copy

    def ask(self, source: Source, what: str, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to rows, cell, find or chart: at once, or the state of what it waits for."""
        try:
            copy = self._copies.state(source)
            if not isinstance(copy, Copy):
                return copy
            answer = self._soon({"folder": str(copy.folder.absolute()), "what": what, **request})
        except TableError as error:
            return {"error": str(error)}
        if answer is None:
            return {"state": _DOING[what]}
        return self.whole(source) if answer.get("gone") else answer

    def profile(self, source: Source, *, again: bool = False) -> dict[str, Any]:
        """The profile of every column as far as it has come; it is started where there is none.

        `again` goes on with one that was stopped or failed.
        """
        try:
            copy = self._copies.state(source, again=again)
            return self._profiles.state(copy, again=again) if isinstance(copy, Copy) else copy
        except TableError as error:
            return {"error": str(error)}

    def names(self, source: Source) -> tuple[str, ...]:
        """The names of the columns of a table that is copied."""
        copy = self._copies.state(source, start=False)
        return copy.names if isinstance(copy, Copy) else ()

    def stop(self, source: Source, *, profile: bool = False) -> str:
        """Stop the copying or the profile, and say so in a sentence."""
        copy = self._copies.state(source, start=False)
        if profile:
            stopped = isinstance(copy, Copy) and self._profiles.stop(copy)
            return "The profile was stopped; what was found is kept." if stopped else "No profile is being made."
        if isinstance(copy, Copy):
            stopped = self._checks.stop(copy)
            return "Looking through every row was stopped." if stopped else "The file is read already."
        return "Reading the whole file was stopped." if self._copies.stop(source) else "The file is not being read."

    def wait(self, source: Source, seconds: float) -> None:
        """Wait for the end of the copying."""
        self._copies.wait(source, seconds)

    def close(self) -> None:
        """End all work and its processes."""
        self._copies.close()
        self._checks.close()
        self._profiles.close()
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._workers.close()

    def _soon(self, question: dict[str, Any]) -> dict[str, Any] | None:
        """The answer, or None where it takes longer; asking the same again then waits for the same work."""
        key = json.dumps(question, sort_keys=True)
        with self._lock:
            future = self._asked.get(key)
            if future is None:
                future = self._threads.submit(self._workers.ask, question, QUESTION_SECONDS)
                self._asked[key] = future
                while len(self._asked) > KEPT_ANSWERS:
                    self._asked.popitem(last=False)[1].cancel()
        try:
            return future.result(WAIT_SECONDS)
        except NotYet:
            return None
        finally:
            if future.done():
                with self._lock:
                    self._asked.pop(key, None)
