"""The yardstick of the kernel benchmarks: an ipykernel started and asked by jupyter_client alone."""

from __future__ import annotations

import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import KernelManager

ANSWER_SECONDS = 60


class PlainKernel:
    """Started at once, ready when it was made: it has answered and its outputs are heard. A context manager."""

    def __init__(self, python: Path) -> None:
        self._manager = KernelManager()
        argv = [str(python), "-m", "ipykernel_launcher", "--log-level=ERROR", "-f", "{connection_file}"]
        self._manager._kernel_spec = KernelSpec(argv=argv, display_name="Python", language="python")
        self._manager.start_kernel()
        self._client = self._manager.client()
        self._client.start_channels(hb=False)
        # `wait_for_ready` would add a fifth of a second of listening to silence
        self._client.kernel_info(reply=True, timeout=ANSWER_SECONDS)
        while self._client.get_iopub_msg(timeout=ANSWER_SECONDS)["msg_type"] != "iopub_welcome":
            pass

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def pid(self) -> int:
        return int(self._manager.provisioner.pid)

    def run(self, code: str) -> tuple[str, float, float]:
        """The text of a cell's output, and the seconds to its first part and to the cell's end."""
        start = time.perf_counter()
        texts: list[str] = []
        seconds: list[float] = []

        def keep(message: dict[str, Any]) -> None:
            kind, content = message["msg_type"], message["content"]
            if kind in {"stream", "execute_result"}:
                seconds.append(time.perf_counter() - start)
                texts.append(content["text"] if kind == "stream" else content["data"]["text/plain"])

        reply = self._client.execute_interactive(code, output_hook=keep, allow_stdin=False, timeout=ANSWER_SECONDS)
        if reply["content"]["status"] != "ok" or not texts:
            raise RuntimeError(f"the cell did not answer: {reply['content']}")
        return "".join(texts), seconds[0], time.perf_counter() - start

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)
