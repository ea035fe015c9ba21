"""What a cell asks, and what the kernel knows of code being typed, in a real browser over real kernels."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.notebook_pane import Notebook, output

ASK = "name = input('Who are you? ')\nprint('hello', name)"
TABLE = "import pandas as pd\ndf = pd.DataFrame({'sepal_length': [1.0], 'sepal_width': [2.0]})"


def test_a_question_is_answered_in_its_cell(notebook):
    cell = notebook.run(ASK)
    box = cell.get_by_label("Who are you?")
    expect(box).to_be_focused()
    expect(cell.locator(".nb-status")).to_contain_text("asks you")
    notebook.page.keyboard.insert_text("<b>Ada</b> \U0001f984")
    notebook.page.keyboard.press("Enter")
    expect(cell).to_have_attribute("data-state", "ok")
    expect(output(cell)).to_have_text("Who are you? <b>Ada</b> \U0001f984\nhello <b>Ada</b> \U0001f984\n")
    expect(box).to_be_hidden()
    expect(cell).to_be_focused()


def test_a_question_is_found_again_after_a_reload(notebook):
    cell = notebook.run("print('before')\n" + ASK)
    expect(cell.get_by_label("Who are you?")).to_be_focused()
    notebook.page.reload()
    cell = Notebook(notebook.page).cells.last
    box = cell.get_by_label("Who are you?")
    expect(box).to_be_visible()
    box.fill("Bob")
    cell.get_by_role("button", name="Send").click()
    expect(cell).to_have_attribute("data-state", "ok")
    expect(output(cell)).to_have_text("before\nWho are you? Bob\nhello Bob\n")


def test_a_password_is_masked_and_kept_nowhere(notebook):
    cell = notebook.run("from getpass import getpass\nlen(getpass('Word: '))")
    box = cell.get_by_label("Word:")
    expect(box).to_have_attribute("type", "password")
    box.fill("s3cret")
    box.press("Enter")
    expect(output(cell)).to_contain_text("Word: ••••••")
    expect(output(cell)).to_contain_text("6")
    notebook.page.wait_for_timeout(600)  # until the notebook is saved
    assert "s3cret" not in notebook.page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})")
    assert "s3cret" not in notebook.page.content()


def test_stop_works_while_a_question_waits(notebook):
    cell = notebook.run(ASK)
    expect(cell.get_by_label("Who are you?")).to_be_focused()
    notebook.stop.click()
    expect(cell).to_have_attribute("data-state", "stopped")
    expect(cell.locator(".nb-question")).to_be_hidden()
    expect(output(notebook.ran("1 + 1"))).to_have_text("2")


def test_tab_completes_a_tables_columns(notebook):
    notebook.ran(TABLE)
    expect(notebook.badge).to_have_text("Ready")
    cell = notebook.add("'\U0001f984'; df.sepal_")
    keyboard = notebook.page.keyboard
    keyboard.press("Tab")
    options = cell.get_by_role("option")
    expect(options).to_have_text(["sepal_length", "sepal_width"])
    keyboard.press("ArrowDown")
    keyboard.press("ArrowDown")
    keyboard.press("Tab")
    expect(options).to_have_count(0)
    assert notebook.codes()[-1] == "'\U0001f984'; df.sepal_width"
    keyboard.press("Control+Enter")
    expect(output(cell)).to_contain_text("2.0")


def test_typing_offers_completions_and_enter_stays_a_new_line(notebook):
    notebook.ran(TABLE)
    expect(notebook.badge).to_have_text("Ready")
    cell = notebook.add("x = df")
    keyboard = notebook.page.keyboard
    keyboard.type(".")
    expect(cell.get_by_role("option").first).to_be_visible()
    keyboard.type("sepal_l")
    expect(cell.get_by_role("option")).to_have_text(["sepal_length"])
    keyboard.press("Enter")
    expect(cell.get_by_role("option")).to_have_count(0)
    assert notebook.codes()[-1].rstrip("\n") == "x = df.sepal_l"
    # Escape closes the list first, then leaves the editor: no trap
    keyboard.type("df.")
    expect(cell.get_by_role("option").first).to_be_visible()
    keyboard.press("Escape")
    expect(cell.get_by_role("option")).to_have_count(0)
    keyboard.press("Escape")
    expect(cell).to_be_focused()
    keyboard.press("Tab")
    expect(cell.get_by_role("button", name="Run")).to_be_focused()


def test_a_run_closes_the_list_of_completions_and_none_opens_after_it(notebook):
    notebook.ran(TABLE)
    expect(notebook.badge).to_have_text("Ready")
    cell = notebook.add("df")
    keyboard = notebook.page.keyboard
    keyboard.type(".")
    expect(cell.get_by_role("option").first).to_be_visible()
    keyboard.type("sepal_length")
    keyboard.press("Control+Enter")
    expect(output(cell)).to_contain_text("1.0")
    notebook.page.wait_for_timeout(700)  # typing asks for completions a moment later
    expect(cell.get_by_role("option")).to_have_count(0)


def test_without_a_kernel_the_words_of_the_cell_are_offered(notebook):
    cell = notebook.add("sepal_height = 1\nsepal_")
    notebook.page.keyboard.press("Tab")
    expect(cell.get_by_role("option")).to_have_text(["sepal_height"])
    cell = notebook.add("table.sep")
    notebook.page.keyboard.press("Tab")
    expect(cell.locator(".nb-doc")).to_contain_text("Completions come from the kernel: run a cell first")


def test_shift_tab_shows_documentation_as_text_and_dedents_at_a_lines_start(notebook):
    notebook.ran('def area(width, height=2):\n    "Width times <img src=x>."\n    return width * height')
    expect(notebook.badge).to_have_text("Ready")
    cell = notebook.add("area(3)")
    keyboard = notebook.page.keyboard
    keyboard.press("ArrowLeft")
    keyboard.press("Shift+Tab")
    shown = cell.locator(".nb-doc")
    expect(shown).to_contain_text("area(width, height=2)")
    expect(shown).to_contain_text("Width times <img src=x>.")
    assert "\x1b" not in shown.inner_text()
    keyboard.press("Escape")
    expect(shown).to_have_count(0)
    expect(cell.locator(".cm-content")).to_be_focused()
    keyboard.press("Home")
    keyboard.press("Tab")
    assert notebook.codes()[-1] == "    area(3)"
    keyboard.press("Shift+Tab")
    assert notebook.codes()[-1] == "area(3)"
