"""Finding a task: filters, search, pages, keyboard, and an address that holds it all."""

import re

import httpx
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import served_app
from tests.page_functions import functions_of
from tests.synthetic_source import write_source


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The app over as many tasks as the dataset has."""
    folder = tmp_path_factory.mktemp("many")
    write_source(folder / "source")
    with served_app({"TASKS_SOURCE": str(folder / "source")}, folder / "cache") as (url, _):
        yield url


def listed(page):
    return page.locator(".task_browser .tasks li[data-task]")


def total(page):
    return page.locator(".task_browser p[aria-live]")


def test_all_tasks_are_listed_fifty_a_page(new_visitor, many):
    page = new_visitor(base=many)
    expect(total(page)).to_have_text("5,394 tasks")
    expect(listed(page)).to_have_count(50)
    first = listed(page).first.get_attribute("data-task")
    page.get_by_role("button", name="Next", exact=True).click()
    expect(page.get_by_text("Page 2 of 108")).to_be_visible()
    assert listed(page).first.get_attribute("data-task") != first
    assert "p=2" in page.url


def test_a_button_that_has_led_to_the_last_page_keeps_the_focus_and_leads_nowhere(new_visitor, many):
    page = new_visitor("?p=107", base=many)
    step = page.get_by_role("button", name="Next", exact=True)
    step.press("Enter")
    expect(page.get_by_text("Page 108 of 108")).to_be_visible()
    expect(step).to_be_disabled()
    expect(step).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Page 107 of 108")).to_be_visible()
    expect(step).to_be_enabled()


def test_filters_narrow_the_list_and_count_what_is_left(new_visitor, many):
    page = new_visitor(base=many)
    page.get_by_label("Split").select_option("test")
    expect(total(page)).to_have_text("250 tasks")
    page.get_by_label("Tier").select_option("hard")
    expect(total(page)).to_have_text("99 tasks")
    expect(page.get_by_label("Split").locator("option[value=train]")).to_have_text("train · 722")
    page.get_by_role("button", name="Clear all").click()
    expect(total(page)).to_have_text("5,394 tasks")


def test_an_open_task_that_the_filters_leave_out_is_said_and_the_list_goes_on_from_its_first(new_visitor, many):
    page = new_visitor("?split=train", base=many)
    listed(page).nth(1).click()
    task = page.locator(".task_view")
    expect(task).to_contain_text("2 of 5,000")
    page.get_by_label("Split").select_option("test")
    expect(task).to_contain_text("not in this list")
    expect(task.get_by_role("button", name="← Previous task")).to_be_disabled()
    page.keyboard.press("k")
    expect(page.get_by_text("The open task is not in this list.")).to_be_visible()
    first = listed(page).first.get_attribute("data-task")
    page.get_by_role("button", name="Next task →").click()
    expect(task.locator(".mono").first).to_have_text(first)
    expect(task).to_contain_text("1 of 250")
    page.get_by_label("Split").select_option("")
    expect(task).to_contain_text(" of 5,394")


def test_a_link_restores_filters_page_and_task(new_visitor, many):
    page = new_visitor("?split=train&tier=medium&p=3", base=many)
    expect(page.get_by_text("Page 3 of 57")).to_be_visible()
    expect(page.get_by_label("Tier")).to_have_value("medium")
    chosen = listed(page).nth(7).get_attribute("data-task")
    listed(page).nth(7).click()
    expect(page.locator(".task_view .mono").first).to_have_text(chosen)

    other = new_visitor(page.url.removeprefix(many), base=many)
    expect(other.locator(".task_view .mono").first).to_have_text(chosen)
    expect(other.locator(".tasks li[aria-selected=true]")).to_have_attribute("data-task", chosen)


ADDRESSES = {
    "": {},
    "?p=3": {"page": "3"},
    "?split=eval&tier=hard&q=qa": {"split": "eval", "tier": "hard", "q": "qa"},
    "?order=shuffled&seed=7": {"order": "shuffled", "seed": "7"},
    "?split=eval&split=test": {"split": "eval"},
    "?split=nowhere": {"split": "nowhere"},
    "?q=%00%ff%3C/script%3E": {"q": "\0\ufffd</script>"},
}


def test_the_first_list_comes_with_the_page_whatever_its_address(new_visitor, many):
    page = new_visitor(base=many)
    page.route("**/component_server/", lambda route: route.abort())
    for address, request in ADDRESSES.items():
        with httpx.Client(base_url=many) as http:
            answer = functions_of(http, "task_browser")("search", request)
        page.goto(many + address)
        tasks = answer["total"]
        expect(total(page)).to_have_text("1 task" if tasks == 1 else f"{tasks:,} tasks")
        expect(page.get_by_text(f"Page {answer['page'] + 1} of {answer['pages']:,}", exact=True)).to_be_visible()
        listed_ids = listed(page).evaluate_all("rows => rows.map(row => row.dataset.task)")
        assert listed_ids == [each["task_id"] for each in answer["rows"]], address


def test_the_page_of_the_chosen_task_comes_with_it(new_visitor, many):
    with httpx.Client(base_url=many) as http:
        answer = functions_of(http, "task_browser")("search", {"page": "5"})
    chosen = answer["rows"][20]["task_id"]
    page = new_visitor(f"?task={chosen}", base=many)
    page.route("**/component_server/", lambda route: route.abort())
    page.reload()
    expect(page.get_by_text("Page 5 of 108")).to_be_visible()
    expect(page.locator(".tasks li[aria-selected=true]")).to_have_attribute("data-task", chosen)


def test_back_and_forward_walk_through_filters_and_tasks(new_visitor, many):
    page = new_visitor(base=many)
    page.get_by_label("Split").select_option("eval")
    expect(total(page)).to_have_text("144 tasks")
    listed(page).nth(0).click()
    first = listed(page).nth(0).get_attribute("data-task")
    expect(page.locator(".task_view .mono").first).to_have_text(first)
    page.get_by_role("button", name="Next task").click()
    second = listed(page).nth(1).get_attribute("data-task")
    expect(page.locator(".task_view .mono").first).to_have_text(second)
    page.go_back()
    expect(page.locator(".task_view .mono").first).to_have_text(first)
    page.go_back()
    expect(page.get_by_role("heading", name="No task is open")).to_be_visible()
    page.go_back()
    expect(total(page)).to_have_text("5,394 tasks")
    page.go_forward()
    expect(total(page)).to_have_text("144 tasks")
    expect(page.get_by_label("Split")).to_have_value("eval")


def test_the_list_is_driven_by_the_keyboard_alone(page):
    expect(listed(page).first).to_be_visible()  # before that there is nothing to reach
    for _ in range(30):
        if page.evaluate("document.activeElement.getAttribute('role')") == "listbox":
            break
        page.keyboard.press("Tab")
    expect(listed(page).nth(0)).to_have_class("active")
    page.keyboard.press("Enter")
    expect(page.locator(".task_view .mono").first).to_have_text(listed(page).nth(0).get_attribute("data-task"))
    expect(page.locator(".task_view .asked")).to_be_focused()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search", exact=True)).to_be_focused()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("listbox", name="Tasks")).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Space")
    expect(page.locator(".task_view .mono").first).to_have_text(listed(page).nth(1).get_attribute("data-task"))
    expect(page.get_by_role("listbox", name="Tasks")).to_be_focused()
    assert re.search(r"[?&]task=", page.url)


def test_a_dataset_is_found_while_typing(page):
    page.get_by_label("Kaggle dataset").fill("gap")
    option = page.locator("#dataset-options option").first
    expect(option).to_have_attribute("value", re.compile("gapminder"))
    page.get_by_label("Kaggle dataset").press("Enter")
    expect(page.locator(".task_browser .tasks li").first).to_be_visible()
    assert "gapminder" in page.url


def test_an_unknown_task_says_so(new_visitor):
    page = new_visitor("?task=nowhere_0")
    expect(page.get_by_text("There is no task 'nowhere_0'")).to_be_visible()


def test_names_between_backticks_are_set_as_code(new_visitor):
    page = new_visitor("?task=demo_gapminder_qa_3")
    expect(page.locator(".task_view h2 code")).to_have_text("gdpPercap")
    expect(page.locator(".task_view h2")).not_to_contain_text("`")
