"""Predictions files: values come out as they were written, broken records are told, columns are found or asked for."""

import json
import resource

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.batch import Columns, ColumnsUnclear, UnreadableFile, formats
from services.batch.formats import BrokenRecord, Record, _line_record
from services.batch.predictions import Prediction, PredictionsFile, find_columns

AS_WRITTEN = ["NA", "007", "True", "1e-3", "0.10", "12345678901234567890", "", " x ", "=1+1", "a\nb", 'say "hi"']


def read(path, columns=None):
    return list(PredictionsFile.open(path, path.name, columns))


def answers(path):
    return [each.prediction for each in read(path)]


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(("ending", "mark"), [("csv", ","), ("csv", ";"), ("tsv", "\t")])
def test_no_value_of_a_delimited_file_changes(tmp_path, ending, mark):
    cells = [text if text.isalnum() else '"' + text.replace('"', '""') + '"' for text in AS_WRITTEN]
    rows = [f"task_id{mark}prediction"] + [f"{number}{mark}{cell}" for number, cell in enumerate(cells)]
    path = written(tmp_path / f"run.{ending}", b"\xef\xbb\xbf" + "\r\n".join(rows).encode())
    assert answers(path) == AS_WRITTEN


def test_json_values_are_kept_as_written(tmp_path):
    values = [
        "true",
        "null",
        "[1, 2]",
        "1e400",
        "0.10",
        "007".join('""'),
        '{"a":1.50}',
        "NaN",
        r'"\ud800 \u00e9"',
        "-0",
    ]
    expected = ["true", None, "[1, 2]", "1e400", "0.10", "007", '{"a":1.50}', "NaN", "\ud800 é", "-0"]
    objects = [f'{{"task_id": {number}, "prediction" : {value} }}' for number, value in enumerate(values)]
    lines = written(tmp_path / "run.jsonl", "\n\n".join(objects))
    array = written(tmp_path / "run.json", "[" + ",\n".join(objects) + "]\n")
    assert answers(lines) == expected
    assert read(array) == [Prediction(number + 1, str(number), value) for number, value in enumerate(expected)]
    assert [each.line for each in read(lines)][:3] == [1, 3, 5]


def test_parquet_values_are_text(tmp_path):
    columns = {
        "texts": [*AS_WRITTEN[:3], None],
        "numbers": [0.1, 1e-5, 12345678.25, float("inf")],
        "whole": [12345678901234567, 7, -1, 0],
        "truth": [True, False, None, True],
    }
    table = pa.table({"task_id": ["1", "2", "3", "4"], "lists": [["a"]] * 4, **columns})
    pq.write_table(table, tmp_path / "run.parquet")
    told = {
        name: [each.prediction for each in read(tmp_path / "run.parquet", Columns("task_id", name))] for name in columns
    }
    assert told == {
        "texts": ["NA", "007", "True", None],
        "numbers": ["0.1", "1e-05", "12345678.25", "inf"],
        "whole": ["12345678901234567", "7", "-1", "0"],
        "truth": ["true", "false", None, "true"],
    }
    with pytest.raises(UnreadableFile, match=r"'lists' of run\.parquet holds list<element: string>, neither text nor"):
        read(tmp_path / "run.parquet", Columns("task_id", "lists"))


def test_a_row_group_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(formats, "GROUP_LIMIT", 1_000_000)
    table = pa.table({"task_id": ["1", "2"], "prediction": ["x" * 600_000, "y" * 600_000]})
    pq.write_table(table, tmp_path / "run.parquet", use_dictionary=False)
    with pytest.raises(UnreadableFile, match=r"run\.parquet has a row group that unpacks to 1 MB; 1 MB is the most\."):
        read(tmp_path / "run.parquet")
    pq.write_table(table, tmp_path / "run.parquet", use_dictionary=False, row_group_size=1)
    assert [len(answer) for answer in answers(tmp_path / "run.parquet")] == [600_000, 600_000]


def test_a_long_text_in_every_row_of_a_parquet_file_is_not_unpacked_in_each(tmp_path):
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 5000 + [1]), pa.array(["x" * 30_000_000, "12"]))
    table = pa.table({"task_id": [str(number) for number in range(5001)], "answer": long})
    pq.write_table(table, tmp_path / "run.parquet")
    del long, table
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = read(tmp_path / "run.parquet")
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000 < 500
    assert found[-1] == Prediction(5001, "5000", "12")
    assert {each.why for each in found[:-1]} == {
        "The answer has over 1,048,576 characters, the most that can be graded."
    }


def test_broken_lines_are_told_with_their_numbers_and_the_rest_is_read(tmp_path):
    lines = [
        b'{"task_id": "a", "prediction": "1"}',
        b'{"task_id": "b", "prediction": ',
        b'{"task_id": "c", "prediction": "\xff"}',
        b'["d", "4"]',
        b'{"task_id": " ", "prediction": "5"}',
        b'{"task_id": "f"}',
        b'{"task_id": "g", "prediction": "7"} {}',
        json.dumps({"task_id": "h", "prediction": "8" * (2**20 + 1)}).encode(),
        b'{"task_id": " i ", "prediction": "9"}',
    ]
    found = read(written(tmp_path / "run.jsonl", b"\n".join(lines)))
    assert [each.task_id for each in found if isinstance(each, Prediction)] == ["a", "i"]
    assert [(each.line, each.why) for each in found if isinstance(each, BrokenRecord)] == [
        (2, "The line is not a JSON object: Expecting value (character 31)."),
        (3, "The line is not UTF-8 text."),
        (4, "The line is not a JSON object: Expecting '{' (character 1)."),
        (5, "There is no task id in 'task_id'."),
        (6, "There is no 'prediction'."),
        (7, "The line has more than one JSON object (character 36)."),
        (8, "The answer has over 1,048,576 characters, the most that can be graded."),
    ]
    table = written(tmp_path / "run.csv", 'id,answer\n1,"a\nb"\n2,x,y\n3\n\n4,ok\n5,"a" b\n6,"never\nclosed')
    assert read(table) == [
        Prediction(3, "1", "a\nb"),
        BrokenRecord(4, "The header has 2 columns, this row 3."),
        BrokenRecord(5, "The header has 2 columns, this row 1."),
        Prediction(7, "4", "ok"),
        BrokenRecord(8, "The row can't be read (',' expected after '\"'): check its quotes."),
        BrokenRecord(10, "The row can't be read (unexpected end of data): check its quotes."),
    ]
    array = written(tmp_path / "run.json", '[{"id": 1, "answer": 2}, 3, {"id": 4, "answer": }]')
    assert read(array)[:2] == [Prediction(1, "1", "2"), BrokenRecord(2, "It is no JSON object.")]
    assert read(array)[2].why.startswith("The array is broken here (Expecting value, line 1, character ")


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        (["Task ID", "Final Answer", "k", "model"], Columns("Task ID", "Final Answer", "k", "model")),
        (["instance_id", "response"], Columns("instance_id", "response")),
        (["task_id", "id", "prediction", "answer", "output"], Columns("task_id", "prediction")),
        (["task_id", "prediction", "Sample ID"], Columns("task_id", "prediction", "Sample ID")),
        (["id", "answer", "Sample-Number", "run_name"], Columns("id", "answer", "Sample-Number", "run_name")),
    ],
)
def test_columns_are_found_by_name(columns, found):
    assert find_columns(tuple(columns), "run.csv") == found


def test_columns_that_are_not_clear_are_asked_for(tmp_path):
    with pytest.raises(ColumnsUnclear) as asked:
        find_columns(("task_id", "response", "output"), "run.csv")
    assert str(asked.value) == "Which column of run.csv holds the prediction? It has task_id, response, output."
    assert (asked.value.found, asked.value.columns[1:]) == (Columns("task_id", ""), ("response", "output"))
    with pytest.raises(ColumnsUnclear, match="holds the prediction"):  # the dataset's own file: answer is the gold
        find_columns(("task_id", "question", "answer", "reward_mode"), "test.csv")
    path = written(tmp_path / "run.csv", "nr,said\n1,yes\n")
    with pytest.raises(ColumnsUnclear, match="holds the task id and which the prediction"):
        read(path)
    assert read(path, Columns("nr", "said")) == [Prediction(2, "1", "yes")]
    with pytest.raises(UnreadableFile, match=r"run\.csv has no column 'id'"):
        read(path, Columns("id", "said"))


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"id,answer\n1,a\n2,caf\xe9\n", "Line 3 of a.csv is not UTF-8 text. Save the file as UTF-8"),
        ("a.csv", "id,answer".encode("utf-16"), "a.csv is UTF-16 text."),
        ("a.json", b" \n", "a.json is empty."),
        ("a.parquet", b"PAR1 and nothing more", "a.parquet is a broken parquet file"),
        ("a.xlsx", b"PK\x03\x04", "a.xlsx is none of JSON lines"),
        ("a.jsonl", b"1\n2\n", "a.jsonl has no JSON objects with names and values"),
    ],
)
def test_a_file_that_can_not_be_read_is_a_sentence(tmp_path, name, content, sentence):
    with pytest.raises(UnreadableFile) as told:
        read(written(tmp_path / name, content))
    assert str(told.value).startswith(sentence)


def test_a_file_too_large_is_not_read(tmp_path):
    for name, size, sentence in (
        ("a.csv", 513_000_000, "a.csv has 513 MB; 512 MB is the most. Split it in parts."),
        ("a.json", 65_000_000, "a.json is one JSON array of 65 MB, and 64 MB is the most. Save it as JSON lines"),
    ):
        path = written(tmp_path / name, b'[{"id,answer')
        with path.open("r+b") as file:
            file.truncate(size)
        with pytest.raises(UnreadableFile, match=sentence):
            read(path)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text(), values, max_size=4), st.sampled_from([None, 1, "\t"]), st.booleans())
def test_any_json_object_is_read_as_json_reads_it(fields, indent, plain):
    line = " ".join(json.dumps({"id": 1, "answer": 0} | fields, indent=indent, ensure_ascii=plain).split("\n"))
    record = _line_record(1, line.encode("utf-8", "surrogatepass"))
    if not plain and any("\ud800" <= mark <= "\udfff" for mark in line):
        assert record == BrokenRecord(1, "The line is not UTF-8 text.")
        return
    read = json.loads(line)
    assert list(record.values) == list(read)
    for name, value in read.items():
        told = record.values[name]
        assert (told is None) == (value is None)
        if isinstance(value, str):
            assert told == value
        elif value is not None:
            assert told in line and repr(json.loads(told)) == repr(value)


@settings(max_examples=200, deadline=None)
@given(st.text('{}[]":,1e-.\\u null "a":', max_size=40))
def test_a_line_json_can_not_read_is_told_and_one_it_can_is_read(text):
    record = _line_record(1, text.encode())
    try:
        good = isinstance(json.loads(text), dict)
    except ValueError:
        good = False
    assert isinstance(record, Record) == good
