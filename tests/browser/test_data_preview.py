"""Looking at a task's data: files, sheets, pages, and values that must stay text."""

import pytest
from playwright.sync_api import expect

from tests.folder_source import row, write_rows
from tests.served_app import served_app

HOSTILE = "<img src=x onerror=\"document.title='ran'\"> ${document.title='ran'}"
MANY = "id,note\n" + "".join(f"{number:03d},{HOSTILE}\n" for number in range(120))
SHORT = "a,b\n1,\n2\n" + "3," + "long " * 100 + "\n"


@pytest.fixture(scope="module")
def awkward(tmp_path_factory):
    """The app over one task with a long, a short and a broken file."""
    folder = tmp_path_factory.mktemp("awkward")
    files = {"p/many.csv": MANY.encode(), "p/short.csv": SHORT.encode(), "p/broken.parquet": b"PAR1" + bytes(100)}
    named = row("awkward", bucket_prefix="p", files=["many.csv", "short.csv", "broken.parquet"])
    write_rows(folder / "source", {"train": [named], "test": [row("t")], "eval": [row("e")]}, files)
    with served_app({"TASKS_SOURCE": str(folder / "source")}, folder / "cache") as (url, _):
        yield url


@pytest.fixture
def data(new_visitor, awkward):
    page = new_visitor("?task=awkward", base=awkward)
    return page.get_by_role("region", name="Data", exact=True)


def test_rows_stand_as_in_the_file(data):
    first = data.locator("tbody tr").first
    expect(first.locator("td")).to_have_text(["000", HOSTILE])
    expect(data.locator("thead th .dtype")).to_have_text(["int estimated", "text estimated"])
    expect(data.get_by_text("120 rows × 2 columns")).to_be_visible()
    assert data.page.title() == "SmolDataEnvs Workbench"


def test_a_file_named_in_the_task_opens_in_a_folded_pane_too(data):
    expect(data.locator("tbody td").first).to_have_text("000")
    data.get_by_role("button", name="Data pane").click()
    expect(data.locator("tbody td").first).to_be_hidden()
    data.page.locator(".task_view .files").get_by_role("button", name="short.csv").click()
    expect(data.get_by_label("File", exact=True)).to_have_value("short.csv")
    expect(data.locator("tbody td").first).to_have_text("1")
    expect(data.locator("tbody td").first).to_be_in_viewport()
    expect(data.get_by_role("grid")).to_be_focused()
    data.page.locator("h1").click()
    data.page.keyboard.press("d")
    expect(data.get_by_role("grid")).to_be_focused()


def test_missing_is_told_from_blank_and_a_long_cell_opens_whole(data):
    data.get_by_label("File", exact=True).select_option("short.csv")
    cells = data.locator("tbody td")
    expect(cells).to_have_count(6)
    expect(cells.nth(1)).to_have_text("")
    expect(cells.nth(3)).to_have_text("∅")
    cell = cells.nth(5).get_by_role("button")
    assert len(cell.inner_text()) < 130
    cell.click()
    whole = data.get_by_role("dialog", name="The whole cell")
    expect(whole.locator("pre")).to_have_text("long " * 100, use_inner_text=False)
    expect(whole.get_by_text("500 characters")).to_be_visible()


@pytest.mark.parametrize(
    ("task", "tables", "second", "facts", "first_row"),
    [
        ("demo_wine_qa_1", ["samples", "chemistry"], "chemistry", "178 rows × 14 columns", ["1", "14.23", "1.71"]),
        ("demo_modechoice_qa_1", ["travellers", "modes", "offers"], "modes", "4 rows × 2 columns", ["1", "air"]),
    ],
)
def test_sheets_and_tables_of_one_file_are_chosen_by_name(new_visitor, task, tables, second, facts, first_row):
    data = new_visitor(f"?task={task}").get_by_role("region", name="Data", exact=True)
    chooser = data.get_by_label("Sheet or table")
    expect(chooser.locator("option")).to_have_text(tables)
    expect(chooser).to_have_value(tables[0])
    chooser.select_option(second)
    expect(data.get_by_text(facts)).to_be_visible()
    first = data.locator("tbody tr").first.locator("td")
    assert first.all_text_contents()[: len(first_row)] == first_row
    expect(chooser).to_have_value(second)
    data.page.reload()
    expect(data.get_by_text(facts)).to_be_visible()
    expect(chooser).to_have_value(second)


def test_a_broken_file_is_a_sentence_and_the_others_still_open(data):
    data.get_by_label("File", exact=True).select_option("broken.parquet")
    expect(data.get_by_text("The parquet file is broken")).to_be_visible()
    expect(data.get_by_role("button", name="Try again")).to_be_visible()
    data.get_by_label("File", exact=True).select_option("short.csv")
    expect(data.locator("tbody tr")).to_have_count(3)


def test_use_in_notebook_writes_the_reader_into_a_cell(data):
    expect(data.locator("tbody tr").first).to_be_visible()
    data.get_by_role("button", name="Use in notebook").first.click()
    cell = data.page.locator(".notebook .cm-content").last
    expect(cell).to_contain_text("many = pd.read_csv('../input/many.csv', dtype={'id': str})")
    expect(cell).to_be_in_viewport()


def test_use_in_notebook_shows_the_cell_that_reads_the_file_already(new_visitor):
    page = new_visitor("?task=demo_gapminder_qa_1")
    cell = page.locator(".notebook .cm-content")
    expect(cell).to_contain_text("read_csv('../input/gapminder.csv')")
    page.get_by_role("button", name="Use in notebook").first.click()
    expect(cell).to_be_focused()
    expect(cell).to_have_count(1)
    expect(cell).to_be_in_viewport()


@pytest.mark.parametrize("width", [390, 1440])
def test_the_table_scrolls_in_its_own_box(new_visitor, awkward, width):
    page = new_visitor("?task=awkward", base=awkward, width=width)
    box = page.get_by_role("grid", name="Rows of the file")
    expect(box.locator("tbody tr").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert box.evaluate("box => box.scrollHeight > box.clientHeight")
