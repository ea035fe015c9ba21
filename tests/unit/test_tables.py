"""Awkward files: what the preview shows, and that the starter code reads the same in the kernels' own Python."""

import io
import json
import sqlite3
import subprocess
import sys
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from services.settings import ROOT
from services.tables import preview, reader_call, starter_code

KERNEL_PYTHON = ROOT / ".venv-kernel" / "bin" / "python"


def workbook(**sheets):
    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def parquet(table, **options):
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


LATIN_LATE = b"n,city\n" + b"1,Rome\n" * 60_000 + "2,Málaga\n".encode("latin-1") + b"3,Oslo\n" * 20_000

# name: (content, columns, first rows, encoding, delimiter, dtypes)
TEXT = {
    "semicolon.csv": (
        b'Country;Location;Count;Date\nChina;"35.86;104.19";97100,7;04/07/20\n',
        ["Country", "Location", "Count", "Date"],
        [("China", "35.86;104.19", "97100,7", "04/07/20")],
        ("utf-8", "semicolon"),
        "text text text date-like",
    ),
    "pipes.txt": (b"a|b\n1|x,y\n2|z\n", ["a", "b"], [("1", "x,y"), ("2", "z")], ("utf-8", "bar"), "int text"),
    "tab.tsv": (b"a\tb\r\n1,5\t2\r\n", ["a", "b"], [("1,5", "2")], ("utf-8", "tab"), "text int"),
    "white.txt": (
        b"a   b\n1 2.5\n3   4\n",
        ["a", "b"],
        [("1", "2.5"), ("3", "4")],
        ("utf-8", "white space"),
        "int float",
    ),
    "codes.csv": (
        b"zip,big,flag\n01234,123456789012345678901234,true\n007,9007199254740993,False\n",
        ["zip", "big", "flag"],
        [("01234", "123456789012345678901234", "true"), ("007", "9007199254740993", "False")],
        ("utf-8", "comma"),
        "int int bool",
    ),
    "words.csv": (
        b"cc,n\nNA,1\nNone,2\n,3\nx\n",
        ["cc", "n"],
        [("NA", "1"), ("None", "2"), ("", "3"), ("x", None)],
        ("utf-8", "comma"),
        "text int",
    ),
    "trailing.csv": (
        b"A,B,C\n1,4,7,\n2,5,8,\n",
        ["A", "B", "C"],
        [("1", "4", "7"), ("2", "5", "8")],
        ("utf-8", "comma"),
        "int int int",
    ),
    "ragged.csv": (
        b"\na,b\n1,2\n3,4,5\n6\n7,8\n",
        ["a", "b", ""],
        [("1", "2", None), ("3", "4", "5"), ("6", None, None), ("7", "8", None)],
        ("utf-8", "comma"),
        "int int int",
    ),
    "header.csv": (
        b'"Total law\nenforcement", b \nx,1\n',
        ["Total law\nenforcement", " b "],
        [("x", "1")],
        ("utf-8", "comma"),
        "text int",
    ),
    "one.csv": (b"word\nx\n\ny\n", ["word"], [("x",), ("y",)], ("utf-8", "comma"), "text"),
    "cr.csv": (b"a,b\r1,2\r3,4", ["a", "b"], [("1", "2"), ("3", "4")], ("utf-8", "comma"), "int int"),
    "bom.csv": (b"\xef\xbb\xbfid,x\n1,2\n", ["id", "x"], [("1", "2")], ("utf-8-sig", "comma"), "int int"),
    "latin.csv": (
        "país;población\nEspaña;47\n".encode("latin-1"),
        ["país", "población"],
        [("España", "47")],
        ("latin-1", "semicolon"),
        "text int",
    ),
    "late.csv": (LATIN_LATE, ["n", "city"], [("1", "Rome")] * 50, ("latin-1", "comma"), "int text"),
    "quotes.csv": ("n,t\n1,“it’s”\n".encode("cp1252"), ["n", "t"], [("1", "“it’s”")], ("cp1252", "comma"), "int text"),
    "chinese.csv": (
        "姓名,性别\n张三,男\n李四,女\n".encode("gb18030"),
        ["姓名", "性别"],
        [("张三", "男"), ("李四", "女")],
        ("gb18030", "comma"),
        "text text",
    ),
    "japanese.csv": (
        "名前,都市\n田中さん,東京\n".encode("cp932"),
        ["名前", "都市"],
        [("田中さん", "東京")],
        ("cp932", "comma"),
        "text text",
    ),
    "korean.csv": (
        "이름,도시\n김철수,서울\n".encode("euc_kr"),
        ["이름", "도시"],
        [("김철수", "서울")],
        ("euc_kr", "comma"),
        "text text",
    ),
    "russian.csv": (
        "имя;город\nИван;Москва\n".encode("cp1251"),
        ["имя", "город"],
        [("Иван", "Москва")],
        ("cp1251", "semicolon"),
        "text text",
    ),
    "utf16.csv": ("a,b\nä,1\n".encode("utf-16"), ["a", "b"], [("ä", "1")], ("utf-16", "comma"), "text int"),
    "utf16_bare.csv": ("a,b\nä,1\n".encode("utf-16-le"), ["a", "b"], [("ä", "1")], ("utf-16-le", "comma"), "text int"),
    "array.json": (
        b'[{"id": 12345678901234567890123, "x": null}, {"id": 1.10, "y": {"k": [1, "\xc3\xa4"]}}]',
        ["id", "x", "y"],
        [("12345678901234567890123", None, None), ("1.10", None, '{"k": [1, "ä"]}')],
        ("utf-8", None),
        "float empty text",
    ),
    "lines.json": (
        b'\xef\xbb\xbf{"zip": "01234"}\n\n{"zip": "", "n": NaN}\n',
        ["zip", "n"],
        [("01234", None), ("", "NaN")],
        ("utf-8-sig", None),
        "int empty",
    ),
    "columns.json": (
        b'{"a": [1, 2], "b": ["x", null]}',
        ["a", "b"],
        [("1", "x"), ("2", None)],
        ("utf-8", None),
        "int text",
    ),
    "held.json": (b'{"meta": 1, "data": [{"a": true}]}', ["a"], [("true",)], ("utf-8", None), "bool"),
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus") / "input"
    folder.mkdir()
    for name, (content, *_) in TEXT.items():
        (folder / name).write_bytes(content)
    rows = [["id", "when", "code"], [1, datetime(2020, 1, 2), "007"], [None, datetime(2020, 1, 2, 3, 4), "x"]]
    (folder / "book.xlsx").write_bytes(workbook(First=rows, **{"The 2nd": [["v", "b"], [2.5, True], [3, False]]}))
    table = pa.table({"i": [2**60, 1], "f": [0.1, None], "t": ["", "ä"]})
    (folder / "table.parquet").write_bytes(parquet(table))
    with sqlite3.connect(folder / "base ä.db") as base:
        base.execute('CREATE TABLE "odd "" name" (id INTEGER, t TEXT, b BLOB)')
        base.executemany('INSERT INTO "odd "" name" VALUES (?, ?, ?)', [(2**53 + 1, "007", None), (0, None, b"\0\xff")])
        base.execute('CREATE VIEW half AS SELECT id / 2.0 AS h FROM "odd "" name"')
    base.close()
    return folder


@pytest.mark.parametrize("name", TEXT)
def test_text_is_shown_as_it_stands(corpus, name):
    _, columns, rows, (encoding, delimiter), dtypes = TEXT[name]
    shown = preview(corpus / name)
    assert [column.name for column in shown.columns] == columns
    assert list(shown.rows) == rows
    assert (shown.encoding, shown.delimiter) == (encoding, delimiter)
    assert " ".join(column.dtype for column in shown.columns) == dtypes
    assert all(column.estimated for column in shown.columns)
    assert shown.exact and shown.total_rows == (80_001 if name == "late.csv" else len(rows))


def test_binary_tables_are_shown_as_text(corpus):
    sheet = preview(corpus / "book.xlsx")
    assert sheet.tables == ("First", "The 2nd") and sheet.table == "First"
    assert sheet.rows == (("1", "2020-01-02", "007"), (None, "2020-01-02 03:04:00", "x"))
    assert preview(corpus / "book.xlsx", table="The 2nd").rows == (("2.5", "TRUE"), ("3", "FALSE"))

    columnar = preview(corpus / "table.parquet")
    assert [(column.dtype, column.estimated) for column in columnar.columns] == [
        ("int64", False),
        ("double", False),
        ("string", False),
    ]
    assert columnar.rows == ((str(2**60), "0.1", ""), ("1", None, "ä"))

    base = preview(corpus / "base ä.db")
    assert base.tables == ('odd " name', "half")
    assert base.rows == (("9007199254740993", "007", None), ("0", None, "blob of 2 bytes: 00 ff"))
    assert preview(corpus / "base ä.db", table="half").total_rows == 2


# Reads every file by its starter line and prints shape and cells as text, missing as None.
READ_ALL = """
import json, sys
import pandas as pd
def text(value):
    if value is None or value is pd.NaT or (isinstance(value, float) and value != value):
        return None
    return str(value)
read = {}
for name, code in json.load(open("starters.json")).items():
    space = {}
    exec(code.rsplit("\\n", 2)[0], space)
    frames = {key: value for key, value in space.items() if isinstance(value, pd.DataFrame)}
    read[name] = {
        key: {"columns": list(map(str, frame.columns)),
              "rows": [[text(value) for value in row] for row in frame.astype(object).values.tolist()[:50]],
              "total": len(frame)}
        for key, frame in frames.items()
    }
json.dump(read, sys.stdout)
"""


def same(cell, value):
    """The preview's text and pandas' value mean the same; blank and NA words are missing to pandas."""
    if cell in (None, "", "NA", "None", "NaN"):
        return value in (None, "")
    if cell == value or cell.lower() == value.lower():
        return True
    try:
        return Decimal(cell.replace(",", ".")) == Decimal(value)
    except InvalidOperation:
        return value == f"{cell} 00:00:00" or cell.startswith(("blob", "{"))


def test_starter_code_reads_in_the_kernel_what_the_preview_shows(corpus):
    names = sorted(path.name for path in corpus.iterdir())
    work = corpus.parent / "work"
    work.mkdir()
    starters = {name: starter_code({name: corpus / name}) for name in names}
    (work / "starters.json").write_text(json.dumps(starters))
    done = subprocess.run([KERNEL_PYTHON, "-c", READ_ALL], cwd=work, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    read = json.loads(done.stdout)
    assert len(names) == len(TEXT) + 3
    for name in names:
        tables = preview(corpus / name).tables or (None,)
        assert len(read[name]) == len(tables), starters[name]
        for table, frame in zip(tables, read[name].values(), strict=True):
            shown = preview(corpus / name, table=table)
            assert frame["total"] == shown.total_rows, starters[name]
            named = [column.name or f"Unnamed: {at}" for at, column in enumerate(shown.columns)]
            assert frame["columns"] == named, starters[name]
            for row, values in zip(shown.rows, frame["rows"], strict=True):
                assert all(map(same, row, values)), (starters[name], row, values)


def test_starter_code_of_several_files():
    files = {"2019 sales.csv": None, "class.csv": None, "Class.CSV": None, "pd.csv": None, "image\n.png": None}
    assert starter_code(files) == (
        "import pandas as pd\n\n"
        "df_2019_sales = pd.read_csv('../input/2019 sales.csv')\n"
        "class_ = pd.read_csv('../input/class.csv')\n"
        "class__2 = pd.read_csv('../input/Class.CSV')\n"
        "pd_2 = pd.read_csv('../input/pd.csv')\n"
        "# ../input/'image\\n.png': no reader for this kind of file\n"
        "df_2019_sales.head()\n"
    )


def test_reader_calls_say_what_the_file_needs(corpus):
    calls = {name: reader_call(corpus / name, name) for name in ("semicolon.csv", "codes.csv", "trailing.csv")}
    assert calls == {
        "semicolon.csv": "pd.read_csv('../input/semicolon.csv', sep=';', decimal=',')",
        "codes.csv": "pd.read_csv('../input/codes.csv', dtype={'zip': str, 'big': str})",
        "trailing.csv": "pd.read_csv('../input/trailing.csv', index_col=False)",
    }


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("trailing.csv", "2 of 2 rows end with a delimiter that the header lacks"),
        ("ragged.csv", "More fields than the header: row 2."),
        ("ragged.csv", "Fewer fields than the header: row 3."),
        ("words.csv", "pandas reads NA (1), None (1) as missing"),
    ],
)
def test_warnings_name_what_would_mislead(corpus, name, note):
    assert any(found.text.startswith(note) for found in preview(corpus / name).warnings)


def test_command_line(corpus):
    command = [sys.executable, "-m", "services.tables", str(corpus / "codes.csv"), "--rows", "1"]
    shown = subprocess.run([*command, "--json"], capture_output=True, text=True, cwd=ROOT, check=True)
    assert json.loads(shown.stdout)["rows"] == [["01234", "123456789012345678901234", "true"]]
    text = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout
    assert text.splitlines()[0] == "delimited, 76 bytes, 2 rows × 3 columns, utf-8, comma"
    gone = subprocess.run([*command[:3], str(Path("gone.csv"))], capture_output=True, text=True, cwd=ROOT, check=False)
    assert (gone.returncode, gone.stderr) == (1, "The file can't be read: No such file or directory.\n")
