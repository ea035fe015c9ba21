"""The processes that read files: held to limits, without the app's environment, one ready ahead of the next request."""

import json
import os
import signal
import threading
import time
import zipfile
from pathlib import Path

import openpyxl
import pytest

from services.tables import TableError, children, preview, ready


@pytest.fixture
def small(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n")
    return path


def test_a_child_stands_ready_and_each_takes_one_request(small):
    with ready(20, 1024):
        first = children._State.ready
        assert preview(small).rows == (("1",),) and first.returncode == 0
        second = children._State.ready
        second.kill()
        second.wait()
        assert preview(small).rows == (("1",),)
        last = children._State.ready
        assert len({first.pid, second.pid, last.pid}) == 3
    assert last.returncode == -signal.SIGKILL and children._State.ready is None


def test_many_at_once(small):
    answers = []
    with ready(60, 1024):
        threads = [threading.Thread(target=lambda: answers.append(preview(small).rows)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [(("1",),)] * 8


def test_a_child_sees_neither_secrets_nor_network(monkeypatch):
    monkeypatch.setenv("HUB_TOKEN", "secret")
    with ready(20, 1024):
        child = children._State.ready
        deadline = time.monotonic() + 15
        while Path("/proc/self/ns/net").readlink() == Path(f"/proc/{child.pid}/ns/net").readlink():
            assert time.monotonic() < deadline, "the child has the app's network"
            time.sleep(0.02)
        assert "secret" not in Path(f"/proc/{child.pid}/environ").read_text()
        assert "NoNewPrivs:\t1" in Path(f"/proc/{child.pid}/status").read_text()


def test_the_limits_are_those_given(tmp_path):
    slow = tmp_path / "slow.json"
    slow.write_text('{"a": [' + "1," * 3_000_000 + "1]}")
    with ready(0.05, 1024), pytest.raises(TableError, match=r"longer than 0\.05 seconds and was stopped"):
        preview(slow)
    large = tmp_path / "large.json"
    large.write_text('{"a": "' + "x" * 60_000_000 + '"}')
    with ready(60, 100), pytest.raises(TableError, match="more memory than a preview may use"):
        preview(large)


@pytest.mark.parametrize(
    ("name", "make", "sentence"),
    [
        ("folder.csv", os.mkdir, "This is a folder, not a file."),
        ("dangling.csv", lambda path: path.symlink_to("gone"), "This is a link to a file that isn't there."),
        ("loop.csv", lambda path: path.symlink_to(path), "Too many levels of symbolic links."),
        ("device.csv", lambda path: path.symlink_to("/dev/zero"), "This is a device, not a regular file."),
    ],
)
def test_what_is_no_file_is_said(tmp_path, name, make, sentence):
    make(tmp_path / name)
    with pytest.raises(TableError, match=sentence):
        preview(tmp_path / name)
    (tmp_path / "link.csv").symlink_to("real.csv")
    (tmp_path / "real.csv").write_text("a\n1\n")
    assert preview(tmp_path / "link.csv").rows == (("1",),)


def edited(path, member, edit):
    """A workbook of one sheet, with one of its parts rewritten."""
    book = openpyxl.Workbook()
    for row in (["a", "b"], ["007", 1], ["x", 2]):
        book.active.append(row)
    book.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    parts[member] = edit(parts[member])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)


SHEET = "xl/worksheets/sheet1.xml"
LAUGHS = "<!DOCTYPE x [<!ENTITY a 'haha'>" + "".join(
    f"<!ENTITY {chr(98 + at)} '{f'&{chr(97 + at)};' * 10}'>" for at in range(12)
)


@pytest.mark.parametrize("tag", ["A1", "A1:XFD1048576"])
def test_a_wrong_dimension_tag_hides_and_costs_nothing(tmp_path, tag):
    edited(tmp_path / "a.xlsx", SHEET, lambda part: part.replace('ref="A1:B3"', f'ref="{tag}"'))
    assert preview(tmp_path / "a.xlsx").rows == (("007", "1"), ("x", "2"))
    assert preview(tmp_path / "a.xlsx").total_columns == 2


def test_a_sheet_whose_last_cell_is_the_last_there_can_be(tmp_path):
    far = '<row r="1048576"><c r="XFD1048576"><v>5</v></c></row></sheetData>'
    edited(tmp_path / "a.xlsx", SHEET, lambda part: part.replace("</sheetData>", far))
    read = preview(tmp_path / "a.xlsx")
    assert read.rows[:2] == (("007", "1"), ("x", "2")) and read.total_rows == 1_048_575


@pytest.mark.parametrize("member", [SHEET, "xl/workbook.xml"])
def test_a_billion_laughs_in_a_workbook_are_a_sentence(tmp_path, member):
    def laugh(part):
        at = part.index("<", part.index("?>") if "?>" in part else 0)
        return part[:at] + LAUGHS + "]>" + part[at:].replace(">", ">&m;", 1)

    edited(tmp_path / "a.xlsx", member, laugh)
    with pytest.raises(TableError, match="broken"):
        preview(tmp_path / "a.xlsx")


def test_an_answer_is_one_json_object(small):
    limits = {"path": str(small), "memory_bytes": 1024**3, "cpu_seconds": 5}
    request = {"rows": 1, "offset": 0, "table": None, "columns": None, "reading": None}
    assert json.loads(children.ask(json.dumps(request | limits).encode()))["preview"]["rows"] == [["1"]]
