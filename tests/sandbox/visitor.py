"""A visitor of the app as its own page is one: cells go in over HTTP, and all they give comes back."""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import dataclass
from typing import Any

import httpx

TASK = "demo_iris_qa_1"
CELL_SECONDS, FIRST_SECONDS = 8.0, 60.0  # with the first cell, a kernel starts


@dataclass(frozen=True)
class Outcome:
    """What a cell gave: every event as its line of JSON, its outputs, and how it ended."""

    lines: str
    outputs: list[dict[str, Any]]
    status: str
    message: str

    @property
    def text(self) -> str:
        """All that was printed."""
        return "".join(output.get("text", "") for output in self.outputs)

    @property
    def error(self) -> str:
        """Name of the exception the cell ended with."""
        return next((output["ename"] for output in self.outputs if output["output_type"] == "error"), "")


class Visitor:
    """Someone with a token, and so with a kernel of their own."""

    def __init__(self, url: str, task: str = TASK) -> None:
        self.url = url
        self.task = task
        self.token = secrets.token_hex(24)
        self._http = httpx.Client(base_url=url, timeout=FIRST_SECONDS + 20)

    def run(self, code: str, seconds: float = CELL_SECONDS) -> Outcome:
        """Run a cell to its end; one that takes more than these seconds is stopped, as its Stop button would."""
        cell = {"token": self.token, "task_id": self.task, "cell_id": "cell", "code": code}
        stop = threading.Timer(seconds, self._stop)
        stop.start()
        try:
            with self._http.stream("POST", "kernel/run", json=cell) as answer:
                answer.raise_for_status()
                lines = list(answer.iter_lines())
        finally:
            stop.cancel()
        events = [json.loads(line) for line in lines]
        done = events[-1]
        assert done["event"] == "done", done
        outputs = [event["output"] for event in events if event["event"] in ("output", "update_display_data")]
        return Outcome("\n".join(lines), outputs, done["status"], done.get("message", ""))

    def _stop(self) -> None:
        if self.ask("stop").get("offer"):
            self.ask("stop", end=True)

    def ask(self, path: str, **more: object) -> dict[str, Any]:
        """One of the other kernel routes."""
        answer = self._http.post(f"kernel/{path}", json={"token": self.token, **more})
        answer.raise_for_status()
        return dict(answer.json())

    def close(self) -> None:
        self._http.close()
