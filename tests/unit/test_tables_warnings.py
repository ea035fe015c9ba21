"""Delimited files that mislead: the warning, the rows it names, and that pandas reads the file right as it says."""

import pandas as pd
import pytest

from services.tables.delimited import delimited_readers, open_delimited
from services.tables.model import Reading


def warnings(path, kind, **reading):
    return [each for each in open_delimited(path, Reading(**reading)).warnings if each.kind == kind]


def read(path, arguments):
    """What pandas reads with the arguments, as {column: values}, missing as None."""
    frame = eval(f"pd.read_csv(path, {arguments})", {"pd": pd, "path": path})
    return {name: [None if pd.isna(value) else value for value in frame[name]] for name in frame.columns}


# kind of warning: (content, words of its text, rows, arguments, what pandas then reads)
CASES = {
    "ragged rows": (
        b"\na,b\n1,2\n3,4,5\n6\n7,8\n",
        "More fields than the header: row 2.",
        (2,),
        "skiprows=2, names=['a', 'b', 'Unnamed: 2']",
        {"a": [1, 3, 6, 7], "b": [2, 4, None, 8], "Unnamed: 2": [None, 5, None, None]},
    ),
    "trailing delimiters": (
        b"A,B,C\n1,4,7,\n2,5,8,\n",
        "2 of 2 rows end with a delimiter",
        (1, 2),
        "index_col=False",
        {"A": [1, 2], "B": [4, 5], "C": [7, 8]},
    ),
    "stray quotes": (
        b'id,t\n1,"5 inch\n2,ok\n3,"fine"\n',
        "they leave 1 row, taken as text 3",
        (1,),
        "quoting=3",
        {"id": [1, 2, 3], "t": ['"5 inch', "ok", '"fine"']},
    ),
    "line breaks": (
        b'n,t\n1,"two\nlines"\n2,x\n',
        "The 3 lines below the header make 2 rows: row 1 spans several lines",
        (1,),
        "",
        {"n": [1, 2], "t": ["two\nlines", "x"]},
    ),
    "mixed types": (
        b"n,t\n" + b"5,x\n" * 30_000 + b"abc1,y\n",
        "numbers in 30,000 cells and something else in 1: the first is 'abc1' in row 30,001",
        (30_001,),
        "dtype={'n': str}",
        {"n": ["5"] * 30_000 + ["abc1"], "t": ["x"] * 30_000 + ["y"]},
    ),
    "names": (
        "a ,a\u200b,b\u00a0c\n1,2,3\n".encode(),
        "don't show: 'a ', 'a\\u200b', 'b\\xa0c'",
        (),
        "skiprows=1, names=['a', 'a.1', 'b c']",
        {"a": [1], "a.1": [2], "b c": [3]},
    ),
    "mixed encodings": (
        b"n,t\n" + "1,é\n".encode() * 20 + "2,é\n".encode("latin-1"),
        "Some bytes are not utf-8, and each is shown as \ufffd: row 21.",
        (21,),
        "encoding_errors='replace'",
        {"n": [1] * 20 + [2], "t": ["é"] * 20 + ["\ufffd"]},
    ),
    "encoding": (
        "país;n\nEspaña;1\n".encode("latin-1"),
        "The text is latin-1, not UTF-8.",
        (),
        "sep=';', encoding='latin-1'",
        {"país": ["España"], "n": [1]},
    ),
    "decimal commas": (
        b'Country;Location;Count;Date\nChina;"35.86;104.19";97100,7;04/07/20\nItaly;x;1,5;04/07/20\n',
        "Decimal commas in 'Count': '97100,7' in row 1",
        (1,),
        "sep=';', decimal=','",
        {
            "Country": ["China", "Italy"],
            "Location": ["35.86;104.19", "x"],
            "Count": [97100.7, 1.5],
            "Date": ["04/07/20"] * 2,
        },
    ),
    "thousands separators": (
        b'city,people\nRome,"2,873,494"\nPisa,"90,488"\n',
        "Commas between thousands in 'people': '2,873,494' in row 1",
        (1,),
        "thousands=','",
        {"city": ["Rome", "Pisa"], "people": [2873494, 90488]},
    ),
    "mixed dates": (
        b"d,n\n13/05/2020,1\n05/14/2020,2\n",
        "'13/05/2020' in row 1 is day first and '05/14/2020' in row 2 is month first",
        (1, 2),
        "dtype={'d': str}",
        {"d": ["13/05/2020", "05/14/2020"], "n": [1, 2]},
    ),
    "date order": (
        b"d,n\n02/05/2020,1\n13/05/2020,2\n",
        "have the day first: '13/05/2020' in row 2",
        (2,),
        "parse_dates=['d'], dayfirst=True",
        {"d": [pd.Timestamp(2020, 5, 2), pd.Timestamp(2020, 5, 13)], "n": [1, 2]},
    ),
    "numbers as text": (
        b'price,n\n"$1,200.50",1\n$3,2\n-$4,3\n,4\n',
        "Column 'price' holds numbers written as text: '$1,200.50' in row 1",
        (1,),
        "converters={'price': lambda cell: "
        "pd.to_numeric(cell.replace('$', '').replace(',', '').strip(), errors='coerce')}",
        {"price": [1200.5, 3, -4, None], "n": [1, 2, 3, 4]},
    ),
    "BOM": (
        b"\xef\xbb\xbfid,x\n1,2\n",
        "begins with a byte order mark",
        (),
        "encoding='utf-8-sig'",
        {"id": [1], "x": [2]},
    ),
    "line ends": (
        b"a,b\nx\ry,2\nz,3\nw,4\n",
        "4 in LF, 1 in CR. A lone CR in a cell breaks its row in two.",
        (),
        "lineterminator='\\n'",
        {"a": ["x\ry", "z", "w"], "b": [2, 3, 4]},
    ),
    "missing words": (
        b"cc,n\nNA,1\nNone,2\n,3\nx,NA\n",
        "pandas reads NA (2), None (1) as missing in 'cc', 'n'",
        (1, 2, 4),
        "keep_default_na=False, na_values={'cc': [''], 'n': ['', 'NA']}",
        {"cc": ["NA", "None", None, "x"], "n": [1, 2, 3, None]},
    ),
    "leading zeros": (
        b"zip,phone\n01234,007\n00501,008\n",
        "Zeros in front in 'zip', 'phone': '007' in row 1",
        (1,),
        "dtype={'zip': str, 'phone': str}",
        {"zip": ["01234", "00501"], "phone": ["007", "008"]},
    ),
    "huge integers": (
        b"id,n\n9007199254740993,1\n123456789012345678901234,2\n",
        "beyond 64 bits in 'id': '123456789012345678901234' in row 2",
        (2,),
        "dtype={'id': str}",
        {"id": ["9007199254740993", "123456789012345678901234"], "n": [1, 2]},
    ),
    "NUL bytes": (b"a,b\n" + b"x,1\n" * 200 + b"y\0z,2\n", "Cells hold NUL bytes: row 201.", (201,), "", None),
    "title rows": (
        b"Sales of the year\n\nregion,n,m\nNorth,1,2\nSouth,3,4\n",
        "1 line of title or comment above the table.",
        (),
        "skiprows=1",
        {"region": ["North", "South"], "n": [1, 3], "m": [2, 4]},
    ),
    "no header": (
        b"5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,setosa\n",
        "The first row seems to hold data and no names",
        (),
        "header=None",
        {0: [5.1, 4.9, 4.7], 1: [3.5, 3.0, 3.2], 2: ["setosa"] * 3},
    ),
    "spaces": (
        b"age, income\n39, <=50K\n50, >50K\n",
        "Cells begin with a space after the delimiter",
        (),
        "skipinitialspace=True",
        {"age": [39, 50], "income": ["<=50K", ">50K"]},
    ),
    "row names": (b"a,b\nr1,1,2\nr2,3,4\n", "the first has no name", (), "", {"a": [1, 3], "b": [2, 4]}),
}


@pytest.mark.parametrize("kind", CASES)
def test_a_warning_says_how_pandas_reads_the_file_right(tmp_path, kind):
    content, words, rows, arguments, values = CASES[kind]
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    found = next(each for each in warnings(path, kind) if words in each.text)
    assert found.rows == rows
    if arguments is not None:
        assert found.arguments == arguments
    if values is not None:
        assert read(path, found.arguments) == values


def test_a_plain_file_has_no_warnings(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('name,n,when,share\nAnna,1,2020-01-02,0.5\n"Bo, Jr",-2,2020-02-03,\nCy,3,2021-12-31,1e-3\n')
    assert open_delimited(path).warnings == ()
    assert delimited_readers(path, "a.csv") == {"": "pd.read_csv('a.csv')"}


def test_all_that_the_file_needs_stands_in_one_call(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(
        "Umsätze\n\nzip;a;a;betrag;n\n01234;1;2;1,5;3\n00501;x7;;2,25;99999999999999999999\n007;3;4;-0,5;1\n".encode(
            "cp1252"
        )
    )
    call = delimited_readers(path, "x")[""]
    assert call == (
        "pd.read_csv('x', sep=';', encoding='latin-1', skiprows=1, dtype={'a': str, 'zip': str, 'n': str}, decimal=',')"
    )
    assert read(path, call.removeprefix("pd.read_csv('x', ").removesuffix(")")) == {
        "zip": ["01234", "00501", "007"],
        "a": ["1", "x7", "3"],
        "a.1": ["2", None, "4"],  # to pandas a dtype of a name is of its doubles too
        "betrag": [1.5, 2.25, -0.5],
        "n": ["3", "99999999999999999999", "1"],
    }


@pytest.mark.parametrize(
    ("content", "kind", "text"),
    [
        (b"a,a,b\n1,2,3\n", "names", "Column names that stand more than once: 'a'; pandas numbers them."),
        (b"a,,b\n1,2,3\n", "names", "Columns without a name: pandas calls them 'Unnamed: 1'."),
        ("Age,\u0410ge,x\n1,2,3\n".encode(), "names", "The column names 'Age' and '\u0410ge' look alike, but differ."),
        (
            b"x,y\n?,1\n3,2\n4,5\n",
            "mixed types",
            "Column 'x' is numbers in 2 cells and something else in 1: the first is '?' in row 1.",
        ),
        (b"w,n\n12 km,1\n7.5 km,2\n", "numbers as text", "Column 'w' holds numbers written as text: '12 km' in row 1."),
        (
            b"d,n\n01/02/2020,1\n03/04/2020,2\n",
            "date order",
            "Dates in 'd' may have the day or the month first: no number is over 12, as in '01/02/2020' (row 1); "
            "the arguments read the day first.",
        ),
    ],
)
def test_other_findings(tmp_path, content, kind, text):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    assert [each.text for each in warnings(path, kind)] == [text]


def test_converters_and_placeholders_read_numbers(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b'x,km,s,de\n?,12 km,1 234,"1,5"\n3,7.5 km,7 500 000,"22,75"\n4,,9,0.5\n')
    found = {each.kind: each for each in open_delimited(path).warnings}
    assert found["mixed types"].arguments == "na_values={'x': ['?']}"
    assert read(path, found["mixed types"].arguments)["x"] == [None, 3, 4]
    unit, spaced = (read(path, each.arguments) for each in warnings(path, "numbers as text"))
    assert (unit["km"], spaced["s"]) == ([12, 7.5, None], [1234, 7500000, 9])
    assert read(path, found["decimal commas"].arguments)["de"] == [1.5, 22.75, 0.5]


def test_a_long_file_is_checked_in_its_first_rows_and_says_so(tmp_path):
    path = tmp_path / "a.csv"
    with path.open("w") as file:
        file.write("n,t\n")
        file.writelines(f"{n},{'x' * 40}\n" for n in range(800_000))
        file.write("abc,y\n")
    opened = open_delimited(path)
    assert path.stat().st_size > 32 * 1024**2
    assert (opened.warnings, opened.warned) == ((), 1000)
    assert [(each.kind, each.rows) for each in opened.check()] == [("mixed types", (800_001,))]
