"""The panes' own functions, called over HTTP as Gradio's page calls them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx


def functions_of(http: httpx.Client, pane: str) -> Callable[[str, dict[str, Any]], Any]:
    """A function that calls one of the pane's by its name, with the one object it takes."""
    (component,) = (
        each["id"] for each in http.get("config").json()["components"] if each["props"].get("elem_id") == pane
    )

    def call(name: str, request: dict[str, Any]) -> Any:
        body = {"data": request, "component_id": component, "fn_name": name, "session_hash": "s"}
        # ASCII, as a browser writes half a surrogate pair
        headers = {"Content-Type": "application/json"}
        answer = http.post("gradio_api/component_server/", content=json.dumps(body), headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return call
