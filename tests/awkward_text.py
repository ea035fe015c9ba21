"""Awkward delimited text and JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.awkward_case import Awkward, refused, text

CITIES = [["São Paulo", "1"], ["Århus", "2"], ["Zürich", "3"]]
LATIN = "ville;n\nSão Paulo;1\nÅrhus;2\nZürich;3\n"
QUOTES = [["Zoë", "“ten” – €5"], ["José", "it’s"]]
RUSSIAN = [["Москва", "столица"], ["Казань", "на Волге"], ["Тверь", "старый город"]]
CHINESE = [["北京", "中国的首都"], ["上海", "人口最多的城市"], ["西安", "历史名城"]]
JAPANESE = [["東京", "日本の首都です"], ["大阪", "おいしい町"], ["京都", "古いお寺がある"]]
KOREAN = [["서울", "대한민국의 수도"], ["부산", "바다가 있는 도시"], ["대구", "사과가 유명한 곳"]]
TAIWAN = [["臺北", "臺灣的首都"], ["高雄", "南部最大的城市"], ["臺中", "中部的都市"]]


def joined(rows: list[list[str]], delimiter: str = ",", head: str = "name,note") -> str:
    return "\n".join([head.replace(",", delimiter), *(delimiter.join(row) for row in rows)]) + "\n"


def coded(rows: list[list[str]], encoding: str, codec: str | None = None) -> Awkward:
    return text(joined(rows).encode(codec or encoding), "name note", rows, "encoding", encoding=encoding)


def rotten(path: Path) -> None:
    path.write_bytes(b"n,t\n" + b"12345,plain ascii\n" * 60_000 + "60001,caf\u00e9\n".encode("latin-1"))


def late_word(path: Path) -> None:
    path.write_text("id,t\n" + "7,x\n" * 30_000 + "abc,y\n")


def wide(path: Path) -> None:
    names = ",".join(f"c{at}" for at in range(20_000))
    path.write_text(f"{names}\n{','.join(str(at) for at in range(20_000))}\n")


WIDE = joined(CITIES).encode
ENCODINGS = {
    "latin-1.csv": text(LATIN.encode("latin-1"), "ville n", CITIES, "encoding", encoding="latin-1"),
    "cp1252.csv": coded(QUOTES, "cp1252"),
    "cp1251.csv": coded(RUSSIAN, "cp1251"),
    "gb18030.csv": coded(CHINESE, "gb18030"),
    "shift-jis.csv": coded(JAPANESE, "cp932", "shift_jis"),
    "euc-kr.csv": coded(KOREAN, "euc_kr"),
    "big5.csv": coded(TAIWAN, "big5"),
    "utf-16.csv": text(WIDE("utf-16"), "name note", CITIES, "encoding", encoding="utf-16"),
    "utf-16-be-bom.csv": text(b"\xfe\xff" + WIDE("utf-16-be"), "name note", CITIES, "encoding", encoding="utf-16"),
    "utf-16-le.csv": text(WIDE("utf-16-le"), "name note", CITIES, "encoding", encoding="utf-16-le"),
    "utf-16-be.csv": text(WIDE("utf-16-be"), "name note", CITIES, "encoding", encoding="utf-16-be"),
    "utf-8-bom.csv": text(WIDE("utf-8-sig"), "name note", CITIES, "BOM", encoding="utf-8-sig"),
    "late-latin-1.csv": text(
        rotten, "n t", [["12345", "plain ascii"]], "encoding", total=60_001, encoding="latin-1", says=("latin-1",)
    ),
    "mixed.csv": text(
        "n,t\n1,é\n2,ü\n3,ö\n4,ä\n5,ß\n".encode() + b"6,\xe9\n",
        "n t",
        [["1", "é"], ["2", "ü"], ["3", "ö"], ["4", "ä"], ["5", "ß"], ["6", "\ufffd"]],
        "mixed encodings",
        encoding="utf-8",
        says=("row 6",),
    ),
}
ENCODINGS |= {
    "broken-bom.csv": text(
        b"\xef\xbb\xbfn,t\n1,caf\xe9\n2,x\n", "n t", [["1", "caf\ufffd"], ["2", "x"]], "BOM", "mixed encodings"
    ),
    "cut-utf-16.csv": text(
        "n,t\n1,é\n2,x\n".encode("utf-16")[:-1],
        "n t",
        [["1", "é"]],
        "encoding",
        "mixed encodings",
        total=2,
        encoding="utf-16",
    ),
}
DELIMITERS = {
    "semicolon.csv": text(b"a;b\n1,5;x\n2,5;y\n", "a b", [["1,5", "x"], ["2,5", "y"]], "decimal commas"),
    "tab.txt": text(b"a\tb\n1\tx, y\n2\tz\n", "a b", [["1", "x, y"], ["2", "z"]]),
    "bars.txt": text(b"a|b|c\n1|x,y|3\n2|z|4\n", "a b c", [["1", "x,y", "3"], ["2", "z", "4"]]),
    "spaces.txt": text(b"id  height\n1   180\n2   175\n", "id height", [["1", "180"], ["2", "175"]]),
    "sep-line.csv": text(b"sep=;\na;b\n1;2\n", "a b", [["1", "2"]], "title rows"),
    "tab-named.csv": text(b"a\tb\n1\t2\n3\t4\n", "a b", [["1", "2"], ["3", "4"]]),
    "country.csv": text(
        b'Country;Location;Count;Date\nChina;"35.86;104.19";97100,7;04/07/20\nItaly;"41.9;12.5";1200,4;05/07/20\n',
        "Country Location Count Date",
        [["China", "35.86;104.19", "97100,7", "04/07/20"], ["Italy", "41.9;12.5", "1200,4", "05/07/20"]],
        "decimal commas",
        "date order",
    ),
}
QUOTING = {
    "stray-quote.csv": text(
        b'id,t\n1,"5 inch\n2,ok\n3,"fine"\n', "id t", [["1", '"5 inch'], ["2", "ok"], ["3", '"fine"']], "stray quotes"
    ),
    "doubled-quote.csv": text(b'a,b\n"say ""hi""",2\nx,3\n', "a b", [['say "hi"', "2"], ["x", "3"]]),
    "open-quote.csv": text(
        b'a,b\n1,2\n3,"never closed\n5,6\n7,8\n',
        "a b",
        [["1", "2"], ["3", '"never closed'], ["5", "6"], ["7", "8"]],
        "stray quotes",
        "mixed types",
    ),
    "backslash.csv": text(b'a,b\n"x\\n",2\n\\,3\n', "a b", [["x\\n", "2"], ["\\", "3"]]),
    "single-quote.csv": text(b"a,b\n'x',2\nit's,3\n", "a b", [["'x'", "2"], ["it's", "3"]]),
    "multi-line.csv": text(b'a,b\n"two\nlines",2\nx,3\n', "a b", [["two\nlines", "2"], ["x", "3"]], "line breaks"),
}
SHAPES = {
    "ragged.csv": text(
        b"a,b\n1,2\n3,4,5\n6\n7,8\n",
        "a b ",
        [["1", "2", None], ["3", "4", "5"], ["6", None, None], ["7", "8", None]],
        "ragged rows",
        says=("row 2", "row 3"),
    ),
    "trailing-comma.csv": text(
        b"A,B,C\n1,4,7,\n2,5,8,\n", "A B C", [["1", "4", "7"], ["2", "5", "8"]], "trailing delimiters"
    ),
    "lone-cr.csv": text(b"a,b\r1,2\r3,4\r", "a b", [["1", "2"], ["3", "4"]]),
    "mixed-ends.csv": text(b"a,b\r\n1,2\n3,4\r\n", "a b", [["1", "2"], ["3", "4"]], "line ends"),
    "no-last-end.csv": text(b"a,b\n1,2\n3,4", "a b", [["1", "2"], ["3", "4"]]),
    "titles.csv": text(
        b"Sales of 2020\n\nregion,n,m\nNorth,1,2\nSouth,3,4\n",
        "region n m",
        [["North", "1", "2"], ["South", "3", "4"]],
        "title rows",
    ),
    "header-only.csv": text(b"a,b,c\n", "a b c", []),
    "blank-lines.csv": refused(b"\n\n \n\n", "The file holds blank lines only."),
    "one-column.csv": text(b"name\nAnn\nBob\n", "name", [["Ann"], ["Bob"]]),
    "wide.csv": Awkward(
        wide, cells={(0, 0): "0", (0, 199): "199"}, total=1, columns=tuple(f"c{at}" for at in range(20_000))
    ),
    "long-cell.csv": text(
        b"a,b\n" + b"x" * 5_000_000 + b",2\n", "a b", [["x" * 2000, "2"]], says=("over 2,000 characters are cut: 1",)
    ),
}
VALUES = {
    "zeros.csv": text(b"zip,phone\n01234,007\n00501,008\n", "zip phone", [["01234", "007"]], "leading zeros", total=2),
    "huge.csv": text(
        b"id,n\n9007199254740993,1\n123456789012345678901234,2\n",
        "id n",
        [["9007199254740993", "1"], ["123456789012345678901234", "2"]],
        "huge integers",
    ),
    "missing.csv": text(
        b"cc,n\nNA,1\nNone,2\nnull,3\nN/A,4\n,5\nFR,6\n",
        "cc n",
        [["NA", "1"], ["None", "2"], ["null", "3"], ["N/A", "4"], ["", "5"], ["FR", "6"]],
        "missing words",
    ),
    "nan.csv": text(
        b"x,n\nNaN,1\ninf,2\n-inf,3\n1e400,4\n-0,5\n",
        "x n",
        [["NaN", "1"], ["inf", "2"], ["-inf", "3"], ["1e400", "4"], ["-0", "5"]],
        "missing words",
    ),
    "late-word.csv": text(late_word, "id t", [["7", "x"]], "mixed types", total=30_001, says=("'abc' in row 30,001",)),
    "thousands.csv": text(
        b'city,people\nRome,"2,873,494"\nPisa,"90,488"\n',
        "city people",
        [["Rome", "2,873,494"], ["Pisa", "90,488"]],
        "thousands separators",
    ),
    "date-orders.csv": text(
        b"d,n\n13/05/2020,1\n05/14/2020,2\n", "d n", [["13/05/2020", "1"], ["05/14/2020", "2"]], "mixed dates"
    ),
    "nul.csv": text(b"a,b\n" + b"x,1\n" * 300 + b"y\0z,2\n", "a b", [["x", "1"]], "NUL bytes", total=301),
    "markup.csv": text(
        b"<b>a</b>,<script>alert(1)</script>\n<img src=x onerror=alert(1)>,=HYPERLINK(1)\n${7*7},{{value}}\n",
        "<b>a</b> <script>alert(1)</script>",
        [["<img src=x onerror=alert(1)>", "=HYPERLINK(1)"], ["${7*7}", "{{value}}"]],
    ),
}
NAMES = {
    "newline-header.csv": Awkward(
        b'"Total law\nenforcement\nemployees",n\n5,1\n6,2\n',
        columns=("Total law\nenforcement\nemployees", "n"),
        cells={(0, 0): "5", (1, 1): "2"},
        total=2,
        warnings=frozenset({"names"}),
        says=("'Total law\\nenforcement\\nemployees'",),
    ),
    "twice.csv": text(b"a,a,b\n1,2,3\n4,5,6\n", "a a b", [["1", "2", "3"]], "names", total=2, says=("more than once",)),
    "blank-name.csv": text(b"a,,c\n1,2,3\n4,5,6\n", "a  c", [["1", "2", "3"]], "names", total=2, says=("Unnamed: 1",)),
    "look-alike.csv": text(
        "price,рrice\n1,2\n3,4\n".encode(), "price рrice", [["1", "2"]], "names", total=2, says=("look alike",)
    ),
    "zero-width.csv": text(
        "id,na\u200bme\n1,x\n2,y\n".encode(), "id na\u200bme", [["1", "x"]], "names", total=2, says=("\\u200b",)
    ),
}
RECORDS: list[dict[str, int]] = [{"a": 1}, {"a": 2}]


def records(content: bytes, columns: str, rows: list[list[str | None]], **more: object) -> Awkward:
    return text(content, columns, rows, kind="json", **more)


JSON = {
    "lines.json": records(b'{"a":1}\n{"a":2}\n', "a", [["1"], ["2"]]),
    "array.txt": records(json.dumps(RECORDS).encode(), "a", [["1"], ["2"]]),
    "bom.json": records(b"\xef\xbb\xbf" + json.dumps(RECORDS).encode(), "a", [["1"], ["2"]]),
    "utf-16.json": records(json.dumps([{"é": "ü"}], ensure_ascii=False).encode("utf-16"), "é", [["ü"]]),
    "huge.json": records(
        b'[{"id": 12345678901234567890123, "x": 1.10}]', "id x", [["12345678901234567890123", "1.10"]]
    ),
    "digits.json": records(b'[{"id": ' + b"9" * 6000 + b"}]", "id", [["9" * 2000]]),
    "nan.json": records(
        b'[{"a": NaN, "b": null, "c": ""}, {"a": -Infinity}]', "a b c", [["NaN", None, ""], ["-Infinity", None, None]]
    ),
    "columns.json": records(b'{"a": [1, 2], "b": ["x", null]}', "a b", [["1", "x"], ["2", None]]),
    "nested.json": records(b'[{"a": {"b": [1, {"c": 2}]}}]', "a", [['{"b": [1, {"c": 2}]}']]),
    "bad-line.jsonl": records(
        b'{"a":1}\n{"a":2}\n{"a":\n{"a":4}\n', "a", [["1"], ["2"]], says=("Line 3 is not valid JSON",)
    ),
    "same-key.json": records(b'[{"a": 1, "a": 2}]', "a", [["2"]]),
    "broken.json": records(
        b"\xef\xbb\xbf" + b'[{"a": "\xff"}]', "a", [["\ufffd"]], says=("Some bytes are not utf-8-sig",)
    ),
    "deep.json": refused(b"[" * 100_000, "The JSON is nested too deep"),
    "deep-object.json": refused(b'{"a":' * 100_000, "The JSON is nested too deep"),
    "comma.json": refused(b'{"a": 1,}', "Not valid JSON: line 1"),
    "empty-array.json": Awkward(b"[]", "json", columns=(), total=0),
}
TEXT = ENCODINGS | DELIMITERS | QUOTING | SHAPES | VALUES | NAMES | JSON
