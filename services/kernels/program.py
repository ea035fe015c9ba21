"""Runs one program in a kernel of its own, as a cell."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.kernels.engine import ClearOutput, Output
from services.kernels.local_engine import LocalEngine
from services.kernels.session_folder import SessionFolder


@dataclass(frozen=True)
class ProgramRun:
    """How it ended (`ok` or `error`), its outputs in nbformat 4, and the text of its `answer.txt`, None without one."""

    status: str
    outputs: list[dict[str, Any]]
    answer: str | None


async def run_program(kernel_python: Path, sessions: Path, code: str, inputs: Mapping[str, Path]) -> ProgramRun:
    """Run `code` in a fresh kernel whose input folder holds `inputs` (file name → path); nothing of it is left.

    Raises:
        KernelNotStarted: the kernel did not come up.
        KernelDied: it ended before the program did.
        AnswerUnreadable: `answer.txt` can't be taken as text.
    """
    outputs: list[dict[str, Any]] = []

    def keep(output: Output | ClearOutput) -> None:
        if isinstance(output, Output) and not output.update:
            outputs.append(output.content)

    folder = SessionFolder(sessions)
    engine = LocalEngine(kernel_python, folder)
    try:
        await asyncio.to_thread(folder.fill, inputs)
        await engine.start()
        reply = await engine.execute(code, keep)
        return ProgramRun(reply.status, outputs, folder.answer())
    finally:
        await engine.close()
        await asyncio.to_thread(folder.remove)
