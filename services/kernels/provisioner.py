"""How a kernel process comes to be and ends: its environment, its folder, its end with everything it started."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jupyter_client.connect import KernelConnectionInfo
from jupyter_client.provisioning.local_provisioner import LocalProvisioner
from traitlets import Instance

from services.kernels.processes import ProcessId, identify, kill_tree
from services.kernels.session_folder import SessionFolder

LOCALE = ("LANG", "LC_ALL", "TZ")


class SessionProvisioner(LocalProvisioner):
    """Starts the kernel in its session's folder with an allow-list of environment variables."""

    folder = Instance(SessionFolder)
    kernel_python = Instance(Path)
    kernel: ProcessId | None = None

    async def pre_launch(self, **kwargs: Any) -> dict[str, Any]:
        log = (self.folder.sockets / "start.log").open("wb")
        kwargs |= {
            "env": kernel_environment(self.kernel_python, self.folder.work, os.environ),
            "cwd": str(self.folder.work),
            "stdout": log,
            "stderr": log,
        }
        return await super().pre_launch(**kwargs)

    async def launch_kernel(self, cmd: list[str], **kwargs: Any) -> KernelConnectionInfo:
        try:
            info = await super().launch_kernel(cmd, **kwargs)
        finally:
            kwargs["stderr"].close()
        self.kernel = identify(self.pid) if self.pid else None
        self.folder.note_kernel(self.kernel)
        return info

    async def kill(self, restart: bool = False) -> None:
        await asyncio.to_thread(kill_tree, self.kernel, self.folder.work)
        await super().kill(restart)  # its group, where processes can't be listed

    async def terminate(self, restart: bool = False) -> None:
        await self.kill(restart)


def kernel_environment(kernel_python: Path, work: Path, given: Mapping[str, str]) -> dict[str, str]:
    """The whole environment of a kernel: nothing of the app's own but its locale and its search path."""
    return {name: given[name] for name in LOCALE if given.get(name)} | {
        "PATH": os.pathsep.join([str(kernel_python.parent), given.get("PATH") or os.defpath]),
        "HOME": str(work),
        "IPYTHONDIR": str(work.parent / "ipython"),
        "MPLCONFIGDIR": str(work.parent / "matplotlib"),
        # the other renderers put 4 MB of script or a web address into every output
        "PLOTLY_RENDERER": "plotly_mimetype",
    }
