"""Every kind of file in the data pane: opened by mouse and by keyboard; what can't be is a sentence."""

import io
import pickle
import re
import sqlite3
import zipfile

import h5py
import numpy as np
import pytest
from openpyxl import Workbook
from PIL import Image
from playwright.sync_api import expect

from tests.folder_source import row, write_rows
from tests.served_app import served_app

WIDE_COLUMNS = 5000
LONG_ROWS = 300_000
HOSTILE_NAMES = ["<b>bold</b>", "${document.title='ran'}", "{{7*7}}", "ab\u202edc"]
HOSTILE_CELLS = [
    "<img src=x onerror=\"document.title='ran'\">",
    "${7*7}",
    "</script><script>document.title='ran'",
    "x\u200by",
]


def picture():
    made = io.BytesIO()
    Image.new("RGB", (64, 40), (30, 120, 200)).save(made, "PNG")
    return made.getvalue()


def bundle():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("data/a.csv", "x,y\n1,2\n3,4\n")
        archive.writestr("readme.txt", "hello\n")
    return made.getvalue()


def store():
    made = io.BytesIO()
    with h5py.File(made, "w") as file:
        file["group/values"] = np.arange(12.0).reshape(4, 3)
    return made.getvalue()


def database():
    with sqlite3.connect(":memory:") as base:
        base.executescript(
            "create table people(id integer, name text); insert into people values (1, 'Ann'), (2, null);"
            "create view names as select name from people;"
        )
        return base.serialize()


def workbook():
    made, book = io.BytesIO(), Workbook()
    book.active.title = "first"
    book.active.append(["a"])
    book.active.append([1])
    second = book.create_sheet("<second>")
    second.append(["b"])
    second.append(["two"])
    book.save(made)
    return made.getvalue()


def quoted(cells):
    return ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)


def wide():
    lines = (",".join(str(line * column) for column in range(WIDE_COLUMNS)) for line in (1, 2))
    return "\n".join([",".join(f"m{column}" for column in range(WIDE_COLUMNS)), *lines]) + "\n"


def long():
    return "id,value\n" + "".join(f"n{number},{number * 7 % LONG_ROWS}\n" for number in range(LONG_ROWS))


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """The app over one task with a file of each kind."""
    folder = tmp_path_factory.mktemp("kinds")
    files = {
        "hostile.csv": f"{quoted(HOSTILE_NAMES)}\n{quoted(HOSTILE_CELLS)}\n".encode(),
        "picture.png": picture(),
        "bundle.zip": bundle(),
        "store.h5": store(),
        "base.sqlite": database(),
        "book.xlsx": workbook(),
        "junk.bin": bytes(range(256)) * 8,
        "model.pkl": pickle.dumps({"a": 1}),
        "empty.csv": b"",
        "broken.png": picture()[:60],
        "wide.csv": wide().encode(),
        "long.csv": long().encode(),
    }
    named = row("kinds", bucket_prefix="p", files=[*files])
    source = write_rows(
        folder / "source",
        {"train": [named], "test": [row("t")], "eval": [row("e")]},
        {f"p/{name}": content for name, content in files.items()},
    )
    with served_app({"TASKS_SOURCE": str(source)}, folder / "cache") as (url, _):
        yield url


@pytest.fixture(scope="module")
def data(one_visitor, kinds):
    """One page for all: a test chooses its file, and no two change the same."""
    return one_visitor("?task=kinds", base=kinds).get_by_role("region", name="Data", exact=True)


@pytest.fixture
def opened(data):
    """Choose a file; gives the pane."""

    def choose(name):
        data.get_by_label("File", exact=True).select_option(name)
        return data

    return choose


def press(data, *keys):
    for key in keys:
        data.page.keyboard.press(key)


def number_of_active(data):
    return data.locator(".rows .active").locator("xpath=..").locator("th")


def test_names_and_cells_that_are_code_stay_text(opened):
    data = opened("hostile.csv")
    expect(data.locator("thead .name")).to_have_text([*HOSTILE_NAMES[:3], "ab⟨U+202E⟩dc"])
    expect(data.locator("tbody td")).to_have_text([*HOSTILE_CELLS[:3], "x⟨U+200B⟩y"])
    data.get_by_role("button", name="Column <b>bold</b>").click()
    press(data, "ArrowDown")
    expect(data.get_by_role("button", name="Sort descending")).to_be_focused()
    press(data, "ArrowDown", "ArrowDown")
    expect(data.get_by_role("button", name="Copy name as Python")).to_be_focused()
    expect(data.get_by_role("dialog", name="Column").locator("p.mono")).to_have_text("'<b>bold</b>'")
    press(data, "Escape")
    expect(data.locator(".rows img, .rows script, .rows b")).to_have_count(0)
    assert data.page.title() == "SmolDataEnvs Workbench"


def test_a_picture_is_shown_with_its_size(opened):
    image = opened("picture.png").get_by_role("img", name="The image picture.png")
    expect(image).to_be_visible()
    assert image.evaluate("image => image.decode().then(() => [image.naturalWidth, image.naturalHeight])") == [64, 40]
    expect(opened("picture.png").get_by_text("PNG, 64 × 40 pixels")).to_be_visible()


def test_members_of_an_archive_open_by_click_and_by_keyboard_and_lead_back(opened):
    data = opened("bundle.zip")
    data.get_by_role("button", name="readme.txt").click()
    expect(data.locator("tbody td")).to_have_text(["hello"])
    data.get_by_role("button", name="Back to the contents").click()
    expect(data.locator("tbody tr")).to_have_count(2)
    expect(data.get_by_role("grid")).to_be_focused()
    press(data, "Control+Home", "Enter")
    expect(data.locator("tbody td")).to_have_text(["1", "2", "3", "4"])
    expect(data.get_by_role("grid")).to_be_focused()
    press(data, "ArrowDown", "ArrowRight")
    expect(data.locator(".rows .active")).to_have_text("4")


def test_an_array_of_an_hdf5_file_opens_from_its_contents(opened):
    data = opened("store.h5")
    expect(data.locator("tbody tr")).to_have_count(2)
    data.get_by_role("button", name="/group/values").click()
    expect(data.get_by_text("4 rows × 3 columns")).to_be_visible()
    expect(data.locator("tbody tr").last.locator("td")).to_have_text(["9.0", "10.0", "11.0"])
    expect(data.get_by_label("Sheet or table")).to_have_value("/group/values")


def test_views_of_a_database_and_sheets_of_a_workbook_are_chosen_by_name(opened):
    data = opened("base.sqlite")
    expect(data.locator("tbody td")).to_have_text(["1", "Ann", "2", "∅"])
    data.get_by_label("Sheet or table").select_option("names")
    expect(data.locator("tbody td")).to_have_text(["Ann", "∅"])
    opened("book.xlsx").get_by_label("Sheet or table").select_option("<second>")
    expect(data.locator("tbody td")).to_have_text(["two"])


def test_what_is_no_table_is_told(opened):
    data = opened("junk.bin")
    expect(data.locator("tbody tr").first.locator("td").nth(1)).to_have_text(" ".join(f"{n:02x}" for n in range(16)))
    hexes = data.locator("tbody tr").first.locator("td").nth(1)
    assert hexes.evaluate("cell => cell.scrollWidth <= cell.clientWidth")
    opened("model.pkl")
    expect(
        data.get_by_text(re.compile("runs the code it holds.*Open it in the kernel if you trust it"))
    ).to_be_visible()
    expect(data.get_by_role("grid")).to_be_hidden()
    opened("empty.csv")
    expect(data.get_by_text("The file is empty.")).to_be_visible()
    opened("broken.png")
    expect(data.get_by_text(re.compile("The image is broken"))).to_be_visible()
    expect(data.get_by_role("button", name="Try again")).to_be_visible()


def test_the_last_of_5000_columns_is_reached_and_columns_are_chosen(opened):
    data = opened("wide.csv")
    expect(data.get_by_text("2 rows × 5,000 columns")).to_be_visible()
    table = data.get_by_role("grid")
    table.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    last = data.locator('td[aria-colindex="5001"]')
    expect(last).to_have_text(["4999", "9998"])
    expect(data.locator("thead .name").last).to_have_text("m4999")
    expect(data.locator("thead .dtype").last).to_have_text("int estimated")
    assert data.locator("thead th").count() < 60
    data.get_by_role("button", name="Columns", exact=True).click()
    box = data.get_by_role("dialog", name="Columns")
    box.get_by_label("Search columns").fill("m49")
    press(data, "Shift+Tab")
    expect(box.locator(":focus")).to_have_text("m4999")  # round, not out of the box
    box.get_by_role("button", name="Hide these").click()
    press(data, "Escape")
    expect(data.get_by_role("button", name="Columns", exact=True)).to_be_focused()
    expect(data.get_by_text("111 hidden columns")).to_be_visible()  # m49, m490 to m499, m4900 to m4999


@pytest.mark.long
def test_any_of_300000_rows_is_reached_sorted_and_found(opened):
    data = opened("long.csv")
    table = data.get_by_role("grid")
    expect(data.get_by_text("300,000 rows × 2 columns")).to_be_visible()
    for share, expected in ((1, LONG_ROWS - 1), (0.5, None)):
        table.evaluate("(box, share) => { box.scrollTop = share * (box.scrollHeight - box.clientHeight); }", share)
        line = data.locator("tbody tr").last
        at = expected if expected is not None else LONG_ROWS // 2
        cell = data.locator("tbody td", has_text=re.compile(f"^n{at}$"))
        expect(cell).to_be_visible(timeout=60_000)  # once the whole file is copied
        expect(cell.locator("xpath=..").locator("td").nth(1)).to_have_text(str(at * 7 % LONG_ROWS))
        assert line.evaluate("line => line.getBoundingClientRect().height") == 26
    data.get_by_role("button", name="Column value").click()
    data.get_by_role("button", name="Sort descending").click()
    expect(data.locator("tbody td").nth(1)).to_have_text("299999")
    status = data.get_by_role("status").filter(has_text="Sorted by value, descending. 300,000 of 300,000 rows")
    expect(status).to_have_count(1)
    field = data.get_by_label("Find in file")
    field.fill("n123456")
    field.press("Enter")
    expect(data.locator(".rows .active")).to_have_text("n123456")
    expect(number_of_active(data)).to_have_text("123,457")
    data.get_by_label("Go to row").fill("300000")
    data.get_by_label("Go to row").press("Enter")
    expect(data.locator(".rows .active").locator("xpath=..").locator("td").nth(1)).to_have_text("0")


def test_a_column_is_made_wider_by_keyboard_and_a_cells_dialog_gives_the_focus_back(opened):
    data = opened("hostile.csv")
    expect(data.locator("tbody td")).to_have_count(4)
    table = data.get_by_role("grid")
    table.focus()
    first = data.locator("thead th").nth(1)
    before = first.evaluate("cell => cell.offsetWidth")
    press(data, "Control+Home", "Shift+ArrowRight", "Shift+ArrowRight", "Shift+ArrowLeft")
    expect(first).to_have_css("width", f"{before + 24}px")
    press(data, "Enter")
    expect(data.get_by_role("dialog", name="The whole cell").locator("pre")).to_have_text(HOSTILE_CELLS[0])
    press(data, "Escape")
    expect(table).to_be_focused()


def test_warnings_are_one_line_on_a_phone(new_visitor, kinds):
    page = new_visitor("?task=kinds", base=kinds, width=390)
    data = page.get_by_role("region", name="Data", exact=True)
    line = data.locator(".warnings summary")
    expect(line).to_have_text(re.compile(r"^\d+ warnings?$"))
    expect(data.get_by_role("list", name="Warnings")).to_be_hidden()
    line.click()
    expect(data.get_by_role("list", name="Warnings").get_by_role("listitem")).to_have_count(
        int(line.inner_text().split()[0])
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
