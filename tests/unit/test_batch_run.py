"""Batches from file to report, with the real grader: counts before, rates after, stop, retry, comparison and export."""

import csv
import gzip
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from services.batch import OUTCOMES, Batch, BatchError, Plan, Policy, UnreadableFile, as_markdown
from services.catalog import open_catalog
from services.grading import Grader
from services.settings import Settings
from tests.folder_source import row, write_rows

ROOT = Path(__file__).resolve().parents[2]
HTML = "<html><body>502 Bad Gateway</body></html>"
NEVER_ENDS = "9**9**9+1"


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    """Test: 1 to 8, each its own gold. Train: a (yes), b (no), c (x). Eval: slow, which is not compared in time."""
    tests = [
        row(str(number), answer=str(number), difficulty_tier="hard" if number > 4 else "easy") for number in range(1, 9)
    ]
    words = [row(id, answer=gold, reward_mode="exact_short") for id, gold in (("a", "yes"), ("b", "no"), ("c", "x"))]
    splits = {"train": words, "test": tests, "eval": [row("slow", answer="1/3", reward_mode="exact_short")]}
    source = write_rows(tmp_path_factory.mktemp("source") / "tasks", splits)
    return open_catalog(Settings(tasks_source=str(source), cache_dir=tmp_path_factory.mktemp("cache")))


@pytest.fixture(scope="module")
def grader():
    with Grader(workers=2, seconds=1.0) as grader:
        yield grader


def jsonl(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.name, path


def answers(path, given, **more):
    return jsonl(path, [{"task_id": id, "prediction": answer} | more for id, answer in given])


def graded(batch, seconds=60):
    batch.start()
    assert batch.wait(seconds)
    assert batch.progress().state == "done", batch.progress().sentence
    return batch.report()


@pytest.fixture
def make(catalog, grader, tmp_path):
    made = []

    def make(*files, policy=None):
        plan = Plan.read(files, catalog, tmp_path / f"batch{len(made)}")
        made.append(Batch(plan, policy or Policy(), grader, catalog))
        return made[-1]

    yield make
    for batch in made:
        batch.close()
    assert not list(tmp_path.glob("batch*/*"))


def test_duplicate_missing_and_unknown_ids_are_counted_before_grading(make, tmp_path):
    file = answers(tmp_path / "run.jsonl", [(1, "1"), (1, "9"), (" 2 ", "2"), (99, "9"), ("a", "yes")])
    policy = Policy(splits=("test",))
    counts = make(file, policy=policy).plan.counts(policy)
    (run,) = counts.runs
    assert (counts.splits, run.run, run.rows, run.matched, run.tasks) == (("test",), "run", 5, 3, 2)
    assert (run.duplicates.count, run.duplicates.examples) == (1, ("1",))
    assert (run.missing.count, run.missing.examples) == (6, ("3", "4", "5", "6", "7"))
    assert (run.unknown.count, run.unknown.examples) == (1, ("99",))
    assert (run.other_splits.count, run.other_splits.examples) == (1, ("a",))
    whole = make(file).plan.counts()
    assert (whole.splits, whole.runs[0].matched, whole.runs[0].missing.count) == (("train", "test"), 4, 8)


@pytest.mark.parametrize(
    ("duplicates", "right", "of", "rate"),
    [("first", 2, 2, 1.0), ("last", 1, 2, 0.5), ("samples", 2, 2, (1 / 2 + 1) / 2)],
)
def test_the_policy_picks_the_rows_of_a_task(make, tmp_path, duplicates, right, of, rate):
    file = answers(tmp_path / "run.jsonl", [(1, "1"), (1, "9"), (2, "2")])
    (run,) = graded(make(file, policy=Policy(duplicates=duplicates)))["runs"]
    assert (run["outcomes"]["right"], run["all"]["of"], run["all"]["rate"]) == (right, of, rate)


@pytest.mark.parametrize(("duplicates", "right"), [("first", 2), ("last", 1), ("samples", 2)])
def test_rows_that_a_sample_number_tells_apart_are_no_duplicates(make, tmp_path, duplicates, right):
    samples = [("1", "1", "0"), ("1", "2", "1"), ("2", "1", "2"), ("2", "2", "0"), ("2", "1", "0")]
    rows = [{"task_id": id, "prediction": answer, "sample": number} for id, number, answer in samples]
    batch = make(jsonl(tmp_path / "run.jsonl", rows), policy=Policy(duplicates))
    (counted,) = batch.plan.counts().runs
    assert (counted.tasks, counted.samples, counted.duplicates.count) == (2, 4, 1)
    assert counted.duplicates.examples == ("2",)
    (run,) = graded(batch)["runs"]
    assert (run["rows"], run["outcomes"]["right"]) == (5 if duplicates == "samples" else 4, right)
    same = [row | {"sample": "7"} for row in rows]
    (counted,) = make(jsonl(tmp_path / "run.jsonl", same)).plan.counts().runs
    assert (counted.samples, counted.duplicates.count) == (2, 3)


def test_missing_tasks_count_as_wrong_when_asked(make, tmp_path):
    file = answers(tmp_path / "run.jsonl", [(1, "1"), (5, "5")])
    (run,) = graded(make(file, policy=Policy(missing="count as wrong")))["runs"]
    assert (run["all"]["rate"], run["all"]["of"], run["missing"], run["answered"]["rate"]) == (0.25, 8, 6, 1.0)
    assert [(tier["value"], tier["all"]["rate"]) for tier in run["groups"]["tier"]] == [("easy", 0.25), ("hard", 0.25)]


def test_failures_are_apart_and_both_rates_are_given(make, tmp_path):
    given = [(1, "1"), (2, "2"), (3, "30"), (4, "40"), (5, "50"), (6, "60"), (7, HTML), (8, "")]
    report = graded(make(answers(tmp_path / "run.jsonl", given)))
    (run,) = report["runs"]
    assert list(run["outcomes"].values()) == [2, 4, 0, 1, 1]
    assert list(run["outcomes"]) == list(OUTCOMES)
    assert (run["all"]["rate"], run["all"]["of"]) == (2 / 8, 8)
    assert (run["answered"]["rate"], run["answered"]["of"]) == (2 / 6, 6)
    assert (run["all"]["low"], run["all"]["high"]) == pytest.approx((0.0715, 0.5907), abs=5e-5)
    assert run["apart"] == {"blank": 1, "html page": 1}
    assert (run["methods"]["exact"], run["methods"]["miss"]) == (2, 6)
    told = as_markdown(report)
    assert "| pass@1, all | 25.0% (7.1% to 59.1%) | 8 |" in told
    assert "| pass@1, answered alone | 33.3% (9.7% to 70.0%) | 6 |" in told
    assert "“All” counts a row without a gradable answer as not right; “answered alone” leaves it out." in told
    assert "(source " in told and "math-verify 0.9.0" in told


def test_several_samples_give_pass_at_k(make, tmp_path):
    rows = [
        {"task_id": id, "answer": answer, "sample": number}
        for id, samples in (("1", ["1", "1", "0", "0"]), ("2", ["0"] * 4), ("3", ["3", HTML, "0", "0"]))
        for number, answer in enumerate(samples)
    ]
    batch = make(jsonl(tmp_path / "run.jsonl", [*rows, rows[0]]))
    (counted,) = batch.plan.counts().runs
    assert (counted.matched, counted.samples, counted.duplicates.count) == (13, 12, 1)
    assert counted.duplicates.examples == ("1",)
    (run,) = graded(batch)["runs"]
    rates = {
        each["k"]: (each["all"]["rate"], each["answered"]["rate"], each["answered"]["of"]) for each in run["pass_at_k"]
    }
    assert run["rows"] == 12
    assert rates == {
        1: (pytest.approx((2 / 4 + 0 + 1 / 4) / 3), pytest.approx((2 / 4 + 0 + 1 / 3) / 3), 3),
        2: (pytest.approx((5 / 6 + 0 + 1 / 2) / 3), pytest.approx((5 / 6 + 0 + 2 / 3) / 3), 3),
        4: (pytest.approx(2 / 3), pytest.approx(1 / 2), 2),
    }


def test_two_runs_are_compared_by_task(make, tmp_path):
    first = answers(tmp_path / "base.jsonl", [(1, "1"), (2, "2"), (3, "0"), (4, "0"), (5, "5"), (6, "6"), ("a", "yes")])
    second = answers(tmp_path / "new.jsonl", [(1, "1"), (2, "0"), (3, "3"), (4, "0"), (5, "0"), (6, None), (8, "8")])
    batch = make(first, second)
    comparison = graded(batch)["comparison"]
    table = {name: comparison[name] for name in ("both_right", "only_first", "only_second", "both_wrong", "left_out")}
    assert table == {"both_right": 1, "only_first": 2, "only_second": 1, "both_wrong": 1, "left_out": 1}
    assert (comparison["p_value"], comparison["only_in_first"], comparison["only_in_second"]) == (1.0, 1, 1)
    hard = next(group for group in comparison["groups"]["tier"] if group["value"] == "hard")
    assert (hard["only_first"], hard["only_second"], hard["left_out"]) == (1, 0, 1)
    page = batch.flips("base", "new", won="first")
    assert [(flip.task_id, flip.first.prediction, flip.second.prediction) for flip in page.flips] == [
        ("2", "2", "0"),
        ("5", "5", "0"),
    ]
    assert (batch.flips("base", "new", limit=1).total, len(batch.flips("base", "new", limit=1).flips)) == (3, 1)


def test_rows_are_found_by_what_grading_said(make, tmp_path):
    given = [(1, "1"), (2, "2 of 7"), ("c", "ANSWER: x"), (4, "400"), (5, "5 of 7")]
    batch = make(answers(tmp_path / "run.jsonl", given))
    (run,) = graded(batch)["runs"]
    assert (run["cautions"]["several_values"], run["near_misses"]["prefix"], run["explained"]) == (2, 1, 4)
    assert [row.task_id for row in batch.rows({"caution": "several_values", "tier": "easy"}).rows] == ["2"]
    (near,) = batch.rows({"near_miss": "prefix"}).rows
    assert (near.outcome, near.reward, near.method, near.near_misses, near.line) == (
        "wrong",
        0.0,
        "miss",
        ("prefix",),
        3,
    )
    page = batch.rows({"outcome": "right", "split": "test"}, offset=1, limit=1)
    assert (page.total, [row.task_id for row in page.rows]) == (3, ["2"])
    assert page.rows[0].reason == "numeric: The first numbers of both are close enough: within atol."
    assert batch.rows({"method": "list"}).total == 0


def test_rows_come_out_of_an_export_as_they_went_in_with_the_versions(make, tmp_path, catalog):
    given = [(1, "=1+1"), (2, 'a,"b"\n\x00'), (3, "\ud800é"), (4, None), (5, " 5 ")]
    batch = make(answers(tmp_path / "run.jsonl", given))
    graded(batch)
    assert batch.export("jsonl", tmp_path / "out.jsonl") == 5
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(int(row["task_id"]), row["prediction"]) for row in rows] == given
    assert [row["reward"] for row in rows] == [1.0, 0.0, 0.0, 0.0, 1.0]
    assert rows[4]["method"] == "exact" and rows[4]["dataset"] == "someone/some-table"
    assert rows[0]["app"].startswith("smoldataenvs-workbench ") and rows[0]["tasks"] == catalog.source.name
    assert batch.export("csv", tmp_path / "out.csv", {"outcome": "right"}) == 2
    batch.export("csv", tmp_path / "out.csv")
    with (tmp_path / "out.csv").open(newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["prediction"] for row in table] == ["=1+1", 'a,"b"\n\x00', "\\ud800é", "", " 5 "]
    assert "gold" not in rows[0] and table[0]["grader"] == rows[0]["grader"]


def test_what_could_not_run_is_tried_once_more_and_never_wrong(make, tmp_path):
    batch = make(answers(tmp_path / "run.jsonl", [("slow", NEVER_ENDS), ("slow", NEVER_ENDS), ("a", "yes")]))
    started = time.monotonic()
    (run,) = graded(batch)["runs"]
    assert 2.0 <= time.monotonic() - started < 12
    assert run["outcomes"] == dict.fromkeys(OUTCOMES, 0) | {"right": 1, "not gradable": 1}
    assert (run["all"]["rate"], run["answered"]["rate"]) == (0.5, 1.0)
    (row,) = batch.rows({"outcome": "not gradable"}).rows
    assert (row.reward, row.method) == (None, "not_gradable")
    assert row.reason == "math_verify: It took longer than 1 s and was stopped."


def test_a_burst_times_no_answer_out_because_it_waited(make, tmp_path):
    # each takes a small part of the second it may take, and most wait for longer than that second
    given = [("slow", f"${number}/{3 * number}{'+0' * 12}$") for number in range(1, 201)]
    batch = make(answers(tmp_path / "run.jsonl", given), policy=Policy(duplicates="samples"))
    (run,) = graded(batch)["runs"]
    assert batch.progress().seconds > 1.0
    assert (run["rows"], run["outcomes"]["right"]) == (200, 200)


def test_a_stopped_batch_keeps_what_it_graded_and_goes_on(make, tmp_path):
    given = [("slow", f"{number}+{NEVER_ENDS}") for number in range(4)]
    given += [(number % 8 + 1, f"{number}.5 of {number}") for number in range(400)]
    batch = make(answers(tmp_path / "run.jsonl", given), policy=Policy("samples", "count as wrong"))
    batch.start()
    while (done := batch.progress().done) < 50:
        assert done <= batch.rows({}).total
        time.sleep(0.005)
    batch.stop()
    assert batch.wait(10)
    stopped = batch.progress()
    assert (stopped.state, stopped.total) == ("stopped", 404)
    report = batch.report()
    (run,) = report["runs"]
    assert 50 <= run["rows"] == stopped.done < 404
    assert (run["ungraded"], run["missing"]) == (404 - stopped.done, 0)
    assert batch.rows({}).total == stopped.done
    assert "**Partial** (stopped)" in as_markdown(report)
    report = graded(batch)
    (run,) = report["runs"]
    assert (run["rows"], run["ungraded"], run["outcomes"]["not gradable"]) == (404, 0, 4)
    assert "Partial" not in as_markdown(report | {"state": "explaining"})


def test_one_row_is_told_of_as_one(make, tmp_path):
    batch = make(answers(tmp_path / "run.jsonl", [(1, "1")]))
    assert batch.progress().sentence == "1 row is ready to be graded."
    graded(batch)
    progress, report = batch.look()
    assert (progress.state, progress.sentence) == (report["state"], "The one row is graded.")


def test_verdicts_are_the_reference_s(grader, tmp_path):
    with gzip.open(ROOT / "tests" / "data" / "grader-parity.jsonl.gz", "rt") as lines:
        cases = dict(list(enumerate(map(json.loads, lines)))[::10])
    tasks = [
        row(str(number), answer=case["gold"], **{name: case[name] for name in ("reward_mode", "atol", "rtol")})
        for number, case in cases.items()
    ]
    source = write_rows(tmp_path / "tasks", {"train": tasks})
    catalog = open_catalog(Settings(tasks_source=str(source), cache_dir=tmp_path / "cache"))
    file = answers(tmp_path / "run.jsonl", [(number, case["prediction"]) for number, case in cases.items()])
    batch = Batch(Plan.read([file], catalog, tmp_path / "batch"), Policy(), grader, catalog)
    graded(batch)
    rows = batch.rows({}, limit=1000).rows
    assert len(rows) == len(cases) == 300
    for each in rows:
        case = cases[int(each.task_id)]
        assert (each.reward, each.method) == (case["reward"], case["method"]), case
    batch.close()


def test_equal_answers_are_graded_once(make, tmp_path, grader, monkeypatch):
    asked, explained = [], []
    grade, explain = grader.grade, grader.explain
    monkeypatch.setattr(grader, "grade", lambda *case, **more: asked.append((*case[:2], more)) or grade(*case, **more))
    monkeypatch.setattr(grader, "explain", lambda *case, **more: explained.append(case[:2]) or explain(*case, **more))
    batch = make(answers(tmp_path / "run.jsonl", [(1, "1.5"), (2, "1.5")] * 50), policy=Policy(duplicates="samples"))
    graded(batch)
    once = [("1", "1.5"), ("2", "1.5")]
    assert sorted(case for *case, more in asked if case[1] == "1.5" and more) == [list(case) for case in once]
    assert sorted(explained) == once
    assert batch.rows({"outcome": "wrong"}).total == 100


def test_files_that_can_not_be_read_leave_nothing_behind(catalog, tmp_path):
    file = answers(tmp_path / "run.jsonl", [(1, "1")])
    with pytest.raises(UnreadableFile, match=r"gone\.csv can't be read: No such file or directory\."):
        Plan.read([file, ("gone.csv", tmp_path / "gone.csv")], catalog, tmp_path / "batch")
    assert not (tmp_path / "batch").exists()


def test_what_can_not_be_written_is_a_sentence_and_loses_nothing(make, catalog, tmp_path):
    file = answers(tmp_path / "run.jsonl", [(1, "1")])
    (tmp_path / "taken").write_text("")
    with pytest.raises(BatchError, match=r"can't be written to taken .* Free some space and give the files again\."):
        Plan.read([file], catalog, tmp_path / "taken")
    batch = make(file)
    with batch.plan.store.connection() as database:
        database.execute("ALTER TABLE graded RENAME TO elsewhere")
    batch.start()
    batch.wait(10)
    failed = batch.progress()
    assert failed.state == "failed"
    assert failed.sentence.startswith("Grading ended early: the results can't be written (no such table: ")
    assert failed.sentence.endswith("). What was graded is kept; start again to go on.")
    with batch.plan.store.connection() as database:
        database.execute("ALTER TABLE elsewhere RENAME TO graded")
    assert graded(batch)["runs"][0]["outcomes"]["right"] == 1


def test_a_row_can_be_sent_to_a_page(make, tmp_path):
    batch = make(answers(tmp_path / "run.jsonl", [(1, "\ud800" + "x" * 5000)]))
    graded(batch)
    page = batch.rows({}).as_dict()
    assert json.dumps(page, ensure_ascii=False).encode()
    assert page["rows"][0]["prediction"].endswith("x… (5,001 characters)")
    assert batch.row(page["rows"][0]["row"]).prediction == "\ud800" + "x" * 5000
    with pytest.raises(KeyError):
        batch.row(99)
    batch.close()
    with pytest.raises(BatchError, match="This batch was closed"):
        batch.rows({})


def test_files_named_alike_but_for_their_ending_are_runs_of_their_own(make, tmp_path):
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
    files = [
        answers(tmp_path / name, [("1", "1")]) for name in ("one/a.jsonl", "a.ndjson", "two/a.jsonl", "a (2).jsonl")
    ]
    batch = make(*files)
    assert [run.run for run in batch.plan.counts().runs] == ["a", "a (2)", "a (3)", "a (2) (2)"]
    assert batch.total == 4
    long = [(f"{'x' * 194}.jsonl", path) for _, path in files]
    assert len({run.run for run in make(*long).plan.counts().runs}) == 4


def test_a_column_of_over_a_hundred_names_is_no_run(make, tmp_path):
    rows = [{"task_id": "1", "prediction": "1", "run": str(number)} for number in range(101)]
    assert make(jsonl(tmp_path / "a.jsonl", rows[:100])).total == 100
    with pytest.raises(UnreadableFile, match=r"a\.jsonl: 100 runs are the most\. Does 'run' hold the names of runs\?"):
        make(jsonl(tmp_path / "a.jsonl", rows))


def test_runs_are_named_by_file_and_column(make, tmp_path):
    (tmp_path / "other").mkdir()
    one = answers(tmp_path / "run.jsonl", [(1, "1")], model="m")
    two = answers(tmp_path / "other" / "run.jsonl", [(1, "1")])
    assert [run.run for run in make(one).plan.counts().runs] == ["m"]
    assert [run.run for run in make(one, two).plan.counts().runs] == ["run: m", "run (2)"]


@pytest.mark.long
def test_a_hundred_thousand_predictions_take_little_memory(tmp_path):
    program = [sys.executable, "-m", "tests.large_batch", str(tmp_path), "100000"]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["rows"] == 100_000
    assert told["grown_mb"] < 60, told
    assert told["report_seconds"] < 5 and told["page_seconds"] < 2, told
