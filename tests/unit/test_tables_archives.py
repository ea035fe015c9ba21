"""Archives: what is in them is listed, a member is shown as the file it is, and nothing is unpacked without a bound."""

import bz2
import gzip
import io
import lzma
import pickle
import tarfile
import zipfile

import numpy as np
import pandas
import pytest

from services.tables import Reading, TableError, preview, reader_call
from services.tables.scratch import MEMBER_BYTES
from services.tables.window import read_preview


def shown(path, table=None):
    return read_preview(path, 50, 0, table, wanted=None, reading=Reading())


def array():
    packed = io.BytesIO()
    np.save(packed, np.arange(4))
    return packed.getvalue()


MEMBERS = {
    "data/codes.tsv": b"code\tn\n007\t1\n",
    "../../etc/passwd": b"root:x:0\n",
    "C:\\abs.txt": b"one line\n",
    "a.json": b'[{"q": null}]',
    "array.npy": array(),
    "model.pkl": pickle.dumps([1]),
    "inner.zip": b"PK\x05\x06" + bytes(18),
}


def zipped(path, members=None):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.mkdir("folder")
        for name, content in (members or MEMBERS).items():
            archive.writestr(name, content)


def tarred(path, mode):
    with tarfile.open(path, mode) as archive:
        for name, content in MEMBERS.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
        for name, kind in (("link", tarfile.SYMTYPE), ("pipe", tarfile.FIFOTYPE)):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd" if kind == tarfile.SYMTYPE else ""
            archive.addfile(info)


@pytest.mark.parametrize("name", ["a.zip", "a.tar", "a.tar.gz", "a.tar.xz", "zip.csv"])
def test_members_are_listed_and_shown_as_what_they_are(tmp_path, name):
    path = tmp_path / name
    if name.startswith("a.tar"):
        tarred(path, "w:" + name[6:])
    else:
        zipped(path)
    listing = shown(path)
    listed = {row[0]: (row[1], row[-1]) for row in listing.rows}
    assert listing.tables == ("(contents)", *(name for name in MEMBERS if name != "inner.zip"))
    assert listed["data/codes.tsv"] == ("13", "file") and listed["inner.zip"] == ("22", "archive")
    assert listing.notes[-1].startswith("Some names lead out of the archive's own folder.")
    if listing.kind == "tar":
        assert listed["link"] == ("0", "link to /etc/passwd") and listed["pipe"] == ("0", "device or pipe")
    else:
        assert listed["folder/"] == ("0", "folder")

    member = shown(path, "data/codes.tsv")
    assert (member.kind, member.rows, member.delimiter) == ("delimited", (("007", "1"),), "tab")
    assert member.tables == listing.tables and member.table == "data/codes.tsv"
    assert member.notes[-1] == "data/codes.tsv: 13 bytes."
    assert shown(path, "../../etc/passwd").rows == (("root:x:0",),)
    assert shown(path, "a.json").rows == ((None,),)
    assert shown(path, "array.npy").rows == (("0",), ("1",), ("2",), ("3",))
    assert shown(path, "model.pkl").kind == "refused"
    for other, sentence in (("inner.zip", "no file that can be shown here .archive"), ("gone.csv", "no file named")):
        with pytest.raises(TableError, match=sentence):
            shown(path, other)


@pytest.mark.parametrize(("suffix", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_one_packed_file_is_shown_at_once_as_that_file(tmp_path, suffix, pack):
    path = tmp_path / f"a.tsv.{suffix}"
    path.write_bytes(pack(b"a\tb\n01\tx\n"))
    read = shown(path)
    assert (read.kind, read.rows, read.total_rows, read.exact) == ("delimited", (("01", "x"),), 1, True)
    assert read.notes == (f"Unpacked from { {'gz': 'gzip', 'bz2': 'bzip2', 'xz': 'xz'}[suffix] }: 9 bytes.",)
    path.write_bytes(pack(pickle.dumps([1])))
    assert shown(path).kind == "refused"


def test_pandas_reads_a_packed_table_as_it_is_shown(tmp_path):
    text = "code;n\n007;1,5\n"
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "named.csv").write_bytes(bz2.compress(text.encode()))
    for name, members in (("one.zip", ["folder/a.csv"]), ("two.zip", ["a.csv", "b.csv"])):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            for member in members:
                archive.writestr(member, text)
    for name in ("a.csv.gz", "named.csv", "one.zip"):
        call = reader_call(tmp_path / name, name).replace("../input", str(tmp_path))
        frame = eval(call, {"pd": pandas})
        assert frame.values.tolist() == [["007", 1.5]], call
    assert call.endswith("sep=';', decimal=',', dtype={'code': str})")
    assert reader_call(tmp_path / "named.csv", "x.csv").endswith(", compression='bz2')")
    assert reader_call(tmp_path / "two.zip", "two.zip") is None


def test_what_could_be_unpacked_of_a_broken_file_is_shown(tmp_path):
    path = tmp_path / "cut.csv.gz"
    text = b"a,b\n" + b"".join(b"%d,x%d\n" % (n, n * 7919 % 1000) for n in range(9000))
    path.write_bytes(gzip.compress(text)[:9000])
    read = shown(path)
    assert read.rows[1] == ("1", "x919") and (read.total_rows, read.exact) == (None, False)
    assert "where unpacking stopped" in read.notes[0]


def test_a_long_member_is_unpacked_at_its_start_alone(tmp_path):
    zipped(tmp_path / "a.zip", {"big.csv": "a,b\n" + f"1,{'x' * 2000}\n" * 6_000, "big.bin": bytes(MEMBER_BYTES + 1)})
    read = preview(tmp_path / "a.zip", table="big.csv")
    assert read.rows[0] == ("1", "x" * 2000) and (read.total_rows, read.exact) == (None, False)
    assert read.notes[0] == "big.csv: the first 4,194,286 bytes."
    with pytest.raises(TableError, match=r"big\.bin is larger than 64 MB unpacked"):
        preview(tmp_path / "a.zip", table="big.bin")


def test_a_bomb_costs_its_bound_and_no_more(tmp_path):
    path = tmp_path / "bomb.json.gz"
    with gzip.open(path, "wb", 9) as bomb:
        for _ in range(8):
            bomb.write(b"[" * 1024**2 * 25)
    assert path.stat().st_size < 250_000
    with pytest.raises(TableError, match="nested too deep"):
        preview(path)


def test_encrypted_members_are_said(tmp_path):
    path = tmp_path / "a.zip"
    zipped(path, {"secret.csv": b"a\n1\n"})
    packed = bytearray(path.read_bytes())
    for header, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        packed[packed.rfind(header) + flags] |= 1
    path.write_bytes(packed)
    assert shown(path).rows[-1][-1] == "encrypted"
    with pytest.raises(TableError, match=r"secret\.csv is encrypted\. Unpack it with its password in the kernel\."):
        shown(path, "secret.csv")
