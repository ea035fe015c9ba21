"""Jupyter messages as what a notebook keeps: nbformat 4 outputs, errors a reader can act on."""

from __future__ import annotations

import re
from typing import Any

from services.kernels.channels import MESSAGE_BYTES
from services.kernels.engine import ClearOutput, Completions, Head, Output, Variable, Variables

NO_INPUT = "input() can't be answered: nobody watches this run. Give the value in the code, for example name = 'Ada'."
TOO_LARGE = (
    f"… an output of more than {MESSAGE_BYTES // 1_000_000} MB was left out, perhaps with what came just after it. "
    "Show less, or write it to a file …"
)
MOST_COMPLETIONS = 1000
MOST_VARIABLES = 200
MOST_ROWS, MOST_COLUMNS = 10, 30  # of a head
MOST_CHARACTERS = 200  # of a value in short
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


def variables_of(content: dict[str, Any]) -> Variables:
    """The variables a reply tells of, no more and no longer than the kernel's own part would."""
    listed = [
        Variable(
            _short(each["name"]),
            _short(each["type"]),
            _short(each["shape"]),
            _short(each["value"]),
            bool(each["table"]),
        )
        for each in content["variables"][:MOST_VARIABLES]
    ]
    return Variables(listed, max(int(content["count"]), len(listed)))


def head_of(content: dict[str, Any]) -> Head | None:
    """The table a head reply holds."""
    if not content["found"]:
        return None
    rows, columns = content["shape"]
    return Head(
        (int(rows), int(columns)),
        [_short(each) for each in content["columns"][:MOST_COLUMNS]],
        [_short(each) for each in content["index"][:MOST_ROWS]],
        [[_short(each) for each in row[:MOST_COLUMNS]] for row in content["rows"][:MOST_ROWS]],
    )


def _short(text: object) -> str:
    return _whole(str(text))[:MOST_CHARACTERS]


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
