"""What kind of file it is: by content first, by extension second."""

from __future__ import annotations

import zipfile
from pathlib import Path

from services.tables.encoding import SAMPLE_BYTES, detect, is_text
from services.tables.model import TableError

_MAGIC = (
    (b"SQLite format 3\0", "sqlite"),
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"7z\xbc\xaf\x27\x1c", "7z"),
    (b"Rar!\x1a\x07", "rar"),
    (b"\x89HDF\r\n\x1a\n", "hdf5"),
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"%PDF-", "pdf"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "xls"),
    (b"ARROW1\0\0", "feather"),
    (b"\x93NUMPY", "npy"),
    (b"\x80\x02", "pickle"),
    (b"\x80\x03", "pickle"),
    (b"\x80\x04", "pickle"),
    (b"\x80\x05", "pickle"),
)
_JSON_SUFFIXES = {".json", ".jsonl", ".ndjson", ".geojson", ".ipynb"}
_PLAIN_SUFFIXES = {".md", ".html", ".htm", ".xml", ".py", ".r", ".log", ".yaml", ".yml", ".toml", ".ini"}
_USUAL_SUFFIXES = {
    "delimited": {".csv", ".tsv", ".psv", ".txt", ".dat", ".tab", ".data", ".all", ".test", ".names", ""},
    "sqlite": {".sqlite", ".sqlite3", ".db", ".db3", ".s3db"},
    "parquet": {".parquet", ".pq", ".parq"},
    "excel": {".xlsx", ".xlsm"},
    "xls": {".xls"},
    "zip": {".zip", ".npz"},
    "gzip": {".gz", ".tgz"},
}


def kind_of(path: Path) -> str:
    """delimited, text, json, excel, sqlite, parquet, empty, or the name of a format without a preview.

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
    for magic, kind in _MAGIC:
        if head.startswith(magic):
            return "excel" if kind == "zip" and _is_workbook(path) else kind
    if not is_text(head):
        return "binary"
    suffix = path.suffix.lower()
    if suffix in _PLAIN_SUFFIXES:
        return "text"
    if suffix in _JSON_SUFFIXES or _looks_like_records(path, head):
        return "json"
    return "delimited"


def mismatch(path: Path, kind: str) -> str | None:
    """A sentence when the extension promises something else than the content is."""
    suffix = path.suffix.lower()
    known = {usual for suffixes in _USUAL_SUFFIXES.values() for usual in suffixes} | _JSON_SUFFIXES
    usual = _JSON_SUFFIXES if kind == "json" else _USUAL_SUFFIXES.get(kind, {f".{kind}"})
    if kind == "binary" or not suffix or suffix not in known or suffix in usual:
        return None
    return f"The name ends in {suffix}, but the content is {kind}."


def _is_workbook(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as archive:
            return "xl/workbook.xml" in archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError):
        return path.suffix.lower() in {".xlsx", ".xlsm"}  # broken: its reader says how


def _looks_like_records(path: Path, head: bytes) -> bool:
    """JSON under another name: an array or lines of objects."""
    text = head[:4096].decode(detect(path).name, "ignore").lstrip("\ufeff \t\r\n")
    return (text[:1], text[1:].lstrip()[:1]) in {("[", "{"), ("{", '"')}
