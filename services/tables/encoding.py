"""Which encoding a text file is in, told from its bytes."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from services.tables.model import TableError

SAMPLE_BYTES = 256 * 1024
WHOLE_BYTES = 32 * 1024 * 1024  # up to here every byte is checked; beyond, the start, the middle and the end

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Those a visitor may choose, beside the one told from the bytes.
ENCODINGS = (
    *("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "latin-1", "cp1252", "iso8859-15"),
    *("cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8-r", "mac_roman", "cp437", "cp850", "cp866"),
    *("cp932", "euc_jp", "gb18030", "big5", "euc_kr"),
)
_HIGH_RUN = re.compile(rb"[\x80-\xff]+")
# Two-byte encodings, with the first bytes of the characters that make up everyday text (JIS level 1 and kana,
# hangul, GB 2312 level 1, Big5 level 1).
_EAST_ASIAN = (
    ("cp932", ((0x82, 0x83), (0x88, 0x97))),
    ("euc_kr", ((0xB0, 0xC8),)),
    ("gb18030", ((0xB0, 0xD7),)),
    ("big5", ((0xA4, 0xC6),)),
)
_RUSSIAN = "оеаинтсрОЕАИНТСР"


@dataclass(frozen=True)
class Encoding:
    """A Python codec name, and whether bytes that don't fit it are there, or may be: they are shown as U+FFFD."""

    name: str
    replaced: bool = False
    unchecked: bool = False

    @property
    def errors(self) -> str:
        return "replace" if self.replaced or self.unchecked else "strict"


def detect(path: Path) -> Encoding:
    """The encoding of a text file. Reads all of a file up to 32 MB, and three samples of a longer one."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(SAMPLE_BYTES)
        for bom, name in _BOMS:
            if head.startswith(bom):
                return _checked(path, name)
        if wide := _without_bom(head):
            return _checked(path, wide)
        if size <= WHOLE_BYTES:
            return _detect_parts([head + file.read()])
        parts = [head]
        for start in (size // 2, size - SAMPLE_BYTES):
            file.seek(start)
            parts.append(file.read(SAMPLE_BYTES))
    return replace(_detect_parts([_whole_lines(part) for part in parts]), unchecked=True)


def choose(path: Path, wanted: str | None) -> Encoding:
    """The encoding of a text file: the one wanted, where it is named, or the one told from its bytes.

    Raises:
        TableError: what is wanted is none of `ENCODINGS`.
    """
    found = detect(path)
    if wanted is None or wanted == found.name:
        return found
    if wanted not in ENCODINGS:
        raise TableError(f"There is no encoding {wanted!r} here. Choose one of: {', '.join(ENCODINGS)}.")
    return _checked(path, wanted)


def _checked(path: Path, name: str) -> Encoding:
    """The encoding of this name, and whether bytes of the file don't fit it."""
    if path.stat().st_size > WHOLE_BYTES:
        return Encoding(name, unchecked=True)
    return Encoding(name, replaced=not _decodes(path.read_bytes(), name))


def is_text(head: bytes) -> bool:
    """Whether bytes from a file's start can be text at all."""
    if any(head.startswith(bom) for bom, _ in _BOMS) or _without_bom(head):
        return True
    controls = sum(head.count(byte) for byte in (*range(9), *range(14, 27), *range(28, 32)))
    return controls <= len(head) // 500


def _without_bom(head: bytes) -> str | None:
    """UTF-16 without its mark: text of Western or mixed script has a zero in every other byte."""
    even, odd = head[0::2], head[1::2]
    if not odd:
        return None
    for zeros, others, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros.count(0) > 0.4 * len(zeros) and others.count(0) < 0.02 * len(others) + 1:
            return name
    return None


def _whole_lines(part: bytes) -> bytes:
    """The part between its first and last line end, so that no character is cut in two."""
    first, last = part.find(b"\n"), part.rfind(b"\n")
    return part[first + 1 : last] if last > first else part[8:-8]


def _detect_parts(parts: list[bytes]) -> Encoding:
    if all(_decodes(part, "utf-8") for part in parts):
        return Encoding("utf-8")
    data = b"\n".join(_high_lines(part) for part in parts)
    text = data.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    if sum(ord(character) > 127 for character in text) - broken >= 4 * broken:
        return Encoding("utf-8", replaced=True)
    return Encoding(_east_asian(data) or _cyrillic(data) or _western(data))


def _high_lines(part: bytes) -> bytes:
    """Up to 64 kB of the lines that hold bytes beyond ASCII: the only ones that tell encodings apart."""
    lines, length = [], 0
    for line in re.split(rb"[\r\n]+", part) if part.count(b"\n") or part.count(b"\r") else [part]:
        if not line.isascii():
            lines.append(line)
            length += len(line)
            if length > 64 * 1024:
                break
    return b"\n".join(lines)


def _decodes(data: bytes, name: str) -> bool:
    try:
        data.decode(name)
    except UnicodeDecodeError:
        return False
    return True


def _east_asian(data: bytes) -> str | None:
    runs = _HIGH_RUN.findall(data)
    high = sum(map(len, runs))
    paired = sum(len(run) for run in runs if len(run) > 1) / high
    best, best_score = None, 0.6
    for name, common in _EAST_ASIAN:
        if not _decodes(data, name):
            continue
        text = data.decode(name)
        neighbours = sum(ord(a) > 127 and ord(b) > 127 for a, b in pairwise(text))
        characters = [character.encode(name)[0] for character in text if ord(character) > 127]
        # Accents and curly quotes stand alone between ASCII letters; these scripts don't
        if paired < 0.8 and neighbours < 0.4 * len(characters):
            continue
        score = sum(any(low <= lead <= top for low, top in common) for lead in characters) / len(characters)
        if score > best_score:
            best, best_score = name, score
    return best


def _cyrillic(data: bytes) -> str | None:
    if not _decodes(data, "cp1251"):
        return None
    runs = _HIGH_RUN.findall(data)
    words = sum(len(run) for run in runs if len(run) > 2)  # accents of Western text stand between ASCII letters
    letters = b"".join(runs).decode("cp1251")
    usual = sum(letter in _RUSSIAN for letter in letters)
    return "cp1251" if words > 0.6 * len(letters) and usual > 0.4 * len(letters) else None


def _western(data: bytes) -> str:
    """Windows-1252 differs from Latin-1 in 0x80-0x9f alone, where Latin-1 has nothing a table would hold."""
    return "cp1252" if re.search(rb"[\x80-\x9f]", data) and _decodes(data, "cp1252") else "latin-1"
