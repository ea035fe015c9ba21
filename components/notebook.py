"""The notebook: cells over the bundled editor. They run through the kernel routes, not through Gradio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from components.pane import pane


def notebook(starter: Callable[[dict[str, Any]], dict[str, Any]]) -> gr.HTML:
    """Make the pane.

    `starter` takes `{"task_id": id}` and answers `{"code": text}`, Python which loads that task's files, or
    `{"error": sentence}`.
    """

    # the page calls it by this name, whatever the given function is called
    def starter_code(request: dict[str, Any]) -> dict[str, Any]:
        return starter(request)

    return pane("notebook", "Notebook", [starter_code])
