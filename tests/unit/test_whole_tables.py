"""A table looked at whole: its copy, pages of its views, finds, and what happens when it can't be."""

import json
import sqlite3
import subprocess
import sys
import time

import pandas as pd
import pytest

from services.tables.whole import Limits, Source, WholeTables

PLAIN = {"sort": [], "filters": [], "find": ""}
CITIES = """id,city,price,joined
1,Paris,10,2020-01-05
2,,9.5,2020-01-07
3,NA,,2021-03-01
4,Oslo,1e2,2019-12-31
5,paris,-3,2020-01-06
"""


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    held = WholeTables(Limits(tmp_path_factory.mktemp("copies"), floor_bytes=0, seconds=60))
    yield held
    held.close()


@pytest.fixture(scope="module")
def cities(tmp_path_factory, tables):
    path = tmp_path_factory.mktemp("files") / "cities.csv"
    path.write_text(CITIES)
    return ready(tables, Source(path))


def ready(tables, source):
    answer = settled(lambda: tables.whole(source))
    assert answer["state"] == "ready", answer
    return source


def settled(ask, seconds=60):
    end = time.monotonic() + seconds
    while (answer := ask()).get("state") in {"copying", "profiling", "sorting", "finding", "drawing", "reading"}:
        assert time.monotonic() < end, answer
        time.sleep(0.05)
    return answer


def ask(tables, source, what, **request):
    return settled(lambda: tables.ask(source, what, request))


def rows(tables, source, offset=0, count=50, columns=(0, 1, 2, 3), **view):
    return ask(tables, source, "rows", view=PLAIN | view, offset=offset, rows=count, columns=list(columns))


def numbers(tables, source, **view):
    return rows(tables, source, **view)["numbers"]


def test_the_whole_table_is_counted_and_its_rows_come_as_they_stand(tables, cities):
    whole = tables.whole(cities)
    assert (whole["state"], whole["rows"], whole["columns"]) == ("ready", 5, 4)
    page = rows(tables, cities, offset=1, count=2, columns=(2, 1))
    assert page == {"rows": [["9.5", ""], ["", "NA"]], "numbers": [1, 2], "total": 5, "cut": []}


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ([{"column": 2, "descending": False}], [4, 1, 0, 3, 2]),  # as numbers, missing last
        ([{"column": 2, "descending": True}], [3, 0, 1, 4, 2]),
        ([{"column": 1, "descending": False}], [3, 0, 4, 1, 2]),  # as text; a blank and NA are missing
        ([{"column": 3, "descending": False}], [3, 0, 4, 1, 2]),
    ],
)
def test_sorting_is_by_number_where_the_column_holds_numbers(tables, cities, sort, order):
    assert numbers(tables, cities, sort=sort) == order


@pytest.mark.parametrize(
    ("column", "op", "value", "found"),
    [
        (1, "contains", "PAR", [0, 4]),
        (1, "equals", "Paris", [0]),
        (1, "not_equals", "Paris", [1, 2, 3, 4]),
        (2, "equals", "100", [3]),
        (2, "less", "9.5", [4]),
        (2, "more", "9", [0, 1, 3]),
        (3, "more", "2020-01-05", [1, 2, 4]),
        (1, "missing", "", [1, 2]),
        (2, "filled", "", [0, 1, 3, 4]),
    ],
)
def test_filters(tables, cities, column, op, value, found):
    assert numbers(tables, cities, filters=[{"column": column, "op": op, "value": value}]) == found


def test_a_filter_that_makes_no_sense_says_why(tables, cities):
    assert rows(tables, cities, filters=[{"column": 2, "op": "more", "value": "x"}]) == {
        "error": "'x' is no number, and the column holds numbers."
    }
    assert rows(tables, cities, sort=[{"column": 9}]) == {"error": "The table has no column number 9."}


def test_text_of_a_request_is_never_part_of_a_query(tables, cities):
    assert numbers(tables, cities, filters=[{"column": 1, "op": "equals", "value": "' OR 1=1 --"}]) == []
    assert ask(tables, cities, "find", view=PLAIN, text="');DROP", backwards=False, **{"from": [-1, -1]}) == {
        "row": None
    }


def test_finding_goes_through_the_view_both_ways_and_around(tables, cities):
    def find(start, backwards=False, **view):
        found = ask(tables, cities, "find", view=PLAIN | view, text="paris", backwards=backwards, **{"from": start})
        return found["row"], found["column"], found["place"], found["count"]

    assert find([-1, -1]) == (0, 1, 1, 2)
    assert find([0, 1]) == (4, 1, 2, 2)
    assert find([4, 1]) == (0, 1, 1, 2)
    assert find([4, 1], backwards=True) == (0, 1, 1, 2)
    assert find([0, 1], backwards=True) == (4, 1, 2, 2)
    assert find([-1, -1], sort=[{"column": 2, "descending": False}]) == (0, 1, 1, 2)
    assert numbers(tables, cities, find="paris") == [0, 4]


def test_a_long_cell_is_cut_on_the_page_and_whole_when_asked_for(tables, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("a,b\n1," + "x" * 5000 + "\n")
    source = ready(tables, Source(path))
    page = rows(tables, source, columns=(0, 1))
    assert (len(page["rows"][0][1]), page["cut"]) == (2000, [[0, 1, 5000]])
    assert ask(tables, source, "cell", row=0, column=1) == {"text": "x" * 5000, "length": 5000}


def test_any_kind_of_table_can_be_looked_at_whole(tables, tmp_path):
    path = tmp_path / "a.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (n INTEGER, s TEXT)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", [(n, None if n % 2 else f"s{n}") for n in range(30_000)])
    source = ready(tables, Source(path, "t"))
    assert rows(tables, source, offset=25_000, count=2, columns=(0, 1))["rows"] == [
        ["25000", "s25000"],
        ["25001", None],
    ]
    (tmp_path / "b.parquet").write_bytes(pd.DataFrame({"x": range(3)}).to_parquet())
    assert rows(tables, ready(tables, Source(tmp_path / "b.parquet")), columns=(0,))["rows"] == [["0"], ["1"], ["2"]]


def test_a_file_that_changes_is_another_file(tables, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    ready(tables, Source(path))
    path.write_text("a,b\n1,2\n3,4\n")
    ready(tables, Source(path))
    assert tables.whole(Source(path))["rows"] == 2


def test_a_broken_file_and_a_missing_one_say_so(tables, tmp_path):
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1}, {"a": ')
    whole = tables.whole(ready(tables, Source(path)))
    assert (whole["rows"], [each["kind"] for each in whole["warnings"]]) == (1, ["note"])
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    assert settled(lambda: tables.whole(Source(tmp_path / "b.parquet")))["error"].startswith(
        "The parquet file is broken"
    )
    assert tables.whole(Source(tmp_path / "none.csv")) == {
        "error": "The file can't be read: No such file or directory."
    }
    assert tables.whole(Source(tmp_path)) == {"error": "This is no regular file."}


def checked(tables, source):
    end = time.monotonic() + 60
    while (answer := tables.whole(source))["checking"]:
        assert (answer["state"], answer["checked"], time.monotonic() < end) == ("ready", False, True)
        time.sleep(0.05)
    return answer


def test_every_row_is_checked_once_the_table_is_there(tables, tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,zip\n" + "".join(f"{n},{'012' if n else '999'}\n" for n in range(150_000)) + "x,1,2\n")
    source = ready(tables, Source(path))
    assert tables.whole(source)["rows"] == 150_001
    answer = checked(tables, source)
    assert answer["checked"]
    found = {each["kind"]: each["rows"] for each in answer["warnings"]}
    assert found == {"ragged rows": [150_001], "mixed types": [150_001], "leading zeros": [2]}
    again = WholeTables(tables._copies.limits)
    assert again.whole(source) == answer  # kept beside the copy
    again.close()


def test_a_check_can_be_stopped_and_says_when_it_takes_too_long(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,t\n" + "".join(f"{n},word {n % 7}\n" for n in range(500_000)))
    tables = WholeTables(Limits(tmp_path / "copies", floor_bytes=0))
    try:
        ready(tables, Source(path))
        assert tables.whole(Source(path))["checking"]
        assert tables.stop(Source(path)) == "Looking through every row was stopped."
        stopped = tables.whole(Source(path))
        assert (stopped["state"], stopped["checking"], stopped["checked"]) == ("ready", False, False)
        assert tables.stop(Source(path)) == "The file is read already."
        assert tables.whole(Source(path), again=True)["checking"]
    finally:
        tables.close()
    slow = WholeTables(Limits(tmp_path / "copies", floor_bytes=0, seconds=0.2))
    try:
        (said,) = checked(slow, Source(path))["warnings"]
        assert said["text"].startswith("Looking through every row for what may mislead took longer than 0.2 seconds")
    finally:
        slow.close()


def test_a_stopped_copy_stays_stopped_until_it_is_asked_for_again_and_leaves_nothing(tmp_path):
    path = tmp_path / "big.csv"
    path.write_text("a,b\n" + '"1",2\n' * 300_000)
    tables = WholeTables(Limits(tmp_path / "copies", floor_bytes=0))
    try:
        assert tables.whole(Source(path))["state"] == "copying"
        assert tables.stop(Source(path)) == "Reading the whole file was stopped."
        assert tables.whole(Source(path)) == {"state": "stopped"}
        tables.wait(Source(path), 20)
        assert list((tmp_path / "copies").iterdir()) == []
        assert tables.whole(Source(path), again=True)["state"] == "copying"
        assert settled(lambda: tables.whole(Source(path)))["rows"] == 300_000
    finally:
        tables.close()


def test_a_copy_that_takes_too_long_or_finds_no_room_fails_with_a_sentence(tmp_path):
    path = tmp_path / "big.csv"
    path.write_text("a,b\n" + '"1",2\n' * 300_000)
    slow = WholeTables(Limits(tmp_path / "slow", floor_bytes=0, seconds=0.05))
    full = WholeTables(Limits(tmp_path / "full", floor_bytes=0, max_bytes=100_000))
    try:
        said = settled(lambda: slow.whole(Source(path)))["error"]
        assert said.startswith("Copying the whole file took longer than 0.05 seconds and was stopped. The first rows")
        assert full.whole(Source(path))["error"].startswith("There is no room to look at the whole file")
        assert list((tmp_path / "slow").iterdir()) == []
    finally:
        slow.close()
        full.close()


def test_copies_outlive_the_app_and_a_folder_half_made_is_no_copy(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n")
    limits = Limits(tmp_path / "copies", floor_bytes=0)
    first = WholeTables(limits)
    ready(first, Source(path))
    first.close()
    (folder,) = limits.folder.iterdir()
    second = WholeTables(limits)
    try:
        assert second.whole(Source(path))["state"] == "ready"
        (folder / "facts.json").rename(folder / "facts")
        assert second.whole(Source(path))["state"] == "copying"
    finally:
        second.close()


def test_the_profile_is_what_pandas_says(tables, tmp_path):
    path = tmp_path / "profile.csv"
    frame = pd.DataFrame(
        {
            "n": [(i * 7919) % 1000 for i in range(4000)],
            "x": [None if i % 10 == 0 else i / 7 for i in range(4000)],
            "s": [["a", "b", "NA", "", "c"][i % 5] for i in range(4000)],
            "code": [f"{i % 50:03d}" for i in range(4000)],
        }
    )
    frame.to_csv(path, index=False)
    source = Source(path)
    answer = settled(lambda: tables.profile(source))
    assert (answer["state"], answer["done"], answer["total"]) == ("ready", 4, 4)
    read = pd.read_csv(path)
    for said, name in zip(answer["columns"], read, strict=True):
        column = read[name]
        assert (said["rows"], said["missing"], said["distinct"]) == (4000, column.isna().sum(), column.nunique()), name
        assert said["approximate"] == []
    n, x, s, code = answer["columns"]
    assert [each["type"] for each in answer["columns"]] == ["int", "float", "text", "int"]
    for said, name in ((n, "n"), (x, "x")):
        column = read[name]
        assert said["quantiles"] == pytest.approx(column.quantile([0.05, 0.25, 0.5, 0.75, 0.95]).tolist(), rel=1e-12)
        assert (said["min"], said["max"]) == (column.min(), column.max())
        assert said["mean"] == pytest.approx(column.mean(), rel=1e-12)
        assert sum(said["bins"]["counts"]) == column.count()
    assert (s["missing"], s["blank"], s["top"]) == (1600, 800, [["a", 800], ["b", 800], ["c", 800]])
    assert code["top"][0] == ["000", 80]
    json.dumps(answer, allow_nan=False)


def test_the_profile_of_awkward_columns(tables, tmp_path):
    path = tmp_path / "awkward.csv"
    size = 30_000
    columns = {
        "hex": ["0x1F", *map(str, range(1, size))],
        "long": ["9" * 25, *map(str, range(1, size))],
        "late": [*map(str, range(1, size)), " +1.5 "],
        "nan": ["NAN", *map(str, range(1, size))],
        "codes": ["007", "NA", "", "7", *map(str, range(10, size + 6))],
        "text": ["é 1", "é 1", "NA", "", *(f"a{at:05d}" for at in range(size - 4))],
        "turns": [*(f"a{at}" for at in range(15_000)), *["b"] * 15_000],
    }
    path.write_text("\n".join(map(",".join, [list(columns), *zip(*columns.values(), strict=True)])) + "\n")
    answer = settled(lambda: tables.profile(Source(path)))
    found = dict(zip(columns, answer["columns"], strict=True))
    assert [each["approximate"] for each in found.values()] == [[]] * 7
    assert [each["type"] for each in found.values()] == ["text", "int", "float", "text", "int", "text", "text"]
    assert [each["distinct"] for each in found.values()] == [size, size, size, size, size - 3, size - 3, 15_001]
    assert found["late"]["top"][0] == ["1", 1]
    assert (found["codes"]["missing"], found["codes"]["blank"]) == (2, 1)
    assert found["codes"]["top"][:2] == [["007", 2], ["10", 1]]
    text = found["text"]
    assert (text["missing"], text["blank"], text["min"], text["max"]) == (2, 1, "a00000", "é 1")
    assert text["top"] == [["é 1", 2], ["a00000", 1], ["a00001", 1], ["a00002", 1], ["a00003", 1]]
    assert found["turns"]["top"][:2] == [["b", 15_000], ["a0", 1]]


def test_charts_fit_their_columns(tables, cities):
    def chart(*columns):
        return ask(tables, cities, "chart", columns=list(columns))

    assert chart(1) | {"note": ""} == {
        "title": "city", "kind": "bars", "x": ["Oslo", "Paris", "paris"], "y": [1, 1, 1], "note": "",
    }  # fmt: skip
    assert (chart(2)["kind"], sum(chart(2)["y"]), chart(2)["note"]) == (
        "histogram", 4, "1 cells without a finite number are left out.",
    )  # fmt: skip
    assert chart(3)["x"][:2] == ["2019-12-31", "2020-01-05"]
    assert chart(0, 2) | {"title": ""} == {
        "title": "", "kind": "scatter", "x": [1, 2, 4, 5], "y": [10, 9.5, 100, -3], "note": "",
    }  # fmt: skip
    assert chart(1, 0)["y"] == [[4] * 5, [1] * 5, [5] * 5]
    assert chart(3, 2)["y"] == [100, 10, -3, 9.5]
    assert (chart(1, 3)["kind"], sum(map(sum, chart(1, 3)["z"]))) == ("heat", 3)
    read = pd.read_csv(cities.path)
    assert chart()["z"][0][1] == pytest.approx(read["id"].corr(read["price"]))
    assert chart(0, 1, 2) == {"error": "A chart is of one or two columns of the table."}


def test_a_column_of_a_wide_table_is_as_one_of_a_narrow_table(tables, cities, tmp_path):
    """Beyond some hundred columns each question is put to a table of its own columns alone."""
    lines = cities.path.read_text().splitlines()
    beside = [",".join(["more", *(str(at) for at in range(600))])] + ["," * 600] * (len(lines) - 1)
    (tmp_path / "wide.csv").write_text("\n".join(f"{line},{more}" for line, more in zip(lines, beside, strict=True)))
    wide = ready(tables, Source(tmp_path / "wide.csv"))
    for columns in ((0,), (1,), (2,), (3,), (0, 2), (1, 0), (3, 2), (1, 3), ()):
        assert ask(tables, wide, "chart", columns=list(columns)) == ask(tables, cities, "chart", columns=list(columns))
    profiles = [settled(lambda of=source: tables.profile(of))["columns"] for source in (wide, cities)]
    assert len(profiles[0]) == 605
    assert profiles[0][:4] == profiles[1]
    assert {each["type"] for each in profiles[0][4:]} == {"empty"}


def test_the_profile_on_the_command_line(cities):
    command = [sys.executable, "-m", "services.tables", str(cities.path), "--profile"]
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True)
    price = json.loads(done.stdout)["columns"][2]
    assert (price["name"], price["type"], price["missing"], price["max"]) == ("price", "float", 1, 100)
    assert done.stderr == ""  # no terminal, no progress
