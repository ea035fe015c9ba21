"""Bounds on text: its middle cut, its end kept, lines overwritten by a carriage return let go."""

from __future__ import annotations

from collections import deque


def size_in_words(size: int) -> str:
    """A number of bytes or letters as a reader takes it in: `340 kB`, `12.3 MB`, `2.0 GB`."""
    if size >= 1e9:
        return f"{size / 1e9:.1f} GB"
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{max(1, round(size / 1e3))} kB"


def cut_middle(text: str, limit: int) -> str:
    """The first and the last half of `limit` letters with the cut said between them; short text as it is."""
    if len(text) <= limit:
        return text
    half = limit // 2
    return f"{text[:half]}\n… {size_in_words(len(text) - 2 * half)} cut here …\n{text[-half:]}"


def overwrites(new: str, old: str) -> bool:
    """Whether `new`, printed after `old`, leaves nothing of it to see: both from the line's start, no new line."""
    if "\n" in old or not (old.startswith("\r") and new.startswith("\r")):
        return False
    return _width(new.split("\n")[0]) >= _width(old)


def _width(line: str) -> int:
    return max(len(part) for part in line.split("\r"))


def without_overwritten(text: str) -> str:
    """The text without what a carriage return goes over, line by line; a return that ends a line stays."""
    if "\r" not in text:
        return text
    return "\n".join(line[max(0, line.rstrip("\r").rfind("\r")) :] for line in text.split("\n"))


PART_BYTES = 100  # what a part counts for beyond its text


class Tail:
    """The end of a text that comes in parts, each of a named stream: at most `limit` letters, fewer in many parts.

    `cut` counts the letters let go, overwritten ones left out.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: deque[tuple[str, str]] = deque()
        self._size = 0
        self.cut = 0

    def add(self, name: str, text: str) -> None:
        """Take the next part; what no longer fits goes from the start and is counted in `cut`."""
        if self._parts and self._parts[-1][0] == name and len(self._parts[-1][1]) < self._limit // 4:
            joined = self._parts.pop()[1]
            self._size -= len(joined) + PART_BYTES
            text = joined + text
        text = without_overwritten(text)
        self._parts.append((name, text))
        self._size += len(text) + PART_BYTES
        while self._size > self._limit:
            oldest, first = self._parts.popleft()
            over = min(self._size - self._limit, len(first))
            self._size -= over
            self.cut += over
            if len(first) > over:
                self._parts.appendleft((oldest, first[over:]))
            else:
                self._size -= PART_BYTES

    def parts(self) -> list[tuple[str, str]]:
        """What is kept, as (stream, text), in order."""
        return list(self._parts)
