"""Which files are shown, as what, and which are refused: told by content, each made here."""

import io
import json
import pickle
import sqlite3
import warnings
import zlib
from datetime import date, datetime
from decimal import Decimal

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

from services.settings import ROOT
from services.tables import Reading, TableError
from services.tables.window import read_preview, read_readers


def shown(path, table=None, rows=50, offset=0):
    return read_preview(path, rows, offset, table, wanted=None, reading=Reading())


def npy(array):
    packed = io.BytesIO()
    np.save(packed, array, allow_pickle=True)
    return packed.getvalue()


PICKLED = {"a": [1, "x"]}
REFUSED = {
    "new.pkl": pickle.dumps(PICKLED),
    "old.pkl": pickle.dumps(PICKLED, 0),
    "older.bin": pickle.dumps(PICKLED, 1),
    "named.csv": pickle.dumps(PICKLED, 2),
    "packed.joblib": zlib.compress(pickle.dumps(PICKLED)),
    "objects.npy": npy(np.array([{}], dtype=object)),
    "program": b"\x7fELF\x02\x01\x01" + bytes(60),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_runs_code_is_refused_with_the_reason(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(REFUSED[name])
    refused = shown(path)
    assert (refused.kind, refused.columns, refused.rows) == ("refused", (), ())
    assert refused.notes[-1].endswith("so it is not opened here. Open it in the kernel if you trust it.")
    assert read_readers(path, name, Reading()) == {}


@pytest.mark.parametrize("text", [b"country\nFrance\nRomania\n", b"(a),b\n1,2\n", b"copyreg\n_reconstructor\n"])
def test_a_table_that_begins_as_an_old_pickle_might_is_a_table(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_bytes(text)
    assert shown(path).kind == "delimited"


@pytest.mark.parametrize(
    ("name", "content", "what"),
    [
        ("a.pdf", b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", "This is a PDF document."),
        ("a.sav", b"$FL2@(#) SPSS", "This is an SPSS file."),
        ("a.rds", b"X\n\0\0\0\x03", "This is a file of R objects."),
        ("a.dta", b"\x73\x02\x01\x00" + bytes(20), "This is a Stata file."),
        ("a.mp4", b"\0\0\0\x18ftypmp42", "This is an MP4 film."),
        ("a.bin", bytes(range(256)) * 20, "This is a binary file of no kind known here."),
    ],
)
def test_other_files_are_named_and_show_their_first_bytes(tmp_path, name, content, what):
    path = tmp_path / name
    path.write_bytes(content)
    head = shown(path)
    assert (head.kind, [column.name for column in head.columns]) == ("binary", ["offset", "hex", "text"])
    assert head.notes == (f"{what} There is no table to show: these are its first {min(len(content), 4096):,} bytes.",)
    assert bytes.fromhex("".join(row[1] for row in head.rows)) == content[: 16 * 50]
    assert head.total_rows == -(-min(len(content), 4096) // 16)


def test_the_content_decides_and_a_wrong_name_is_said(tmp_path):
    book = openpyxl.Workbook()
    book.active.append(["a"])
    book.active.append(["007"])
    path = tmp_path / "book.csv"
    book.save(path)
    sheet = shown(path)
    assert (sheet.kind, sheet.rows) == ("excel", (("007",),))
    assert sheet.notes[0] == "The name ends in .csv, but the content is excel."
    for name, content in (("a.h5", b"\x89HDF\r\n\x1a\n" + bytes(20)), ("a.csv", b"\x1f\x8b\x08" + bytes(40))):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(TableError, match="file is broken"):
            shown(tmp_path / name)


def test_an_old_workbook(tmp_path):
    first = shown(ROOT / "tests" / "data" / "workbook.xls")
    assert first.tables == ("Data", "Hidden ä") and first.notes == ("Hidden in the workbook: Hidden ä.",)
    assert [column.name for column in first.columns] == ["id", "when", "share", "flag", "code"]
    assert first.rows == (
        ("1", "2020-01-02", "0.25", "TRUE", "007"),
        (None, "2020-01-02 03:04:05", "3", "FALSE", "12345678901"),
    )
    assert shown(ROOT / "tests" / "data" / "workbook.xls", table="Hidden ä").rows == (("v",),)


def test_arrow_values_keep_what_they_are(tmp_path):
    table = pa.table(
        {
            "i": pa.array([2**60 + 1, None]),
            "d": pa.array([Decimal("1.50"), None]),
            "t": pa.array([datetime(2020, 1, 2, 3, 4, 5, 600), None], pa.timestamp("us", "UTC")),
            "day": pa.array([date(2020, 1, 2), None]),
            "c": pa.array(["x", None]).dictionary_encode(),
            "n": pa.array([{"k": [1, None]}, None]),
            "b": pa.array([b"\0\xff", None]),
        }
    )
    row = (
        str(2**60 + 1),
        "1.50",
        "2020-01-02 03:04:05.000600Z",
        "2020-01-02",
        "x",
        '{"k": [1, null]}',
        "2 bytes: 00 ff",
    )
    pq.write_table(table, tmp_path / "a.parquet")
    pyarrow.feather.write_feather(table, tmp_path / "a.feather")
    with pa.ipc.new_stream(tmp_path / "a.arrows", table.schema) as stream:
        stream.write_table(table)
    for name in ("a.parquet", "a.feather", "a.arrows"):
        read = shown(tmp_path / name)
        assert read.rows == (row, (None,) * 7), name
        assert (read.columns[0].dtype, read.total_rows, read.exact) == ("int64", 2, True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        pyarrow.feather.write_feather(table.select(["i"]), tmp_path / "old.feather", version=1)
    assert shown(tmp_path / "old.feather").rows == ((str(2**60 + 1),), (None,))
    (tmp_path / "cut.feather").write_bytes((tmp_path / "a.feather").read_bytes()[:200])
    with pytest.raises(TableError, match="The Feather file is broken"):
        shown(tmp_path / "cut.feather")


@pytest.mark.parametrize(
    ("array", "names", "rows"),
    [
        (np.array([1.5, np.nan]), ["0"], (("1.5",), ("nan",))),
        (np.arange(4).reshape(2, 2), ["0", "1"], (("0", "1"), ("2", "3"))),
        (np.asfortranarray(np.arange(4).reshape(2, 2)), ["0", "1"], (("0", "1"), ("2", "3"))),
        (np.array([[["a", "é"]]]), ["0", "1"], (("a", "é"),)),
        (np.array([(1, b"x", 0.1)], dtype="i4,S3,f4"), ["f0", "f1", "f2"], (("1", "x", "0.1"),)),
        (np.array("2020-01-02", dtype="M8[D]"), ["0"], (("2020-01-02",),)),
        (np.zeros((0, 2)), ["0", "1"], ()),
    ],
)
def test_arrays_are_tables(tmp_path, array, names, rows):
    np.save(tmp_path / "a.npy", array)
    np.savez_compressed(tmp_path / "a.npz", of=array, objects=np.array([{}], dtype=object))
    for read in (shown(tmp_path / "a.npy"), shown(tmp_path / "a.npz", table="of")):
        assert ([column.name for column in read.columns], read.rows) == (names, rows)
        assert read.total_rows == len(rows)
    contents = shown(tmp_path / "a.npz")
    assert contents.tables == ("(contents)", "of") and contents.rows[1][:3] == ("objects", "1", "objects")
    with pytest.raises(TableError, match="stored as pickles"):
        shown(tmp_path / "a.npz", table="objects")


def test_pages_of_arrays(tmp_path):
    np.save(tmp_path / "a.npy", np.arange(3_000_000).reshape(1_000_000, 3))
    assert shown(tmp_path / "a.npy", rows=2, offset=999_999).rows == (("2999997", "2999998", "2999999"),)
    short = (tmp_path / "a.npy").read_bytes()[:10_000]
    (tmp_path / "short.npy").write_bytes(short)
    with pytest.raises(TableError, match="24,000,000 bytes, and 9,872 are there"):
        shown(tmp_path / "short.npy")


@pytest.mark.parametrize(
    ("document", "columns", "rows", "reader"),
    [
        (
            '{"x1": {"a": 1, "b": "u"}, "x2": {"a": 12345678901234567890123}, "x3": {"b": null}}',
            ["", "a", "b"],
            (("x1", "1", "u"), ("x2", "12345678901234567890123", None), ("x3", None, None)),
            "pd.DataFrame.from_dict(json.loads(Path('a.json').read_text(encoding='utf-8')), orient='index')",
        ),
        (
            '{"a": {"0": 1, "1": 2}, "b": {"0": 3, "1": NaN}, "c": {"0": "x", "1": ""}}',
            ["", "a", "b", "c"],
            (("0", "1", "3", "x"), ("1", "2", "NaN", "")),
            "pd.DataFrame(json.loads(Path('a.json').read_text(encoding='utf-8')))",
        ),
        (
            '{"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"p": 1},'
            ' "geometry": {"type": "Point", "coordinates": [1.50, 2]}}]}',
            ["p", "geometry"],
            (("1", '{"type": "Point", "coordinates": [1.50, 2]}'),),
            "pd.DataFrame([(feature['properties'] or {}) | {'geometry': feature['geometry']} for feature in "
            "json.loads(Path('a.json').read_text(encoding='utf-8'))['features']])",
        ),
        (
            '[1, "a"]\n[2, "b"]\n',
            ["0", "1"],
            (("1", "a"), ("2", "b")),
            "pd.DataFrame([json.loads(line) for line in open('a.json', encoding='utf-8') if line.strip()])",
        ),
        ("3.10", ["value"], (("3.10",),), "pd.Series(json.loads(Path('a.json').read_text(encoding='utf-8')))"),
    ],
)
def test_json_of_every_shape(tmp_path, document, columns, rows, reader):
    path = tmp_path / "a.json"
    path.write_text(document)
    read = shown(path)
    assert ([column.name for column in read.columns], read.rows) == (columns, rows)
    assert read_readers(path, "a.json", Reading()) == {"": reader}


@pytest.mark.parametrize("depth", [900, 100_000])
def test_json_nested_deep_is_a_sentence(tmp_path, depth):
    path = tmp_path / "a.json"
    path.write_text('{"a": ' + "[" * depth + "]" * depth + "}")
    with pytest.raises(TableError, match="nested too deep"):
        shown(path)
    path.write_text(json.dumps({"a": [[[[1]]]]}))
    assert shown(path).rows == (("[[[1]]]",),)


def test_sqlite_with_odd_names_and_values(tmp_path):
    path = tmp_path / "a.db"
    with sqlite3.connect(path) as base:
        base.execute('CREATE TABLE "select ""; --" ("a b" TEXT, "" INT, "é" BLOB)')
        base.execute('INSERT INTO "select ""; --" VALUES (?, ?, ?)', ("\ud7ff\0x", -(2**63), bytes(1000)))
        base.execute("CREATE VIEW broken AS SELECT * FROM gone")
    base.close()
    read = shown(path)
    assert read.tables == ('select "; --', "broken") and [column.name for column in read.columns] == ["a b", "", "é"]
    assert read.rows[0][:2] == ("\ud7ff\0x", str(-(2**63))) and read.rows[0][2].startswith("blob of 1,000 bytes: 00 00")
    with pytest.raises(TableError, match=r"no such table: main\.gone"):
        shown(path, table="broken")
