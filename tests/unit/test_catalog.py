"""Search, facets, orders, pages and neighbours, each against a plain reading of the same 5,394 rows."""

import gc
import os
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from services.catalog import FACETS, Query, UnknownTask, open_catalog
from services.settings import Settings
from tests import synthetic_source
from tests.synthetic_source import write_source

FILTERS = [
    {},
    {"split": "test"},
    {"tier": "hard", "mode": "numeric"},
    {"level": "2", "package_tier": "1", "split": "train"},
    {"file_type": "xlsx"},
    {"file_type": "csv", "tier": "easy"},
    {"dataset": "owner17/"},
    {"q": "MEDIAN", "split": "train"},
    {"q": "owner17/", "tier": "medium"},
    {"q": "_0.csv"},
    {"q": "nothing has this"},
    {"split": "validation"},
    {"level": "two"},
]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("source")
    write_source(folder)
    return folder


@pytest.fixture(scope="module")
def catalog(source, tmp_path_factory):
    return open_catalog(Settings(tasks_source=str(source), cache_dir=tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def rows(source):
    """The rows as listed, with the values each facet has of them."""
    found = []
    for split in ("train", "test", "eval"):
        for row in pq.read_table(source / "data" / f"{split}-00000-of-00001.parquet").to_pylist():
            types = {name.rsplit(".", 1)[1].lower() for name in row["files"]}
            found.append(row | {"split": split, "facets": facet_values(row, split, types)})
    return found


def facet_values(row, split, types):
    return {
        "split": {split},
        "tier": {row["difficulty_tier"]},
        "level": {str(row["difficulty_level"])},
        "dataset": {row["kaggle_dataset"]},
        "mode": {row["reward_mode"]},
        "file_type": types,
        "package_tier": {str(row["package_tier"])},
    }


def passes(row, filters):
    for name, value in filters.items():
        if name == "q":
            texts = [row["question"], row["task_id"], row["kaggle_dataset"], *row["files"]]
            if not any(value.casefold() in text.casefold() for text in texts):
                return False
        elif value not in row["facets"][name]:
            return False
    return True


def whole(filters, rows):
    """`owner17/` stands for the first dataset of that owner."""
    if filters.get("dataset") == "owner17/":
        return {"dataset": next(row["kaggle_dataset"] for row in rows if row["kaggle_dataset"].startswith("owner17/"))}
    return filters


def all_ids(catalog, query):
    return [task.task_id for task in catalog.tasks(query)]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_a_search_finds_what_a_plain_reading_finds(catalog, rows, filters):
    filters = whole(filters, rows)
    expected = [row["task_id"] for row in rows if passes(row, filters)]
    assert all_ids(catalog, Query(**filters)) == expected
    page = catalog.search(Query(**filters), page=1, size=7)
    assert page.total == len(expected)
    assert [row.task_id for row in page.rows] == expected[page.page * 7 :][:7]


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_a_facet_counts_under_all_other_filters(catalog, rows, filters):
    filters = whole(filters, rows)
    counted = catalog.facets(Query(**filters))
    assert list(counted) == list(FACETS)
    for name in FACETS:
        others = {key: value for key, value in filters.items() if key != name}
        expected = Counter(value for row in rows if passes(row, others) for value in row["facets"][name])
        assert dict(counted[name]) == expected


def test_facets_come_in_their_own_order(catalog):
    facets = catalog.facets(Query())
    assert facets["split"] == [("train", 5000), ("test", 250), ("eval", 144)]
    assert facets["tier"] == [("easy", 1482), ("medium", 3037), ("hard", 875)]
    assert [level for level, _ in facets["level"]] == ["1", "2", "3", "4", "5"]
    counts = [count for _, count in facets["dataset"]]
    assert len(counts) == 471 and counts == sorted(counts, reverse=True)


def test_curriculum_goes_from_easiest_to_hardest(catalog, rows):
    def ease(row):
        return ["easy", "medium", "hard"].index(row["difficulty_tier"]), row["difficulty_level"], row["task_id"]

    assert all_ids(catalog, Query(order="curriculum")) == [row["task_id"] for row in sorted(rows, key=ease)]
    found = sorted((row for row in rows if passes(row, {"q": "brazil", "split": "train"})), key=ease)
    assert all_ids(catalog, Query(q="brazil", split="train", order="curriculum")) == [row["task_id"] for row in found]


def test_a_seed_gives_one_order_whatever_is_listed(catalog):
    first = all_ids(catalog, Query(order="shuffled", seed=7))
    assert sorted(first) == sorted(all_ids(catalog, Query())) and first != all_ids(catalog, Query())
    assert all_ids(catalog, Query(order="shuffled", seed=8)) != first
    hard = set(all_ids(catalog, Query(tier="hard", q="rows")))
    assert all_ids(catalog, Query(tier="hard", q="rows", order="shuffled", seed=7)) == [i for i in first if i in hard]
    pages = [catalog.search(Query(order="shuffled", seed=7), page=page, size=999).rows for page in range(6)]
    assert [row.task_id for rows in pages for row in rows] == first


def test_a_page_past_the_end_is_the_last_one(catalog):
    page = catalog.search(Query(split="eval"), page=99, size=50)
    assert (page.total, page.page, len(page.rows)) == (144, 2, 44)
    assert catalog.search(Query(split="nowhere"), page=3).page == 0


def test_neighbours_follow_the_list(catalog):
    query = Query(tier="hard", order="curriculum", q="kenya")
    ids = all_ids(catalog, query)
    near = [catalog.neighbours(query, task_id) for task_id in ids]
    assert [each.position for each in near] == list(range(len(ids)))
    assert [each.next for each in near] == [*ids[1:], None]
    assert [each.previous for each in near] == [None, *ids[:-1]]
    other = replace(query, tier="easy")
    outside, listed = catalog.neighbours(other, ids[0]), catalog.search(other)
    assert (outside.previous, outside.next, outside.position) == (None, listed.rows[0].task_id, None)
    assert outside.total == listed.total
    assert catalog.neighbours(replace(query, tier="none"), ids[0]).next is None


def test_a_task_is_the_row_of_the_dataset(catalog, rows):
    for row in (rows[0], rows[53], rows[37], rows[-1]):  # with files, one named twice, none at all
        expected = {name: value for name, value in row.items() if name != "facets"}
        assert asdict(catalog.task(row["task_id"])) == expected | {"files": tuple(row["files"])}
    with pytest.raises(UnknownTask, match="no task 'nope'"):
        catalog.task("nope")


def test_rows_and_search_know_no_gold(catalog, rows):
    assert "answer" not in asdict(catalog.search(Query()).rows[0])
    golds = {row["answer"] for row in rows} & {">50K", "28x28x1", "Not Applicable"}
    assert golds
    for gold in golds:
        assert catalog.search(Query(q=gold)).total == 0


def test_datasets_whose_name_begins_with_the_text_come_first(catalog, rows):
    counts = Counter(row["kaggle_dataset"] for row in rows)
    found = catalog.datasets("owner1")
    assert len(found) == 50 and dict(found).items() <= counts.items()
    inside = catalog.datasets("KENYA-1")
    assert dict(inside) == {name: count for name, count in counts.items() if "kenya-1" in name}


@pytest.fixture(scope="module")
def odd(source, tmp_path_factory):
    """Four tasks whose questions hold what searches trip over."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "data").mkdir()
    table = pq.read_table(source / "data" / "eval-00000-of-00001.parquet").slice(0, 4)
    questions = ["São  Paulo\nSTRASSE\u00a0straße?", '100% of "x_y" AND z*', "a\\b ${alert(1)} e\u0301", "x" * 5000]
    at = table.schema.get_field_index("question")
    table = table.set_column(at, table.schema.field(at), [questions])
    pq.write_table(table, folder / "data" / "train-00000-of-00001.parquet")
    return open_catalog(Settings(tasks_source=str(folder), cache_dir=tmp_path_factory.mktemp("cache")))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("são paulo strasse", [0]),
        ("SÃO", [0]),
        ("strasse strasse", [0]),
        ("ão", [0]),
        ("%", [1]),
        ("0%", [1]),
        ("_y", [1]),
        ('"x_y"', [1]),
        ("AND z*", [1]),
        ("\\b", [2]),
        ("${alert(1)}", [2]),
        ("\u00e9", [2]),
        ("x" * 4000, [3]),
        ("question : NEAR(", []),
        ("a\0b", []),
        ("\ud800ab", []),
        ("!!", []),
        ("  ", [0, 1, 2, 3]),
    ],
)
def test_text_is_taken_as_it_stands(odd, text, found):
    every = all_ids(odd, Query())
    assert [every.index(task_id) for task_id in all_ids(odd, Query(q=text))] == found


def test_many_threads_read_at_once(catalog):
    queries = [
        Query(q=text, tier=tier) for text in ("median", "mean", "kenya", "lagos") for tier in ("easy", "hard")
    ] * 8
    alone = [(catalog.search(query), catalog.facets(query)) for query in queries]
    with ThreadPoolExecutor(8) as threads:
        together = list(threads.map(lambda query: (catalog.search(query), catalog.facets(query)), queries))
    assert together == alone


def test_a_query_of_an_address_never_fails():
    assert Query.from_text({"split": "test", "order": "sideways", "seed": "x", "other": "1"}) == Query(split="test")
    assert Query.from_text({"order": "shuffled", "seed": "12"}) == Query(order="shuffled", seed=12)
    assert Query.from_text({"seed": "9" * 30}).seed == 0


def test_the_index_is_kept_and_shared(source, tmp_path):
    settings = Settings(tasks_source=str(source), cache_dir=tmp_path)
    open_catalog(settings)
    (index,) = Path(tmp_path, "catalog").iterdir()
    built = index.stat().st_ino
    assert open_catalog(settings).search(Query()).total == 5394
    assert index.stat().st_ino == built
    index.write_bytes(index.read_bytes()[: index.stat().st_size // 2])  # as a full disk leaves it
    assert open_catalog(settings).search(Query()).total == 5394


def test_the_newest_indexes_and_those_in_use_are_kept(tmp_path):
    def opened(number):
        folder = tmp_path / str(number) / "data"
        folder.mkdir(parents=True)
        table = pa.Table.from_pylist(drawn[3 * number :][:3], synthetic_source.COLUMNS)
        pq.write_table(table, folder / "eval-00000-of-00001.parquet")
        catalog = open_catalog(Settings(tasks_source=str(folder.parent), cache_dir=tmp_path / "cache"))
        (index,) = set((tmp_path / "cache" / "catalog").glob("*.sqlite")) - known
        known.add(index)
        os.utime(index, (number, number))  # the older, the lower its number
        gc.collect()
        return catalog, index

    known, drawn = set(), synthetic_source.rows("eval", 0, synthetic_source.datasets())
    in_use, held = opened(0)
    others = [opened(number)[1] for number in range(1, 8)]
    assert held.exists() and in_use.search(Query()).total == 3
    assert [index.exists() for index in others] == [False, *[True] * 6]  # five, and the one built after


@pytest.mark.parametrize("filters", [{}, {"tier": "hard", "order": "curriculum"}, {"q": "median", "order": "shuffled"}])
def test_tasks_left_out_are_in_no_list_and_no_count(catalog, filters):
    query = Query(**filters)
    listed = all_ids(catalog, query)
    gone = {*listed[1::2], "unknown"}
    left = replace(query, without=frozenset(gone))
    assert all_ids(catalog, left) == listed[::2]
    assert catalog.search(left, page=0, size=3).total == len(listed[::2])
    assert [row.task_id for row in catalog.search(left, size=3).rows] == listed[::2][:3]
    assert sum(count for _, count in catalog.facets(left)["split"]) == len(listed[::2])
    assert catalog.neighbours(left, listed[2]).next == listed[4]
    assert catalog.neighbours(left, listed[1]).position is None
