"""Browsing all day: chips, keys, what was solved and opened, where the list was left, and a file that carries it."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.browser.test_browsing import listed, many, total  # noqa: F401 - a fixture

RIGHT, WRONG = ("demo_iris_qa_1", "5.552"), ("demo_tips_qa_1", "7")


def grade(page, answer, outcome):
    page.get_by_label("Your answer").fill(answer)
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".grade_panel [data-outcome]")).to_have_attribute("data-outcome", outcome)


def shown_task(page):
    return page.locator(".task_view .mono").first


def mark_of(page, task_id):
    return page.locator(f".tasks li[data-task={task_id}] .done")


def test_each_filter_is_a_chip_that_takes_it_away(new_visitor, many):  # noqa: F811
    page = new_visitor("?split=test&tier=hard&order=curriculum", base=many)
    chips = page.get_by_role("list", name="Active filters").get_by_role("button")
    expect(chips).to_have_text(
        ["Remove filter Split: test×", "Remove filter Tier: hard×", "Remove filter Order: curriculum×", "Clear all"]
    )
    page.get_by_role("button", name="Remove filter Split: test").click()
    expect(page).to_have_url(re.compile(r"\?(?!.*split=)(?=.*tier=hard)"))
    expect(total(page)).to_have_text("875 tasks")
    expect(page.get_by_role("button", name="Remove filter Tier: hard")).to_be_focused()
    page.get_by_role("button", name="Clear all").click()
    expect(chips).to_have_count(0)
    expect(page.get_by_role("searchbox", name="Search", exact=True)).to_be_focused()


def test_keys_walk_the_list_over_its_pages_but_not_while_typing(new_visitor, many):  # noqa: F811
    page = new_visitor("?split=test", base=many)
    expect(listed(page)).to_have_count(50)
    ids = [each.get_attribute("data-task") for each in listed(page).all()]
    page.keyboard.press("j")
    expect(shown_task(page)).to_have_text(ids[0])
    for _ in range(4):
        page.keyboard.press("j")  # faster than tasks load
    page.keyboard.press("k")
    expect(shown_task(page)).to_have_text(ids[3])
    page.get_by_role("searchbox", name="Search", exact=True).press("j")
    expect(page).to_have_url(re.compile("q=j"))
    assert page.evaluate("new URLSearchParams(location.search).get('task')") == ids[3]

    page = new_visitor(f"?split=test&task={ids[49]}", base=many)
    expect(shown_task(page)).to_have_text(ids[49])
    expect(listed(page)).to_have_count(50)
    page.keyboard.press("J")
    expect(page.get_by_text("Page 2 of 5")).to_be_visible()
    expect(page).to_have_url(re.compile("[?&]p=2"))
    expect(shown_task(page)).to_have_text(listed(page).first.get_attribute("data-task"))


def test_keys_of_the_page_can_be_turned_off_for_good(new_visitor):
    page = new_visitor(f"?task={RIGHT[0]}")
    expect(shown_task(page)).to_have_text(RIGHT[0])
    page.get_by_role("button", name="Keys", exact=True).click()
    page.get_by_label("Single letters are keys (j, k, d, n, g, / and ? on the page)").uncheck()
    page.get_by_role("button", name="Close", exact=True).click()
    for _ in range(2):
        page.locator("h1").click()
        for key in "jk?":
            page.keyboard.press(key)
        expect(page.get_by_role("dialog")).to_have_count(0)
        assert page.evaluate("new URLSearchParams(location.search).get('task')") == RIGHT[0]
        page.reload()
        expect(shown_task(page)).to_have_text(RIGHT[0])
    page.get_by_role("button", name="Keys", exact=True).click()
    page.get_by_label("Single letters are keys (j, k, d, n, g, / and ? on the page)").check()
    page.get_by_role("button", name="Close", exact=True).click()
    page.locator("h1").click()
    page.keyboard.press("j")
    expect(shown_task(page)).not_to_have_text(RIGHT[0])


def test_the_list_is_found_where_it_was_left(new_visitor, many):  # noqa: F811
    page = new_visitor("?split=test", base=many)
    expect(listed(page).last).to_be_attached()
    listed(page).nth(30).scroll_into_view_if_needed()
    page.wait_for_timeout(400)  # stored after a short pause
    in_sight = "list => { const box = list.getBoundingClientRect();" + (
        "return [...list.children].filter(each => each.getBoundingClientRect().top >= box.top - 1"
        " && each.getBoundingClientRect().bottom <= box.bottom + 1).map(each => each.dataset.task) }"
    )
    same_in_sight = f"left => String(({in_sight})(document.querySelector('.tasks'))) === String(left)"
    tasks = page.locator(".task_browser .tasks")
    left = tasks.evaluate(in_sight)
    assert listed(page).nth(30).get_attribute("data-task") in left
    page.get_by_label("Tier").select_option("hard")
    expect(total(page)).to_have_text("99 tasks")
    assert tasks.evaluate("list => list.scrollTop") == 0
    page.go_back()
    expect(total(page)).to_have_text("250 tasks")
    page.wait_for_function(same_in_sight, arg=left)
    page.reload()
    expect(total(page)).to_have_text("250 tasks")
    page.wait_for_function(same_in_sight, arg=left)


def test_solved_and_tried_tasks_are_marked_counted_and_left_out(page):
    for (task, answer), outcome in ((WRONG, "wrong"), (RIGHT, "right")):
        page.goto(page.url.split("?")[0] + f"?task={task}")
        grade(page, answer, outcome)
    expect(mark_of(page, WRONG[0])).to_have_text("◐Tried")
    expect(mark_of(page, RIGHT[0])).to_have_text("✓Solved")
    grade(page, "wrong after all", "wrong")
    expect(mark_of(page, RIGHT[0])).to_have_text("✓Solved")
    page.reload()
    expect(page.locator(".progress summary")).to_have_text("Your progress 1 of 67 solved, 1 tried")
    page.locator(".progress summary").click()
    expect(page.locator(".progress tbody td").first).to_have_text("1 / 21, 1 tried")

    page.get_by_label("Unsolved only").check()
    expect(total(page)).to_have_text("66 tasks")
    expect(page.locator(f".tasks li[data-task={RIGHT[0]}]")).to_have_count(0)
    expect(page.locator(f".tasks li[data-task={WRONG[0]}]")).to_have_count(1)
    page.reload()  # the solved task is still shown, and still has a place among the others
    expect(page.get_by_text("of 67", exact=False).first).to_be_visible()
    recent = page.locator(".recent a")
    page.locator(".recent summary").click()
    expect(recent).to_have_count(2)
    recent.nth(1).click()
    expect(shown_task(page)).to_have_text(WRONG[0])


def test_the_next_in_order_and_at_random_are_unsolved_under_the_filters(new_visitor):
    page = new_visitor("?split=eval&order=curriculum")
    expect(listed(page)).to_have_count(7)
    ids = [each.get_attribute("data-task") for each in listed(page).all()]
    solved = dict.fromkeys((ids[1], *ids[3:]), 1)
    page.evaluate("text => localStorage.setItem('workbench.progress', text)", json.dumps({"solved": solved}))
    page.goto(page.url + f"&task={ids[0]}")
    expect(shown_task(page)).to_have_text(ids[0])
    page.get_by_role("button", name="Next unsolved", exact=True).click()
    expect(shown_task(page)).to_have_text(ids[2])
    page.get_by_role("button", name="Next unsolved", exact=True).click()
    expect(shown_task(page)).to_have_text(ids[0])
    page.get_by_role("button", name="Random unsolved").click()
    expect(shown_task(page)).to_have_text(ids[2])
    page.evaluate(
        "text => localStorage.setItem('workbench.progress', text)", json.dumps({"solved": dict.fromkeys(ids, 1)})
    )
    page.reload()
    page.get_by_role("button", name="Random unsolved").click()
    expect(page.locator(".task_browser")).to_contain_text("No other unsolved task fits these filters.")


@pytest.mark.long
def test_progress_goes_to_another_browser_as_a_file_and_an_import_is_undone(new_visitor, tmp_path):
    page = new_visitor(f"?task={RIGHT[0]}")
    grade(page, RIGHT[1], "right")
    page.locator(".progress summary").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    download.value.save_as(tmp_path / "progress.json")
    assert list(json.loads((tmp_path / "progress.json").read_text())["solved"]) == [RIGHT[0]]

    other = new_visitor(f"?task={RIGHT[0]}")
    grade(other, "7", "wrong")
    other.locator(".progress summary").click()
    chooser = other.locator(".progress input[type=file]")
    note = other.locator(".progress [role=status]")
    for damaged, why in (
        ("{", "It is not JSON."),
        ('{"solved": {}}', "no file of progress"),
        ('{"format": "smoldataenvs-workbench-progress", "version": 1, "solved": {"a": "b"}}', "no task id with a time"),
    ):
        chooser.set_input_files({"name": "bad.json", "mimeType": "application/json", "buffer": damaged.encode()})
        expect(note).to_contain_text(why)
        expect(note).to_contain_text("Your marks are as they were.")
    chooser.set_input_files(tmp_path / "progress.json")
    expect(note).to_have_text("Imported progress.json: 1 task marked.")
    expect(mark_of(other, RIGHT[0])).to_have_text("✓Solved")
    other.get_by_role("button", name="Undo import").click()
    expect(mark_of(other, RIGHT[0])).to_have_text("◐Tried")


@pytest.mark.long
def test_two_tabs_add_to_one_progress(page):
    page.goto(page.url + f"?task={RIGHT[0]}")
    other = page.context.new_page()
    other.goto(page.url.split("?")[0] + f"?task={WRONG[0]}")
    grade(other, WRONG[1], "wrong")
    grade(page, RIGHT[1], "right")
    for tab in (page, other):
        expect(mark_of(tab, RIGHT[0])).to_have_text("✓Solved")
        expect(mark_of(tab, WRONG[0])).to_have_text("◐Tried")


def test_a_browser_that_keeps_nothing_still_marks_and_says_so(chromium, app):
    context = chromium.new_context()
    context.add_init_script(
        "for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(window, name,"
        " {get() { throw new DOMException('denied', 'SecurityError'); }});"
    )
    page = context.new_page()
    page.goto(app + f"?task={RIGHT[0]}")
    grade(page, RIGHT[1], "right")
    expect(mark_of(page, RIGHT[0])).to_have_text("✓Solved")
    page.locator(".progress summary").click()
    expect(page.locator(".progress .notice")).to_contain_text("This browser keeps nothing for this page")
    context.close()


def test_the_overview_counts_under_the_filters_and_a_click_adds_one(new_visitor, many):  # noqa: F811
    page = new_visitor("?split=test&q=median", base=many)
    page.get_by_role("button", name="Charts").click()
    about = page.get_by_role("region", name="About the tasks")
    expect(about.locator(".chart .barlayer")).to_have_count(3)
    expect(about).to_contain_text("search: median")
    number = about.get_by_role("button", name=re.compile("^numeric: show")).first
    tasks = number.inner_text()
    number.click()
    expect(page).to_have_url(re.compile(r"\?(?=.*split=test)(?=.*q=median)(?=.*mode=numeric)(?!.*view=)"))
    expect(total(page)).to_have_text(f"{tasks} tasks")
    page.go_back()
    about.get_by_role("button", name="Count all tasks").click()
    expect(about).to_contain_text("Showing 5,394 tasks")
    expect(about.get_by_role("button", name=re.compile("^test: show 250 tasks"))).to_be_visible()


@pytest.mark.long
def test_nothing_is_wider_than_the_page_nor_out_of_reach_beside_it(new_visitor):
    page = new_visitor("?split=train&tier=easy&mode=numeric&task=demo_iris_qa_1")
    for name in (".progress", ".recent", ".commands", ".report"):
        page.locator(f"{name} summary").click()
    for width in (390, 768, 1024, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), width
    assert page.locator(".task_browser .card").evaluate("card => card.getBoundingClientRect().height <= innerHeight")
