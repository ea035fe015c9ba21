"""Jupyter messages as what a notebook keeps: nbformat 4 outputs, errors a reader can act on."""

from __future__ import annotations

import re
from typing import Any

from services.kernels.engine import ClearOutput, Output

NO_INPUT = "input() can't be answered here. Give the value in the code instead, for example name = 'Ada'."
# where installed packages stand is the app's own business, and noise in a traceback
_SITE_PACKAGES = re.compile(r"(?:/[^\s/\x1b]+)+/site-packages/")


def output_of(kind: str, content: dict[str, Any]) -> Output | ClearOutput | None:
    """The output an iopub message stands for; None for messages that are none (status, comms, the cell's echo)."""
    match kind:
        case "stream":
            name = "stderr" if content["name"] == "stderr" else "stdout"
            return Output({"output_type": kind, "name": name, "text": str(content["text"])})
        case "display_data" | "update_display_data":
            display = dict(content.get("transient") or {}).get("display_id")
            transient = {} if display is None else {"display_id": str(display)}
            shown = {"output_type": "display_data", **_bundle(content), "transient": transient}
            return Output(shown, update=kind == "update_display_data")
        case "execute_result":
            count = content["execution_count"]
            return Output({"output_type": kind, **_bundle(content), "execution_count": count})
        case "error":
            return Output({"output_type": kind, **_error(content)})
        case "clear_output":
            return ClearOutput(wait=bool(content["wait"]))
    return None


def pages_of(content: dict[str, Any]) -> list[Output]:
    """The texts an execute reply asks a pager to show, such as those of `print?`."""
    return [
        Output({"output_type": "display_data", "data": page["data"], "metadata": {}, "transient": {}})
        for page in content.get("payload") or []
        if page.get("source") == "page"
    ]


def _bundle(content: dict[str, Any]) -> dict[str, Any]:
    return {"data": dict(content["data"]), "metadata": dict(content.get("metadata") or {})}


def _error(content: dict[str, Any]) -> dict[str, Any]:
    name, value, lines = str(content["ename"]), str(content["evalue"]), [str(line) for line in content["traceback"]]
    if name == "StdinNotImplementedError":
        value = NO_INPUT
        lines = [line for line in lines[:-1] if "/ipykernel/kernelbase.py" not in line] + [f"{name}: {value}"]
    return {"ename": name, "evalue": value, "traceback": [_SITE_PACKAGES.sub("", line) for line in lines]}
