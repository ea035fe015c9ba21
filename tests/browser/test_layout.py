"""Where things stand on the page, and what stays in sight."""

import pytest
from playwright.sync_api import expect

TASK = "?task=demo_iris_qa_1"


@pytest.mark.parametrize(
    ("width", "ways"), [(1440, ["Task", "Data", "Notebook"]), (390, ["List", "Task", "Data", "Notebook", "Grade"])]
)
def test_the_question_stays_in_reach_while_solving(new_visitor, width, ways):
    page = new_visitor(TASK, width=width, height=700, reduced_motion="reduce")
    bar = page.locator(".question_bar .bar")
    expect(page.locator(".data_preview table, .data_preview [role=grid]").first).to_be_visible()
    expect(page.locator(".nb-cell").first).to_be_visible()
    expect(bar).to_be_hidden()
    page.evaluate("document.getElementById('notebook').scrollIntoView()")
    expect(bar).to_be_in_viewport()
    expect(bar).to_contain_text("mean petal length")
    assert bar.locator(".ways .btn:visible").all_inner_texts() == ways
    for name in ("Data", "Notebook"):
        bar.get_by_role("button", name=f"Go to {name}").click()
        heading = page.get_by_role("button", name=f"{name} pane")
        expect(heading).to_be_focused()
        below = bar.bounding_box()["y"] + bar.bounding_box()["height"]
        assert below <= heading.bounding_box()["y"] < 650
    bar.get_by_role("button", name=f"Go to {ways[-1]}").click()
    expect(page.locator("#grade_panel textarea" if width == 390 else "#notebook h2")).to_be_in_viewport()
    bar.get_by_role("button", name="Go to Task").focus()
    page.evaluate("scrollTo(0, 0)")
    expect(page.locator(".task_view .asked")).to_be_focused()
    page.evaluate("document.getElementById('notebook').scrollIntoView()")
    bar.get_by_role("button", name="Go to Task").click()
    expect(page.locator(".task_view .asked")).to_be_in_viewport()
    expect(bar).to_be_hidden()


def test_a_long_question_stands_whole_in_the_bar_at_a_tap(new_visitor):
    page = new_visitor("?task=demo_stocks_qa_4", width=390, height=844)
    question = page.locator(".question_bar .question")
    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    page.evaluate("document.getElementById('notebook').scrollIntoView()")
    text = question.locator(".text")
    whole = "text => text.scrollHeight <= text.clientHeight + 1"
    assert not text.evaluate(whole)
    question.click()
    expect(question).to_have_attribute("aria-expanded", "true")
    assert text.evaluate(whole)
    question.click()
    expect(question).to_have_attribute("aria-expanded", "false")
    assert not text.evaluate(whole)


def test_the_bar_is_not_left_over_the_question_by_a_visit_to_the_lab(new_visitor):
    page = new_visitor(TASK, height=700)
    page.get_by_label("Your answer").fill("5.5")
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".grade_panel [data-outcome]")).to_be_visible()
    page.evaluate("document.getElementById('notebook').scrollIntoView()")
    bar = page.locator(".question_bar .bar")
    expect(bar).to_be_visible()
    page.get_by_role("button", name="Open in the grader lab").click()
    expect(page.locator(".grader_lab textarea").first).to_have_value("5.552")
    page.get_by_role("link", name="Tasks", exact=True).click()
    expect(page.locator(".task_view .asked")).to_be_in_viewport()
    expect(bar).to_be_hidden()


def test_a_task_opened_from_further_down_begins_with_its_question(new_visitor):
    page = new_visitor(TASK, height=700)
    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    page.evaluate("document.getElementById('notebook').scrollIntoView()")
    expect(page.locator(".task_view .asked")).not_to_be_in_viewport()
    page.locator("h1").evaluate("heading => heading.focus()")
    page.keyboard.press("j")
    expect(page.locator(".task_view .mono").first).not_to_have_text("demo_iris_qa_1")
    expect(page.locator(".task_view .asked")).to_be_in_viewport()


def test_a_reload_comes_back_to_the_place_on_the_page(new_visitor):
    page = new_visitor(TASK, height=700)
    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    page.evaluate("document.getElementById('notebook').scrollIntoView()")
    page.mouse.move(700, 400)
    page.mouse.wheel(0, -90)
    notebook = "Math.round(document.getElementById('notebook').getBoundingClientRect().top)"
    page.wait_for_function(f"{notebook} > 50")
    before = page.evaluate(notebook)
    page.reload()
    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    page.wait_for_function(f"before => {notebook} === before", arg=before)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(notebook) == before


def test_list_and_grade_panel_stay_while_the_middle_scrolls(new_visitor):
    page = new_visitor(TASK)
    expect(page.locator(".nb-cell").first).to_be_visible()
    page.mouse.move(700, 450)
    page.mouse.wheel(0, 400)
    expect(page.get_by_label("Your answer")).to_be_in_viewport()
    expect(page.locator(".tasks")).to_be_in_viewport()


def test_the_other_views_stand_in_the_middle_and_take_a_phone_s_whole_width(new_visitor):
    page = new_visitor()
    edges = "view => { const {left, right} = view.getBoundingClientRect(); return [left, right]; }"
    for view in ("lab", "batch", "about", "code"):
        page.set_viewport_size({"width": 1440, "height": 900})
        page.locator(f"a[data-view={view}]").click()
        expect(page.locator(f"#{view} .card").first).to_be_visible()
        across = page.evaluate("document.documentElement.clientWidth")
        left, right = page.locator(f"#{view} .pane").evaluate(edges)
        assert (left + right, right - left) == (across, 1180)
        page.set_viewport_size({"width": 390, "height": 844})
        across = page.evaluate("document.documentElement.clientWidth")
        assert page.locator(f"#{view} .pane").evaluate(edges) == [16, across - 16]


def test_columns_are_as_wide_as_they_were_left(new_visitor):
    page = new_visitor(TASK)

    def width(name):
        return round(page.locator(f"#{name}").bounding_box()["width"])

    before = width("browse"), width("judge")
    edge = page.get_by_role("separator", name="Width of the task list")
    left = edge.bounding_box()["x"] + 7
    page.mouse.move(left, 400)
    page.mouse.down()
    page.mouse.move(left + 90, 410)
    page.mouse.up()
    page.get_by_role("separator", name="Width of the grade panel").press("ArrowLeft")
    assert (width("browse"), width("judge")) == (before[0] + 90, before[1] + 16)
    page.reload()
    expect(page.locator(".tasks li").first).to_be_visible()
    assert (width("browse"), width("judge")) == (before[0] + 90, before[1] + 16)
    page.get_by_role("separator", name="Width of the task list").press("Enter")
    assert width("browse") == before[0]


def test_a_first_visit_is_welcomed_once_and_led_to_an_easy_task(new_visitor):
    page = new_visitor()
    page.get_by_role("button", name="Try a task").click()
    expect(page.locator(".task_view .chip.easy")).to_be_visible()
    expect(page.locator(".task_view")).not_to_contain_text("New here?")
    page.goto(page.url.partition("?")[0])
    expect(page.locator(".task_view")).to_contain_text("No task is open")


def test_who_comes_by_a_link_is_told_once_what_this_is(new_visitor):
    page = new_visitor(TASK)
    page.get_by_role("note").get_by_role("button", name="Got it").click()
    expect(page.get_by_role("note")).to_have_count(0)
    page.reload()
    expect(page.locator(".task_view .asked")).to_be_visible()
    expect(page.get_by_role("note")).to_have_count(0)


def test_on_a_phone_what_to_do_stands_before_the_list_until_a_task_is_open(new_visitor):
    page = new_visitor(width=390, height=844)
    start, tasks = page.get_by_role("button", name="Try a task"), page.get_by_role("listbox", name="Tasks")
    expect(tasks.get_by_role("option").first).to_be_visible()
    expect(start).to_be_in_viewport()
    assert start.bounding_box()["y"] < tasks.bounding_box()["y"]
    expect(page.get_by_role("region", name="Notebook", exact=True)).to_be_hidden()
    start.click()
    question = page.locator(".task_view .asked")
    expect(question).to_be_in_viewport()
    expect(page.get_by_role("region", name="Notebook", exact=True)).to_be_visible()
    assert tasks.bounding_box()["y"] < question.bounding_box()["y"]
    page.go_back()
    expect(start).to_be_in_viewport()


def test_folded_panes_stay_folded_over_a_reload_and_open_again(new_visitor):
    page = new_visitor(TASK)
    panes = [page.get_by_role("region", name=name, exact=True) for name in ("Data", "Notebook", "Grade")]
    folds = [page.get_by_role("button", name=f"{name} pane") for name in ("Data", "Notebook", "Grade")]
    for pane, fold in zip(panes, folds, strict=True):
        expect(pane.locator(".card > :not(:first-child)").first).to_be_attached()
        fold.click()
    page.reload()
    for pane, fold in zip(panes, folds, strict=True):
        expect(fold).to_have_attribute("aria-expanded", "false")
        assert pane.locator(".card").first.bounding_box()["height"] < 80
        fold.click()
        expect(fold).to_have_attribute("aria-expanded", "true")
        assert pane.locator(".card").first.bounding_box()["height"] > 80


def test_on_a_phone_a_link_to_a_task_opens_on_its_question(new_visitor):
    page = new_visitor(TASK, width=390, height=844)
    expect(page.locator(".nb-cell").first).to_be_visible()
    expect(page.locator(".task_view .asked")).to_be_in_viewport()
    assert 0 <= page.locator(".task_view").bounding_box()["y"] < 40
