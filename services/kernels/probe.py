"""Tries, at start, what the sandbox must stop: a policy says what should hold on this machine, this says what does."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from services.kernels.engine import Engine, Event, KernelError, Output
from services.kernels.session_folder import SessionFolder
from services.kernels.warm_process import INSIDE

LAYERS = ("files", "network", "processes", "memory")
PROBE_SECONDS = 60.0
COULD_NOT = "the test of the sandbox could not be run: {error}"


@dataclass(frozen=True)
class Held:
    """Which of `LAYERS` held, and why the others did not: the rest of a sentence, empty when all held."""

    layers: tuple[str, ...]
    why_not: str = ""

    @property
    def all(self) -> bool:
        return self.layers == LAYERS


NOTHING_HELD = Held((), "confinement is switched off")


async def probe(new_engine: Callable[[SessionFolder], Engine], sessions: Path, memory_bytes: int) -> Held:
    """Attack from a throw-away kernel, whose memory is limited to `memory_bytes`, and see what could be done."""
    try:
        folder, victim = SessionFolder(sessions), SessionFolder(sessions)
    except OSError as error:
        return Held((), COULD_NOT.format(error=error))
    engine = new_engine(folder)
    said: list[str] = []

    def hear(output: Event) -> None:
        if isinstance(output, Output):
            said.append(str(output.content.get("text") or output.content.get("evalue") or ""))

    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    tcp = socket.create_server(("127.0.0.1", 0))
    unix = socket.socket(socket.AF_UNIX)
    try:
        await asyncio.to_thread(folder.fill, {})
        secret, beside, path = victim.work / "secret", victim.work / "beside", victim.sockets / "s"
        secret.write_text(secrets.token_hex(8))
        unix.bind(str(path))
        unix.listen()
        udp.bind(("127.0.0.1", 0))
        udp.setblocking(False)
        targets = {
            "secret": str(secret),
            "beside": str(beside),
            "tcp": tcp.getsockname()[1],
            "udp": udp.getsockname()[1],
            "unix": str(path),
            "app": os.getpid(),
            "memory": memory_bytes + (1 << 30),
        }
        cell = f"{(INSIDE / 'probe_cell.py').read_text()}\nprint(json.dumps(attack({targets!r})))"
        async with asyncio.timeout(PROBE_SECONDS):
            await engine.start()
            await engine.execute(cell, hear, can_ask=False)
        return _judge("".join(said), written=beside.exists())
    except (KernelError, OSError) as error:
        return Held((), COULD_NOT.format(error=error))
    finally:
        for each in (udp, tcp, unix):
            each.close()
        await engine.close()
        await asyncio.to_thread(folder.remove)
        await asyncio.to_thread(victim.remove)


def _judge(said: str, written: bool) -> Held:
    try:
        done: dict[str, list[str]] = json.loads(said)
        could = {layer: list(done[layer]) for layer in LAYERS}
    except (ValueError, KeyError, TypeError):
        return Held((), f"the test of the sandbox gave no result: {said[-300:]}")
    if written:
        could["files"].append("write into another folder")
    held = tuple(layer for layer in LAYERS if not could[layer])
    return Held(held, ", ".join(dict.fromkeys(name for layer in LAYERS for name in could[layer])))
