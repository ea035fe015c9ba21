"""The notebook pane as tests use it."""

from __future__ import annotations

from playwright.sync_api import expect

from components.web import PLACE

# of the bundled suite
TASK = "demo_iris_qa_1"
OTHER_TASK = "demo_tips_qa_1"
TABLES = {"gapminder": 7, "stocks": 4, "election": 4, "breast_cancer": 4, "diabetes": 3, "linnerud": 3, "co2": 3}
MORE_TASKS = [f"demo_{name}_qa_{number}" for name, count in TABLES.items() for number in range(1, count + 1)]


class Notebook:
    """The pane as a person at the keyboard has it."""

    def __init__(self, page):
        self.page = page
        self.cells = page.locator(".nb-cell")
        self.stop = page.get_by_role("button", name="Stop", exact=True)
        self.badge = page.locator(".nb-kernel")
        expect(self.cells.first).to_be_visible()

    @property
    def task(self):
        return self.page.evaluate("new URLSearchParams(location.search).get('task')")

    def open(self, task):
        """Leave for a task that was not opened before, and wait for its starter code."""
        self._of_page(f"workbench.open('{task}')")
        expect(self.page.locator(".task_view .mono").first).to_have_text(task)
        expect(self.cells).to_have_count(1)
        expect(self.cells.first).to_contain_text("read_csv")

    def add(self, code):
        """A new last cell with `code`; returns its locator."""
        self.page.get_by_role("button", name="+ Cell").click()
        self.page.keyboard.insert_text(code)
        return self.cells.nth(self.cells.count() - 1)

    def run(self, code):
        cell = self.add(code)
        self.page.keyboard.press("Control+Enter")
        return cell

    def ran(self, code, state="ok"):
        cell = self.run(code)
        expect(cell).to_have_attribute("data-state", state)
        return cell

    def last_output(self):
        return self._of_page("workbench.notebook.lastOutput()")

    def _of_page(self, what):
        return self.page.evaluate(f"import(new URL('{PLACE}/workbench.js', document.baseURI)).then(m => m.{what})")

    def codes(self):
        return [cell.locator(".cm-content").inner_text() for cell in self.cells.all()]


def output(cell):
    return cell.locator(".nb-items")
