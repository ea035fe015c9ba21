"""Awkward workbooks, databases, arrays, archives, images, and files that attack."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import pickle
import sqlite3
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
from PIL import Image

from tests.awkward_case import Awkward, Cells, refused, text

TABLE = b"a,b\n1,x\n2,y\n"
PLAIN: Cells = {(0, 0): "1", (1, 1): "y"}
SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = "<!DOCTYPE x [<!ENTITY a 'haha'>" + "".join(
    f"<!ENTITY {chr(98 + at)} '{f'&{chr(97 + at)};' * 10}'>" for at in range(12)
)
Maker = Callable[[Path], object]


def shows(content: bytes | Maker, kind: str, cells: Cells, **more: object) -> Awkward:
    return Awkward(content, kind, cells=cells, **more)  # type: ignore[arg-type]


def book(member: str = "", edit: Callable[[str], str] = str) -> Maker:
    """Makes a workbook of two sheets, the second hidden, with one of its parts rewritten."""

    def make(path: Path) -> None:
        workbook = openpyxl.Workbook()
        for row in (["a", "b"], ["007", 1], ["x", "=1+1"]):
            workbook.active.append(row)
        workbook.create_sheet("secret & <b>").append(["h"])
        workbook["secret & <b>"].sheet_state = "hidden"
        saved = io.BytesIO()
        workbook.save(saved)
        with zipfile.ZipFile(saved) as read, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
            for name in read.namelist():
                part = read.read(name)
                written.writestr(name, edit(part.decode()).encode() if name == member else part)

    return make


def laughing(part: str) -> str:
    at = part.index("<", part.index("?>") if "?>" in part else 0)
    return part[:at] + LAUGHS + "]>" + part[at:].replace(">", ">&m;", 1)


def far(part: str) -> str:
    return part.replace("</sheetData>", '<row r="1048576"><c r="XFD1048576"><v>5</v></c></row></sheetData>')


def claims(part: str) -> str:
    return part.replace('ref="A1:B3"', 'ref="A1:XFD1048576"')


def base(*statements: str, wal: bool = False) -> Maker:
    def make(path: Path) -> None:
        connection = sqlite3.connect(path)
        if wal:
            connection.execute("PRAGMA journal_mode=WAL")
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        left = Path(f"{path}-wal").read_bytes() if wal else b""
        connection.close()
        if wal:
            Path(f"{path}-wal").write_bytes(left)  # as a writer leaves it that was killed

    return make


ENDLESS = "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
BASES = {
    "endless.db": refused(base("CREATE TABLE t(a)", ENDLESS), "gave no rows within 3 seconds", table="v"),
    "odd.db": shows(
        base(
            'CREATE TABLE "select ""x""; --"("a b" TEXT, "" BLOB, "ü" REAL)',
            'INSERT INTO "select ""x""; --" VALUES (\'\', x\'00ff10\', 0.1), (NULL, 9007199254740993, 9e999)',
        ),
        "sqlite",
        {
            (0, 0): "",
            (0, 1): "blob of 3 bytes: 00 ff 10",
            (0, 2): "0.1",
            (1, 0): None,
            (1, 1): "9007199254740993",
            (1, 2): "inf",
        },
        columns=("a b", "", "ü"),
        total=2,
    ),
    "wal.db": shows(base("CREATE TABLE t(a)", "INSERT INTO t VALUES (5)", wal=True), "sqlite", {(0, 0): "5"}),
    "huge-value.db": shows(
        base("CREATE VIEW v AS SELECT zeroblob(1000) AS z"),
        "sqlite",
        {(0, 0): "blob of 1,000 bytes: " + "00 " * 16 + "…"},
    ),
    "bomb-value.db": refused(base("CREATE VIEW v AS SELECT zeroblob(900000000) AS z"), "The SQLite file can't be read"),
    "missing-part.db": refused(
        base("CREATE TABLE t(a)", "CREATE VIEW v AS SELECT * FROM t", "DROP TABLE t"), "no such table"
    ),
    "broken.db": refused(b"SQLite format 3\0" + b"\x01" * 200, "The SQLite file can't be read"),
    "no-table.db": refused(
        base("PRAGMA user_version = 1", "CREATE TABLE t(a)", "DROP TABLE t"), "The file holds no table."
    ),
}
BOOKS = {
    "narrow-tag.xlsx": shows(
        book(SHEET, lambda part: part.replace('ref="A1:B3"', 'ref="A1"')),
        "excel",
        {(0, 0): "007", (0, 1): "1", (1, 0): "x"},
        columns=("a", "b"),
        total=2,
        says=("Hidden in the workbook: secret & <b>.",),
    ),
    "claims.xlsx": shows(book(SHEET, claims), "excel", {(0, 0): "007"}, columns=("a", "b"), total=2),
    "far-cell.xlsx": shows(book(SHEET, far), "excel", {(0, 0): "007", (1, 0): "x"}, total=1_048_575, long=True),
    "no-value.xlsx": shows(
        book(),
        "excel",
        {(1, 0): "x", (1, 1): None},
        total=2,
        says=("1 cell holds a formula whose value was never stored",),
    ),
    "laughs.xlsx": refused(book(SHEET, laughing), "broken"),
    "laughs-book.xlsx": refused(book("xl/workbook.xml", laughing), "broken"),
    "cut.xlsx": refused(b"PK\x03\x04" + bytes(200), "The workbook is broken"),
}


def hdf5(fill: Callable[[h5py.File], object]) -> Maker:
    def make(path: Path) -> None:
        (path.parent / "secret.txt").write_bytes(b"a secret!!")
        with h5py.File(path.parent / "other.h5", "w") as other:
            other["x"] = np.arange(3)
        with h5py.File(path, "w") as file:
            fill(file)

    return make


def external(file: h5py.File) -> None:
    secret = str(Path(file.filename).parent / "secret.txt")
    file.create_dataset("raw", (10,), "u1", external=[(secret, 0, 10)])


def link(target: object) -> Callable[[h5py.File], object]:
    return lambda file: file.__setitem__("x", target)


def pickled(file: h5py.File) -> None:
    file.create_dataset("x", (1,), h5py.vlen_dtype("u1"))[0] = np.frombuffer(pickle.dumps([1]), "u1")


TREES = {
    "external.h5": refused(hdf5(external), "/raw is not shown: its values are in another file", table="/raw"),
    "link-out.h5": refused(
        hdf5(link(h5py.ExternalLink("other.h5", "/x"))), "/x is not shown: it leads to another file", table="/x"
    ),
    "soft-link.h5": refused(
        hdf5(link(h5py.SoftLink("/../../etc/passwd"))), "/x is not shown: it leads to /../../etc/passwd", table="/x"
    ),
    "objects.h5": refused(hdf5(pickled), "Python objects are often stored so, as pickles", table="/x"),
    "link-tree.h5": shows(
        hdf5(link(h5py.ExternalLink("other.h5", "/x"))),
        "hdf5",
        {(0, 0): "/x", (0, 1): "external link", (0, 4): "it leads to another file, other.h5, at /x"},
        total=1,
    ),
    "broken.h5": refused(b"\x89HDF\r\n\x1a\n" + bytes(100), "The HDF5 file is broken"),
}


def npy(array: np.ndarray) -> bytes:
    packed = io.BytesIO()
    np.save(packed, array, allow_pickle=True)
    return packed.getvalue()


def npz(path: Path) -> None:
    np.savez(path, good=np.arange(3), bad=np.array([{}], dtype=object))


def claiming(shape: str) -> bytes:
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(80)


ARRAYS = {
    "objects.npy": Awkward(
        npy(np.array([{}], dtype=object)), "refused", says=("Open it in the kernel if you trust it.",)
    ),
    "claims.npy": refused(claiming("(1000000000000,)"), "The array is cut short"),
    "negative.npy": refused(claiming("(-5,)"), "The NumPy file is broken"),
    "numbers.npz": shows(npz, "npz", {(0, 0): "0", (2, 0): "2"}, total=3, table="good"),
    "objects.npz": refused(npz, "stored as pickles", table="bad"),
}


def zipped(*members: tuple[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return packed.getvalue()


def encrypted() -> bytes:
    packed = bytearray(zipped(("a.csv", TABLE)))
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.rfind(header) + flags] |= 1
    return bytes(packed)


def linked_tar(path: Path) -> None:
    with tarfile.open(path, "w") as archive:
        for name, kind, target in (
            ("link", tarfile.SYMTYPE, "/etc/passwd"),
            ("hard", tarfile.LNKTYPE, "../../x"),
            ("null", tarfile.CHRTYPE, ""),
            ("pipe", tarfile.FIFOTYPE, ""),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, target
            archive.addfile(info)


def gzip_bomb(path: Path) -> None:
    with gzip.open(path, "wb", 9) as bomb:
        for _ in range(200):
            bomb.write(b"0,1,2,3\n" * 131_072)


ARCHIVES = {
    "bomb.zip": refused(
        zipped(("zeros.bin", bytes(200_000_000))), "zeros.bin is larger than 64 MB unpacked", table="zeros.bin"
    ),
    "bomb.csv.gz": shows(gzip_bomb, "delimited", {(0, 3): "3"}, says=("the first",), long=True),
    "traversal.zip": shows(
        zipped(("../../../etc/cron.d/x", b"a\n1\n"), ("C:\\x.csv", TABLE)),
        "zip",
        {(0, 0): "../../../etc/cron.d/x", (0, 3): "file"},
        total=2,
        says=("lead out of the archive's own folder",),
    ),
    "encrypted.zip": refused(encrypted(), "a.csv is encrypted", table="a.csv"),
    "nested.zip": refused(
        zipped(("inner.zip", zipped(("a.csv", TABLE)))), "inner.zip is no file that can be shown", table="inner.zip"
    ),
    "hidden-nest.zip": Awkward(
        zipped(("inner.csv", zipped(("a.csv", TABLE)))),
        "zip",
        table="inner.csv",
        says=("an archive inside an archive",),
    ),
    "same-name.zip": shows(zipped(("a.csv", TABLE), ("b.csv", b"z\n9\n")), "delimited", {(0, 0): "9"}, table="b.csv"),
    "links.tar": shows(
        linked_tar, "tar", {(0, 2): "link to /etc/passwd", (1, 2): "link to ../../x", (2, 2): "device or pipe"}, total=4
    ),
    "link-member.tar": refused(linked_tar, "link is no file that can be shown here", table="link"),
    "gzip-named.csv": shows(gzip.compress(TABLE), "delimited", PLAIN, total=2, says=("the content is gzip",)),
    "csv-named.gz": shows(TABLE, "delimited", PLAIN, total=2, says=("the content is delimited",)),
    "zip-named.csv": shows(zipped(("t.csv", TABLE)), "zip", {(0, 0): "t.csv"}, total=1, says=("the content is zip",)),
    "csv-named.xlsx": shows(TABLE, "delimited", PLAIN, total=2, says=("the content is delimited",)),
    "cut.csv.bz2": refused(bz2.compress(TABLE)[:20], "The bzip2 file is broken"),
}


def parquet(table: pa.Table, **options: object) -> bytes:
    packed = io.BytesIO()
    pq.write_table(table, packed, **options)
    return packed.getvalue()


def bomb() -> bytes:
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), ["x" * 2_000_000])
    return parquet(pa.table({"t": words}), compression="zstd")


def feather(path: Path) -> None:
    table = pa.table({"n": pa.array([2**63 - 1, None]), "t": ["", "<b>"], "d": pa.array([0, 1], pa.timestamp("ns"))})
    pyarrow.feather.write_feather(table, path)


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(9000))) + chunk(b"IEND", b"")
    )


def cut_jpeg(path: Path) -> None:
    whole = io.BytesIO()
    Image.effect_noise((300, 300), 90).save(whole, "JPEG")
    path.write_bytes(whole.getvalue()[:2000])


COLUMNS = {
    "bomb.parquet": refused(bomb(), "more memory than a preview may use"),
    "broken-foot.parquet": refused(
        parquet(pa.table({"a": [1, 2]}))[:-20] + bytes(16) + b"PAR1", "The parquet file is broken"
    ),
    "long-foot.parquet": refused(b"PAR1" + bytes(100) + b"\xff\xff\xff\x7fPAR1", "The parquet file is broken"),
    "same.parquet": shows(
        parquet(pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], ["a", "a"])),
        "parquet",
        {(0, 0): "1", (0, 1): "x"},
        total=1,
    ),
    "edges.feather": shows(
        feather,
        "feather",
        {
            (0, 0): "9223372036854775807",
            (1, 0): None,
            (0, 1): "",
            (1, 1): "<b>",
            (1, 2): "1970-01-01 00:00:00.000000001",
        },
    ),
}
IMAGES = {
    "bomb.png": refused(png(60_000, 60_000), "claims 60,000 × 60,000 pixels"),
    "cut.jpg": refused(cut_jpeg, "The image is broken"),
    "script.svg": shows(b"<svg onload='alert(1)'>\n</svg>\n", "text", {(0, 0): "<svg onload='alert(1)'>"}, total=2),
}


SPECIAL = {
    "pickle.csv": Awkward(
        pickle.dumps({"a": [1]}), "refused", says=("This is a Python pickle", "the content is pickle")
    ),
    "old-pickle.csv": Awkward(pickle.dumps({"a": [1]}, 0), "refused", says=("This is a Python pickle",)),
    "program.csv": Awkward(b"\x7fELF\x02\x01\x01" + bytes(60), "refused", says=("This is a program",)),
    "unknown.dat": shows(bytes(range(256)), "binary", {(1, 0): "00000010"}, total=16),
    "dangling.csv": refused(lambda path: path.symlink_to("gone"), "This is a link to a file that isn't there."),
    "loop.csv": refused(lambda path: path.symlink_to(path), "The file can't be read"),
    "pipe.csv": refused(os.mkfifo, "This is a named pipe, not a regular file."),
    "folder.csv": refused(Path.mkdir, "This is a folder, not a file."),
    "device.csv": refused(lambda path: path.symlink_to("/dev/zero"), "This is a device, not a regular file."),
    "empty.csv": Awkward(b"", "empty", columns=(), says=("The file is empty.",)),
    "named.parquet": text(TABLE, "a b", [["1", "x"], ["2", "y"]], says=("the content is delimited",)),
}
BINARY = BASES | BOOKS | TREES | ARRAYS | ARCHIVES | COLUMNS | IMAGES | SPECIAL
