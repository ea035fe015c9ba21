"""What a run has said so far, as lines ready to send: joined, kept within bounds, and readable again after a reload."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from services.kernels.engine import ClearOutput, Event, InputEnded, InputRequest, Output
from services.kernels.text_limits import Tail, cut_middle, overwrites, size_in_words

JOIN_SECONDS = 0.02  # streamed text of this span goes out as one event
RICH_FACTOR = 10  # pictures and charts may take this many times the bytes of text
EVENT_BYTES = 100  # what an event counts for beyond its content
NOTE_BYTES = 1000  # a sentence in place of an output takes less


@dataclass
class _Entry:
    """An event as its line; as Python objects it can take twenty times the memory."""

    seq: int
    kind: str
    line: bytes
    text_bytes: int = 0
    rich_bytes: int = 0

    @property
    def event(self) -> dict[str, Any]:
        return dict(json.loads(self.line))

    @property
    def is_output(self) -> bool:
        return self.kind in ("output", "update_display_data", "clear_output")


class RunLog:
    """The events of one run, numbered by `seq`; an event that a later one makes invisible is dropped.

    `input_request` says that the cell waits for an answer, until `input_ended` or `done`.

    Of streamed text the first and the last half of `output_bytes` are kept, whatever a cell prints.
    """

    def __init__(self, output_bytes: int) -> None:
        self._limit = output_bytes
        self._entries: dict[int, _Entry] = {}
        self._next = 0
        self._pending = ""
        self._pending_name = "stdout"
        self._timer: asyncio.TimerHandle | None = None
        self._tail: Tail | None = None
        self._clear: _Entry | None = None
        self._question: _Entry | None = None
        self._displays: dict[str, int] = {}
        self._done: _Entry | None = None
        self._followers: set[asyncio.Event] = set()
        self._text_bytes = 0
        self._rich_bytes = 0
        self._size = 0

    @property
    def done(self) -> bool:
        return self._done is not None

    @property
    def last_seq(self) -> int:
        """Number of the newest event, -1 before the first. It grows after `done` when a thread of the cell prints."""
        return self._next - 1

    @property
    def size(self) -> int:
        """Bytes of all lines kept."""
        return self._size

    @property
    def followed(self) -> bool:
        """Whether anyone reads along."""
        return bool(self._followers)

    def outputs(self) -> list[dict[str, Any]]:
        """The outputs kept, in nbformat 4."""
        return [entry.event["output"] for entry in self._entries.values() if entry.kind == "output"]

    def status(self, status: str, message: str = "") -> None:
        """Note how far the run is: `waiting`, `starting` or `running`, with a `message` for people if there is one."""
        self._flush()
        self._add({"event": "status", "status": status} | ({"message": message} if message else {}))

    def finish(self, event: dict[str, Any]) -> None:
        """End the log with its `done` event."""
        self._flush()
        self._release_tail()
        if self._question is not None:
            self._drop(self._question)
            self._question = None
        self._done = self._add({"event": "done", **event})

    def emit(self, output: Event) -> None:
        """Take what the kernel sent. After `done` it goes before it, so that `done` stays last.

        Raises:
            ValueError: it is no JSON.
        """
        if isinstance(output, InputRequest):
            self._flush()
            prompt = cut_middle(output.prompt, self._limit // 10)
            self._ask({"event": "input_request", "prompt": prompt, "password": output.password})
        elif isinstance(output, InputEnded):
            self._ask({"event": "input_ended"})
            self._stream("stdout", output.text)
        elif isinstance(output, ClearOutput):
            self._flush()
            if self._clear is not None:
                self._drop(self._clear)
            self._clear = self._add({"event": "clear_output", "wait": output.wait})
            if not output.wait:
                self._drop_cleared()
        elif output.content["output_type"] == "stream":
            self._stream(output.content["name"], output.content["text"])
        else:
            self._flush()
            self._show(output)

    async def follow(self, after: int = -1) -> AsyncIterator[bytes]:
        """Lines of all events with `seq` > `after`, joined as they come, until `done` has been given."""
        news = asyncio.Event()
        self._followers.add(news)
        try:
            while True:
                fresh = []
                for entry in reversed(self._entries.values()):
                    if entry.seq <= after:
                        break
                    fresh.append(entry.line)
                if fresh:
                    after = self.last_seq
                    yield b"".join(reversed(fresh))
                elif self._done is not None:
                    return
                else:
                    await news.wait()
                news.clear()
        finally:
            self._followers.discard(news)

    def _ask(self, event: dict[str, Any]) -> None:
        """Note that an answer is waited for, or no more; only the newest of these says how it stands."""
        if self._question is not None:
            self._drop(self._question)
        self._question = self._add(event)

    def _add(self, event: dict[str, Any]) -> _Entry:
        event = {"seq": self._next, **event}
        # NaN, which Python takes for JSON, no browser reads
        text = json.dumps(event, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        line = text.encode("utf-8", errors="replace") + b"\n"
        entry = self._entries[self._next] = _Entry(self._next, event["event"], line)
        self._next += 1
        self._size += len(line)
        if self._done is not None:
            ended, self._done = self._done, None
            self._drop(ended)
            self._done = self._add({name: value for name, value in ended.event.items() if name != "seq"})
        for follower in self._followers:
            follower.set()
        return entry

    def _drop(self, entry: _Entry) -> None:
        del self._entries[entry.seq]
        self._size -= len(entry.line)
        self._text_bytes -= entry.text_bytes
        self._rich_bytes -= entry.rich_bytes

    def _drop_cleared(self) -> None:
        if self._clear is None:
            return
        clear, self._clear = self._clear, None
        for entry in list(self._entries.values()):
            if entry.is_output and entry.seq < clear.seq:
                self._drop(entry)
        self._displays.clear()
        self._tail = None

    def _stream(self, name: str, text: str) -> None:
        if self._pending and name != self._pending_name:
            self._flush()
        self._pending_name = name
        self._pending += text
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(JOIN_SECONDS, self._flush)

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        text, self._pending = self._pending, ""
        if not text:
            return
        self._drop_cleared()
        name = self._pending_name
        if self._tail is None:
            self._drop_overwritten(name, text)
            room = self._limit // 2 - self._text_bytes
            if len(text) + EVENT_BYTES <= room:
                self._print(name, text)
                return
            head = text[: max(0, room)]
            if head:
                self._print(name, head)
            if self.done:
                return
            text = text[len(head) :]
            self._tail = Tail(self._limit // 2)
            self._add(
                {
                    "event": "status",
                    "status": "running",
                    "message": f"The cell has printed {size_in_words(self._limit // 2)}: "
                    "from here on, only the end is kept and shown once it is done.",
                }
            )
        self._tail.add(name, text)

    def _print(self, name: str, text: str) -> None:
        entry = self._add({"event": "output", "output": {"output_type": "stream", "name": name, "text": text}})
        entry.text_bytes = len(text) + EVENT_BYTES
        self._text_bytes += entry.text_bytes

    def _drop_overwritten(self, name: str, text: str) -> None:
        """A progress bar's next state takes the place of the one before."""
        last = next((entry for entry in reversed(self._entries.values()) if entry is not self._done), None)
        if last is not None and last.kind == "output":
            shown = last.event["output"]
            if shown.get("name") == name and overwrites(text, shown["text"]):
                self._drop(last)

    def _release_tail(self) -> None:
        tail, self._tail = self._tail, None
        if tail is None:
            return
        if tail.cut:
            note = f"\n… at least {size_in_words(tail.cut)} cut here …\n"
            self._add({"event": "output", "output": {"output_type": "stream", "name": "stdout", "text": note}})
        for name, text in tail.parts():
            self._print(name, text)

    def _show(self, output: Output) -> None:
        self._drop_cleared()
        content = dict(output.content)
        display = str(content.get("transient", {}).get("display_id", ""))
        if output.update and (before := self._entries.get(self._displays.get(display, -1))):
            self._drop(before)  # only the newest update of a display can be seen
        room = self._limit * RICH_FACTOR - self._rich_bytes
        if content["output_type"] == "error":
            room += self._limit  # it is told however much was shown before
            if self._text_bytes < self._limit * 3 // 4:  # or errors without end would let out tails without end
                self._release_tail()
            content["evalue"] = cut_middle(content["evalue"], self._limit // 10)
            if sum(map(len, content["traceback"])) > self._limit // 2:
                content["traceback"] = [cut_middle("\n".join(content["traceback"]), self._limit // 2)]
        elif isinstance(content["data"].get("text/plain"), str):
            content["data"] = content["data"] | {"text/plain": cut_middle(content["data"]["text/plain"], self._limit)}
        size = len(json.dumps(content)) + EVENT_BYTES
        if size > room:
            content = _too_large(content, size)
            if room + self._limit // 10 < NOTE_BYTES:
                return  # said often enough
        entry = self._add({"event": "update_display_data" if output.update else "output", "output": content})
        entry.rich_bytes = len(entry.line) + EVENT_BYTES
        self._rich_bytes += entry.rich_bytes
        if output.update and content["transient"]:
            self._displays[display] = entry.seq


def _too_large(content: dict[str, Any], size: int) -> dict[str, Any]:
    """A sentence in place of an output."""
    data = content.get("data", {})
    biggest = max(data, key=lambda kind: len(str(data[kind])), default="error")[:100]
    sentence = f"… an output of {size_in_words(size)} ({biggest}) is not shown: the cell's outputs are too large …"
    shown = {"output_type": "display_data", "data": {"text/plain": sentence}, "metadata": {}}
    transient = content.get("transient", {})
    return shown | {"transient": transient if len(str(transient)) < EVENT_BYTES else {}}
