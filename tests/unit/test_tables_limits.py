"""Previews of long, wide, broken and hostile files: bounded, and a sentence where there is nothing to show."""

import io
import os
import sqlite3
import time

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from services.tables import Column, TableError, children, preview


def workbook():
    buffer = io.BytesIO()
    openpyxl.Workbook().save(buffer)
    return buffer.getvalue()


def parquet(table, **options):
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **options)
    return buffer.getvalue()


def test_pages(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("n,t\n" + "".join(f"{n},{n % 7}\n" for n in range(120)))
    last = preview(path, offset=100)
    assert (last.offset, len(last.rows), last.rows[0], last.total_rows) == (100, 20, ("100", "2"), 120)
    for beyond in (500, 10**30):
        assert (preview(path, offset=beyond).rows, preview(path, offset=beyond).total_rows) == ((), 120)

    numbers = pa.table({"n": list(range(1000))})
    (tmp_path / "n.parquet").write_bytes(parquet(numbers, row_group_size=100))
    assert preview(tmp_path / "n.parquet", rows=2, offset=349).rows == (("349",), ("350",))

    twice = pa.table({"a": [1], "b": ["x"], "c": [2]})
    (tmp_path / "c.parquet").write_bytes(parquet(twice))
    shown = preview(tmp_path / "c.parquet", columns=[2, 1])
    assert (shown.shown, shown.rows, [each.dtype for each in shown.columns]) == (
        (2, 1),
        (("2", "x"),),
        ["", "string", "int64"],
    )


def test_wide_tables_and_long_cells_are_cut_and_said(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(",".join(f"c{n}" for n in range(5000)) + "\n" + "x" * 5_000_000 + ",1" * 4999 + "\n")
    shown = preview(path)
    assert (len(shown.columns), shown.total_columns, len(shown.rows[0][0])) == (5000, 5000, 2000)
    assert shown.shown == tuple(range(200)) and shown.columns[4999] == Column("c4999", "", True)
    assert shown.cut == ((0, 0, 5_000_000),)
    assert shown.notes == ("Cells of over 2,000 characters are cut: 1 on this page.",)

    chosen = preview(path, columns=[4999, 0, 4999, 70_000])
    assert (chosen.shown, chosen.rows[0][0], chosen.cut) == ((4999, 0), "1", ((0, 1, 5_000_000),))
    assert chosen.columns[4999] == Column("c4999", "int", True, "c4999", "only '1'")


def test_a_long_file_is_read_at_its_start_and_its_rows_estimated(tmp_path):
    path = tmp_path / "big.csv"
    with path.open("w") as file:
        file.write("id,name,score\n")
        for start in range(0, 2_000_000, 50_000):
            file.writelines(f"{n:07d},name {n:07d},0.5\n" for n in range(start, start + 50_000))
    shown = preview(path)
    assert path.stat().st_size > 32 * 1024**2 and not shown.exact
    assert abs(shown.total_rows - 2_000_000) < 2_000
    assert shown.rows[0] == ("0000000", "name 0000000", "0.5")


def endless_view(path):
    with sqlite3.connect(path) as base:
        base.execute(
            "CREATE VIEW v AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
        )
    base.close()


def write(content):
    return lambda path: path.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "make", "sentence"),
    [
        ("a.parquet", write(b"PAR1" + bytes(100)), "The parquet file is broken"),
        ("a.xlsx", write(workbook()[:200]), "The workbook is broken"),
        ("a.db", write(b"SQLite format 3\0" + b"\x01" * 200), "The SQLite file can't be read"),
        ("deep.json", write(b"[" * 100_000), "The JSON is nested too deep"),
        ("a.json", write(b'{"a": 1,}'), "Not valid JSON: line 1"),
        ("fifo.csv", os.mkfifo, "This is a named pipe, not a regular file."),
        ("gone.csv", lambda path: None, "The file can't be read: No such file or directory."),
        ("endless.db", endless_view, "The table or view gave no rows within 3 seconds."),
    ],
)
def test_a_broken_or_hostile_file_is_a_sentence(tmp_path, name, make, sentence):
    make(tmp_path / name)
    with pytest.raises(TableError, match=sentence.replace("(", r"\(")):
        preview(tmp_path / name)


def test_what_stands_before_a_break_is_shown(tmp_path):
    path = tmp_path / "cut.json"
    path.write_text('[{"a": 1}, {"a": 2}, {"a": "no e')
    shown = preview(path)
    assert shown.rows == (("1",), ("2",)) and shown.total_rows == 2
    assert shown.notes == (
        "Record 3 is not valid JSON: the file ends in the middle of it. The 2 records before are shown.",
    )


def test_a_memory_bomb_fails_its_preview_alone(tmp_path):
    path = tmp_path / "bomb.parquet"
    bomb = pa.table({"t": pa.DictionaryArray.from_arrays(pa.array([0] * 3000, pa.int32()), ["x" * 2_000_000])})
    path.write_bytes(parquet(bomb, compression="zstd"))
    assert path.stat().st_size < 100_000
    with pytest.raises(TableError, match="more memory than a preview may use"):
        preview(path, rows=1000)


def test_half_a_surrogate_pair_is_shown_as_the_replacement_character(tmp_path):
    path = tmp_path / "emoji.json"
    path.write_text(r'[{"a\ud83d": "cut \ud83d here", "b": "whole \ud83d\ude00"}]')
    shown = preview(path)
    assert [column.name for column in shown.columns] == ["a\ufffd", "b"]
    assert shown.rows == (("cut \ufffd here", "whole \U0001f600"),)


def test_the_child_that_stands_ready_is_not_waited_for_when_another_process_holds_its_pipe():
    began = time.monotonic()
    with children.ready(seconds=20, memory_mb=1024):
        held = os.dup(children._State.ready.stdin.fileno())
    os.close(held)
    assert time.monotonic() - began < 20
