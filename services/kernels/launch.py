"""How the app's kernels are started: from the warm process, confined as the policy asks, once the sandbox was tried."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from services.kernels.engine import KernelNotStarted
from services.kernels.limits import Limits
from services.kernels.local_engine import LocalEngine
from services.kernels.policy import Confinement, policy_of
from services.kernels.probe import LAYERS, NOTHING_HELD, Held, probe
from services.kernels.provisioner import KernelStart, library_environment
from services.kernels.session_folder import SessionFolder
from services.kernels.warm_process import WarmProcess, WarmProcessEnded, can_fork_warm

if TYPE_CHECKING:
    from services.settings import Settings

logger = logging.getLogger(__name__)

WARM_FIRST_SECONDS = 2.0  # after the start, which the first page needs the processor for; or when a kernel is asked for
WARM_AGAIN_SECONDS = 1.0  # after the warm process ended; doubled when it does not start
WARM_LATEST_SECONDS = 600.0

CONFINEMENT: dict[str, Confinement | None] = {"auto": None, "strict": "required", "unconfined": "none"}
NO_KERNELS = (
    "Kernels are off: code of strangers must be confined here, and this machine does not do it ({why}). "
    "Browsing and grading work."
)


class Launcher:
    """Makes engines for session folders.

    As an async context manager it also keeps a warm process and tries the sandbox; without, kernels are started cold.
    """

    def __init__(
        self,
        kernel_python: Path,
        sessions: Path,
        limits: Limits,
        confinement: Confinement = "where possible",
    ) -> None:
        """`sessions` is where session folders are made."""
        self._python = kernel_python
        self._sessions = sessions
        self._limits = limits
        self._confinement = confinement
        self._warm: WarmProcess | None = None
        self._warming: asyncio.Task[None] | None = None
        self._tried: asyncio.Task[Held] | None = None
        self._asked = asyncio.Event()

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        return cls(
            settings.kernel_python,
            settings.cache_dir / "sessions",
            Limits.from_settings(settings),
            CONFINEMENT[settings.kernel_policy] or ("required" if settings.public else "where possible"),
        )

    @property
    def warm(self) -> bool:
        """Whether kernels are forked with their libraries imported."""
        return self._warm is not None and self._warm.alive

    @property
    def settled(self) -> bool:
        """Whether the sandbox was tried and no warm process is being started: a kernel starts as well now as later."""
        return self.held is not None and (self._warm is not None or self._warming is None)

    @property
    def held(self) -> Held | None:
        """What of the sandbox held when it was tried, None while that is not known."""
        if self._confinement == "none":
            return NOTHING_HELD
        done = self._tried is not None and self._tried.done() and not self._tried.cancelled()
        return self._tried.result() if done and self._tried else None

    @property
    def refusal(self) -> str:
        """Why no kernel is started here, a sentence; empty where kernels are."""
        held = self.held
        refused = self._confinement == "required" and held is not None and not held.all
        return NO_KERNELS.format(why=held.why_not) if refused and held else ""

    def report(self) -> dict[str, Any]:
        """What the page says of the sandbox: `tried`, and once it was `layers` that held, `all`, `why_not`, `off`."""
        held = self.held
        if held is None:
            return {"tried": False}
        return {"tried": True, "layers": held.layers, "all": held.all, "why_not": held.why_not, "off": self.refusal}

    def engine(self, folder: SessionFolder) -> LocalEngine:
        """A kernel, not yet started, for a session folder; the folder may link to files once the sandbox was tried."""
        folder.linked = self.held is not None and self.held.all
        return LocalEngine(self._once_tried, folder)

    async def __aenter__(self) -> Self:
        if can_fork_warm() and os.access(self._python, os.X_OK):
            self._warming = asyncio.create_task(self._keep_warm())
        if self._confinement != "none":
            self._tried = asyncio.create_task(self._try())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in (self._tried, self._warming):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task

    async def _keep_warm(self) -> None:
        """Start the warm process, and again whenever it has ended."""
        home = self._sessions.parent / "warm"  # keeps matplotlib's list of fonts from one start to the next
        environment = library_environment(self._python, os.environ) | {"HOME": str(home), "MPLCONFIGDIR": str(home)}
        pause = WARM_AGAIN_SECONDS
        await self._until_wanted()
        while True:
            warm = WarmProcess(self._python, environment)
            try:
                try:
                    home.mkdir(parents=True, exist_ok=True, mode=0o700)
                    await warm.start()
                    pause = WARM_AGAIN_SECONDS
                except (WarmProcessEnded, OSError) as error:
                    logger.warning("Kernels start slowly: the process that keeps their libraries imported: %s", error)
                    pause = min(2 * pause, WARM_LATEST_SECONDS)
                self._warm = warm
                await warm.ended()
            finally:
                await warm.close()
            await asyncio.sleep(pause)

    async def _until_wanted(self) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._asked.wait(), WARM_FIRST_SECONDS)

    async def _try(self) -> Held:
        await self._until_wanted()
        held = await probe(lambda folder: LocalEngine(self._at_once, folder), self._sessions, self._limits.memory_bytes)
        if held.all:
            logger.info("Kernels are confined: %s", ", ".join(LAYERS))
        else:
            logger.warning(
                "Kernels are not fully confined (%s): %s", ", ".join(held.layers) or "not at all", held.why_not
            )
        return held

    async def _once_tried(self, folder: SessionFolder) -> KernelStart:
        self._asked.set()
        if self._tried is not None:
            await asyncio.shield(self._tried)
            if self.refusal:
                raise KernelNotStarted(self.refusal)
        return await self._at_once(folder)

    async def _at_once(self, folder: SessionFolder) -> KernelStart:
        if not os.access(self._python, os.X_OK):
            raise KernelNotStarted(
                f"The kernel could not be started: there is no Python at {self._python}. "
                "Run `make setup`, or set KERNEL_PYTHON to a Python with ipykernel."
            )
        policy = policy_of(folder, self._confinement, self._limits)
        return KernelStart(self._python, policy, self._warm if self.warm else None)
