"""The bundled suite keeps its promises, and what is committed is what its sources make."""

import csv
import json
import math
import sqlite3
import statistics
import subprocess
from collections import Counter
from contextlib import closing
from itertools import pairwise

import openpyxl
import pyarrow.parquet as pq
import pytest

from services.catalog.task import REWARD_MODES, SPLITS, TIERS, Task
from services.settings import BUNDLED_SUITE, load_settings

FILES = BUNDLED_SUITE / "files"
COLUMNS = [name for name in Task.__dataclass_fields__ if name != "split"]


def read_suite(folder):
    tasks = {}
    for split in SPLITS:
        table = pq.read_table(folder / "data" / f"{split}-00000-of-00001.parquet")
        assert table.column_names == COLUMNS
        for row in table.to_pylist():
            assert row["task_id"] not in tasks
            tasks[row["task_id"]] = Task(**row | {"files": tuple(row["files"]), "split": split})
    return tasks


SUITE = read_suite(BUNDLED_SUITE)


def inputs(task):
    folder = FILES / task.bucket_prefix
    return [folder / name for name in task.files] or [path for path in folder.rglob("*") if path.is_file()]


def csv_rows(name, encoding="utf-8", delimiter=","):
    with (FILES / name).open(encoding=encoding, newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def sql_rows(path, query):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def sheets(path):
    book = openpyxl.load_workbook(path, read_only=True)
    try:
        return {sheet.title: list(sheet.values) for sheet in book}
    finally:
        book.close()


def test_it_is_as_wide_as_the_dataset():
    tasks = SUITE.values()
    assert len(tasks) >= 48
    assert len({task.kaggle_dataset for task in tasks}) >= 10
    assert {task.split for task in tasks} == set(SPLITS)
    assert {task.difficulty_tier for task in tasks} == set(TIERS)
    assert {task.difficulty_level for task in tasks} == {1, 2, 3, 4, 5}
    assert {task.package_tier for task in tasks} == {0, 1}
    modes = Counter(task.reward_mode for task in tasks)
    assert set(modes) == set(REWARD_MODES)
    assert min(modes.values()) >= 3


@pytest.mark.parametrize("task", SUITE.values(), ids=SUITE)
def test_a_task_has_its_files_its_prompt_and_its_program(task):
    assert task.answer == task.answer.strip() != ""
    assert task.question in task.instruction
    assert task.bucket_prefix == task.kaggle_dataset.replace("/", "__")
    assert inputs(task)
    for path in inputs(task):
        assert path.stat().st_size > 0
        assert path.name in task.instruction
    assert "../input/" in (BUNDLED_SUITE / "solutions" / f"{task.task_id}.py").read_text()


def test_there_is_no_program_without_a_task():
    assert {path.stem for path in (BUNDLED_SUITE / "solutions").iterdir()} == set(SUITE)


def test_a_prompt_tells_its_answer_only_where_the_answer_is_one_of_the_choices_it_offers():
    told = {task.answer for task in SUITE.values() if task.answer.lower() in task.instruction.lower()}
    # a lone 3 stands in many a prompt
    assert told == {"yes", "no", "Not Applicable", "< 10", "> 60", "3"}


def test_some_prompts_say_the_form_of_the_answer_where_the_question_does_not():
    hinted = [task for task in SUITE.values() if "\nAnswer as: " in task.instruction]
    assert 0.05 < len(hinted) / len(SUITE) < 0.15
    quarter = SUITE["demo_macrodata_qa_1"]
    assert "YYYYQn" in quarter.instruction
    assert "YYYYQn" not in quarter.question


def test_the_shapes_of_real_rows_are_there():
    files = {task.task_id: task.files for task in SUITE.values()}
    assert files["demo_elnino_qa_1"] == ()
    assert files["demo_iris_qa_2"] == ("iris.csv", "iris.csv")
    assert files["demo_macrodata_qa_1"] == ("quarterly/macrodata.csv",)
    assert sum(len(set(names)) >= 2 for names in files.values()) >= 5
    extensions = {name.rsplit(".", 1)[1] for names in files.values() for name in names}
    assert extensions == {"csv", "tsv", "xlsx", "sqlite", "json", "parquet"}
    tolerances = {(task.atol, task.rtol) for task in SUITE.values()}
    assert (1e-3, 1e-3) in tolerances
    assert len(tolerances) > 1


def test_files_are_what_their_names_do_not_say():
    raw = (FILES / "plotly__election" / "election.csv").read_bytes()
    assert "11-Sault-au-Récollet;3348;2770;2532;8650;Coderre;plurality;11\n" in raw.decode("latin-1")
    with pytest.raises(UnicodeDecodeError):
        raw.decode("utf-8")
    assert set(sheets(FILES / "scikit-learn__wine" / "wine.xlsx")) == {"samples", "chemistry"}
    tables = sql_rows(FILES / "statsmodels__modechoice" / "travel.sqlite", "SELECT name FROM sqlite_master")
    assert sorted(tables) == [("modes",), ("offers",), ("travellers",)]
    assert pq.read_metadata(FILES / "statsmodels__randhie" / "randhie.parquet").num_rows == 20190
    assert (FILES / "plotly__tips" / "tips.tsv").read_bytes().startswith(b"total_bill\ttip\tsex")
    assert (FILES / "scikit-learn__diabetes" / "diabetes.csv").read_bytes().startswith(b"age|sex|bmi")
    assert (FILES / "statsmodels__anes96" / "anes96.csv").read_bytes().count(b"\r\n") == 945
    assert json.loads((FILES / "statsmodels__elnino" / "elnino.json").read_bytes())[0]["JAN"] == 23.11


def test_golds_of_gapminder_by_hand():
    rows = csv_rows("plotly__gapminder/gapminder.csv")
    latest = [row for row in rows if row["year"] == "2007"]
    income = [math.log10(float(row["gdpPercap"])) for row in latest]
    life = [float(row["lifeExp"]) for row in latest]
    assert SUITE["demo_gapminder_qa_2"].answer == str(len(latest))
    assert SUITE["demo_gapminder_qa_4"].answer == f"{statistics.correlation(income, life):.3f}"
    falls = {
        (row["country"], row["year"]): float(before["lifeExp"]) - float(row["lifeExp"])
        for before, row in pairwise(rows)
        if before["country"] == row["country"]
    }
    assert SUITE["demo_gapminder_qa_6"].answer == max(falls, key=falls.get)[0]
    tropical = {
        row["country"] for row in csv_rows("plotly__gapminder/countries.csv") if abs(float(row["centroid_lat"])) <= 23.5
    }
    people = {row["country"]: int(row["pop"]) for row in latest if row["country"] in tropical}
    years = sum(people[row["country"]] * float(row["lifeExp"]) for row in latest if row["country"] in tropical)
    assert SUITE["demo_gapminder_qa_5"].answer == f"{years / sum(people.values()):.2f}"


def test_golds_of_other_text_tables_by_hand():
    weeks = csv_rows("statsmodels__co2/co2.csv")
    assert SUITE["demo_co2_qa_1"].answer == str(sum(row["co2"] == "" for row in weeks))
    first = next(row["date"] for row in weeks if row["co2"] and float(row["co2"]) >= 350)
    assert SUITE["demo_co2_qa_2"].answer == f"{first[:4]}-{first[4:6]}-{first[6:]}"

    districts = csv_rows("plotly__election/election.csv", encoding="latin-1", delimiter=";")
    assert SUITE["demo_election_qa_1"].answer == max(districts, key=lambda row: int(row["total"]))["district"]
    joly = [row for row in districts if (row["winner"], row["result"]) == ("Joly", "plurality")]
    assert SUITE["demo_election_qa_2"].answer == str(len(joly))

    bills = csv_rows("plotly__tips/tips.tsv", delimiter="\t")
    assert SUITE["demo_tips_qa_2"].answer == f"{sum(row['smoker'] == 'Yes' for row in bills) / len(bills):.1%}"

    states = csv_rows("statsmodels__statecrime/statecrime.csv")
    columns = [[float(row[name]) for row in states] for name in ("hs_grad", "poverty")]
    assert SUITE["demo_statecrime_qa_2"].answer == f"{statistics.correlation(*columns):.2f}"

    highest, worst = 0.0, 0.0
    for row in csv_rows("plotly__stocks/stocks.csv"):
        highest = max(highest, float(row["AMZN"]))
        worst = max(worst, 1 - float(row["AMZN"]) / highest)
    assert SUITE["demo_stocks_qa_2"].answer == f"{worst * 100:.2f}"

    respondents = csv_rows("statsmodels__anes96/anes96.csv")
    labels = json.loads((FILES / "statsmodels__anes96" / "codebook.json").read_bytes())["income"]
    [(income, _)] = Counter(row["income"] for row in respondents).most_common(1)
    assert SUITE["demo_anes96_qa_1"].answer == labels[income]


def test_golds_of_the_database_the_workbook_and_the_json_by_hand():
    chosen = sql_rows(
        FILES / "statsmodels__modechoice" / "travel.sqlite",
        "SELECT name, count(*), printf('%.2f', avg(hinc)) FROM offers JOIN modes USING (mode) "
        "JOIN travellers USING (individual) WHERE choice = 1 GROUP BY name ORDER BY count(*) DESC",
    )
    assert SUITE["demo_modechoice_qa_1"].answer == chosen[0][0]
    assert SUITE["demo_modechoice_qa_2"].answer == next(income for name, _, income in chosen if name == "air")
    _, *samples = sheets(FILES / "scikit-learn__wine" / "wine.xlsx")["samples"]
    counts = Counter(cultivar for _, cultivar in samples)
    assert SUITE["demo_wine_qa_1"].answer == f"{counts[1]}, {counts[2]}, {counts[3]}"
    years = json.loads((FILES / "statsmodels__elnino" / "elnino.json").read_bytes())
    assert SUITE["demo_elnino_qa_2"].answer == str(max(years, key=lambda row: sum(row.values()) - row["YEAR"])["YEAR"])


def test_golds_that_are_published():
    # the first canonical correlation of Linnerud's data, 0.795608 (Tenenhaus; the CANCORR example of SAS/STAT)
    assert SUITE["demo_linnerud_qa_3"].answer == "0.796"
    # linear discriminants of Fisher's irises leave three of 150 misclassified
    assert SUITE["demo_iris_qa_3"].answer == "3"


def content_of(path):
    """What a file holds; where a library writes its own version into the bytes, the values alone."""
    if path.suffix == ".sqlite":
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as database:
            return list(database.iterdump())
    if path.suffix == ".parquet":
        return pq.read_table(path).replace_schema_metadata()
    return sheets(path) if path.suffix == ".xlsx" else path.read_bytes()


@pytest.mark.long
def test_a_rebuild_gives_what_is_committed(tmp_path):
    command = [load_settings().kernel_python, BUNDLED_SUITE / "build.py", tmp_path]
    subprocess.run(command, check=True, timeout=240)
    for folder in ("data", "files"):
        built = {path.relative_to(tmp_path): path for path in (tmp_path / folder).rglob("*") if path.is_file()}
        assert {
            path.relative_to(BUNDLED_SUITE) for path in (BUNDLED_SUITE / folder).rglob("*") if path.is_file()
        } == set(built)
        for name, path in built.items():
            assert content_of(path) == content_of(BUNDLED_SUITE / name), name


def test_the_readme_lists_every_table_and_the_suite_is_small():
    readme = (BUNDLED_SUITE / "README.md").read_text(encoding="utf-8")
    datasets = {task.kaggle_dataset for task in SUITE.values()}
    assert f"{len(SUITE)} tasks over {len(datasets)} small tables" in readme
    for path in (path for path in FILES.rglob("*") if path.is_file()):
        assert f"`{path.relative_to(FILES / path.relative_to(FILES).parts[0])}`" in readme, path
    for dataset in datasets:
        assert f"| {dataset} |" in readme
    assert sum(path.stat().st_size for path in BUNDLED_SUITE.rglob("*") if path.is_file()) < 3_000_000
