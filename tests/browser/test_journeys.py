"""Whole ways through the page: a first visit, on a phone, by keyboard alone, with Back, in another site's frame."""

from __future__ import annotations

import http.server
import json
import shutil
import threading

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import QUIET

MEAN = "round(iris[iris['species'] == 'virginica']['petal length (cm)'].mean(), 3)"
COUNT_CLICKS = (
    "window.clicks = 0; addEventListener('click', event => { clicks += event.isTrusted && event.detail > 0; }, true);"
)


def outcome(page):
    return page.locator(".grade_panel [data-outcome]")


def solve(page, press):
    """From the open list to the verdict; `press` is how a button is pressed. Typing aside, nothing else is done."""
    press(page.locator(".tasks li", has_text="mean petal length"))
    expect(page.locator(".data_preview tbody td").first).to_be_visible()
    expect(page.locator(".nb-cell").first).to_contain_text("read_csv")
    press(page.get_by_role("button", name="Run all"))
    expect(page.locator(".nb-cell").first).to_have_attribute("data-state", "ok", timeout=30_000)
    press(page.get_by_role("button", name="+ Cell"))
    page.keyboard.insert_text(MEAN)
    page.keyboard.press("Control+Enter")
    expect(page.locator(".nb-cell").last).to_have_attribute("data-state", "ok", timeout=30_000)
    press(page.get_by_role("button", name="Use last output"))
    press(page.locator(".grade_panel form").get_by_role("button", name="Grade", exact=True))
    expect(outcome(page)).to_have_attribute("data-outcome", "right")


@pytest.mark.parametrize("phone", [False, True], ids=["laptop", "phone"])
def test_a_first_visit_comes_to_a_right_answer_in_six_clicks(chromium, app, phone):
    options = {"viewport": {"width": 390, "height": 800}, "has_touch": True, "is_mobile": True} if phone else {}
    context = chromium.new_context(**options)
    page = context.new_page()
    page.add_init_script(COUNT_CLICKS)
    page.goto(app)
    solve(page, (lambda target: target.tap()) if phone else (lambda target: target.click()))
    expect(outcome(page)).to_be_in_viewport()
    assert page.evaluate("clicks") <= 6
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    context.close()


def tab_to(page, target, most=80):
    """Press Tab until `target` has the focus; an editor is left by Escape first, as its help says."""
    for _ in range(most):
        if target.evaluate("element => element === document.activeElement"):
            return
        if page.evaluate("document.activeElement.closest('.cm-editor') !== null"):
            page.keyboard.press("Escape")
        page.keyboard.press("Tab")
    raise AssertionError(f"{most} steps of Tab did not lead to {target}")


def test_the_keyboard_alone_comes_to_a_right_answer(page):
    expect(page.locator(".tasks li").first).to_be_visible()
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the task")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    tab_to(page, page.get_by_role("searchbox"))
    page.keyboard.type("mean petal length")
    expect(page.locator(".tasks li")).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("listbox", name="Tasks")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".task_view .asked")).to_be_focused()
    expect(page.locator(".nb-cell .cm-content")).to_be_visible()

    page.locator("body").evaluate("() => document.activeElement.blur()")
    skip.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".task_view .asked")).to_be_focused()
    tab_to(page, page.get_by_role("button", name="+ Cell"))
    page.keyboard.press("Enter")
    page.keyboard.insert_text(f"import pandas as pd; iris = pd.read_csv('../input/iris.csv'); {MEAN}")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".nb-cell").last).to_have_attribute("data-state", "ok", timeout=30_000)
    tab_to(page, page.get_by_role("button", name="Use last output"), most=16)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Your answer")).to_be_focused()
    page.keyboard.press("Enter")
    expect(outcome(page)).to_have_attribute("data-outcome", "right")


@pytest.mark.long
def test_back_and_forward_walk_through_ten_states(page):
    def seen():
        return page.evaluate("""() => [
            location.search,
            document.documentElement.dataset.view,
            document.querySelector('.task_browser p[aria-live]').textContent,
            document.querySelector('.task_view h2').textContent,
        ]""")

    def settled(query):
        page.wait_for_function("query => location.search === query", arg=query)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        return seen()

    page.evaluate("localStorage.setItem('workbench.welcomed', 'true')")  # the words of a first visit come once
    page.reload()
    expect(page.locator(".tasks li").first).to_be_visible()
    view = page.get_by_role("navigation", name="Views")
    steps = [
        lambda: page.get_by_label("Tier").select_option("easy"),
        lambda: page.locator(".tasks li").nth(0).click(),
        lambda: page.locator(".tasks li").nth(1).click(),
        lambda: view.get_by_role("link", name="Grader lab").click(),
        lambda: view.get_by_role("link", name="Tasks", exact=True).click(),
        lambda: page.get_by_label("Split").select_option("train"),
        lambda: page.locator(".tasks li").nth(3).click(),
        lambda: view.get_by_role("link", name="About").click(),
        lambda: view.get_by_role("link", name="Batch").click(),
        lambda: view.get_by_role("link", name="Use it from code").click(),
    ]
    states = [seen()]
    for step in steps:
        before = page.evaluate("location.search")
        step()
        page.wait_for_function("query => location.search !== query", arg=before)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        states.append(seen())
    assert states[5] == states[3]  # the lab was left for the task it was opened from
    assert len({tuple(state) for state in states}) == 10
    for state in reversed(states[:-1]):
        page.go_back()
        assert settled(state[0]) == state
    for state in states[1:]:
        page.go_forward()
        assert settled(state[0]) == state


@pytest.mark.long
def test_a_reload_at_every_step_loses_nothing(page):
    def reloaded():
        page.reload()
        expect(page.locator(".tasks li").first).to_be_attached()

    page.get_by_label("Tier").select_option("easy")
    page.get_by_label("Split").select_option("train")
    expect(page.locator(".task_browser p[aria-live]")).to_have_text("21 tasks")
    reloaded()
    expect(page.locator(".task_browser p[aria-live]")).to_have_text("21 tasks")
    page.locator(".tasks li", has_text="mean petal length").click()
    expect(page.locator(".task_view .asked")).to_contain_text("mean petal length")
    reloaded()
    expect(page.locator(".task_view .asked")).to_contain_text("mean petal length")
    expect(page.locator(".tasks li[aria-selected=true]")).to_contain_text("mean petal length")
    page.get_by_label("Your answer").fill("5.552")
    page.get_by_label("Your answer").press("Enter")
    expect(outcome(page)).to_have_attribute("data-outcome", "right")
    reloaded()
    expect(page.get_by_label("Your answer")).to_have_value("5.552")
    expect(page.locator(".grade_panel .attempts li")).to_have_count(1)
    expect(page.locator(".tasks li[aria-selected=true] .done")).to_contain_text("Solved")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Grader lab").click()
    page.get_by_label("Gold", exact=True).fill("12 km")
    page.get_by_label("Answer", exact=True).fill("12 m")
    expect(page.locator(".grader_lab [data-outcome]")).to_have_attribute("data-outcome", "right")
    reloaded()
    expect(page.locator(".grader_lab [data-outcome]")).to_have_attribute("data-outcome", "right")
    page.get_by_role("navigation", name="Views").get_by_role("link", name="Tasks", exact=True).click()
    expect(page.locator(".task_view .asked")).to_contain_text("mean petal length")


@pytest.fixture
def framed(app, tmp_path):
    """A page of another site that frames the app, in a browser that keeps nothing for the sites in frames."""

    class Outer(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b'<body style="margin:0"><iframe style="width:100%%;height:96vh" src="%s">' % app.encode())

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Outer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_in_a_frame_that_may_keep_nothing_a_task_is_solved(chromium, framed, app, tmp_path):
    (tmp_path / "Default").mkdir()
    settings = {"profile": {"block_third_party_cookies": True, "cookie_controls_mode": 1}}
    (tmp_path / "Default" / "Preferences").write_text(json.dumps(settings))
    context = chromium.browser_type.launch_persistent_context(
        tmp_path, executable_path=shutil.which("chromium"), args=QUIET, viewport={"width": 1280, "height": 900}
    )
    errors = []
    page = context.new_page()
    page.on("pageerror", lambda error: errors.append(error.stack))
    page.goto(framed)
    inside = next(frame for frame in page.frames if frame.url.startswith(app))
    expect(inside.locator(".tasks li").first).to_be_visible()
    assert (
        inside.evaluate("() => { try { localStorage; return 'kept'; } catch (error) { return error.name; } }")
        == "SecurityError"
    )
    inside.keyboard = page.keyboard
    solve(inside, lambda target: target.click())
    expect(inside.locator(".tasks li[aria-selected=true] .done")).to_contain_text("Solved")
    expect(inside.locator("#notebook")).to_contain_text("Not saved: the browser’s storage is full or switched off.")
    context.close()
    assert errors == []
