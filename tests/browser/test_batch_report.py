"""The batch pane: from a file to the row behind a number."""

import json
import re

import pytest
from playwright.sync_api import expect

HTML = "<html><body>502 Bad Gateway</body></html>"


def predictions(path, answers, **more):
    rows = [{"task_id": id, "prediction": answer, **more} for id, answer in answers]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def two_runs(tmp_path):
    first = [("demo_iris_qa_1", "5.552"), ("demo_stocks_qa_1", "2018-01-01"), ("demo_wine_qa_4", HTML), ("nobody", "1")]
    second = [("demo_iris_qa_1", "ANSWER: 5.6"), ("demo_stocks_qa_1", "never"), ("demo_wine_qa_4", "0.5")]
    return [predictions(tmp_path / "first.jsonl", first), predictions(tmp_path / "second.jsonl", second)]


def test_two_runs_from_files_to_the_row_behind_a_number(new_visitor, two_runs):
    page = new_visitor("?view=batch")
    page.locator("#batch-files").set_input_files(two_runs)
    before = page.get_by_role("region", name="Before grading")
    expect(before.get_by_role("row", name="first")).to_contain_text("nobody")
    before.get_by_role("button", name="Grade").click()

    result = page.get_by_role("region", name="Result")
    expect(result).to_contain_text("66.7% pass@1", timeout=60_000)  # its own workers start with the first batch
    expect(result).to_contain_text("over 3 tasks")
    expect(page.locator(".batch_report .chart .barlayer .point").first).to_be_visible()
    won = page.get_by_role("region", name="Two runs")
    won.get_by_role("button", name="Tasks only first got right").click()
    rows = page.get_by_role("region", name="Rows", exact=True)
    expect(rows.get_by_role("row")).to_have_count(3)

    page.get_by_role("region", name="Rows to look at").get_by_role("button", name="date, first").click()
    expect(rows.get_by_role("row")).to_have_count(2)
    rows.get_by_role("button", name="demo_stocks_qa_1").click()
    expect(rows.locator("[data-outcome]")).to_have_attribute("data-method", "math_verify")
    expect(rows.locator("[data-caution]").first).to_be_visible()
    rows.get_by_role("button", name="Remove the filter").first.click()
    rows.get_by_role("button", name="Remove the filter").first.click()
    expect(rows.get_by_role("status")).to_contain_text("6 rows")

    with page.expect_download() as saving:
        page.get_by_role("button", name="Rows as JSONL").click()
    kept = [json.loads(line) for line in saving.value.path().read_text().splitlines()]
    assert sorted(row["outcome"] for row in kept) == ["infrastructure", "right", "right", "wrong", "wrong", "wrong"]

    page.reload()
    expect(page.get_by_role("region", name="Result")).to_contain_text("66.7% pass@1")


def test_a_run_s_name_is_text_wherever_it_is_drawn(new_visitor, tmp_path):
    name = '<b>R&amp;D</b> <a href="https://x.example">run</a><img src=x onerror=alert(1)>'
    rows = [{"task_id": "demo_iris_qa_1", "prediction": "5.552", "run": run} for run in (name, "other")]
    file = tmp_path / "runs.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = new_visitor("?view=batch")
    page.locator("#batch-files").set_input_files(file)
    page.get_by_role("region", name="Before grading").get_by_role("button", name="Grade").click()
    chart = page.get_by_role("region", name="Pass rate by group").locator(".chart")
    expect(chart.locator(".legendtext").first).to_have_text(name)
    assert page.locator(".batch_report :is(.chart a, img)").count() == 0


def test_columns_that_can_not_be_told_are_asked_for(new_visitor, tmp_path):
    file = tmp_path / "odd.csv"
    file.write_text("name,said,why\ndemo_iris_qa_1,5.552,because\n")
    page = new_visitor("?view=batch")
    page.locator("#batch-files").set_input_files(file)
    expect(page.locator(".batch-columns")).to_contain_text("It has name, said, why.")
    asked = page.locator(".batch-columns")
    asked.get_by_label("Task id").select_option("name")
    asked.get_by_label("Prediction").select_option("said")
    page.get_by_role("button", name="Use these columns").click()
    page.get_by_role("region", name="Before grading").get_by_role("button", name="Grade").click()
    expect(page.get_by_role("region", name="Result")).to_contain_text("100.0% pass@1")


def test_samples_are_no_duplicates_and_each_number_says_what_it_counts(new_visitor, tmp_path):
    given = [("demo_iris_qa_1", "5.552"), ("demo_stocks_qa_1", "never"), ("demo_wine_qa_4", "")]
    rows = [{"task_id": id, "prediction": answer, "sample": n} for id, answer in given for n in (1, 2)]
    file = tmp_path / "samples.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    page = new_visitor("?view=batch")
    page.locator("#batch-files").set_input_files(file)
    before = page.get_by_role("region", name="Before grading")
    expect(before).to_contain_text("different sample numbers are its samples: all of them are graded")
    expect(before.get_by_label("Grade the first")).to_have_count(0)
    told = page.get_by_role("group", name="Columns of samples.jsonl")
    expect(told).to_contain_text("task_id as task, prediction as prediction, sample as sample, none as run.")
    before.get_by_role("button", name="Grade").click()
    result = page.get_by_role("region", name="Result")
    expect(result).to_contain_text("over 3 tasks; a row without a gradable answer counts as not right", timeout=60_000)
    expect(result).to_contain_text("50.0% where only gradable answers count, over 2 tasks with at least 2 of them")
    expect(result).to_contain_text("Of 6 rows:2 right2 wrong2 no answer")
    rungs = page.get_by_role("region", name="Rungs")
    expect(rungs.get_by_role("row", name="miss")).to_contain_text("4")
    expect(rungs).to_contain_text("A miss is a row that no rung matched: a wrong one, or one set apart below.")

    before.get_by_label("Count them as wrong").check()
    expect(before).to_contain_text("The numbers below are of the choices before. Grade again for these.")
    page.locator("#batch-files").set_input_files(file)
    expect(page.locator(".batch_report")).to_contain_text("samples.jsonl: here already.")
    expect(told).to_have_count(1)
    expect(result).to_contain_text("over 3 tasks")

    told.get_by_role("button", name="Choose other columns").click()
    page.get_by_label("Sample number").select_option("")
    page.get_by_role("button", name="Use these columns").click()
    expect(told).to_contain_text("none as sample")
    expect(before.get_by_label("Grade the first")).to_be_checked()
    page.reload()
    expect(told).to_contain_text("none as sample")


def test_a_file_that_can_not_be_read_says_why_and_the_example_is_graded_in_view(new_visitor, tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("dear diary")
    page = new_visitor("?view=batch", width=1280, height=800, reduced_motion="reduce")
    with page.expect_file_chooser() as choosing:
        page.get_by_role("button", name="Choose files").click()
    choosing.value.set_files(file)
    expect(page.locator(".batch_report")).to_contain_text("notes.txt is none of JSON lines (.jsonl)")
    page.get_by_role("button", name="Remove notes.txt").click()
    expect(page.locator(".batch_report")).not_to_contain_text("notes.txt")

    with page.expect_download() as saving:
        page.get_by_role("button", name="Download an example file").click()
    example = tmp_path / "predictions.csv"
    saving.value.save_as(example)
    assert example.read_text().count("your model's answer") == 2
    page.locator("#batch-files").set_input_files(example)
    before = page.get_by_role("region", name="Before grading")
    row = before.get_by_role("row", name="my-model")
    expect(row.get_by_role("cell")).to_have_text(["2", "2", "2", "2", "0", re.compile("demo"), "0", "0"])
    before.get_by_role("button", name="Grade").click()
    grading = page.get_by_role("region", name="Grading", exact=True)
    expect(grading.get_by_role("heading", name="Graded")).to_be_visible(timeout=60_000)
    expect(grading).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("region", name="Result").get_by_text("pass@1")).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("region", name="Result")).to_contain_text("Of 2 rows:2 wrong")


def test_grading_is_stopped_and_goes_on(new_visitor, tmp_path):
    slow = predictions(tmp_path / "slow.jsonl", [("demo_iris_qa_1", f"\\frac{{{n}}}{{7}} + {n}") for n in range(1000)])
    page = new_visitor("?view=batch", reduced_motion="reduce")
    page.locator("#batch-files").set_input_files(slow)
    page.get_by_label("Grade all, as samples").check()
    page.get_by_role("region", name="Before grading").get_by_role("button", name="Grade").click()
    grading = page.get_by_role("region", name="Grading")
    grading.get_by_role("button", name="Stop").click()
    expect(grading.get_by_role("heading", name="Grading stopped")).to_be_visible()
    expect(page.get_by_role("region", name="Result")).to_contain_text("not graded")
    grading.get_by_role("button", name="Go on").click()
    expect(grading.get_by_role("heading", name="Graded", exact=True)).to_be_visible(timeout=60_000)


# In every state the page is drawn in: what is said of the grading, and of its result.
RECORD = """page => {
  const seen = window.seen = [];
  const text = name => page.querySelector(`[aria-label="${name}"]`)?.textContent ?? '';
  const look = () => seen.push([text('Grading'), text('Result')]);
  new MutationObserver(look).observe(page, {childList: true, subtree: true});
}"""


def test_progress_and_result_tell_the_same_at_any_time(new_visitor, two_runs):
    page = new_visitor("?view=batch")
    page.locator("#batch-files").set_input_files(two_runs)
    states = {"grading": "2 of 6 rows are graded.", "explaining": "All rows are graded. 1 of 2 are looked at."}
    state = "grading"

    def as_if(route):
        asked = route.request.post_data_json["fn_name"]
        answer = route.fetch().json() if asked in {"batch_progress", "read_report"} else None
        if not answer or not state:
            return route.fulfill(json=answer) if answer else route.continue_()
        answer["progress"] |= {"state": state, "done": 2, "rate": 1.2, "sentence": states[state]}
        if asked == "read_report":
            answer["report"]["state"] = state
            for run in answer["report"]["runs"] if state == "grading" else []:
                run["ungraded"] = 2
        return route.fulfill(json=answer)

    page.route("**/component_server/", as_if)
    page.locator(".batch_report").evaluate(RECORD)
    page.get_by_role("region", name="Before grading").get_by_role("button", name="Grade").click()
    grading = page.get_by_role("region", name="Grading", exact=True)
    result = page.get_by_role("region", name="Result")
    expect(grading).to_contain_text("2 of 6 rows are graded. 1 row a second.")
    rows = page.get_by_role("region", name="Rows", exact=True)
    expect(result).to_contain_text("these rates are over the 2 rows graded first")
    expect(rows.get_by_role("status")).to_contain_text("so far")
    state = "explaining"
    expect(grading).to_contain_text("All rows are graded. 1 of 2 are looked at.")
    expect(result).not_to_contain_text("Not all rows")
    rows.get_by_role("button", name="demo_stocks_qa_1").first.click()
    state = ""
    expect(grading).to_contain_text("All 6 rows are graded.")
    expect(rows.get_by_role("status")).to_have_text("6 rows · page 1 of 1")
    expect(rows.locator("[data-outcome]")).to_be_visible()
    seen = page.evaluate("seen")
    assert seen
    assert not [both for both in seen if "All" in both[0] and "Not all" in both[1]]
    check_tables_on_a_phone(page)


def check_tables_on_a_phone(page):
    """The app has places for eight visitors with files, so this is no test of its own."""
    page.set_viewport_size({"width": 390, "height": 844})
    before = page.get_by_role("region", name="Before grading")
    back, onward = (before.locator(f".more-columns.{side}") for side in ("before", "after"))
    expect(onward).to_be_visible()
    expect(back).to_be_hidden()
    before.get_by_role("group", name="What the files hold").evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    expect(back).to_be_visible()
    expect(onward).to_be_hidden()
    rows = page.get_by_role("region", name="Rows", exact=True)
    expect(rows.get_by_role("row", name="demo_iris_qa_1").first.get_by_role("cell").nth(1)).to_have_text("right")
    result = page.get_by_role("region", name="Result")
    heading, export = result.get_by_role("heading", name="Result"), result.get_by_role("button").first
    assert heading.bounding_box()["x"] == export.bounding_box()["x"]
    rows.evaluate("card => card.scrollIntoView()")
    expect(rows.get_by_role("columnheader", name="Outcome")).to_be_in_viewport(ratio=1)
    expect(rows.locator(".more-columns.after")).to_be_visible()


def test_a_page_cut_off_while_grading_says_so_and_has_the_numbers_once_it_is_back(new_visitor, two_runs):
    page = new_visitor("?view=batch")
    page.locator("#batch-files").set_input_files(two_runs)
    cut = {"batch_progress", "read_report"}

    def pass_on(route):
        asked = route.request.post_data_json["fn_name"]
        return route.abort() if asked in cut else route.continue_()

    page.route("**/component_server/", pass_on)
    page.get_by_role("region", name="Before grading").get_by_role("button", name="Grade").click()
    told = page.get_by_role("alert")
    for each in ("batch_progress", "read_report"):
        expect(told).to_have_text("The app did not answer. What was graded is kept; try again.")
        cut.remove(each)
    expect(page.get_by_role("region", name="Result")).to_contain_text("66.7% pass@1", timeout=60_000)
    expect(told).to_have_count(0)
