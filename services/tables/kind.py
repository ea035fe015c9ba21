"""What kind of file it is: by content first, by extension second."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from services.tables.encoding import SAMPLE_BYTES, detect, is_text
from services.tables.model import TableError
from services.tables.signatures import PLAIN_SUFFIXES, SIGNATURES, USUAL_SUFFIXES

_RIFF = {b"WEBP": "webp", b"WAVE": "wav", b"AVI ": "avi"}
_USER_BLOCKS = (512, 1024, 2048)  # where HDF5 may begin instead, as MATLAB's files do
# How pickles of protocol 0 and 1 begin: a mark, a global's two lines, an empty list or dict with its memo
_OLD_PICKLE = re.compile(rb"\(|c[\w.]+\r?\n[\w.]+\r?\n|[\]}]q|[\]}]\(")


def kind_of(path: Path) -> str:
    """What the file holds: a key of `signatures.USUAL_SUFFIXES` or `LABELS`, or text or empty.

    Raises:
        TableError: the file can't be read.
    """
    try:
        with path.open("rb") as file:
            head = file.read(SAMPLE_BYTES)
    except OSError as error:
        raise TableError(f"The file can't be read: {error.strerror or error}.") from None
    if not head:
        return "empty"
    kind = _signed(head)
    if kind == "zip":
        return _zipped(path)
    if kind == "npy" and b"O" in _described(head):
        return "objects"
    if kind:
        return kind
    if _old_pickle(head) or _zlib_pickle(head):
        return "pickle"
    if not is_text(head):
        return "binary"
    suffix = path.suffix.lower()
    if suffix in PLAIN_SUFFIXES:
        return "text"
    if suffix in USUAL_SUFFIXES["json"] or _looks_like_records(path, head):
        return "json"
    return "text" if head.lstrip().startswith((b"<?xml", b"<svg", b"<!DOCTYPE", b"<html")) else "delimited"


def mismatch(path: Path, kind: str) -> str | None:
    """A sentence when the extension promises something else than the content is."""
    suffix = path.suffix.lower()
    known = set().union(*USUAL_SUFFIXES.values())
    usual = USUAL_SUFFIXES.get(kind, {f".{kind}"})
    if kind == "binary" or not suffix or suffix not in known or suffix in usual:
        return None
    named = {"objects": "an array of Python objects"}.get(kind, kind)
    return f"The name ends in {suffix}, but the content is {named}."


def _signed(head: bytes) -> str | None:
    for signature, kind in SIGNATURES:
        if head.startswith(signature):
            return kind
    if head[257:262] == b"ustar":
        return "tar"
    if head[4:8] == b"ftyp":
        return "mp4"
    if head[:4] == b"RIFF":
        return _RIFF.get(head[8:12])
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in {12, 40, 52, 56, 64, 108, 124}:
        return "bmp"
    if head[:2] == b"MZ" and head[60:64] and not is_text(head[:64]):
        return "program"
    if head[2:4] == b"\r\n" and not is_text(head[:16]):
        return "bytecode"
    if 113 <= head[0] <= 115 and head[1:4] in {b"\1\1\0", b"\2\1\0"}:  # release, byte order, file type, padding
        return "stata"
    if any(head[at : at + 8] == b"\x89HDF\r\n\x1a\n" for at in _USER_BLOCKS):
        return "hdf5"
    return None


def _zipped(path: Path) -> str:
    """What a zip file is made for, told from the names in it."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
            is_ods = "mimetype" in names and b"opendocument.spreadsheet" in archive.open("mimetype").read(100)
    except (zipfile.BadZipFile, OSError, ValueError, RuntimeError, NotImplementedError, zlib.error):
        suffix = path.suffix.lower()
        return "excel" if suffix in USUAL_SUFFIXES["excel"] else "zip"  # broken: its reader says how
    if "xl/workbook.xml" in names:
        return "excel"
    if "xl/workbook.bin" in names:
        return "xlsb"
    if is_ods:
        return "ods"
    if names and all(name.endswith(".npy") for name in names):
        return "npz"
    return "torch" if any(name.count("/") == 1 and name.endswith("/data.pkl") for name in names) else "zip"


def _described(head: bytes) -> bytes:
    """The types in an array's header: quoted words after `descr`."""
    header = head[: 12 + 65_536].partition(b"'descr':")[2].partition(b"'fortran_order'")[0]
    return b" ".join(re.findall(rb"'[<>|=]?(O)\d*'", header))


def _old_pickle(head: bytes) -> bool:
    """Whether the bytes are the opcodes of a pickle of protocol 0 or 1, up to its end or theirs."""
    if not _OLD_PICKLE.match(head):
        return False
    import pickletools  # only describes the opcodes, runs none

    read = 0
    try:
        for opcode, _, _ in pickletools.genops(head):
            read += 1
            if opcode.name == "STOP":
                return True
    except ValueError:
        return read > 20 and len(head) == SAMPLE_BYTES
    return False


def _zlib_pickle(head: bytes) -> bool:
    """Whether it is a pickle that joblib compressed."""
    if head[:2] not in {b"x\x01", b"x^", b"x\x9c", b"x\xda"}:
        return False
    try:
        return zlib.decompressobj().decompress(head, 2)[:1] == b"\x80"
    except zlib.error:
        return False


def _looks_like_records(path: Path, head: bytes) -> bool:
    """JSON under another name: an array or lines of objects."""
    if b"[" not in head[:4096] and b"{" not in head[:4096]:
        return False
    text = head[:4096].decode(detect(path).name, "ignore").lstrip("\ufeff \t\r\n")
    return (text[:1], text[1:].lstrip()[:1]) in {("[", "{"), ("{", '"')}
