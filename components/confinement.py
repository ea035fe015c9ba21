"""How far the code in cells is confined here: a line at the page's foot, and a notice at its head where it is not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from components.pane import pane


def confinement(report: Callable[[], dict[str, Any]]) -> gr.HTML:
    """Make the pane. `report` answers `{"tried": bool, "layers": those that held, "all": bool, "why_not", "off"}`."""

    def confinement_state(_: dict[str, Any]) -> dict[str, Any]:
        return report()

    return pane("confinement", "How code in cells is confined", [confinement_state])
