"""What the bar above the cells says and offers: Stop in its steps, the place in line, why a kernel is gone."""

from __future__ import annotations

import re
import time

import pytest
from playwright.sync_api import expect

from tests.browser.notebook_pane import TASK, Notebook, output
from tests.kernel_cases import working_below
from tests.served_app import served_app

STUBBORN = """
import time
print('on', flush=True)
end = time.time() + %s
while time.time() < end:
    try: time.sleep(.1)
    except KeyboardInterrupt: pass
"""


@pytest.fixture
def notebook(new_visitor):
    return bar(new_visitor(f"?task={TASK}"))


def bar(page):
    notebook = Notebook(page)
    notebook.notice = page.locator(".notebook .card > .notice").first
    notebook.end = page.get_by_role("button", name="End kernel")
    return notebook


def test_stop_goes_step_by_step_and_ends_the_kernel_only_when_told(notebook):
    notebook.ran("kept = 1")
    cell = notebook.run(STUBBORN % 100)
    expect(output(cell)).to_contain_text("on")
    notebook.stop.click()
    expect(notebook.badge).to_have_text("Interrupting…")
    expect(notebook.stop).to_be_disabled()
    expect(notebook.badge).to_have_text("The cell goes on")
    expect(notebook.notice).to_contain_text("variables will be lost; cells, outputs and files are kept")
    expect(cell).to_have_attribute("data-state", "running")
    notebook.page.reload()
    notebook = bar(notebook.page)
    expect(notebook.badge).to_have_text("The cell goes on")
    notebook.end.click()
    expect(notebook.notice).to_contain_text("Kernel ended. Variables are gone")
    cell = notebook.cells.last
    expect(cell).to_have_attribute("data-state", "stopped")
    expect(output(cell)).to_contain_text("on")
    expect(notebook.badge).to_have_text("Ended")
    expect(output(notebook.ran("kept", state="error"))).to_contain_text("NameError")


def test_a_kernel_of_the_task_left_is_told_of_before_a_cell_ends_it(notebook):
    notebook.ran("kept = 1")
    expect(notebook.badge).to_have_text("Ready")
    notebook.page.get_by_role("button", name="Next task").click()
    expect(notebook.badge).to_have_text("Another task’s")
    told = notebook.page.get_by_text("The kernel holds the variables of demo_")
    expect(told).to_be_visible()
    notebook.page.go_back()
    expect(notebook.badge).to_have_text("Ready")
    expect(told).to_be_hidden()
    assert output(notebook.ran("kept")).inner_text() == "1"
    notebook.page.get_by_role("button", name="Next task").click()
    expect(notebook.badge).to_have_text("Another task’s")
    expect(notebook.cells.first).to_contain_text("read_csv")
    notebook.page.get_by_role("button", name="Variables", exact=True).click()
    notebook.page.reload()
    variables = notebook.page.get_by_role("region", name="Variables", exact=True)
    expect(variables).to_contain_text("The kernel is another task’s.")
    cell = notebook.run("print('on', flush=True)\nwhile True: pass")
    expect(output(cell)).to_contain_text("on")
    notebook.stop.click()
    expect(cell.locator(".notice")).to_have_text(re.compile(r"task are gone\.\nStopped\. Variables are kept\."))
    expect(notebook.badge).to_have_text("Ready")


def test_stop_pressed_again_ends_the_kernel(notebook):
    cell = notebook.run(STUBBORN % 100)
    expect(output(cell)).to_contain_text("on")
    notebook.stop.click()
    expect(notebook.end).to_be_visible()
    notebook.stop.click()
    expect(notebook.notice).to_contain_text("Kernel ended.")
    expect(cell).to_have_attribute("data-state", "stopped")


def test_the_offer_goes_when_the_cell_ends_by_itself(notebook):
    cell = notebook.run(STUBBORN % 5)
    expect(output(cell)).to_contain_text("on")
    notebook.stop.click()
    expect(notebook.end).to_be_visible()
    expect(cell).to_have_attribute("data-state", "ok")
    expect(cell.locator(".notice")).to_contain_text("caught the interrupt")
    expect(notebook.end).to_be_hidden()
    expect(notebook.badge).to_have_text("Ready")


def test_restart_works_while_a_cell_ignores_the_interrupt(notebook):
    cell = notebook.run(STUBBORN % 100)
    expect(output(cell)).to_contain_text("on")
    notebook.stop.click()
    notebook.page.get_by_role("button", name="Restart", exact=True).click()
    notebook.page.get_by_role("button", name="Restart the kernel").click()
    expect(cell).to_have_attribute("data-state", "stopped")
    expect(cell).to_contain_text("The kernel was restarted.")
    expect(notebook.badge).to_have_text("Ready")


@pytest.mark.long
def test_a_kernel_that_dies_while_idle_is_said_on_the_page(notebook):
    notebook.ran("import os, threading; threading.Timer(.5, os._exit, (3,)).start()")
    expect(notebook.notice).to_contain_text("The kernel stopped while no cell ran (exit code 3).", timeout=25_000)
    expect(notebook.badge).to_have_text("Ended")


@pytest.mark.long
def test_the_place_in_line_moves_up_and_is_left_by_stop(new_visitor, tmp_path):
    settings = {"KERNEL_MAX": "1", "KERNEL_WAITING": "0"}
    with served_app(settings, tmp_path) as (url, _):
        ada, bob, cyd = (bar(new_visitor(f"?task={TASK}", base=url)) for _ in range(3))
        expect(output(ada.run("print('on', flush=True)\nwhile True: pass"))).to_contain_text("on")
        waits = bob.run("print('served')")
        expect(bob.badge).to_have_text("In line")
        expect(bob.notice).to_contain_text("You are number 1 in line: the one kernel is running a cell.")
        gives_up = cyd.run("print('never')")
        expect(cyd.notice).to_contain_text("You are number 2 in line")
        cyd.stop.click()
        expect(gives_up).to_have_attribute("data-state", "stopped")
        expect(cyd.notice).to_contain_text("you left the line")
        again = cyd.run("print('after bob')")
        ada.stop.click()
        expect(output(waits)).to_contain_text("served")
        expect(bob.notice).to_be_hidden()
        expect(output(again)).to_contain_text("after bob")
        ada.page.reload()
        expect(bar(ada.page).notice).to_contain_text(re.compile("make room for another visitor or tab"))


@pytest.mark.long
def test_visitors_who_close_their_pages_leave_no_kernel_too_many(new_visitor, chromium, tmp_path):
    """24 visitors come one after the other, run a cell and are gone: nothing tells the app that they are."""
    sessions = tmp_path / "sessions"
    settings = {"KERNEL_MAX": "3", "KERNEL_WAITING": "1", "KERNEL_IDLE_SECONDS": "6"}
    most = 0
    with served_app(settings, tmp_path) as (url, _):
        for number in range(24):
            context = chromium.new_context()
            page = context.new_page()
            page.goto(f"{url}?task={TASK}")
            notebook = bar(page)
            notebook.ran(f"visitor = {number}")
            context.close()
            most = max(most, len(working_below(sessions)))
        assert most <= 3
        end = time.monotonic() + 30
        while len(working_below(sessions)) > 1 and time.monotonic() < end:
            time.sleep(0.2)
        assert len(working_below(sessions)) == 1  # the one that waits for the next visitor
        page = new_visitor(f"?task={TASK}", base=url)
        expect(output(bar(page).ran("'visitor' in globals()"))).to_contain_text("False")
