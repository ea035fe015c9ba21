"""The tasks shown. Which source they are from can change while the app runs: by trying again after a failure."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from services.catalog.contents import Contents, Neighbours, Page
from services.catalog.query import Query
from services.catalog.source import Source
from services.catalog.status import Status
from services.catalog.task import Task


class Catalog:
    """Safe to use from any thread. Each call sees one source throughout; `try_again` can put another in its place."""

    def __init__(
        self,
        contents: Contents,
        reopen: Callable[[], Contents] | None = None,
        find_newer: Callable[[Source], str] | None = None,
    ) -> None:
        """`reopen` opens the settings' source anew; `find_newer` gives a sentence on a newer revision, or nothing."""
        self._contents = contents
        self._reopen = reopen
        self._find_newer = find_newer
        self._newer: tuple[Contents, str] = (contents, "")
        self._tell: Callable[[Source], None] = lambda source: None
        self._lock = threading.Lock()
        self._trial: threading.Thread | None = None
        self._not_before = self._after(contents)

    @property
    def source(self) -> Source:
        return self._contents.source

    @property
    def status(self) -> Status:
        contents, (found_for, newer) = self._contents, self._newer
        return replace(contents.status, newer=newer if found_for is contents else "")

    def __len__(self) -> int:
        """How many tasks there are."""
        return len(self._contents)

    def search(self, query: Query, page: int = 0, size: int = 50) -> Page:
        """One page of the tasks that match. A page past the end is the last one."""
        return self._contents.search(query, page, size)

    def facets(self, query: Query) -> dict[str, list[tuple[str, int]]]:
        """Of each facet the values and how many tasks have them under the query's text and *other* filters.

        Values no task has are left out. Kaggle datasets and file types come by falling count (at most 500), the rest
        in their own order.
        """
        return self._contents.facets(query)

    def values(self, facet: str) -> list[str]:
        """Every value of a facet that some task has."""
        return self._contents.values(facet)

    def datasets(self, text: str = "") -> list[tuple[str, int]]:
        """Up to 50 Kaggle datasets whose name holds the text, and their tasks; those that begin with it come first."""
        return self._contents.datasets(text)

    def task(self, task_id: str) -> Task:
        """The whole task, gold answer included.

        Raises:
            UnknownTask: there is none with this id.
        """
        return self._contents.task(task_id)

    def tasks(self, query: Query, page: int | None = None, size: int = 50) -> Iterator[Task]:
        """The whole tasks of one page, or of all pages."""
        return self._contents.tasks(query, page, size)

    def neighbours(self, query: Query, task_id: str) -> Neighbours:
        """The tasks before and after this one in the query's list; of one that isn't in it: none, and the first."""
        return self._contents.neighbours(query, task_id)

    def folder_index(self, task: Task) -> int:
        """The task's position (from 0) among the sorted ids of its split, as Harbor counts folders."""
        return self._contents.folder_index(task)

    def try_again(self, wait_seconds: float) -> bool:
        """Open the settings' source anew after a failure; False when that goes on after `wait_seconds`.

        All who ask meanwhile wait for the same try. Nothing is asked of a Hub that said to wait, before its time is
        over. What is shown stays until something else can be.
        """
        with self._lock:
            trial = self._trial
            if trial is None:
                if not self._reopen or not self._contents.status.state or time.monotonic() < self._not_before:
                    return True
                trial = self._trial = threading.Thread(target=self._try, daemon=True, name="catalog")
                trial.start()
        trial.join(wait_seconds)
        return not trial.is_alive()

    @property
    def seconds_until_next_try(self) -> int:
        """How long a Hub that limits its readers still asks to wait, in whole seconds."""
        return max(0, math.ceil(self._not_before - time.monotonic()))

    def on_change(self, tell: Callable[[Source], None]) -> None:
        """Have `tell` called with the new source just before another one is shown."""
        self._tell = tell

    def look_for_newer(self) -> None:
        """Ask once for a newer revision of the dataset shown, in the background; the status tells what was found."""
        if self._find_newer:
            threading.Thread(target=self._look, args=(self._find_newer,), daemon=True, name="newer").start()

    def _try(self) -> None:
        assert self._reopen
        try:
            contents = self._reopen()
            self._not_before = self._after(contents)
            if contents.source != self._contents.source:
                self._tell(contents.source)
            self._contents = contents
        finally:
            with self._lock:
                self._trial = None
        self.look_for_newer()

    def _look(self, find_newer: Callable[[Source], str]) -> None:
        contents = self._contents
        self._newer = (contents, find_newer(contents.source))

    @staticmethod
    def _after(contents: Contents) -> float:
        """When the next try may start."""
        return time.monotonic() + (contents.status.wait_seconds or 0)
