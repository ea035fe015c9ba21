"""The view on what the tasks are: its numbers are those of the tasks in use, and each leads to its tasks."""

import re

import pytest
from playwright.sync_api import expect

from services.catalog import Query, open_catalog
from services.settings import Settings


def test_the_numbers_are_those_of_the_tasks_and_lead_to_them(new_visitor, tmp_path):
    catalog = open_catalog(Settings(tasks_source="bundled", cache_dir=tmp_path))
    page = new_visitor()
    page.get_by_role("link", name="About the tasks").click()
    about = page.get_by_role("region", name="About the tasks")
    expect(about).to_contain_text(f"Showing {len(catalog)} tasks of the bundled suite.")
    for path, sha256 in catalog.status.sha256.items():
        expect(about).to_contain_text(f"{path} {sha256}")
    expect(about.locator(".chart .barlayer")).to_have_count(3)

    hard = catalog.search(Query(split="test", tier="hard")).total
    about.get_by_role("button", name=f"test, hard: show {hard} tasks").click()
    expect(page).to_have_url(re.compile(r"\?(?=.*split=test)(?=.*tier=hard)(?!.*view=)"))
    expect(page.get_by_text(f"{hard} tasks", exact=True)).to_be_visible()
    expect(page.locator(".task_browser select[name=tier]")).to_have_value("hard")
    page.go_back()
    expect(about).to_be_visible()


@pytest.mark.long
def test_a_bar_leads_to_its_tasks_on_a_phone_too(new_visitor):
    page = new_visitor("?view=about", width=390, height=844)
    expect(page.locator(".about_tasks .chart .barlayer")).to_have_count(3)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    bar = page.locator("section[aria-label='Reward modes'] .bars .point").first
    bar.scroll_into_view_if_needed()
    box = bar.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page).to_have_url(re.compile(r"\?(?=.*mode=numeric)(?!.*view=)"))
