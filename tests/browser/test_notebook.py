"""The notebook in a real browser over real kernels."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from urllib.parse import urlsplit

from playwright.sync_api import expect

from components.web import PLACE
from tests.browser.notebook_pane import OTHER_TASK, TASK, Notebook, output


def test_starter_code_reads_the_tasks_files(notebook):
    first = notebook.cells.first
    expect(first.locator(".cm-content")).to_contain_text("pd.read_")
    first.focus()
    notebook.page.keyboard.press("Shift+Enter")
    expect(first).to_have_attribute("data-state", "ok")
    expect(first.frame_locator("iframe").locator("tbody tr")).to_have_count(5)
    expect(notebook.cells).to_have_count(2)  # Shift+Enter on the last cell adds one


def test_run_all_waits_for_the_starter_code(new_visitor):
    """A route of Playwright's holds the answer back on its way; the app is the real one."""
    page = new_visitor()
    held = []

    def hold_starter(route):
        held.append(route) if "starter_code" in (route.request.post_data or "") else route.continue_()

    page.route("**/component_server/", hold_starter)
    with page.expect_request(lambda request: "starter_code" in (request.post_data or "")):
        page.locator(f".tasks li[data-task={TASK}]").click()
    notebook = Notebook(page)
    page.get_by_role("button", name="Run all").click()
    expect(notebook.cells.first).not_to_contain_text("read_csv")
    expect(page.get_by_text("No cell holds code to run.")).to_have_count(0)
    held[0].continue_()
    expect(notebook.cells.first).to_have_attribute("data-state", "ok")
    expect(notebook.cells.first).to_contain_text("read_csv")


def test_run_all_says_where_there_is_nothing_to_run(notebook):
    notebook.cells.first.get_by_text("read_csv").click()
    notebook.page.keyboard.press("Control+A")
    notebook.page.keyboard.press("Delete")
    notebook.page.get_by_role("button", name="Run all").click()
    expect(notebook.page.get_by_text("No cell holds code to run.")).to_be_visible()


def test_outputs_of_every_kind(notebook):
    progress = notebook.ran(
        "for i in range(3): print(f'\\r{i}', end='')\nimport sys; print('careful', file=sys.stderr)"
    )
    expect(progress.locator(".nb-stdout")).to_have_text("2")
    expect(progress.locator(".nb-stderr")).to_have_text("careful\n")
    failed = notebook.ran("def f(x): return 1 / x\nf(0)", state="error")
    expect(output(failed)).to_contain_text("ZeroDivisionError: division by zero")
    picture = notebook.ran("import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.show()")
    expect(picture.locator("img")).to_have_js_property("complete", True)
    assert picture.locator("img").evaluate("image => image.naturalWidth") > 100
    figure = notebook.ran("import plotly.express as px\npx.scatter(x=[1, 2], y=[3, 4])")
    figure.scroll_into_view_if_needed()
    expect(figure.frame_locator("iframe").locator("path.point")).to_have_count(2)
    many = notebook.ran("import numpy as np\npx.scatter(x=np.arange(5000), y=np.arange(5000))")
    many.scroll_into_view_if_needed()
    expect(many.frame_locator("iframe").locator("canvas.gl-canvas-context")).not_to_have_count(0)
    big = notebook.ran("from IPython.display import JSON\nJSON({'id': 9007199254740993})")
    expect(output(big)).to_contain_text('"id": 9007199254740993')


def test_displays_are_updated_and_cleared(notebook):
    cell = notebook.ran(
        "from IPython.display import display, clear_output, Markdown\n"
        "shown = display('first', display_id='x')\nprint('gone')\nclear_output(wait=True)\nprint('kept')\n"
        "shown = display('old', display_id='y')"
    )
    expect(output(cell)).to_have_text(re.compile(r"^\s*kept\s*'old'\s*$"))
    notebook.ran("shown.update('new')")
    expect(output(cell)).to_have_text(re.compile(r"^\s*kept\s*'new'\s*$"))


def test_markup_is_cut_off_from_the_page_and_the_network(notebook, app):
    title = notebook.page.title()
    cell = notebook.ran(
        "from IPython.display import HTML\n"
        "HTML('''<p id=\"said\"></p><script>"
        "const said = [];"
        "try { parent.document.title = 'taken'; said.push('page') } catch { said.push('no page') }"
        "try { localStorage.x = 1; said.push('storage') } catch { said.push('no storage') }"
        f"fetch('{app}').then(() => said.push('net'), () => said.push('no net'))"
        ".finally(() => document.getElementById('said').textContent = said.join())</script>''')"
    )
    cell.scroll_into_view_if_needed()
    expect(cell.frame_locator("iframe").locator("#said")).to_have_text("no page,no storage,no net")
    assert notebook.page.title() == title
    assert cell.locator("iframe").get_attribute("sandbox") == "allow-scripts"


def test_a_reload_in_the_middle_of_a_run_loses_and_doubles_nothing(notebook):
    cell = notebook.run("import time\nkept = 41\nfor i in range(40):\n    print('line', i)\n    time.sleep(0.05)")
    expect(output(cell)).to_contain_text("line 5\n")
    notebook.page.reload()
    again = Notebook(notebook.page)
    cell = again.cells.nth(1)
    expect(cell).to_have_attribute("data-state", "ok")
    assert output(cell).inner_text().split("\n")[:40] == [f"line {i}" for i in range(40)]
    answer = again.ran("kept + 1")  # the same kernel
    expect(output(answer)).to_have_text("42")
    again.page.reload()
    expect(output(Notebook(again.page).cells.last)).to_have_text("42")


def test_a_cell_goes_on_while_another_task_is_shown(notebook):
    notebook.run("import time\nfor i in range(10):\n    print('line', i)\n    time.sleep(0.1)")
    choose = f"task => import(new URL('{PLACE}/workbench.js', document.baseURI)).then(m => m.workbench.choose(task))"
    notebook.page.evaluate(choose, OTHER_TASK)
    expect(notebook.cells).to_have_count(1)
    notebook.page.wait_for_timeout(1500)
    notebook.page.evaluate(choose, notebook.task)
    expect(notebook.cells).to_have_count(2)
    expect(notebook.cells.last).to_have_attribute("data-state", "ok")
    assert output(notebook.cells.last).inner_text().split("\n")[:10] == [f"line {i}" for i in range(10)]


def test_stop_ends_the_run_and_drops_what_waits(notebook):
    busy = notebook.run("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)")
    expect(output(busy)).to_contain_text("on")
    waits = notebook.run("print('never')")
    expect(waits).to_have_attribute("data-state", "waiting")
    expect(notebook.badge).to_have_text("Running")
    notebook.stop.click()
    expect(busy).to_have_attribute("data-state", "stopped")
    expect(waits).to_contain_text("stopped before its turn")
    expect(notebook.stop).to_be_disabled()
    expect(output(notebook.ran("1 + 1"))).to_have_text("2")


def test_a_running_cell_is_stopped_by_its_own_button_where_it_stands(notebook):
    busy = notebook.run("import time\nprint('on', flush=True)\nwhile True: time.sleep(0.1)")
    expect(output(busy)).to_contain_text("on")
    busy.get_by_role("button", name="Stop this cell").click()
    expect(busy).to_have_attribute("data-state", "stopped")
    expect(busy.get_by_role("button", name="Run", exact=True)).to_be_enabled()
    expect(busy.get_by_role("button", name="Stop this cell")).to_have_count(0)
    busy.focus()
    notebook.page.keyboard.press("Control+Enter")
    expect(output(busy)).to_contain_text("on")
    notebook.page.keyboard.press("i")
    notebook.page.keyboard.press("i")
    expect(busy).to_have_attribute("data-state", "stopped")


def test_run_all_stops_at_the_first_error_and_says_so(notebook):
    notebook.page.keyboard.press("Escape")
    for code in ("x = 1", "x / 0", "print('never')"):
        notebook.add(code)
    notebook.page.get_by_role("button", name="Run all").click()
    expect(notebook.cells.nth(2)).to_have_attribute("data-state", "error")
    expect(notebook.cells.nth(3)).to_contain_text("Not run: an earlier cell failed.")
    expect(output(notebook.cells.nth(3))).to_be_hidden()


def test_a_long_traceback_shows_its_last_line_also_after_a_reload(notebook):
    code = "import pandas as pd\npd.read_csv('../input/none of these.csv', storage_options=None)"
    box = notebook.ran(code, "error").locator(".nb-scroll")
    for _ in range(2):
        expect(box).to_contain_text("No such file or directory")
        hidden = box.evaluate(
            "box => [box.scrollHeight > box.clientHeight, box.scrollHeight - box.clientHeight - box.scrollTop]"
        )
        assert hidden == [True, 0]
        notebook.page.reload()
        box = notebook.cells.last.locator(".nb-scroll")


def test_a_dead_kernel_is_said_and_the_next_run_works(notebook):
    dead = notebook.ran("import os, time\nprint('before', flush=True)\ntime.sleep(0.5)\nos._exit(1)", state="died")
    expect(dead.locator(".notice")).to_contain_text("kernel stopped")
    expect(output(dead)).to_contain_text("before")
    expect(output(notebook.ran("1 + 1"))).to_have_text("2")


def test_restart_is_asked_first_and_keeps_cells(notebook):
    cell = notebook.ran("kept = 5\nkept")
    restart = notebook.page.get_by_role("button", name="Restart", exact=True)
    restart.click()
    notebook.page.get_by_role("button", name="Cancel").click()
    expect(output(notebook.ran("kept"))).to_have_text("5")
    restart.click()
    notebook.page.get_by_role("button", name="Restart the kernel").click()
    expect(notebook.page.locator(".notebook .card > .notice").first).to_contain_text("variables are gone")
    expect(output(notebook.ran("kept", state="error"))).to_contain_text("NameError")
    expect(output(cell)).to_have_text("5")


def test_every_cell_command_by_keyboard(notebook):
    keyboard = notebook.page.keyboard
    expect(notebook.cells.first).to_contain_text("read_csv")  # the starter code has come
    notebook.cells.first.focus()
    keyboard.press("Enter")
    keyboard.press("Control+a")
    keyboard.insert_text("first = 1")
    keyboard.press("Escape")
    expect(notebook.cells.first).to_be_focused()
    keyboard.press("b")
    keyboard.insert_text("second")
    keyboard.press("Escape")
    keyboard.press("a")
    keyboard.insert_text("between")
    assert notebook.codes() == ["first = 1", "between", "second"]
    keyboard.press("Escape")
    keyboard.press("Alt+ArrowUp")
    assert notebook.codes() == ["between", "first = 1", "second"]
    keyboard.press("j")
    keyboard.press("d")
    keyboard.press("d")
    assert notebook.codes() == ["between", "second"]
    keyboard.press("z")
    assert notebook.codes() == ["between", "first = 1", "second"]
    keyboard.press("Tab")  # out of the cell's text: to its Run button
    expect(notebook.cells.nth(1).get_by_role("button", name="Run")).to_be_focused()
    tools = notebook.cells.nth(1).get_by_role("toolbar").locator("[tabindex='0'], :focus")
    for key in ("Tab", "ArrowLeft", "ArrowRight", "ArrowRight"):
        keyboard.press(key)
    expect(tools).to_have_accessible_name("Move cell up")
    expect(tools).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Tab")
    expect(notebook.cells.nth(2).get_by_role("button", name="Run")).to_be_focused()
    notebook.page.reload()
    expect(Notebook(notebook.page).cells).to_have_count(3)
    assert notebook.codes() == ["between", "first = 1", "second"]


def test_an_empty_cell_has_no_number_and_long_lines_pass_under_the_line_numbers(notebook):
    cell = notebook.ran("")
    expect(cell.locator(".nb-mark")).to_have_text("[ ]")
    long = notebook.add("a_long_line = 1 + " * 40)
    gutters, editor = (
        long.locator(part).evaluate("each => [getComputedStyle(each).backgroundColor, getComputedStyle(each).opacity]")
        for part in (".cm-gutters", ".cm-editor")
    )
    assert gutters == editor
    notebook.page.keyboard.press("Home")
    expect(long.locator(".nb-editor .more-columns.after")).to_be_visible()


def test_tab_indents_only_inside_the_editor(notebook):
    notebook.add("x")
    notebook.page.keyboard.press("Home")
    notebook.page.keyboard.press("Tab")
    assert notebook.codes()[-1] == "    x"


def test_the_last_output_as_an_answer(notebook):
    for code, text, label in (
        ("'it\\'s'", "it's", r"Out\[1\]"),
        ("import numpy as np\nprint('noise')\nnp.float64(2.5)", "2.5", r"Out\[2\]"),
        ("import pandas as pd\npd.Timestamp('2020-02-29')", "2020-02-29 00:00:00", r"Out\[3\]"),
        ("[1, 'a', np.float64(2.5)]", "1, a, 2.5", r"Out\[4\]"),
        ("('it\\'s',)", "it's", r"Out\[5\]"),
        ("['a, b', 'c']", "['a, b', 'c']", r"Out\[6\]"),
        ("[[1, 2], [3]]", "[[1, 2], [3]]", r"Out\[7\]"),
        ("(1+2j)", "(1+2j)", r"Out\[8\]"),
        ("print('a')\nprint('  7.5 ')\nprint()", "7.5", r"last line printed by cell \[9\]"),
    ):
        notebook.ran(code)
        found = notebook.last_output()
        assert found["text"] == text
        assert re.fullmatch(label, found["label"])


def test_a_full_storage_drops_the_oldest_outputs_and_keeps_code(new_visitor):
    notebook = Notebook(new_visitor(f"?task={TASK}"))
    notebook.page.evaluate(
        """() => {
          for (const [name, saved] of [['old', 1], ['newer', 2]]) {
            localStorage.setItem('workbench.cells:' + name, JSON.stringify({saved, cells: [{id: 'a', code: name}]}));
            localStorage.setItem('workbench.outputs:' + name, JSON.stringify('x'.repeat(2_500_000)));
          }
        }"""
    )
    cell = notebook.ran("print('y' * 299_000)")
    expect(output(cell)).to_contain_text("yyy")
    notebook.page.wait_for_function("localStorage['workbench.outputs:old'] === undefined")
    kept = notebook.page.evaluate("Object.keys(localStorage).sort()")
    assert {"workbench.cells:old", "workbench.cells:newer", "workbench.outputs:newer"} <= set(kept)
    notebook.page.reload()
    expect(output(Notebook(notebook.page).cells.last)).to_contain_text("yyy")


class Cable:
    """A loopback relay to the app that can be pulled out and put back."""

    def __init__(self, url):
        parts = urlsplit(url)
        self._target = (parts.hostname, parts.port)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ends = []
        self.plugged = True
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}/"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                if not self.plugged:
                    near.close()
                    continue
                far = socket.create_connection(self._target)
                self._ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._relay, args=(one, other), daemon=True).start()

    def _relay(self, one, other):
        with contextlib.suppress(OSError):
            while part := one.recv(65536):
                other.sendall(part)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def pull(self):
        self.plugged = False
        for end in self._ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self._listener.close()
        self.pull()


def test_a_lost_connection_is_said_and_nothing_is_lost(new_visitor, app):
    with contextlib.closing(Cable(app)) as cable:
        notebook = Notebook(new_visitor(f"?task={TASK}", base=cable.url))
        cell = notebook.run("import time\nfor i in range(30):\n    print('line', i)\n    time.sleep(0.1)")
        expect(output(cell)).to_contain_text("line 3\n")
        cable.pull()
        expect(cell.locator(".notice")).to_contain_text("Connection lost; the cell goes on running.")
        cable.plugged = True
        expect(cell).to_have_attribute("data-state", "ok")
        expect(cell.locator(".notice")).to_be_hidden()
        assert output(cell).inner_text().split("\n")[:30] == [f"line {i}" for i in range(30)]


def test_the_next_cell_stays_in_sight_below_the_outputs_of_the_one_run(new_visitor):
    notebook = Notebook(new_visitor(f"?task={TASK}", height=700))
    expect(notebook.cells.first).to_contain_text("read_csv")
    notebook.page.locator("h1").evaluate("heading => heading.focus()")
    notebook.page.keyboard.press("n")
    expect(notebook.page.get_by_role("button", name="Notebook pane")).to_be_in_viewport()
    notebook.page.keyboard.press("Shift+Enter")
    expect(notebook.cells.first.frame_locator("iframe").locator("tbody tr")).to_have_count(5)
    expect(notebook.cells.nth(1)).to_be_in_viewport(ratio=1)


def test_what_a_cell_at_the_lower_edge_gives_comes_into_sight(new_visitor):
    notebook = Notebook(new_visitor(f"?task={TASK}", height=700))
    expect(notebook.cells.first).to_contain_text("read_csv")
    for _ in range(4):
        notebook.add("1\n2\n3")
    cell = notebook.run("print('visible?')")
    expect(output(cell)).to_have_text("visible?\n")
    expect(output(cell)).to_be_in_viewport(ratio=1)


def test_a_wide_table_of_a_cell_shows_where_it_goes_on(notebook):
    cell = notebook.ran("import pandas as pd\npd.DataFrame([range(90)])")
    page = cell.frame_locator("iframe").locator("html")
    expect(page).to_have_class("onward")
    page.locator("#output").evaluate("output => { output.scrollLeft = output.scrollWidth; }")
    expect(page).to_have_class("moved")


def test_a_path_of_the_agent_prompt_is_told_apart_from_the_notebooks(notebook):
    cell = notebook.ran("open('/home/user/input/none.csv')", state="error")
    expect(cell.locator(".notice")).to_contain_text("here, /home/user/input is ../input")
    expect(notebook.ran("open('none.csv')", state="error").locator(".notice")).to_be_hidden()


def test_printed_text_that_goes_on_sideways_shows_where(notebook):
    short = notebook.ran("print('short')")
    wide = notebook.ran("print('short')\nprint('wide ' * 40)")
    back, onward = (output(wide).locator(f".more-columns.{side}") for side in ("before", "after"))
    expect(onward).to_be_visible()
    expect(back).to_be_hidden()
    wide.locator(".nb-text").evaluate("text => { text.scrollLeft = text.scrollWidth; }")
    expect(back).to_be_visible()
    expect(onward).to_be_hidden()
    expect(output(short).locator(".more-columns.after")).to_be_hidden()


def test_a_phone_has_no_sideways_scroll(new_visitor):
    notebook = Notebook(new_visitor(f"?task={TASK}", width=390))
    notebook.ran("print('x' * 250)\nimport pandas as pd\npd.DataFrame([range(40)])")
    assert notebook.page.evaluate("document.documentElement.scrollWidth") <= 390
