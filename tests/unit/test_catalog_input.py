"""Bad input is left out with a sentence that names file, column and row; the good rest is shown."""

import os

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from services.catalog import Query, open_catalog
from services.settings import Settings
from tests.synthetic_source import COLUMNS, datasets, rows

TRAIN, TEST, EVAL = (f"{split}-00000-of-00001.parquet" for split in ("train", "test", "eval"))


@pytest.fixture(scope="module")
def table():
    return pa.Table.from_pylist(rows("eval", 0, datasets())[:30], COLUMNS)


@pytest.fixture
def source(tmp_path, table):
    """A source of 10 good tasks in each split."""
    (tmp_path / "source" / "data").mkdir(parents=True)
    for number, name in enumerate((TRAIN, TEST, EVAL)):
        pq.write_table(table.slice(number * 10, 10), tmp_path / "source" / "data" / name)
    return tmp_path / "source"


@pytest.fixture
def opened(source, tmp_path):
    """Write a table (or bytes) as one of the source's files and open the catalog."""

    def write_and_open(name=None, content=None):
        path = source / "data" / (name or TEST)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif content is not None:
            pq.write_table(content, path)
        return open_catalog(Settings(tasks_source=str(source), cache_dir=tmp_path / "cache"))

    return write_and_open


def changed(table, column, values, kind=None):
    at = table.schema.get_field_index(column)
    return table.set_column(at, column, pa.array(values, kind or table.schema.field(at).type))


def with_value(table, column, row, value):
    values = table.column(column).to_pylist()
    values[row - 1] = value
    return changed(table, column, values)


def totals(catalog):
    return [catalog.search(Query(split=split)).total for split in ("train", "test", "eval")]


def test_a_good_source_leaves_nothing_out(opened):
    catalog = opened()
    assert totals(catalog) == [10, 10, 10]
    assert catalog.status.left_out == ()
    assert catalog.status.sentence == "Showing 30 tasks of the folder source."


def test_several_shards_are_one_split(opened, source, table):
    (source / "data" / TRAIN).unlink()
    pq.write_table(table.slice(5, 5), source / "data" / "train-00001-of-00002.parquet")
    catalog = opened("train-00000-of-00002.parquet", table.slice(0, 5))
    assert [task.task_id for task in catalog.tasks(Query(split="train"))] == table.column("task_id").to_pylist()[:10]


def test_a_missing_column(opened, table):
    catalog = opened(TEST, table.slice(10, 10).drop_columns("reward_mode"))
    assert totals(catalog) == [10, 0, 10]
    assert catalog.status.left_out == (
        f"data/{TEST}: the column reward_mode is missing; the whole file is left out (10 rows).",
    )


@pytest.mark.parametrize(
    ("column", "values", "kind", "sentence"),
    [
        ("difficulty_level", [None, None, *["two"] * 8], pa.string(), "row 3: holds string where a number is expected"),
        ("answer", [1.5] * 10, pa.float64(), "row 1: holds double where text is expected"),
        ("files", ["a.csv"] * 10, pa.string(), "row 1: holds string where a list of text is expected"),
    ],
)
def test_a_column_of_a_wrong_type(opened, table, column, values, kind, sentence):
    catalog = opened(TEST, changed(table.slice(10, 10), column, values, kind))
    assert totals(catalog) == [10, 0, 10]
    assert catalog.status.left_out == (
        f"data/{TEST}: column {column}, {sentence}; the whole file is left out (10 rows).",
    )


@pytest.mark.parametrize(
    ("column", "value", "sentence"),
    [
        ("difficulty_tier", "insane", "is 'insane', not one of easy, medium, hard"),
        ("difficulty_tier", None, "is 'None', not one of easy, medium, hard"),
        ("task_id", " ", "is empty"),
        ("question", None, "is empty"),
        ("difficulty_level", None, "is empty, not a whole number (0 to 1000)"),
        ("atol", -1.0, "is -1.0, not a tolerance (0 or more)"),
        ("rtol", float("nan"), "is nan, not a tolerance (0 or more)"),
    ],
)
def test_a_row_with_a_value_no_task_has(opened, table, column, value, sentence):
    catalog = opened(TEST, with_value(table.slice(10, 10), column, 4, value))
    assert totals(catalog) == [10, 9, 10]
    assert catalog.status.left_out == (f"data/{TEST}, row 4, column {column}: {sentence}; the row is left out.",)


def test_an_id_that_stands_twice(opened, table):
    first = table.column("task_id")[0].as_py()
    catalog = opened(TEST, with_value(table.slice(10, 10), "task_id", 7, first))
    assert totals(catalog) == [10, 9, 10]
    assert catalog.task(first).split == "train"
    assert catalog.status.left_out == (
        f"data/{TEST}, row 7, column task_id: {first!r} stands here again; the row is left out.",
    )


def test_an_unknown_reward_mode_is_kept_and_said(opened, table):
    catalog = opened(TEST, with_value(table.slice(10, 10), "reward_mode", 2, "llm_judge"))
    assert totals(catalog) == [10, 10, 10]
    assert catalog.status.sentence.endswith(
        f"1 row has an unknown reward_mode ('llm_judge'; first in data/{TEST}, row 2); kept."
    )


def test_what_may_be_missing_has_its_default(opened, table):
    holes = {"atol": None, "reward_mode": None, "answer": None, "files": None, "instruction": None}
    broken = table.slice(10, 10)
    for column, value in holes.items():
        broken = with_value(broken, column, 1, value)
    catalog = opened(TEST, with_value(broken, "files", 2, ["a.csv", None, "a.csv"]))
    first, second = list(catalog.tasks(Query(split="test")))[:2]
    assert (first.atol, first.reward_mode, first.answer, first.files, first.instruction) == (1e-3, "", "", (), "")
    assert second.files == ("a.csv", "a.csv")
    assert catalog.status.left_out == ()


def test_floats_that_are_whole_are_levels(opened, table):
    levels = table.slice(10, 10).column("difficulty_level").to_pylist()
    catalog = opened(TEST, changed(table.slice(10, 10), "difficulty_level", map(float, levels), pa.float64()))
    assert [task.difficulty_level for task in catalog.tasks(Query(split="test"))] == levels


@pytest.mark.parametrize("keep", [0, 4, 2000])
def test_a_truncated_file(opened, source, keep):
    catalog = opened(TEST, (source / "data" / TEST).read_bytes()[:keep])
    assert totals(catalog) == [10, 0, 10]
    (sentence,) = catalog.status.left_out
    assert sentence.startswith(f"data/{TEST} can't be read: it is truncated or no parquet file (Arrow")


def test_what_is_no_file_is_left_out_and_not_waited_for(opened, source):
    os.mkfifo(source / "data" / "test-1.parquet")
    (source / "data" / "test-2.parquet").symlink_to("/dev/zero")
    (source / "data" / "test-3.parquet").mkdir()
    catalog = opened()
    assert totals(catalog) == [10, 10, 10]
    assert catalog.status.left_out == tuple(
        f"data/test-{number}.parquet can't be read: it is a folder, a device or a broken link; it is left out."
        for number in (1, 2, 3)
    )


def test_a_file_name_that_is_no_text_is_still_named(opened, source):
    path = source / "data" / os.fsdecode(b"test-\xff.parquet")
    (source / "data" / TEST).rename(path)
    catalog = opened()
    assert totals(catalog) == [10, 0, 10]
    (sentence,) = catalog.status.left_out
    assert sentence.encode().startswith(b"data/test-?.parquet can't be read: ")


def test_a_file_damaged_in_the_middle(opened, source, table):
    path = source / "data" / TEST
    pq.write_table(table.slice(10, 10), path, row_group_size=4)
    content = bytearray(path.read_bytes())
    at = pq.ParquetFile(path).metadata.row_group(1).column(2).data_page_offset
    content[at : at + 200] = b"\xff" * 200
    catalog = opened(TEST, bytes(content))
    assert totals(catalog) == [10, 4, 10]
    (sentence,) = catalog.status.left_out
    assert sentence.startswith(f"data/{TEST} can't be read: from row 5 on (")


def test_an_empty_split(opened, source, table):
    (source / "data" / EVAL).unlink()
    catalog = opened(TEST, table.slice(0, 0))
    assert totals(catalog) == [10, 0, 0]
    assert catalog.status.left_out == (
        f"data/{TEST} has no rows: nothing of the split test is in it.",
        "The split eval is empty: there is no file data/eval-*.parquet.",
    )


def test_a_file_of_no_known_split(opened, table):
    catalog = opened("validation-00000-of-00001.parquet", table.slice(0, 5))
    assert totals(catalog) == [10, 10, 10]
    assert catalog.status.left_out == (
        "data/validation-00000-of-00001.parquet is left out: its name begins with none of train-, test- and eval-.",
    )


def test_many_bad_rows_are_counted_not_listed(opened, table):
    twice = pa.concat_tables([table.slice(10, 10), table])
    catalog = opened(TEST, twice)
    assert totals(catalog) == [10, 20, 0]
    assert len(catalog.status.left_out) == 21
    assert catalog.status.left_out[-1] == "And 10 more."


def test_nothing_at_all(opened, source):
    for name in (TRAIN, TEST, EVAL):
        (source / "data" / name).unlink()
    catalog = opened()
    assert catalog.status.sentence == "There are no tasks of the folder source to show."
    assert len(catalog) == 0 and catalog.search(Query(q="any", order="shuffled")).rows == []
    assert catalog.facets(Query(tier="hard"))["tier"] == []
    assert catalog.neighbours(Query(), "x").total == 0
