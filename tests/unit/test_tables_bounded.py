"""Delimited files of any size: what the first rows tell, how rows are counted and found, and what follows later."""

import csv
import io
import itertools

import pytest

from services.tables import Reading, preview
from services.tables.delimited import delimited_readers, open_delimited
from services.tables.dialect import sniff
from services.tables.line_count import count_rows, place_of_row

LINE = "{n},{half},word {n}\n"


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    """100,000 rows, 2 MB; the last but one has a field too many, the last no number where all others have one."""
    path = tmp_path_factory.mktemp("long") / "long.csv"
    lines = [LINE.format(n=n, half=n / 2) for n in range(100_000)]
    lines[-2:] = ["99998,1,x,y\n", "n.a.,2,z\n"]
    path.write_text("id,half,t\n" + "".join(lines))
    return path


def test_the_first_rows_tell_the_shape_and_the_rest_is_counted(long):
    shown = preview(long)
    assert (shown.total_rows, shown.exact, shown.sampled, shown.warned) == (100_000, True, 1000, 1000)
    assert (shown.rows[49], shown.warnings) == (("49", "24.5", "word 49"), ())
    assert shown.columns[1].summary == "1,000 different · 0.0 to 499.5"


def test_every_row_is_checked_when_asked(long):
    found = open_delimited(long).check()
    assert [(each.kind, each.rows) for each in found] == [("ragged rows", (99_999,)), ("mixed types", (100_000,))]
    assert "names=['id', 'half', 't', 'Unnamed: 3']" in delimited_readers(long, "x")[""]


@pytest.mark.parametrize("offset", [0, 50, 990, 1000, 54_321, 99_999])
def test_a_page_anywhere_holds_its_rows_and_the_same_types(long, offset):
    shown = preview(long, rows=1, offset=offset)
    first = "n.a." if offset == 99_999 else str(offset)
    assert (shown.offset, shown.rows[0][0], shown.columns) == (offset, first, preview(long).columns)


def test_a_page_beyond_the_end_is_empty(long):
    shown = preview(long, offset=10**30)
    assert (shown.rows, shown.total_rows, shown.exact) == ((), 100_000, True)


def test_quotes_may_hold_line_ends_so_rows_are_estimated_until_they_are_read(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,t\n" + "".join(f'{n},"two\nlines"\n' for n in range(100_000)))
    shown = preview(path, offset=60_000, rows=1)
    assert shown.rows == (("60000", "two\nlines"),)
    assert not shown.exact and abs(shown.total_rows - 100_000) < 10_000


def test_stray_quotes_are_found_in_the_first_rows_of_a_long_file(tmp_path):
    path = tmp_path / "a.csv"
    rows = [f"{n},plain text {n},{n % 7}\n" for n in range(60_000)]
    rows[10], rows[20] = '10,"5 inch,3\n', '20,"fine,6\n'
    path.write_text("n,t,m\n" + "".join(rows))
    shown = preview(path)
    assert (shown.reading.quotes, shown.total_rows, shown.rows[10]) == (False, 60_000, ("10", '"5 inch', "3"))
    (warning,) = [each for each in shown.warnings if each.kind == "stray quotes"]
    assert (warning.rows, warning.arguments) == ((11,), "quoting=3")
    assert [each.kind for each in open_delimited(path).check()] == ["stray quotes"]


def test_a_wide_table_is_told_from_so_many_cells(tmp_path):
    path = tmp_path / "wide.csv"
    line = ",".join(map(str, range(5000))) + "\n"
    path.write_text(",".join(f"c{n}" for n in range(5000)) + "\n" + line * 300)
    shown = preview(path)
    assert (shown.total_rows, shown.exact, shown.sampled, shown.warned, len(shown.rows)) == (300, True, 40, 40, 50)
    assert shown.columns[199].summary == "only '199'"


PIECES = ["a,b", "1,2", "3,", ",", " ", "\t", "", '"x', '"x",y', '"u\nv",w', "é,ü", "\x0b,1", "z"]
ENDS = ["\n", "\r\n", "\r"]


@pytest.mark.parametrize("delimiter", [",", "\t", " "])
@pytest.mark.parametrize("quotes", [True, False])
def test_lines_are_counted_as_rows_only_where_they_are(tmp_path, delimiter, quotes):
    path = tmp_path / "a.csv"
    counted = 0
    for at, pieces in enumerate(itertools.product(PIECES, repeat=2)):
        bom = "\ufeff" * (at % 2)
        for end, last in itertools.product(ENDS, (True, False)):
            lines = ["h,i", *pieces, "7,8"] if end != "\r" else ["h,i", *pieces]
            text = end.join(lines) + (end if last else "")
            path.write_bytes((bom + text.replace(",", delimiter)).encode())
            dialect = sniff(path, Reading(delimiter=delimiter, quotes=quotes, header=True))
            count = count_rows(dialect)
            if count is None:
                assert place_of_row(dialect, 9) is None
                continue
            counted += 1
            rows = list(dialect.rows())
            assert count == len(rows), text
            for row in range(0, len(rows) + 2, 2):
                assert list(dialect.records(place_of_row(dialect, row), row)) == rows[row:], (text, row)
    assert counted > 100


def test_a_place_is_found_across_blocks_as_the_csv_module_counts(tmp_path):
    path = tmp_path / "a.csv"
    text = io.StringIO()
    csv.writer(text).writerows([["n", "t"], *([n, "x" * (n % 50)] for n in range(100_000))])
    path.write_text(text.getvalue(), newline="")
    dialect = sniff(path, Reading())
    assert count_rows(dialect) == 100_000
    for row in (0, 1, 33_000, 65_432, 99_999):
        assert next(dialect.records(place_of_row(dialect, row)))[0] == str(row)
