"""A task's files for its kernel: what can be had, and the run told how far they have come."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from services.catalog import Task
from services.datafiles import DataFileError, DataFiles
from services.kernels import InputsUnavailable, Run

TELL_SECONDS = 1.0


class KernelInputs:
    """Called in a thread when a kernel's folder is filled; `run`, once there is one, is told of files on their way."""

    def __init__(self, datafiles: DataFiles, task: Task) -> None:
        self.run: Run | None = None
        self._datafiles = datafiles
        self._task = task
        self._loop = asyncio.get_running_loop()
        self._told = time.monotonic()
        self._telling = threading.Lock()

    def __call__(self) -> Mapping[str, Path | str]:
        """The task's files: name in the kernel → path, or the sentence that says why it is missing.

        Raises:
            InputsUnavailable: there is not one to be had.
        """
        if self._datafiles.on_hub and self.run is not None:
            asking = "Filling the kernel's folder: the Hub is asked for the task's files."
            self._loop.call_soon_threadsafe(self._tell, self.run, asking)
        try:
            found = self._datafiles.inputs(self._task, self._came)
        except DataFileError as error:
            raise InputsUnavailable(f"The kernel was not started: {error}") from error
        files = {name: str(each) if isinstance(each, DataFileError) else each for name, each in found.items()}
        sentences = [each for each in files.values() if isinstance(each, str)]
        if files and len(sentences) == len(files):
            raise InputsUnavailable(f"The kernel was not started: {' '.join(dict.fromkeys(sentences))}")
        return files

    def _came(self, name: str, done: int, total: int | None) -> None:
        with self._telling:
            if self.run is None or time.monotonic() - self._told < TELL_SECONDS:
                return
            self._told = time.monotonic()
        files = self._datafiles.list(self._task, ask=False)
        ready = sum(file.state == "here" for file in files)
        of = f" of {total / 1e6:,.1f}" if total else ""
        sentence = (
            f"Filling the kernel's folder: {ready} of {len(files)} files are ready; "
            f"of {name} {done / 1e6:,.1f}{of} MB have come."
        )
        self._loop.call_soon_threadsafe(self._tell, self.run, sentence)

    def _tell(self, run: Run, sentence: str) -> None:
        if not run.log.done:
            run.log.status("starting", sentence)
