"""The fast copy of delimited text gives the very cells of the preview's reader, or stands back."""

import csv
import io
import tempfile
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.tables.delimited import open_delimited
from services.tables.model import TableError
from services.tables.whole.copying import _copy_rows
from services.tables.whole.fast_copy import fast_copy

CELLS = st.text(st.sampled_from("ab1 .,;\t|\"'\r\né\ufeff#\\\x00\x0b\u2028N/A0-"), max_size=6)
ROWS = st.lists(st.lists(CELLS, min_size=2, max_size=4), min_size=2, max_size=8)


def cells(path):
    table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    return [list(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]


def both(data):
    """What our reader makes of the file, and what the fast copy does; None where it stands back."""
    with tempfile.TemporaryDirectory() as folder:
        path, target = Path(folder) / "a.csv", Path(folder) / "a.arrow"
        path.write_bytes(data)
        ours = list(open_delimited(path).rows)
        counted = fast_copy(path, target, open_delimited(path), lambda _: None, smallest=0)
        return ours, None if counted is None else cells(target)


@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
@given(ROWS, st.sampled_from(",;\t|"), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
def test_the_fast_copy_never_differs(rows, delimiter, end, quoted, even):
    if even:
        rows = [(row + ["x"] * 4)[: len(rows[0])] for row in rows]
    if quoted:
        text = io.StringIO()
        csv.writer(text, delimiter=delimiter, lineterminator=end).writerows(rows)
        data = text.getvalue().encode()
    else:
        data = end.join(delimiter.join(row) for row in rows).encode()
    try:
        ours, fast = both(data)
    except TableError:
        return
    assert fast is None or fast == ours


QUOTED = st.sampled_from(['"a"', '""', '"a""b"', '""""', '"a,b"', "a", "", '"', 'a"b', '"a"b', '"a\n"', ' "a"'])


@settings(max_examples=200, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(st.tuples(QUOTED, QUOTED), min_size=1, max_size=5), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_the_fast_copy_never_differs_about_quotes(rows, end, ended):
    data = end.join(["x,y", *map(",".join, rows)]) + (end if ended else "")
    try:
        ours, fast = both(data.encode())
    except TableError:
        return
    assert fast is None or fast == ours


@pytest.mark.parametrize(
    "data",
    [
        b"a,b\n1,2\n3,NA\n,x\n0042,\xc3\xa9\n",
        b"\xef\xbb\xbfa;b\r\n1;2,5\r\n\r\n 3 ;\r\n",
        b"a\tb\n" + b"1\t2\n" * 5000,
        b'a,b\n"1",2\n3,4\n',
        b'\xef\xbb\xbf"a","b ""c"""\r\n"1,5",""\r\n"""x""",4\r\n,"""" \r\n'.replace(b'" \r', b'"\r'),
    ],
)
def test_plain_files_are_copied_fast(data):
    ours, fast = both(data)
    assert fast == ours


@pytest.mark.parametrize(
    "data",
    [
        b'a,b\n"1"x,2\n3,4\n',
        b'a,b\n1"x",2\n3,4\n',
        b'a,b\n1,"2\n3",4\n5,6\n',
        b'a,b\n1,"2\n3,4\n',
        b"a,b\n1,2\n3\n4,5\n",
        b"a,b\n1,2,3\n4,5,6\n",
        b"a,b\n1,2\n" * 2000 + b"1,2,3\n",
        b"a,b\r1,2\r3,4\r",
        b"a,b\n1,\xff\n",
        b"a,b\n1,2\0\n",
    ],
)
def test_the_fast_copy_stands_back_from_anything_else(data):
    assert both(data)[1] is None


def test_our_own_copy_keeps_missing_and_blank_apart(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('a,b,c\n1,,"x\ny"\n2\n')
    table = open_delimited(path)
    assert _copy_rows(table, path.stat().st_size, tmp_path / "c.arrow", lambda _: None) == (2, "")
    assert cells(tmp_path / "c.arrow") == [["1", "", "x\ny"], ["2", None, None]]
