"""What makes a day in the notebook pleasant: times, folding, text, undo, order, variables, files, keys, saving."""

from __future__ import annotations

import json
import re
import subprocess

import pytest
from playwright.sync_api import expect

from components.web import PLACE
from services.settings import Settings
from tests.browser.notebook_pane import OTHER_TASK, TASK, Notebook, output

NBFORMAT = "import sys, nbformat; nbformat.validate(nbformat.read(sys.argv[1], as_version=nbformat.NO_CONVERT))"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


def button(notebook, name):
    return notebook.page.get_by_role("button", name=name, exact=True)


def notice(notebook):
    return notebook.page.locator(".notebook .card > .notice").first


def test_a_cells_state_and_time_are_shown_and_found_again(notebook):
    cell = notebook.run("import time\nprint('on', flush=True)\ntime.sleep(100)")
    queued = notebook.run("1 / 0")
    expect(queued.locator(".nb-status")).to_have_text("queued")
    expect(cell.locator(".nb-status")).to_have_text("running")
    expect(cell.locator(".nb-clock")).to_have_text(re.compile(r"^\d+ s$"))
    notebook.page.reload()
    cell, queued = notebook.cells.nth(1), notebook.cells.nth(2)
    expect(cell.locator(".nb-clock")).to_have_text(re.compile(r"^\d+ s$"))
    notebook.stop.click()
    expect(cell.locator(".nb-status")).to_have_text(re.compile(r"^stopped after \d+\.\d s$"))
    expect(cell.locator(".nb-clock")).to_be_empty()
    expect(queued).to_contain_text("The page was left before this cell’s turn.")
    queued.get_by_role("button", name="Run").click()
    expect(queued.locator(".nb-status")).to_have_text(re.compile(r"^failed after \d+ ms$"))
    expect(notebook.ran("1").locator(".nb-status")).to_have_text(re.compile(r"^done in \d+ ms$"))


def test_output_is_hidden_shown_and_cleared_and_stays_so(notebook):
    cell = notebook.ran("for i in range(40): print(i)")
    cell.get_by_role("button", name="Hide output").click()
    expect(cell.locator(".nb-scroll")).to_be_hidden()
    expect(cell.locator(".nb-outbar")).to_contain_text("40 lines")
    expect(notebook.page.locator(".nb-kept")).to_have_text("Saved in this browser")
    notebook.page.reload()
    expect(cell.locator(".nb-scroll")).to_be_hidden()
    cell.focus()
    notebook.page.keyboard.press("o")
    expect(output(cell)).to_contain_text("39")
    cell.get_by_role("button", name="Clear").click()
    expect(cell.locator(".nb-outputs")).to_be_hidden()


def test_text_cells_show_markdown_and_never_markup(notebook):
    notebook.page.get_by_role("button", name="+ Text").click()
    cell = notebook.cells.last
    notebook.page.keyboard.insert_text(
        "# Plan\n\n1. **load** <img src=x onerror=alert(1)>\n2. [evil](javascript:alert(1)) [good](https://example.org/)\n\n"
        f"| a | b |\n|---|--:|\n| 1 | 2 |\n\n![dot](data:image/png;base64,{PNG}) ![far](https://example.org/x.png)"
    )
    notebook.page.keyboard.press("Control+Enter")
    shown = cell.locator(".nb-markdown")
    expect(shown.get_by_role("heading", name="Plan")).to_be_visible()
    expect(shown.locator("strong")).to_have_text("load")
    expect(shown).to_contain_text("<img src=x onerror=alert(1)>")
    expect(shown.locator("td")).to_have_text(["1", "2"])
    assert shown.locator("a").evaluate_all("links => links.map(each => [each.textContent, each.href, each.rel])") == [
        ["good", "https://example.org/", "noopener noreferrer"],
        ["far", "https://example.org/x.png", "noopener noreferrer"],
    ]
    assert shown.locator("img").evaluate_all("all => all.map(each => each.alt)") == ["dot"]
    expect(cell).to_be_focused()
    notebook.page.keyboard.press("y")  # code again, and back; the text stays
    expect(shown).to_be_hidden()
    notebook.page.keyboard.press("m")
    notebook.page.keyboard.press("Shift+Enter")
    expect(notebook.cells).to_have_count(3)
    notebook.page.reload()
    expect(notebook.cells.nth(1).get_by_role("heading", name="Plan")).to_be_visible()


def test_deleted_cells_come_back_step_by_step(notebook):
    for code in ("one = 1", "two = 2", "three = 3"):
        notebook.add(code)
    before = notebook.codes()
    for number in (2, 1, 0, 0):
        notebook.cells.nth(number).get_by_role("button", name="Delete cell").click()
    expect(notebook.cells.locator(".cm-content")).to_have_text(["Python"])  # an empty one stands in
    toast = notebook.page.locator(".toast")
    expect(toast).to_contain_text("Cell deleted. 4 steps can be undone.")
    toast.get_by_role("button", name="Undo").click()
    expect(toast).to_be_hidden()
    for _ in range(3):
        notebook.page.keyboard.press("z")
    assert notebook.codes() == before
    notebook.page.keyboard.press("z")
    expect(notice(notebook)).to_have_text("There is nothing to undo.")


def test_cells_are_moved_by_their_handle(notebook):
    notebook.add("second")
    notebook.add("third")
    first = notebook.codes()[0]
    handle = notebook.cells.nth(2).get_by_role("button", name="Move cell: drag it")
    notebook.page.keyboard.press("Escape")
    handle.scroll_into_view_if_needed()
    box, top = handle.bounding_box(), notebook.cells.nth(0).bounding_box()
    notebook.page.mouse.move(box["x"] + 5, box["y"] + 5)
    notebook.page.mouse.down()
    notebook.page.mouse.move(box["x"] + 5, max(top["y"] + 5, 70), steps=5)
    expect(notebook.page.locator(".nb-drop")).to_be_visible()
    notebook.page.mouse.up()
    assert notebook.codes() == ["third", first, "second"]
    handle = notebook.cells.nth(0).get_by_role("button", name="Move cell: drag it")
    handle.press("ArrowDown")
    handle = notebook.cells.nth(1).get_by_role("button", name="Move cell: drag it")
    expect(handle).to_be_focused()
    handle.press("ArrowDown")
    assert notebook.codes() == [first, "second", "third"]


def test_a_delete_that_was_undone_by_key_is_not_offered_any_more(notebook):
    cell = notebook.add("x = 1")
    for key in ("Escape", "d", "d"):
        notebook.page.keyboard.press(key)
    expect(notebook.page.get_by_text("Cell deleted.")).to_be_visible()
    notebook.page.keyboard.press("z")
    expect(cell).to_be_focused()
    expect(button(notebook, "Undo")).to_be_hidden()


def test_while_no_task_is_open_nothing_of_the_notebook_can_be_pressed(new_visitor):
    page = new_visitor()
    tools = page.get_by_role("toolbar", name="Notebook").get_by_role("button")
    expect(tools).to_have_count(5)
    for tool in tools.all():
        expect(tool).to_be_disabled()
    page.get_by_role("listbox", name="Tasks").get_by_role("option").first.click()
    expect(tools.get_by_text("Variables")).to_be_enabled()


def test_variables_follow_the_runs_and_a_table_shows_its_head(new_visitor):
    notebook = Notebook(new_visitor(f"?task={TASK}"))
    button(notebook, "Variables").click()
    pane = notebook.page.get_by_role("region", name="Variables", exact=True)
    expect(pane).to_contain_text("No kernel yet")
    notebook.ran("import pandas as pd\ndf = pd.DataFrame({'<b>x</b>': range(50)})\nname = 'Ada'")
    rows = pane.locator("tbody").first.locator("> tr:not(.nb-head)")
    expect(rows).to_have_text(["dfDataFrame50 × 1<b>x</b>", "namestr3 long'Ada'"])
    pane.get_by_role("button", name="df").click()
    expect(pane.locator(".nb-head tbody tr")).to_have_count(10)
    expect(pane).to_contain_text("The first 10 of 50 rows.")
    expect(pane.locator(".nb-head thead th")).to_have_text(["<b>x</b>"])
    cell = notebook.ran("df = df.tail(1); del name")
    expect(cell.locator(".nb-mark")).to_have_text("[2]")  # asking counted as no cell
    expect(rows).to_have_text(["dfDataFrame1 × 1<b>x</b>"])
    expect(pane.locator(".nb-head tbody tr")).to_have_text(["4949"])
    notebook.ran("df = pd.DataFrame([range(1000, 1060)])")
    expect(pane.locator(".nb-head .more-columns.after")).to_be_visible()
    notebook.ran("import os; os._exit(1)", state="died")
    expect(pane).to_contain_text("The kernel has ended, and its variables with it.")
    expect(notebook.badge).to_have_text("Ended")


def test_the_notebook_goes_to_jupyter_and_back(notebook, tmp_path):
    notebook.page.get_by_role("button", name="+ Text").click()
    notebook.page.keyboard.insert_text("# Hello")
    notebook.page.keyboard.press("Control+Enter")
    notebook.ran("import sys\nfrom IPython.display import display, JSON\nprint('out'); print('err', file=sys.stderr)")
    notebook.ran("display({'a': 1}, display_id='d')\ndisplay(JSON({'id': 9007199254740993}))\n'result'")
    notebook.ran("import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()")
    notebook.ran("1 / 0", state="error")
    notebook.add("%matplotlib inline\nx = 5 %2\n!ls")
    codes = notebook.codes()
    file = tmp_path / "saved.ipynb"
    with notebook.page.expect_download() as download:
        button(notebook, "Download .ipynb").click()
    assert download.value.suggested_filename == f"{notebook.task}.ipynb"
    download.value.save_as(file)
    kernel_python = Settings().kernel_python
    checked = subprocess.run([kernel_python, "-c", NBFORMAT, file], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr
    saved = json.loads(file.read_text())
    kinds = [[each["output_type"] for each in cell.get("outputs", [])] for cell in saved["cells"]]
    shows = ["display_data", "display_data", "execute_result"]
    assert kinds == [[], [], ["stream", "stream"], shows, ["display_data"], ["error"], []]
    assert [cell["cell_type"] for cell in saved["cells"]][:3] == ["code", "markdown", "code"]
    assert "9007199254740993" in file.read_text()
    with notebook.page.expect_download() as download:
        button(notebook, "Download .py").click()
    script = download.value.path().read_text()
    assert "# %% [markdown]\n# # Hello\n" in script
    assert script.endswith("# %%\n# %matplotlib inline\nx = 5 %2\n# !ls\n")
    compile(script, "script.py", "exec")

    notebook.page.evaluate(
        f"task => import(new URL('{PLACE}/workbench.js', document.baseURI)).then(m => m.workbench.choose(task))",
        OTHER_TASK,
    )
    expect(notebook.cells).to_have_count(1)
    notebook.add("mine = 1")
    notebook.page.get_by_label("Notebook to open").set_input_files(file)
    expect(notice(notebook)).to_contain_text("Put “saved.ipynb” in place of the 2 cells of this task?")
    button(notebook, "Replace").click()
    expect(notebook.cells).to_have_count(7)
    expect(notebook.cells.nth(1).get_by_role("heading", name="Hello")).to_be_visible()
    assert notebook.codes()[2:] == codes[2:]
    expect(output(notebook.cells.nth(3))).to_contain_text("'result'")
    expect(notebook.cells.nth(4).locator("img")).to_be_visible()
    expect(output(notebook.cells.nth(5))).to_contain_text("ZeroDivisionError")
    button(notebook, "Undo").click()
    expect(notebook.cells).to_have_count(2)
    assert notebook.codes()[1] == "mine = 1"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "it is not JSON, or it was cut short"),
        ('{"a": 1}', "it is JSON of another kind"),
        ('{"nbformat": 3, "worksheets": []}', "has the format 3, and only 4 can be read"),
        ('{"nbformat": 4, "cells": [{"cell_type": "code", "source": 5}]}', "Cell 1 of this notebook can’t be read"),
        (" " * 10_000_001, "This file has 10.0 MB"),
    ],
)
def test_a_file_that_is_no_notebook_is_refused_in_a_sentence(page_of_all, content, said):
    file = {"name": "x.ipynb", "mimeType": "application/json", "buffer": content.encode()}
    page_of_all.page.get_by_label("Notebook to open").set_input_files(file)
    expect(notice(page_of_all)).to_contain_text(said)
    expect(notice(page_of_all)).to_contain_text("Your cells are as they were.")


@pytest.fixture(scope="module")
def page_of_all(one_visitor):
    """One page for tests that change nothing."""
    return Notebook(one_visitor(f"?task={TASK}"))


@pytest.mark.long
def test_every_key_is_told_in_a_dialog(page_of_all):
    page = page_of_all.page
    page_of_all.cells.first.focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_be_visible()
    for key in ("Shift+Enter", "d d", "m · y", "Ctrl+S"):
        expect(dialog.get_by_text(key, exact=True).first).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(page_of_all.cells.first).to_be_focused()


def test_what_storage_can_not_keep_is_said(new_visitor):
    """The last of the room goes to code; outputs that find none are named, and code that finds none too."""
    notebook = Notebook(new_visitor(f"?task={TASK}"))
    notebook.ran("print('small')")
    expect(notebook.page.locator(".nb-kept")).to_have_text("Saved in this browser")
    fill = """free => {
      let [fits, not] = [0, 6e6];
      while (not - fits > 10) {
        const half = Math.floor((fits + not) / 2);
        try { localStorage.filler = 'x'.repeat(half); fits = half; } catch { not = half; }
      }
      localStorage.filler = 'x'.repeat(fits - free);
    }"""
    notebook.page.evaluate(fill, 50_000)
    notebook.ran("print('y' * 60_000)")
    expect(notebook.page.locator(".nb-kept")).to_have_text("Saved without some outputs")
    expect(notebook.page.get_by_text("the output of one cell will not be kept over a reload.")).to_be_visible()
    notebook.page.evaluate(fill, 0)
    notebook.add("z" * 5000)
    expect(notebook.page.locator(".nb-kept")).to_have_text("Not saved")
    expect(notebook.page.get_by_text("download the notebook to keep them")).to_be_visible()
    notebook.page.evaluate("localStorage.removeItem('filler')")
    notebook.page.keyboard.press("Control+s")
    expect(notebook.page.locator(".nb-kept")).to_have_text("Saved in this browser")
    notebook.page.reload()
    expect(notebook.cells).to_have_count(4)
    expect(output(notebook.cells.nth(1))).to_contain_text("small")
    expect(output(notebook.cells.nth(2))).to_contain_text("yyy")


@pytest.mark.long
def test_both_tabs_of_a_task_are_told_until_one_is_closed(notebook):
    said = "This task is open in another tab too."
    expect(notebook.page.get_by_text(said)).to_be_hidden()
    second = notebook.page.context.new_page()
    second.goto(notebook.page.url)
    expect(second.get_by_text(said)).to_be_visible()
    expect(notebook.page.get_by_text(said)).to_be_visible()
    second.close(run_before_unload=True)
    expect(notebook.page.get_by_text(said)).to_be_hidden()


def test_a_figure_is_dark_on_a_dark_page(new_visitor):
    notebook = Notebook(new_visitor(f"?task={TASK}&__theme=dark"))
    cell = notebook.ran("import plotly.express as px\npx.scatter(x=[1, 2], y=[3, 4])")
    cell.scroll_into_view_if_needed()
    frame = cell.frame_locator("iframe")
    expect(frame.locator("path.point")).to_have_count(2)
    expect(frame.locator(".main-svg").first).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    expect(frame.locator(".xtick text").first).to_have_css("fill", "rgb(241, 245, 249)")
    notebook.page.evaluate("document.body.classList.remove('dark')")
    expect(frame.locator(".main-svg").first).to_have_css("background-color", "rgb(255, 255, 255)")
