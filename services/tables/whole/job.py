"""A long piece of work in a child process that tells how far it is, and can be stopped."""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from services.tables.bare_process import ENVIRONMENT, ROOT
from services.tables.whole.limits import command

_turn = threading.BoundedSemaphore(2)  # pieces of long work at once; more wait


class Job:
    """`state` is working, ready, stopped or failed; `said` holds the child's lines so far, `error` a sentence.

    `finish` gets what the child said under "ready", or None, before the state says that the work has ended. The work
    waits for its `turn`.
    """

    def __init__(
        self,
        module: str,
        request: dict[str, Any],
        seconds: float,
        what: str,
        finish: Callable[[Job, Any], None],
        turn: threading.BoundedSemaphore = _turn,
    ) -> None:
        self.state = "working"
        self.said: list[dict[str, Any]] = []
        self.error = ""
        self._module, self._request, self._seconds, self._what = module, request, seconds, what
        self._finish = finish
        self._turn = turn
        self._child: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self.ended = threading.Event()
        threading.Thread(target=self._work, name=f"whole {module}", daemon=True).start()

    def latest(self, key: str, default: Any = None) -> Any:
        """The last that the child said under this key."""
        return next((line[key] for line in reversed(self.said) if key in line), default)

    def stop(self) -> bool:
        """End the work; whether there was any to end."""
        with self._lock:
            if self.state != "working":
                return False
            self.state = "stopped"
            if self._child is not None:
                self._child.kill()
            return True

    def _work(self) -> None:
        try:
            with self._turn:
                late = self._run()
            self.error = self._judge(late)
            self._finish(self, None if self.error or self.state == "stopped" else self.latest("ready"))
            with self._lock:
                if self.state == "working":
                    self.state = "failed" if self.error else "ready"
        except OSError as error:
            self.error = f"{self._what} failed: {error.strerror or error}. The first rows can still be seen."
            self.state = "failed"
        finally:
            self.ended.set()

    def _run(self) -> bool:
        """Run the child to its end; whether it had to be killed for its time."""
        with self._lock:
            if self.state != "working":
                return False
            self._child = child = subprocess.Popen(
                command(self._module),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=ROOT,
                env=ENVIRONMENT,
            )
        began = time.monotonic()
        timer = threading.Timer(self._seconds, child.kill)
        timer.daemon = True
        timer.start()
        try:
            with child:
                assert child.stdin and child.stdout
                try:
                    child.stdin.write(json.dumps(self._request).encode())
                    child.stdin.close()
                except BrokenPipeError:
                    pass  # it died at once: what it said, or did not, is judged below
                for line in child.stdout:
                    self.said.append(json.loads(line))
        except ValueError:
            child.kill()
        finally:
            timer.cancel()
        return time.monotonic() - began >= self._seconds

    def _judge(self, late: bool) -> str:
        """What went wrong, in a sentence; "" where nothing did."""
        said: str = self.latest("error", "")
        if said or self.latest("ready") is not None:
            return said
        return (
            f"{self._what} took longer than {self._seconds:g} seconds and was stopped. "
            if late
            else f"{self._what} failed: it takes more memory or disk than it may, or the content breaks the reader. "
        ) + "The first rows can still be seen; whoever runs the app can raise TABLE_SECONDS or TABLE_MEMORY_MB."
