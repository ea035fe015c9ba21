"""Whole-table work under attack: odd requests, files and copies that change, and processes that are killed."""

import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from services.tables.bare_process import ENVIRONMENT, ROOT
from services.tables.whole import Limits, Source, WholeTables
from services.tables.whole.workers import COUNT, Workers, _Process
from tests.unit.test_whole_tables import ask, ready, rows, settled

ODD = "id,x,t\n1,1.5,a\n2,nan,b.*\n3,inf,NA\n123456789012345678901234,1e400,\n5,-0,é\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("copies")


@pytest.fixture(scope="module")
def tables(folder):
    held = WholeTables(Limits(folder, floor_bytes=0, seconds=60))
    yield held
    held.close()


@pytest.fixture(scope="module")
def odd(tmp_path_factory, tables):
    path = tmp_path_factory.mktemp("files") / "odd.csv"
    path.write_text(ODD)
    return ready(tables, Source(path))


@pytest.mark.parametrize(
    ("column", "op", "value", "found"),
    [
        (0, "less", "٣", [0, 1]),
        (0, "more", "1e999", []),
        (0, "more", "5e22", [3]),
        (0, "equals", "9" * 5000, []),
        (1, "less", "inf", [0, 4]),
        (1, "equals", "nan", [1]),
        (2, "contains", ".*", [1]),
        (2, "contains", "\0", []),
        (2, "contains", "É", [4]),
    ],
)
def test_a_filter_takes_any_value(tables, odd, column, op, value, found):
    answer = rows(tables, odd, columns=(0,), filters=[{"column": column, "op": op, "value": value}])
    assert answer.get("numbers") == found, answer


def test_odd_requests_are_answered_or_refused_in_a_sentence(tables, odd):
    assert rows(tables, odd, columns=(-1, 2**53, 2, 2), offset=3)["rows"] == [["", ""], ["é", "é"]]
    assert rows(tables, odd, offset=2**53)["rows"] == rows(tables, odd, count=-5)["rows"] == []
    many = [{"column": 0, "op": "contains", "value": "1"}] * 10_000
    assert rows(tables, odd, filters=many) == {
        "error": "The view has 10,000 filters and sorted columns; it may have 100."
    }
    assert rows(tables, odd, filters=[{"column": 0, "op": "more", "value": "nan"}]) == {
        "error": "'nan' is no number, and the column holds numbers."
    }
    assert ask(tables, odd, "cell", row=2**53, column=0) == {"error": "The table has no such cell."}
    for start, backwards, found in (([2**53, 2**53], False, 0), ([-(2**53), 0], True, 3)):
        answer = ask(tables, odd, "find", view={}, text="1", backwards=backwards, **{"from": start})
        assert (answer["row"], answer["count"]) == (found, 4)


def test_a_refused_view_leaves_the_next_file_readable(tables, odd, tmp_path):
    for name, value in (("a.csv", "one"), ("b.csv", "two")):
        (tmp_path / name).write_text(f"n,t\n1,{value}\n")
        ready(tables, Source(tmp_path / name))
    for value in ("x", "y"):  # one for each process
        assert "is no number" in rows(tables, odd, filters=[{"column": 0, "op": "less", "value": value}])["error"]
    assert rows(tables, Source(tmp_path / "a.csv"), columns=(1,))["rows"] == [["one"]]
    assert rows(tables, Source(tmp_path / "b.csv"), columns=(1,))["rows"] == [["two"]]


def test_a_wide_table_is_sorted_and_searched(tables, tmp_path):
    path = tmp_path / "wide.csv"
    lines = [",".join(str(at * row % 97) for at in range(3_000)) for row in range(3)]
    path.write_text(",".join(f"n{at}" for at in range(3_000)) + "\n" + "\n".join(lines) + "\n")
    wide = ready(tables, Source(path))
    assert rows(tables, wide, columns=(2_999,), sort=[{"column": 2_999, "descending": True}])["numbers"] == [1, 2, 0]
    found = ask(tables, wide, "find", view={}, text="96", backwards=True, **{"from": [2, 0]})
    assert (found["row"], found["column"], found["count"]) == (1, 2_909, sum(line.count("96") for line in lines))


def test_a_folder_that_can_not_be_used_is_a_sentence(tmp_path, odd):
    (tmp_path / "taken").write_text("")
    without = WholeTables(Limits(tmp_path / "taken" / "copies", floor_bytes=0))
    said = without.whole(odd)["error"]
    assert said.startswith("The folder that keeps copies of whole files can't be used: Not a directory.")
    without.close()


def test_a_file_that_changes_while_it_is_copied_is_another_file(tables, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("n,t\n" + "1,old\n" * 200_000)
    assert tables.whole(Source(path))["state"] == "copying"
    path.write_text("n,t\n2,new\n")
    assert settled(lambda: tables.whole(Source(path)))["rows"] == 1
    assert rows(tables, Source(path), columns=(0, 1))["rows"] == [["2", "new"]]


@pytest.mark.long
def test_two_apps_share_a_folder_and_survive_what_the_other_removes(tables, folder, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("n,t\n1,x\n2,y\n")
    other = WholeTables(Limits(folder, floor_bytes=0, seconds=60))
    source = Source(path)
    for each in (tables, other):
        each.whole(source)
    for each in (tables, other):
        assert rows(each, ready(each, source), columns=(1,))["rows"] == [["x"], ["y"]]
    (folder / source.key() / "table.arrow").unlink()
    assert tables.whole(source)["state"] == "copying"
    ready(tables, source)
    shutil.rmtree(folder / source.key())
    end = time.monotonic() + 60
    while "rows" not in (answer := rows(other, source, columns=(1,))) and time.monotonic() < end:
        time.sleep(0.05)
    assert answer["rows"] == [["x"], ["y"]]
    other.close()


def test_killed_processes_are_told_of_and_replaced(tables, odd, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text('n,t\n1,"x"\n' * 200_000)
    source = Source(path)
    tables.whole(source)
    job = tables._copies._jobs[source.key()]
    while job._child is None:
        time.sleep(0.01)
    os.kill(job._child.pid, signal.SIGKILL)
    assert "failed" in settled(lambda: tables.whole(source))["error"]
    assert tables.whole(source, again=True)["state"] == "copying"
    ready(tables, source)

    limits = Limits(tmp_path / "copies", floor_bytes=0)
    process = _Process(limits)
    tables._workers._places.get()
    tables._workers._places.put(process)
    os.kill(process._child.pid, signal.SIGKILL)
    process._child.wait(10)
    for _ in range(2):
        assert len(rows(tables, odd, sort=[{"column": 0}], offset=1)["rows"]) == 4
        assert len(rows(tables, odd, sort=[{"column": 1}], offset=2)["rows"]) == 3
    assert not process._temporary.exists()


def test_the_end_of_the_app_waits_for_no_question(tmp_path):
    workers, question = Workers(Limits(tmp_path)), {"folder": str(tmp_path / "none"), "what": "rows"}
    assert [workers.ask(question, 60) for _ in range(COUNT)] == [{"gone": True}] * COUNT
    for _ in range(COUNT):
        process = workers._places.get()
        os.kill(process._child.pid, signal.SIGSTOP)
        workers._places.put(process)
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(workers.ask, question, 600)
        while not workers._asked:
            time.sleep(0.01)
        workers.close()
        assert "was stopped" in str(asked.exception(60))


def test_what_is_asked_for_a_whole_table_has_no_network(tmp_path):
    code = "import socket; socket.create_connection(('127.0.0.1', 9))"
    (tmp_path / "reaches_out.py").write_text(code)
    command = [sys.executable, "-m", "services.tables.bare_process", "reaches_out"]
    environment = ENVIRONMENT | {"PYTHONPATH": str(tmp_path)}
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)
    assert "Network is unreachable" in ended.stderr
