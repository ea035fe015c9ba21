"""What the kernel tests share: a pool over real kernels, runs read to their end, and processes seen in /proc."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import time
from dataclasses import replace
from pathlib import Path

from services.kernels import KernelPool, Launcher, Limits
from services.settings import Settings

KERNEL_PYTHON = Settings().kernel_python
ADA, BOB, CYD = "a" * 48, "b" * 48, "c" * 48


@contextlib.contextmanager
def full_disk():
    """Nothing more can be written to any file, this process's own output too: wrap the call that is tried, no more."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def new_limits(**limits):
    """The limits of the default settings with none started ahead, and these in place of theirs."""
    return replace(Limits.from_settings(Settings()), **{"waiting": 0} | limits)


def new_launcher(sessions, python=KERNEL_PYTHON, confinement="required", **limits):
    return Launcher(python, sessions, new_limits(**limits), confinement)


def new_pool(sessions, python=KERNEL_PYTHON, confinement="required", **limits):
    """A pool over real kernels, none started ahead, with these limits beside the defaults."""
    return KernelPool(new_launcher(sessions, python, confinement, **limits).engine, sessions, new_limits(**limits))


def in_pool(tmp_path, use, **limits):
    """The result of `await use(pool)`, in a pool of its own."""

    async def main():
        async with new_pool(tmp_path / "sessions", **limits) as pool:
            return await use(pool)

    return asyncio.run(main())


def start(pool, code, *, token=ADA, task="task", cell="cell", inputs=dict):
    return pool.run(token, task, cell, code, inputs)


async def events_of(run, seconds=90):
    async def read():
        return [json.loads(line) async for lines in run.log.follow() for line in lines.splitlines()]

    return await asyncio.wait_for(read(), seconds)


async def ended(pool, code, **where):
    """Run a cell to its end: the text it printed and its last event."""
    events = await events_of(start(pool, code, **where))
    return printed(events), events[-1]


def outputs(events):
    return [event["output"] for event in events if event["event"] == "output"]


def printed(events):
    return "".join(output["text"] for output in outputs(events) if output["output_type"] == "stream")


async def until(condition, seconds=60.0):
    """Wait for a condition that must come true in time."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come true in time"
        await asyncio.sleep(0.02)


async def until_running(run):
    """Wait until the cell has printed something."""
    await until(lambda: run.log.outputs())


def alive(pid):
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def working_below(folder):
    """Numbers of the living processes whose current folder is somewhere below `folder`: kernels of any kind."""
    found = set()
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if (each / "cwd").readlink().is_relative_to(folder) and alive(int(each.name)):
                found.add(int(each.name))
        except OSError:
            continue
    return found


def kernels_below(folder):
    """Numbers of the living processes whose home is somewhere below `folder`."""
    found = set()
    for each in Path("/proc").glob("[0-9]*"):
        try:
            of_folder = b"HOME=" + os.fsencode(folder) + b"/" in (each / "environ").read_bytes()
        except OSError:
            continue
        if of_folder and alive(int(each.name)):
            found.add(int(each.name))
    return found
