"""Run a program in a confined kernel, as a cell.

    python -m services.kernels run FILE.py [--task ID] [--policy auto|strict|unconfined]

The kernel finds the task's files in ../input. Standard output gets the program's outputs, in nbformat 4, one JSON
object a line as they come; standard error what there is to say. input() takes lines of standard input. Exit code 0: it
ran. 1: it ended in an error, its kernel died, or Ctrl+C stopped it. 2: a limit ended it. 3: the kernel could not be
confined.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
from collections.abc import Mapping
from pathlib import Path

from services.catalog import CatalogError, UnknownTask, open_catalog
from services.datafiles import DataFileError, DataFiles
from services.kernels import KernelPool, Launcher
from services.settings import Settings, SettingsError, load_settings

ENDINGS = "Exit code: 0 it ran, 1 it failed or its kernel died, 2 a limit ended it, 3 no kernel could be confined."


def main(arguments: list[str] | None = None) -> int:
    """Run the command; gives its exit code."""
    parser = argparse.ArgumentParser(prog="python -m services.kernels", description="Run a program in a kernel.")
    run = parser.add_subparsers(dest="command", required=True).add_parser(
        "run", help="run a file as a cell", epilog=ENDINGS
    )
    run.add_argument("file", type=Path, help="the program")
    run.add_argument("--task", help="id of the task whose files it reads")
    run.add_argument("--policy", choices=["auto", "strict", "unconfined"], help="in place of KERNEL_POLICY")
    given = parser.parse_args(arguments)
    try:
        settings = load_settings()
        code = given.file.read_text(encoding="utf-8")
        inputs = _inputs(settings, given.task) if given.task else {}
    except (SettingsError, CatalogError, UnknownTask, DataFileError) as error:
        return _failed(str(error))
    except (OSError, UnicodeDecodeError) as error:
        return _failed(f"{given.file} can't be read: {error}")
    settings = settings.model_copy(
        update={"kernel_waiting": 0, "kernel_policy": given.policy or settings.kernel_policy}
    )
    try:
        return asyncio.run(_run(settings, code, inputs))
    except KeyboardInterrupt:
        return _failed("Stopped; nothing of the kernel is left.")


def _failed(sentence: str) -> int:
    print(sentence, file=sys.stderr)
    return 1


def _inputs(settings: Settings, task_id: str) -> Mapping[str, Path | str]:
    catalog = open_catalog(settings)
    datafiles = DataFiles.from_settings(catalog.source, settings)
    found = datafiles.inputs(catalog.task(task_id))
    return {name: str(each) if isinstance(each, DataFileError) else each for name, each in found.items()}


EXIT_CODES = {"ok": 0, "error": 1, "died": 1, "stopped": 1, "refused": 3}


async def _run(settings: Settings, code: str, inputs: Mapping[str, Path | str]) -> int:
    launcher = Launcher.from_settings(settings)
    async with launcher, KernelPool.from_settings(settings, launcher) as pool:
        token = secrets.token_hex(24)
        run = pool.run(token, "program", "program", code, lambda: inputs)
        event = {}
        async for lines in run.log.follow():
            for line in lines.splitlines():
                event = json.loads(line)
                if event["event"] == "input_request":
                    await _answer(pool, token, run.run_id, event["prompt"])
                elif "output" in event:
                    print(json.dumps(event["output"]), flush=True)
                elif event.get("message"):
                    print(event["message"], file=sys.stderr)
    if launcher.refusal:
        return 3
    return 2 if event.get("limit") and event["status"] in ("stopped", "died") else EXIT_CODES[event["status"]]


async def _answer(pool: KernelPool, token: str, run_id: str, prompt: str) -> None:
    """Answer input() with a line of standard input; without one the program is stopped."""
    print(prompt, file=sys.stderr, flush=True)
    line = await asyncio.to_thread(sys.stdin.readline)
    if line:
        pool.answer_input(token, run_id, line.rstrip("\n"))
    else:
        print("The program asks for input, and standard input has ended.", file=sys.stderr)
        await pool.stop(token)


if __name__ == "__main__":
    sys.exit(main())
