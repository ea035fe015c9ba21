"""How a kernel process comes to be and ends: forked or started, in its folder, ended with everything it started."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import Instance

from services.kernels.inside.confine import Policy
from services.kernels.processes import ProcessId, identify, is_headless, kill_tree
from services.kernels.session_folder import SessionFolder
from services.kernels.warm_process import INSIDE, WarmProcess, WarmProcessEnded

LOCALE = ("LANG", "LC_ALL", "TZ")


@dataclass(frozen=True)
class KernelStart:
    """What a kernel starts from: the kernels' Python, its policy (None: not confined), a warm process (None: cold)."""

    python: Path
    policy: Policy | None = None
    warm: WarmProcess | None = None


class SessionProvisioner(LocalProvisioner):
    """Starts the kernel in its session's folder, under its policy, with an allow-list of environment variables."""

    folder = Instance(SessionFolder)
    how = Instance(KernelStart)
    kernel: ProcessId | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        kwargs |= {
            "env": kernel_environment(self.how.python, self.folder, os.environ),
            "cwd": str(self.folder.work),
        }
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        """Fork the kernel from the warm process; where there is none, start it."""
        info = await self._fork(kwargs["env"]) or await self._start(cmd, kwargs)
        self.kernel = identify(self.pid) if self.pid else None
        self.folder.note_kernel(self.kernel)
        return info

    async def _fork(self, environment: dict[str, str]) -> KernelConnectionInfo | None:
        if self.how.warm is None:
            return None
        connection_file = self.folder.sockets / "kernel.json"
        try:
            forked = await self.how.warm.fork(
                described(self.how.policy), connection_file, environment, self.folder.work, self.folder.start_log
            )
        except WarmProcessEnded:
            return None
        self.process = cast(Any, forked)
        self.pid = forked.pid
        self.pgid = None  # known to be its own only once it has made it; it has no other processes in it
        return self.connection_info

    async def _start(self, cmd: list[str], kwargs: dict[str, Any]) -> KernelConnectionInfo:
        with self.folder.start_log.open("wb") as log:
            return await super().launch_kernel(cmd, **kwargs, stdout=log, stderr=log)

    async def poll(self) -> int | None:
        """The exit code, None while it runs. A kernel whose main thread has ended runs no cell, and is ended."""
        code = await super().poll()
        if code is None and self.pid and is_headless(self.pid):
            await self.kill()
        return code

    async def kill(self, restart: bool = False) -> None:
        await asyncio.to_thread(kill_tree, self.kernel, self.folder.root)
        await super().kill(restart)  # its group, where processes can't be listed

    async def terminate(self, restart: bool = False) -> None:
        await self.kill(restart)


def described(policy: Policy | None) -> dict[str, Any] | None:
    return dataclasses.asdict(policy) if policy else None


def kernel_command(how: KernelStart) -> list[str]:
    """The command of a kernel started on its own, as a kernel spec has it."""
    policy = json.dumps(described(how.policy))
    return [str(how.python), "-I", str(INSIDE), "kernel", policy, "-f", "{connection_file}"]


def kernel_environment(kernel_python: Path, folder: SessionFolder, given: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a session's kernel: nothing of the app's own but its locale and its search path."""
    return library_environment(kernel_python, given) | {
        "HOME": str(folder.home),
        "TMPDIR": str(folder.home),
        "IPYTHONDIR": str(folder.home / "ipython"),
        "MPLCONFIGDIR": str(folder.home / "matplotlib"),
    }


def library_environment(kernel_python: Path, given: Mapping[str, str]) -> dict[str, str]:
    """What the kernels' libraries are told when they are imported."""
    return {name: given[name] for name in LOCALE if given.get(name)} | {
        "PATH": os.pathsep.join([str(kernel_python.parent), given.get("PATH") or os.defpath]),
        # the other renderers put 4 MB of script or a web address into every output
        "PLOTLY_RENDERER": "plotly_mimetype",
        # a process forks well with one thread only; many kernels share few cores
        "OPENBLAS_NUM_THREADS": "1",
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
        # its other allocators take a gigabyte of room at the first text, which counts as the kernel's memory
        "ARROW_DEFAULT_MEMORY_POOL": "system",
        # joblib then runs what it would give to processes one after the other
        "JOBLIB_MULTIPROCESSING": "0",
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # a warning about breakpoints, meant for people who start debuggers
        "MPLBACKEND": "module://matplotlib_inline.backend_inline",
    }
