"""How delimited text is taken apart: by the file's own signs, or as the visitor says; and what its columns hold."""

import json
import subprocess
import sys

import pytest

from services.settings import ROOT
from services.tables import TableError, preview, readers
from services.tables.delimited import open_delimited
from services.tables.model import Reading
from services.tables.names import pandas_names


def table(path, **reading):
    opened = open_delimited(path, Reading(**reading))
    return opened.columns, list(opened.rows)


@pytest.mark.parametrize(
    ("content", "reading", "columns", "rows"),
    [
        (b"a,b;c\n1,2;3\n", {"delimiter": ";"}, ["a,b", "c"], [["1,2", "3"]]),
        (b"a~b\n1~2\n", {"delimiter": "~"}, ["a", "b"], [["1", "2"]]),
        (b"a,b\nx,y\n", {"header": False}, ["0", "1"], [["a", "b"], ["x", "y"]]),
        (b"1.5,2\n3,4\n", {"header": True}, ["1.5", "2"], [["3", "4"]]),
        (b'a,b\n"1,5",2\n3,4\n', {"quotes": False}, ["a", "b", ""], [['"1', '5"', "2"], ["3", "4", None]]),
        (b'a,b\n1,"5 inch\n2,"x"\n', {"quotes": True}, ["a", "b"], [["1", '5 inch\n2,x"']]),
        ("a,b\né,1\n".encode(), {"encoding": "latin-1"}, ["a", "b"], [["Ã©", "1"]]),
        ("a,b\né,1\n".encode(), {"encoding": "ascii"}, ["a", "b"], [["\ufffd\ufffd", "1"]]),
    ],
)
def test_the_visitor_says_how_a_file_is_read(tmp_path, content, reading, columns, rows):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert table(path, **reading) == (columns, rows)


@pytest.mark.parametrize(
    ("content", "columns"),
    [
        (b"country,2000,2001\nA,1,2\nB,3,4\n", ["country", "2000", "2001"]),
        (b"0,1,2,3\n9,8,7,1\n5,5,5,5\n", ["0", "1", "2", "3"]),
        (b"p,x,s\nx,x,y\np,b,s\np,x,y\n", ["0", "1", "2"]),
        (b"name,city\nAnna,Rome\nBo,Oslo\n", ["name", "city"]),
        (b"2020-01-01,5\n2020-01-02,9\n", ["0", "1"]),
        (b"id,x\n1,2\nid,x\n3,4\n", ["id", "x"]),
        (b"sep=;\na;b\n1,5;2\n", ["a", "b"]),
        (b"# made by a tool\n# 2020, again, and again\nx,y\n1,2\n3,4\n", ["x", "y"]),
        (b"Report,,\n,,\nx,y,z\n1,2,3\n4,5,6\n", ["x", "y", "z"]),
        (b"text\nwell, yes\nno, never\n", ["", "text"]),
    ],
)
def test_the_header_is_found_and_a_row_of_data_is_none(tmp_path, content, columns):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert open_delimited(path).columns == columns


def test_what_was_used_is_said_and_comes_back_as_asked(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("a;b\n1;é\n".encode("cp1252"))
    shown = preview(path)
    assert shown.reading == Reading("latin-1", ";", True, True)
    again = preview(path, reading=Reading(encoding="cp850", header=False), columns=[1])
    assert (again.reading, again.rows) == (Reading("cp850", ";", False, True), (("b",), ("Ú",)))
    assert [column.pandas_name for column in again.columns] == ["", "1"]
    assert readers(path, "x") == {"": "pd.read_csv('x', sep=';', encoding='latin-1')"}
    assert readers(path, "x", reading=Reading(encoding="cp850", header=False)) == {
        "": "pd.read_csv('x', sep=';', encoding='cp850', header=None)"
    }
    with pytest.raises(TableError, match="There is no encoding 'base64' here"):
        preview(path, reading=Reading(encoding="base64"))
    with pytest.raises(TableError, match="The delimiter must be one character"):
        preview(path, reading=Reading(delimiter="ab"))


def test_the_middle_of_a_file_has_its_say(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("id;note\n" + "1;a, b\n" * 300 + "2;plain\n" * 150_000)
    assert open_delimited(path).delimiter == "semicolon"
    fields = tmp_path / "b.txt"
    fields.write_text("a,b;c\n" + "1,2;3\n" * 300 + "1;3,4,5,6\n" * 150_000 + "1,2;3\n")
    assert open_delimited(fields).delimiter == "semicolon"


def test_fields_at_fixed_places_are_plain_text_and_said(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("name      city   n\nAnna Lee  Rome   1\nBo        Oslo  12\nCy Smith  Bern   3\n")
    opened = open_delimited(path)
    assert (opened.kind, opened.notes[-1]) == (
        "text",
        "The fields stand at fixed places in the lines: pd.read_fwf reads such a file.",
    )


def test_a_column_is_summed_up_in_a_line(tmp_path):
    path = tmp_path / "a.csv"
    lines = [f"{n / 10},{'' if n % 4 else 'NA'},{'x' if n % 3 else 'y'}\n" for n in range(1, 101)]
    path.write_text("n,word,t\n" + "".join(lines))
    assert [column.summary for column in preview(path).columns] == [
        "100 different · 0.1 to 10.0",
        "75 blank · 25 NA",
        "2 different · most often 'x' (67)",
    ]
    path.write_text("n,word,t\n" + "".join(lines) * 20)
    shown = preview(path)
    assert shown.columns[0].summary == "100 different · 0.1 to 10.0 · most often '0.1' (10)"
    assert (shown.total_rows, shown.sampled, shown.warned) == (2000, 1000, None)
    path.write_text("a,b\n7,\n7,x\n,x\n7\n")
    assert [column.summary for column in preview(path).columns] == [
        "only '7' · 1 blank",
        "only 'x' · 1 no value · 1 blank",
    ]


def test_pandas_names():
    assert pandas_names(["a", "a", "", "a.1", "b"]) == ["a", "a.1", "Unnamed: 2", "a.1.1", "b"]


def test_command_line_reads_as_told(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes("1;é\n2;x\n".encode("cp1252"))
    command = [sys.executable, "-m", "services.tables", str(path)]

    def run(*options):
        return subprocess.run([*command, *options], capture_output=True, text=True, cwd=ROOT, check=False)

    said = run("--encoding", "cp850", "--delimiter", ",", "--no-header", "--no-quotes", "--json")
    assert json.loads(said.stdout)["rows"] == [["1;Ú"], ["2;x"]]
    assert "warning: The text is latin-1, not UTF-8. [sep=';', encoding='latin-1'" in run().stdout
    wrong = run("--table", "second")
    assert (wrong.returncode, wrong.stderr) == (1, "The file holds no table named 'second'.\n")


def shown_of(path):
    shown = preview(path)
    return [column.name for column in shown.columns], shown.rows, {each.kind for each in shown.warnings}


# What files of this kind are known for: their bytes, the columns and rows that must be seen, kinds of warnings.
KNOWN = {
    "trailing comma": (
        b"A,B,C\n1,4,7,\n2,5,8,\n",
        "A B C",
        [("1", "4", "7"), ("2", "5", "8")],
        {"trailing delimiters"},
    ),
    "semicolons": (
        b'Country;Location;Count;Date\nChina;"35.86;104.19";97100,7;04/07/20\n',
        "Country Location Count Date",
        [("China", "35.86;104.19", "97100,7", "04/07/20")],
        {"decimal commas", "date order"},
    ),
    "utf-16": ("a,b\nä,1\n".encode("utf-16"), "a b", [("ä", "1")], {"encoding"}),
    "shift-jis": ("名前,都市\n田中さん,東京\n".encode("cp932"), "名前 都市", [("田中さん", "東京")], {"encoding"}),
    "words for missing": (
        b"cc,n\nNA,1\nNone,2\nnull,3\nN/A,4\n,5\n",
        "cc n",
        [("NA", "1"), ("None", "2"), ("null", "3"), ("N/A", "4"), ("", "5")],
        {"missing words"},
    ),
    "stray quote": (
        b'id,t\n1,"5 inch\n2,ok\n3,"fine"\n',
        "id t",
        [("1", '"5 inch'), ("2", "ok"), ("3", '"fine"')],
        {"stray quotes"},
    ),
    "ragged": (
        b"a,b\n1,2\n3,4,5\n6\n7,8\n",
        "a b ",
        [("1", "2", None), ("3", "4", "5"), ("6", None, None), ("7", "8", None)],
        {"ragged rows"},
    ),
    "newline in a name": (b'"Total law\nenforcement",n\nx,1\n', "Total law\nenforcement|n", [("x", "1")], {"names"}),
    "leading zeros": (b"zip,phone\n01234,007\n", "zip phone", [("01234", "007")], {"leading zeros"}),
    "huge integers": (
        b"id,n\n9007199254740993,1\n123456789012345678901234,2\n",
        "id n",
        [("9007199254740993", "1"), ("123456789012345678901234", "2")],
        {"huge integers"},
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_files_known_to_mislead(tmp_path, name):
    content, columns, rows, kinds = KNOWN[name]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert shown_of(path) == (columns.split("|" if "|" in columns else " "), tuple(rows), kinds)


def test_numbers_that_end_in_a_word_are_estimated_from_the_rows_read_and_warned_of(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("n\n" + "5\n" * 30_000 + "abc\n")
    shown = preview(path)
    assert (shown.columns[0].dtype, shown.columns[0].estimated) == ("int", True)
    assert [(each.kind, each.rows, each.arguments) for each in shown.warnings] == [
        ("mixed types", (30_001,), "dtype={'n': str}")
    ]


def test_a_table_wider_than_any_page_names_its_columns_up_to_a_cap(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(",".join(f"c{n}" for n in range(20_001)) + "\n" + ",".join(["1"] * 20_001) + "\n")
    shown = preview(path, columns=[19_999])
    assert (len(shown.columns), shown.total_columns, shown.rows) == (20_000, 20_001, (("1",),))
    assert shown.notes == ("Of 20,001 columns the first 20,000 are named here.",)


def test_a_cell_longer_than_the_sample_is_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("n,t\n1," + "x" * 200_000 + '\n2,"' + "y\n" * 100_000 + '"\n3,z\n')
    shown = preview(path)
    assert (shown.total_rows, shown.rows[2], shown.cut) == (3, ("3", "z"), ((0, 1, 200_000), (1, 1, 200_000)))
