"""Every view and state, at four widths, light and dark: what a person or their screen reader would stumble over.

Each state is set up once; the page is then resized and themed where it stands. Screenshots are kept in `test-output/`.
"""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from tests.served_app import ROOT

SCREENSHOTS = ROOT / "test-output" / "audit"
CONTRASTS = Path(__file__).with_name("colour_contrasts.js").read_text()
LAYOUT_FAULTS = Path(__file__).with_name("layout_faults.js").read_text()
WIDTHS = (390, 768, 1024, 1440)
ALL = tuple(itertools.product(WIDTHS, ("light", "dark")))
SHORT = ((390, "dark"), (1440, "light"))
AXE = """async () => {
  const {violations} = await axe.run(document, {resultTypes: ['violations']});
  return violations.filter(each => ['serious', 'critical'].includes(each.impact) || each.id === 'heading-order'
      || each.id.startsWith('landmark') || each.id === 'region')
    .flatMap(each => each.nodes.map(node => [each.id, ...node.target, node.any[0]?.message ?? each.help].join(': ')));
}"""
IRIS = "?task=demo_iris_qa_1"


@dataclass
class Audit:
    """One page, looked at in every width and theme asked for; `faults` are lines of text."""

    page: Any
    name: str
    looks: tuple[tuple[int, str], ...]
    faults: list[str]

    def look(self) -> None:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.page.evaluate(AXE_SCRIPT)
        for width, scheme in self.looks:
            self.page.set_viewport_size({"width": width, "height": 900})
            self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            expect(self.page.locator("body.dark")).to_have_count(1 if scheme == "dark" else 0)
            self.page.wait_for_timeout(150)  # charts are drawn anew for the theme and the width
            look = f"{self.name} at {width} px, {scheme}"
            self.faults += [f"{look}: {each}" for each in self.page.evaluate(AXE) + self.page.evaluate(LAYOUT_FAULTS)]
            self.page.screenshot(path=SCREENSHOTS / f"{self.name}-{width}-{scheme}.png", full_page=True)


@pytest.fixture
def visit(chromium, app, request):
    """Open `query` and give its page; every console error and request to another origin is a fault."""
    contexts, faults = [], []

    def open_page(query="", base=None):
        context = chromium.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("console", lambda said: said.type == "error" and faults.append(f"console: {said.text}"))
        page.on(
            "request", lambda asked: asked.url.startswith((base or app, "data:", "blob:")) or faults.append(asked.url)
        )
        page.goto((base or app) + query)
        page.faults = faults
        return page

    yield open_page
    for context in contexts:
        context.close()


def ran(page, code, state="ok"):
    page.get_by_role("button", name="+ Cell").click()
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".nb-cell").last).to_have_attribute("data-state", state, timeout=30_000)


def answered(page, answer, outcome):
    page.get_by_label("Your answer").fill(answer)
    page.get_by_label("Your answer").press("Enter")
    expect(page.locator(".grade_panel [data-outcome]")).to_have_attribute("data-outcome", outcome, timeout=30_000)


def tasks(page):
    expect(page.locator(".tasks li").first).to_be_visible()


def filters_open(page):
    tasks(page)
    for summary in page.locator(".task_browser summary:visible").all():
        summary.click()


def task(page):
    expect(page.locator(".data_preview tbody td").first).to_be_visible()
    expect(page.locator(".nb-cell .cm-content").first).to_be_visible()
    for summary in page.locator(".task_view summary").all():
        if not summary.evaluate("each => each.parentElement.open"):
            summary.click()


def notebook(page):
    task(page)
    ran(page, "import pandas as pd; print('a line ' * 60); pd.DataFrame({'a': [1, 2], 'b': ['x', None]})")
    ran(page, "1 / 0", "error")
    ran(page, "import plotly.express as px; px.bar(x=['a', 'b'], y=[1, 2])")
    page.get_by_role("button", name="+ Text").click()
    page.keyboard.insert_text("# Plan\n\n1. **load** `iris`\n\n| a | b |\n|---|--:|\n| 1 | 2 |")
    page.keyboard.press("Control+Enter")
    page.get_by_role("button", name="Variables").click()
    expect(page.locator("#nb-variables")).to_be_visible()


def keys(page):
    task(page)
    page.locator(".nb-cell").first.focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


def right(page):
    task(page)
    answered(page, "5.6", "wrong")
    answered(page, "5.552", "right")


def wrong(page):
    task(page)
    page.get_by_role("button", name="Reveal gold").click()
    expect(page.locator("[data-gold]")).to_be_visible()
    answered(page, "a long answer " * 30, "wrong")


def lab(page):
    page.get_by_label("Answer", exact=True).fill("12 m")
    expect(page.locator(".grader_lab [data-outcome]")).to_be_visible()


def batch(page):
    expect(page.locator("#batch-files")).to_be_attached()


def report(page):
    rows = [
        {"run": run, "task_id": f"demo_{task}_qa_1", "prediction": answer}
        for run, task, answer in (
            ("first", "iris", "5.552"),
            ("first", "stocks", "2018-01-01"),
            ("second", "iris", "ANSWER: 5.6"),
            ("second", "stocks", "never"),
        )
    ]
    lines = "\n".join(map(json.dumps, rows)).encode()
    page.locator("#batch-files").set_input_files({"name": "runs.jsonl", "mimeType": "", "buffer": lines})
    page.get_by_role("region", name="Before grading").get_by_role("button", name="Grade").click()
    expect(page.get_by_role("region", name="Result")).to_contain_text("pass@1", timeout=60_000)
    expect(page.locator(".batch_report .chart .barlayer .point").first).to_be_visible()
    rows = page.get_by_role("region", name="Rows", exact=True)
    rows.get_by_role("button", name="demo_iris_qa_1").first.click()
    expect(rows.locator("[data-outcome]")).to_be_visible()


def not_gradable(page):
    expect(page.locator(".grader_lab [data-outcome]")).to_have_attribute("data-outcome", "not gradable", timeout=30_000)


def about(page):
    expect(page.locator(".about_tasks .chart .barlayer .point").first).to_be_visible()


def code(page):
    expect(page.locator(".use_from_code pre").first).to_be_visible()


def profile(page):
    task(page)
    page.locator(".data_preview").get_by_role("button", name="Profile", exact=True).click()
    profile = page.get_by_role("region", name="Profile")
    profile.get_by_role("row").nth(1).get_by_role("button").first.click()
    expect(profile.get_by_role("region", name="Chart").locator(".point").first).to_be_visible()


def columns(page):
    task(page)
    page.locator(".data_preview").get_by_role("button", name="Columns").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def offline(page):
    tasks(page)
    # the list is there before the other panes, and the page's foot asks until it is known what kernels are kept from
    page.wait_for_load_state("networkidle")
    expect(page.locator(".confinement")).to_contain_text("Kernels are", timeout=60_000)
    page.context.set_offline(True)
    page.get_by_label("Tier").select_option("hard")
    expect(page.locator(".task_browser")).to_contain_text("The list did not load")
    page.locator(".tasks li").nth(2).click()
    expect(page.locator(".task_view")).to_contain_text("The task did not load")
    page.faults.clear()  # what the browser itself says of a network that is gone


def unknown(page):
    expect(page.locator(".task_view .notice")).to_be_visible()


STATES = {
    "tasks": ("", tasks),
    "filters": ("?split=train&tier=easy", filters_open),
    "unknown": ("?task=nobody", unknown),
    "offline": ("", offline),
    "task": (IRIS, task),
    "columns": (IRIS, columns),
    "profile": (IRIS, profile),
    "notebook": (IRIS, notebook),
    "keys": (IRIS, keys),
    "right": (IRIS, right),
    "wrong": (IRIS, wrong),
    "lab": ("?view=lab&gold=12+km", lab),
    "not_gradable": ("?view=lab&gold=2&answer=9**9**9", not_gradable),
    "batch": ("?view=batch", batch),
    "report": ("?view=batch", report),
    "about": ("?view=about", about),
    "code": ("?view=code&task=demo_iris_qa_1", code),
}


@pytest.mark.parametrize("state", ["right"])
def test_a_state_has_no_fault(visit, state):
    audited(visit, state, SHORT)


@pytest.mark.long
@pytest.mark.parametrize("state", STATES)
def test_a_state_has_no_fault_at_any_width_in_either_theme(visit, state):
    audited(visit, state, ALL)


def audited(visit, state, looks):
    query, act = STATES[state]
    page = visit(query)
    act(page)
    Audit(page, state, looks, page.faults).look()
    assert page.faults == []


def test_the_shared_colours_are_told_apart_in_both_themes(visit):
    """WCAG 2.2 AA: 4.5 for text (1.4.3), 3 for focus rings (1.4.11)."""
    page = visit()
    tasks(page)
    low = {}
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("body.dark")).to_have_count(1 if scheme == "dark" else 0)
        low[scheme] = page.evaluate(CONTRASTS)
    assert low == {"light": [], "dark": []}


def test_nothing_moves_for_those_who_ask_for_that(visit):
    page = visit(IRIS)
    task(page)
    ran(page, "1 + 1")
    answered(page, "5.552", "right")
    moving = page.evaluate(
        "() => document.getAnimations().filter(each => each.effect.target.closest('.pane, #masthead, dialog'))"
        ".map(each => each.effect.target.className)"
    )
    assert moving == []


def test_a_chart_turns_dark_with_the_page(visit):
    page = visit("?view=about")
    about(page)
    label = page.locator(".about_tasks .xtick text").first
    expect(label).to_have_css("fill", page.locator(".about_tasks").evaluate("pane => getComputedStyle(pane).color"))
    page.emulate_media(color_scheme="dark")
    expect(page.locator("body.dark")).to_have_count(1)
    ink = page.locator(".about_tasks").evaluate("pane => getComputedStyle(pane).color")
    expect(page.locator(".about_tasks .xtick text").first).to_have_css("fill", ink)
