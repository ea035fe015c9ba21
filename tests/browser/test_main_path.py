"""The main job, end to end: pick a task, see its table, compute, grade, see the rung. And what must not happen."""

import signal
import time

import pytest
from playwright.sync_api import expect

from tests.folder_source import row, write_rows
from tests.kernel_cases import KERNEL_PYTHON, working_below
from tests.served_app import served_app

CANARY = "zyxgold-5512903"
HOSTILE = (
    "${alert(1)} {{alert(2)}} <img src=x onerror=\"document.title='pwned'\">"
    "</script><script>alert(9)</script> What is it?"
)


def run_cell(page, code, state="ok"):
    page.get_by_role("button", name="+ Cell").click()
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    cell = page.locator(".nb-cell").last
    expect(cell).to_have_attribute("data-state", state, timeout=30_000)
    return cell


def outcome(page):
    return page.locator(".grade_panel [data-outcome]")


def test_a_stranger_solves_a_task(page):
    page.get_by_label("Tier").select_option("easy")
    page.locator(".tasks li", has_text="mean petal length").first.click()
    expect(page.get_by_role("heading", name="mean petal length")).to_be_visible()
    expect(page.locator(".data_preview")).to_contain_text("petal length (cm)")
    expect(page.locator(".data_preview")).to_contain_text("of 150")

    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    page.get_by_role("button", name="Run all").click()
    expect(page.locator(".nb-cell").first).to_have_attribute("data-state", "ok", timeout=30_000)
    run_cell(page, "round(iris[iris['species'] == 'virginica']['petal length (cm)'].mean(), 3)")

    page.get_by_role("button", name="Use last output").click()
    expect(page.get_by_label("Your answer")).to_have_value("5.552")
    page.get_by_label("Your answer").press("Enter")
    expect(outcome(page)).to_have_attribute("data-outcome", "right")
    expect(outcome(page)).to_have_attribute("data-method", "exact")
    states = page.locator(".grade_panel .ladder").inner_text()
    for expected in ("matched", "would have matched", "not tried"):
        assert expected in states

    page.get_by_label("Your answer").fill("5.6")
    page.get_by_label("Your answer").press("Enter")
    expect(outcome(page)).to_have_attribute("data-outcome", "wrong")
    expect(page.locator(".grade_panel .attempts li")).to_have_count(2)


def test_an_answer_file_is_graded(new_visitor):
    page = new_visitor("?task=demo_iris_qa_1")
    run_cell(page, "open('answer.txt', 'w').write('5.5520\\n')")
    page.get_by_role("button", name="Use answer.txt").click()
    expect(page.get_by_label("Your answer")).to_have_value("5.5520")
    page.get_by_role("button", name="Grade", exact=True).click()
    expect(outcome(page)).to_have_attribute("data-method", "numeric")


def test_two_visitors_do_not_see_each_other(new_visitor):
    one, two = new_visitor("?task=demo_iris_qa_1"), new_visitor("?task=demo_iris_qa_1")
    run_cell(one, "secret = 41; open('mine.txt', 'w').write('mine')")
    cell = run_cell(two, "'secret' in globals(), __import__('os').listdir('.')")
    expect(cell.locator(".nb-items")).to_have_text("(False, [])")
    cell = run_cell(one, "secret + 1")
    expect(cell.locator(".nb-items")).to_have_text("42")
    one.get_by_label("Your answer").fill("7")
    one.get_by_label("Your answer").press("Enter")
    expect(one.locator(".grade_panel .attempts li")).to_have_count(1)
    expect(two.locator(".grade_panel .attempts li")).to_have_count(0)


def test_a_reload_keeps_cells_outputs_answer_and_kernel(new_visitor):
    page = new_visitor("?task=demo_iris_qa_1")
    run_cell(page, "kept = 7 * 6; kept")
    page.get_by_label("Your answer").fill("half an answer")
    page.wait_for_timeout(800)  # typing is stored after a short pause
    page.reload()
    expect(page.locator(".nb-cell").last).to_contain_text("kept = 7 * 6; kept")
    expect(page.locator(".nb-cell").last.locator(".nb-items")).to_have_text("42")
    expect(page.get_by_label("Your answer")).to_have_value("half an answer")
    cell = run_cell(page, "kept + 1")
    expect(cell.locator(".nb-items")).to_have_text("43")


def test_a_page_cut_off_says_so_in_every_pane_and_goes_on_once_it_is_back(page):
    page.get_by_label("Tier").select_option("easy")
    page.locator(".tasks li", has_text="mean petal length").first.click()
    expect(page.locator(".data_preview table")).to_be_visible()
    page.context.set_offline(True)
    page.get_by_role("button", name="Use in notebook").first.click()
    expect(page.locator(".data_preview")).to_contain_text("The code was not made: the app did not answer.")
    page.get_by_role("button", name="Reveal gold").click()
    expect(page.locator(".grade_panel")).to_contain_text("The gold was not revealed: the app did not answer.")
    page.get_by_label("Your answer").fill("5.552")
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".grade_panel")).to_contain_text("The answer was not graded: the app did not answer.")
    page.get_by_label("Tier").select_option("hard")
    expect(page.locator(".task_browser")).to_contain_text("The list did not load: the app did not answer.")
    page.locator(".tasks li").nth(2).click()
    expect(page.locator(".task_view")).to_contain_text("The task did not load: the app did not answer.")

    page.context.set_offline(False)
    page.locator(".task_browser").get_by_role("button", name="Try again").click()
    expect(page.locator(".task_browser")).not_to_contain_text("did not load")
    page.locator(".task_view").get_by_role("button", name="Try again").click()
    expect(page.locator(".data_preview table")).to_be_visible()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The app over a task whose every text tries to be markup or code, and one whose gold is looked for."""
    folder = tmp_path_factory.mktemp("hostile")
    tasks = [
        row(
            "hostile_1",
            question=HOSTILE,
            instruction=HOSTILE,
            answer=CANARY,
            reward_mode="exact_short",
            kaggle_dataset="<b>some</b>/${alert(3)}",
            files=["<img src=x onerror=alert(4)>.csv"],
            bucket_prefix="odd",
        ),
        row("plain_2"),
    ]
    table = b'"<img src=x onerror=alert(5)>","${alert(6)}"\n"<script>alert(7)</script>","{{alert(8)}}"\n'
    files = {"odd/<img src=x onerror=alert(4)>.csv": table, "someone__some-table/table.csv": b"a\n1\n"}
    write_rows(folder / "source", {"train": tasks}, files)
    with served_app({"TASKS_SOURCE": str(folder / "source")}, folder / "cache") as (url, _):
        yield url


def test_text_of_a_task_is_never_markup_nor_code(new_visitor, hostile):
    page = new_visitor("?task=hostile_1", base=hostile)
    dialogs = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    expect(page.locator(".task_view h2")).to_have_text(HOSTILE)
    expect(page.locator(".data_preview table")).to_contain_text("<script>alert(7)</script>")
    expect(page.locator(".data_preview table")).to_contain_text("{{alert(8)}}")
    page.get_by_role("button", name="Use in notebook").first.click()
    page.get_by_label("Your answer").fill(HOSTILE)
    page.get_by_label("Your answer").press("Enter")
    expect(outcome(page)).to_have_attribute("data-outcome", "wrong")
    page.wait_for_timeout(500)
    assert page.locator(".pane img:not(.cm-widgetBuffer)").count() == 0
    assert (dialogs, page.title()) == ([], "SmolDataEnvs Workbench")


def test_a_gold_reaches_the_browser_only_after_grade_or_reveal(new_visitor, hostile):
    page = new_visitor(base=hostile)
    seen, told = [], []  # addresses of all answers, and of those that hold the gold

    def pass_on(route):
        answer = route.fetch()
        seen.append(route.request.url)
        if CANARY.encode() in answer.body():
            told.append(route.request.url)
        route.fulfill(response=answer)

    page.route("**/*", pass_on)
    page.reload()
    page.locator(".tasks li", has_text="What is it?").click()
    expect(page.locator(".task_view h2")).to_have_text(HOSTILE)
    expect(page.locator(".data_preview table")).to_be_visible()
    page.get_by_role("searchbox", name="Search").fill(CANARY[:6])
    expect(page.locator(".task_browser p[aria-live]")).to_have_text("0 tasks")
    assert told == []
    assert any("component_server" in url for url in seen)
    assert CANARY not in page.content()
    page.get_by_role("button", name="Reveal gold").click()
    expect(page.locator(".grade_panel [data-gold]")).to_have_text(CANARY)
    assert len(told) == 1
    page.unroute_all(behavior="ignoreErrors")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_width_scrolls_sideways(new_visitor, scheme):
    page = new_visitor("?task=demo_iris_qa_1", width=390, color_scheme=scheme)
    expect(page.locator(".data_preview table")).to_be_visible()
    page.get_by_label("Your answer").fill("a long answer " * 30)
    page.get_by_label("Your answer").press("Enter")
    expect(outcome(page)).to_be_visible()
    for width in (390, 768, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.body.classList.contains('dark')") is (scheme == "dark")


def test_in_a_space_kernels_are_confined_and_the_page_says_so(new_visitor, tmp_path):
    with served_app({"SPACE_ID": "someone/workbench"}, tmp_path) as (url, _):
        page = new_visitor("?task=demo_iris_qa_1", base=url)
        expect(page.locator(".confinement")).to_have_text("Kernels are confined: files, network, processes, memory.")
        expect(page.locator(".confinement-head")).to_have_count(0)
        cell = run_cell(page, "import os; os.fork()", state="error")
        expect(cell).to_contain_text("Other processes can't be started from this notebook.")


UNCONFINED = """#!/bin/sh
# a machine without a sandbox: whatever policy a kernel is given, it is started with none
[ "$3" = warm ] && exit 1
exec %s "$1" "$2" kernel null -f "$6"
"""


@pytest.mark.parametrize("space", ["someone/workbench", pytest.param("", marks=pytest.mark.long)])
def test_where_the_sandbox_does_not_hold_the_page_says_what_that_means(new_visitor, tmp_path, space):
    python = tmp_path / "python"
    python.write_text(UNCONFINED % KERNEL_PYTHON)
    python.chmod(0o755)
    with served_app({"SPACE_ID": space, "KERNEL_PYTHON": str(python)}, tmp_path / "cache") as (url, _):
        page = new_visitor("?task=demo_iris_qa_1", base=url)
        notice = page.locator(".confinement-head")
        if space:
            expect(notice).to_contain_text("Kernels are off")
            run_cell(page, "1 + 1", state="refused")
            expect(page.locator(".notebook")).to_contain_text("Browsing and grading work.")
            page.get_by_label("Your answer").fill("5.552")
            page.get_by_label("Your answer").press("Enter")
            expect(outcome(page)).to_have_attribute("data-outcome", "right")
        else:
            expect(notice).to_contain_text("Code in cells is not confined: read a file of another folder")
            run_cell(page, "1 + 1")


def test_no_kernel_outlives_an_app_that_is_killed(new_visitor, tmp_path):
    sessions = tmp_path / "sessions"
    with served_app({}, tmp_path) as (url, process):
        page = new_visitor("?task=demo_iris_qa_1", base=url)
        run_cell(page, "1 + 1")
        assert working_below(sessions)
        before = set(sessions.iterdir())
        process.send_signal(signal.SIGKILL)
        process.wait()
        end = time.monotonic() + 5
        while working_below(sessions) and time.monotonic() < end:
            time.sleep(0.1)
        assert not working_below(sessions)
    with served_app({}, tmp_path):
        assert not before & set(sessions.iterdir())


def test_the_page_asks_no_other_server_for_anything(chromium, app):
    context = chromium.new_context()
    page = context.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(app + "?task=demo_iris_qa_1")
    expect(page.locator(".data_preview table")).to_be_visible()
    context.close()
    assert [url for url in asked if not url.startswith((app, "data:", "blob:"))] == []
