"""Jupyter messages as what a notebook keeps: nbformat 4 outputs, errors a reader can act on."""

from __future__ import annotations

import re
from typing import Any

from services.kernels.channels import MESSAGE_BYTES
from services.kernels.engine import ClearOutput, Completions, Output

NO_INPUT = "input() can't be answered: nobody watches this run. Give the value in the code, for example name = 'Ada'."
TOO_LARGE = (
    f"… an output of more than {MESSAGE_BYTES // 1_000_000} MB was left out, perhaps with what came just after it. "
    "Show less, or write it to a file …"
)
MOST_COMPLETIONS = 1000
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
        Output({"output_type": "display_data", "data": dict(page["data"]), "metadata": {}, "transient": {}})
        for page in content.get("payload") or []
        if page.get("source") == "page"
    ]


def notice(sentence: str) -> Output:
    """A sentence in place of an output."""
    return Output({"output_type": "display_data", "data": {"text/plain": sentence}, "metadata": {}, "transient": {}})


def completions_of(code: str, content: dict[str, Any]) -> Completions:
    """The matches of a complete reply, each once, in its order."""
    start, end = int(content["cursor_start"]), int(content["cursor_end"])
    kinds = content.get("metadata", {}).get("_jupyter_types_experimental") or []
    of_text = {str(each["text"]): str(each["type"]) for each in kinds}
    found = {str(text): of_text.get(str(text), "") for text in content["matches"][:MOST_COMPLETIONS]}
    # an attribute is named with its dot
    if code[start : start + 1] == "." and all(text.startswith(".") for text in found):
        start, found = start + 1, {text[1:]: kind for text, kind in found.items()}
    return Completions(start, end, [(_whole(text), _whole(kind).strip("<>")) for text, kind in found.items()])


def inspection_of(content: dict[str, Any]) -> str:
    """The text of an inspect reply."""
    return _SITE_PACKAGES.sub("", _whole(str(content["data"]["text/plain"]))) if content["found"] else ""


def _whole(text: str) -> str:
    """The text without halves of letters, which Python's may hold and UTF-8 can't."""
    return text.encode(errors="replace").decode()


def _bundle(content: dict[str, Any]) -> dict[str, Any]:
    return {"data": dict(content["data"]), "metadata": dict(content.get("metadata") or {})}


def _error(content: dict[str, Any]) -> dict[str, Any]:
    name, value, lines = str(content["ename"]), str(content["evalue"]), [str(line) for line in content["traceback"]]
    if name == "StdinNotImplementedError":
        value = NO_INPUT
        lines = [line for line in lines[:-1] if "/ipykernel/kernelbase.py" not in line] + [f"{name}: {value}"]
    return {"ename": name, "evalue": value, "traceback": [_SITE_PACKAGES.sub("", line) for line in lines]}
