"""How far kernels are confined, and what a session's kernel may use."""

from __future__ import annotations

from typing import Literal

from services.kernels.inside.confine import Policy
from services.kernels.limits import Limits
from services.kernels.session_folder import SessionFolder

Confinement = Literal["required", "where possible", "none"]


def policy_of(folder: SessionFolder, confinement: Confinement, limits: Limits) -> Policy | None:
    """What the kernel of a session may use: its own folders within `limits`. None: it is not confined."""
    if confinement == "none":
        return None
    return Policy(
        read=(str(folder.input),),
        write=(str(folder.work), str(folder.home)),
        sockets=str(folder.sockets),
        memory_bytes=limits.memory_bytes,
        file_bytes=limits.folder_bytes,
        required=confinement == "required",
        listed=(str(folder.root),),
    )
