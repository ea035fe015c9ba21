"""How cells' output leaves the kernel: text in parts the app can take, and a thread's with the cell that started it."""

import threading
from collections.abc import Iterator
from typing import Any

PART = 1_000_000  # letters in one message
AT_ONCE = 4 * PART  # letters in the messages of one moment; the app keeps fewer of a whole cell
MESSAGE = 7_500_000  # bytes; the app refuses messages of more than 8 MB


def wait_for_the_app(iopub: Any) -> None:
    """Have the sending thread wait while the app has more than enough to read; libzmq would drop messages."""
    import zmq

    iopub.schedule(lambda: iopub.socket.setsockopt(zmq.XPUB_NODROP, 1))


def send_in_parts() -> None:
    """Have ipykernel send streamed text in messages of at most `PART` letters, and of a flood only its two ends."""
    from ipykernel.iostream import OutStream

    whole = OutStream._flush_buffers

    def parts(stream: OutStream) -> Iterator[tuple[dict[str, Any], str]]:
        for parent, text in whole(stream):
            text = _ends(text, AT_ONCE)
            for start in range(0, len(text), PART):
                yield parent, text[start : start + PART]

    OutStream._flush_buffers = parts


def leave_out_what_is_too_large(session: Any) -> None:
    """Have outputs too large for the app say so instead; of text the two ends are sent."""
    serialize = session.serialize

    def bounded(message: dict[str, Any], ident: Any = None) -> Any:
        frames = serialize(message, ident)
        if sum(map(len, frames)) <= MESSAGE:
            return frames
        content = message["content"]
        if "data" in content:
            content = content | {"data": _shown(content["data"]), "metadata": {}}
        elif "traceback" in content:
            lines = _ends("\n".join(content["traceback"]), PART)
            content = content | {"evalue": _ends(content["evalue"], PART), "traceback": [lines]}
        return serialize(message | {"content": content}, ident)

    session.serialize = bounded


def _shown(data: dict[str, Any]) -> dict[str, Any]:
    """What of a display that is too large can be shown: its text if that is all there is, else a sentence."""
    text = data.get("text/plain")
    if len(data) == 1 and isinstance(text, str):
        return {"text/plain": _ends(text, PART // 2)}
    kind = max(data, key=lambda each: len(str(data[each])))
    size = f"{len(str(data[kind])) / 1e6:.1f} MB ({kind})"
    return {"text/plain": f"… an output of {size} was left out: 8 MB can be shown. Show less, or write it to a file …"}


def _ends(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\n… {(len(text) - most) / 1e6:.1f} MB cut here …\n{text[-most // 2 :]}"


def keep_threads_with_their_cell(shell: Any) -> None:
    """Have what a thread prints and displays go to the cell that started it; ipykernel takes the newest cell."""
    start = threading.Thread.start

    def start_in_cell(thread: threading.Thread) -> None:
        cell = shell.display_pub.parent_header

        def run_in_cell() -> None:
            del thread.run
            shell.set_thread_parent(cell)
            thread.run()

        if cell:
            thread.run = run_in_cell  # type: ignore[method-assign]
        start(thread)

    threading.Thread.start = start_in_cell  # type: ignore[method-assign,assignment]
