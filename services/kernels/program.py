"""Runs one program in a kernel of its own, as a cell."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.kernels.engine import Engine, Event, Output
from services.kernels.session_folder import SessionFolder


@dataclass(frozen=True)
class ProgramRun:
    """How it ended (`ok` or `error`), its outputs in nbformat 4, and the text of its `answer.txt`, None without one."""

    status: str
    outputs: list[dict[str, Any]]
    answer: str | None


async def run_program(
    new_engine: Callable[[SessionFolder], Engine], sessions: Path, code: str, inputs: Mapping[str, Path]
) -> ProgramRun:
    """Run `code` in a kernel of `new_engine` that finds `inputs` (file name → path); nothing of it is left.

    Raises:
        KernelNotStarted: the kernel did not come up.
        KernelDied: it ended before the program did.
        AnswerUnreadable: `answer.txt` can't be taken as text.
    """
    outputs: list[dict[str, Any]] = []

    def keep(output: Event) -> None:
        if isinstance(output, Output) and not output.update:
            outputs.append(output.content)

    folder = SessionFolder(sessions)
    engine = new_engine(folder)
    try:
        await asyncio.to_thread(folder.fill, inputs)
        await engine.start()
        reply = await engine.execute(code, keep, can_ask=False)
        return ProgramRun(reply.status, outputs, folder.answer())
    finally:
        await engine.close()
        await asyncio.to_thread(folder.remove)
