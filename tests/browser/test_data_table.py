"""The table of any size: by keyboard and by scroll bar, names as they are, and the whole file behind it."""

import ast
import itertools
import re
import time

import pytest
from playwright.sync_api import expect

from components.web import PLACE
from tests.folder_source import row, write_rows
from tests.served_app import served_app

LOOKS_LIKE_CITY = "cit\u0443"  # its last letter is Cyrillic
CITIES = ["Paris", "Lyon", "Nice"]
TRIPS = f'id,{LOOKS_LIKE_CITY},"price\n(EUR)"\n' + "".join(
    f"{number:04d},{CITIES[number % 3]},{number * 7 % 1000}.5\n" for number in range(2500)
)
LATE = "id,t\n" + "".join(f"{number},word {number}\n" for number in range(80_000)) + "80000,a,b\n"
WIDE = (
    ",".join(f"m{number}" for number in range(3000))
    + "\n"
    + "".join(",".join(str(line * number) for number in range(3000)) + "\n" for line in range(1, 4))
)
COMMAS = "name;share\n" + "".join(f"n{number};{number},5\n" for number in range(60)) + "last;9,5;stray\n"


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """The app over tasks with a long, a wide and a misleading file each: as many as there are tests."""
    folder = tmp_path_factory.mktemp("many")
    files = {"trips.csv": TRIPS, "wide.csv": WIDE, "commas.csv": COMMAS, "late.csv": LATE}
    named = [row(f"many_{number}", bucket_prefix="p", files=[*files]) for number in range(40)]
    files = {f"p/{name}": text.encode() for name, text in files.items()}
    write_rows(folder / "source", {"train": named, "test": [row("t")], "eval": [row("e")]}, files)
    with served_app({"TASKS_SOURCE": str(folder / "source")}, folder / "cache") as (url, _):
        yield url


@pytest.fixture(scope="module")
def visitor(one_visitor, many):
    return one_visitor(base=many, permissions=["clipboard-read", "clipboard-write"])


@pytest.fixture(scope="module")
def numbers():
    return itertools.count()


@pytest.fixture
def data(visitor, numbers):
    """The pane of a task that was not looked at before."""
    task = f"many_{next(numbers)}"
    visitor.locator(f"[data-task={task}]").click()
    expect(visitor.locator(".task_view .mono").first).to_have_text(task)
    pane = visitor.get_by_role("region", name="Data", exact=True)
    expect(pane.locator("[aria-busy]")).to_have_count(0)
    expect(pane.locator("tbody tr").first.locator("td").first).to_have_text("0000")
    return pane


def cells(data, number):
    """The texts of the row of this number in the file, once they are there."""
    line = data.locator("tbody tr").filter(has=data.page.locator("th", has_text=re.compile(f"^{number:,}$")))
    expect(line.locator(".coming")).to_have_count(0)
    return line.locator("td").all_text_contents()


def copied(data, keys):
    """What the keys put into the clipboard."""
    before = "nothing was copied"
    data.page.evaluate("text => navigator.clipboard.writeText(text)", before)
    data.page.keyboard.press(keys)
    end = time.monotonic() + 10
    while (text := data.page.evaluate("navigator.clipboard.readText()")) == before and time.monotonic() < end:
        data.page.wait_for_timeout(50)
    return text


def test_keys_go_through_rows_and_columns_that_were_never_on_the_page_before(data):
    table = data.get_by_role("grid")
    table.focus()
    data.page.keyboard.press("Control+End")
    expect(table.locator(".active")).to_have_text("493.5")
    expect(table).to_have_attribute("aria-activedescendant", table.locator(".active").get_attribute("id"))
    expect(data.get_by_text("of 2,500", exact=False)).to_be_visible()
    assert table.locator("tbody tr").count() < 40
    assert copied(data, "Control+c") == "493.5"
    data.page.keyboard.press("Control+Home")
    for key in ("PageDown", "ArrowUp", "ArrowRight"):
        data.page.keyboard.press(key)
    expect(table.locator(".active")).to_have_attribute("data-at", "1")
    number = int(table.locator(".active").evaluate("cell => cell.parentElement.dataset.row"))
    assert 5 < number < 30
    expect(table.locator(".active")).to_have_text(CITIES[number % 3])


def test_names_are_shown_with_what_hides_in_them_and_copied_as_python(data):
    head = data.locator("thead th")
    expect(head.nth(3).locator(".name")).to_have_text("price↵(EUR)")
    expect(head.nth(2).get_by_role("img")).to_have_attribute("aria-label", re.compile("U.0443, Cyrillic"))
    data.get_by_role("grid").focus()
    for key in ("ArrowUp", "ArrowRight", "ArrowRight"):
        data.page.keyboard.press(key)
    assert copied(data, "Control+c") == repr("price\n(EUR)")
    data.page.keyboard.press("ArrowDown")
    for _ in range(3):
        data.page.keyboard.press("ArrowLeft")
    assert ast.literal_eval(copied(data, "Control+c")) == {
        "id": "0000",
        LOOKS_LIKE_CITY: "Paris",
        "price\n(EUR)": "0.5",
    }


def test_python_writes_names_the_same_way(data):
    names = [
        "plain",
        "it's",
        'a "b"',
        'it\'s "both"',
        "a\\b\n\r\t",
        "no\u00a0break",
        "\u200b",
        "café",
        "\U0001f600",
        "\x07",
        "\ue000",
    ]
    page_writes = data.page.evaluate(
        f"names => import(new URL('{PLACE}/data_names.js', document.baseURI)).then(m => names.map(m.pythonRepr))",
        names,
    )
    assert page_writes == [repr(name) for name in names]


def test_a_row_is_jumped_to_by_its_number(data):
    field = data.get_by_label("Go to row")
    field.fill("2,001")
    field.press("Enter")
    expect(data.locator(".rows .active").locator("xpath=..").locator("th")).to_have_text("2,001")
    assert cells(data, 2001) == ["2000", "Nice", "0.5"]
    field.fill("9999")
    field.press("Enter")
    expect(data.get_by_text("There are 2,500 rows.")).to_be_visible()


def test_a_click_on_a_columns_name_sorts_by_it_and_leaves_the_table_in_place(data):
    head = data.locator("thead th").nth(1)
    name = head.locator(".name")
    place = "name => Math.round(name.getBoundingClientRect().top)"
    data.page.evaluate("scrollBy(0, 150)")
    before = name.evaluate(place)
    for order in ("ascending", "descending", None):
        name.click()
        if order:
            expect(head).to_have_attribute("aria-sort", order)
        else:
            expect(data.locator("thead th[aria-sort]")).to_have_count(0)
        assert abs(name.evaluate(place) - before) <= 1


def test_a_view_is_kept_while_another_file_is_looked_at(data):
    data.get_by_role("button", name=f"Column {LOOKS_LIKE_CITY}").click()
    data.page.get_by_role("button", name="Hide this column").click()
    expect(data.locator("thead .name")).to_have_text(["id", "price↵(EUR)"])
    data.get_by_label("File", exact=True).select_option("wide.csv")
    expect(data.get_by_text("3 rows × 3,000 columns")).to_be_visible()
    data.get_by_label("File", exact=True).select_option("trips.csv")
    expect(data.locator("thead .name")).to_have_text(["id", "price↵(EUR)"])
    data.get_by_role("button", name="Show 1 hidden column").click()
    expect(data.locator("thead .name")).to_have_count(3)


def test_file_sorting_and_filters_are_kept_on_reload(data):
    data.get_by_label("File", exact=True).select_option("commas.csv")
    data.get_by_role("button", name="Column share").click()
    data.page.get_by_role("button", name="Sort descending").click()
    data.get_by_role("button", name="Column name").click()
    data.page.get_by_label("Value").fill("n1")
    data.page.get_by_label("Value").press("Enter")
    expect(data.locator(".chips").get_by_text("11 of 61 rows")).to_be_visible()
    rows = data.locator("tbody").inner_text()
    data.page.reload()
    expect(data.get_by_label("File", exact=True)).to_have_value("commas.csv")
    expect(data.get_by_role("button", name="Remove: sorted by share, descending")).to_be_visible()
    expect(data.get_by_role("button", name="Remove: name contains n1")).to_be_visible()
    expect(data.locator(".chips").get_by_text("11 of 61 rows")).to_be_visible()
    expect(data.locator("tbody")).to_have_text(rows, use_inner_text=True)


DAMAGED = [
    ("{", "5"),
    ('{"name": "gone.csv", "table": "t"}', "null"),
    ('{"name": "trips.csv", "table": "gone"}', '{"reading": "x"}'),
    ('{"name": "trips.csv", "table": ["t"]}', '{"reading": {"encoding": 5, "delimiter": []}}'),
    ("7", '{"view": {"sort": [{"column": 3}], "filters": []}}'),
    ("[]", '{"view": {"sort": [], "filters": [{"column": 0, "op": "toString", "value": "1"}]}}'),
    ("null", '{"view": {"sort": [], "filters": [{"column": 0, "op": "equals", "value": 1}]}}'),
]


@pytest.mark.long
def test_what_the_tab_keeps_of_a_file_may_be_damaged(data):
    for kept in DAMAGED:
        data.page.evaluate(
            "([place, table]) => { const task = new URLSearchParams(location.search).get('task');"
            " sessionStorage.setItem(`workbench.data.${task}`, place);"
            ' sessionStorage.setItem(`workbench.data.["${task}","trips.csv",""]`, table); }',
            kept,
        )
        data.page.reload()
        expect(data.get_by_text("2,500 rows × 3 columns")).to_be_visible()
        expect(data.locator("tbody tr").first.locator("td").first).to_have_text("0000")
        expect(data.locator(".chips")).to_be_hidden()
        expect(data.locator(".notice")).to_have_count(0)


def test_sorting_and_filters_look_at_the_whole_file(data):
    data.get_by_role("button", name="Column price").click()
    data.page.get_by_role("button", name="Sort descending").click()
    first = data.locator("tbody tr").first
    expect(first.locator("td").last).to_have_text("999.5")
    expect(first.locator("th")).to_have_text("858")  # 857 * 7 % 1000 == 999
    data.get_by_role("button", name=f"Column {LOOKS_LIKE_CITY}").click()
    data.page.get_by_label("Value").fill("lyon")
    data.page.get_by_label("Value").press("Enter")
    expect(data.locator(".chips").get_by_text("833 of 2,500 rows")).to_be_visible()
    expect(first.locator("td")).to_have_text(["1714", "Lyon", "998.5"])
    expect(data.get_by_text("of 833", exact=False).last).to_be_visible()
    data.get_by_role("button", name="Remove: sorted by").press("Enter")
    expect(first.locator("td").first).to_have_text("0001")
    expect(data.get_by_role("grid")).to_be_focused()
    data.get_by_role("button", name="Remove: cit").click()
    expect(first.locator("td").first).to_have_text("0000")


def test_row_numbers_stay_whole_when_few_rows_are_left(data):
    data.get_by_role("button", name="Column id").click()
    expect(data.page.get_by_label("Condition")).to_have_value("equals")  # of a number
    data.page.get_by_label("Condition").select_option("contains")
    data.page.get_by_label("Value").fill("249")
    data.page.get_by_label("Value").press("Enter")
    expect(data.locator(".chips").get_by_text("13 of 2,500 rows")).to_be_visible()
    numbers = data.locator("tbody th")
    expect(numbers.last).to_have_text("2,500")
    assert numbers.last.evaluate("cell => cell.scrollWidth <= cell.clientWidth")


def test_find_goes_from_cell_to_cell_and_counts_them(data):
    field = data.get_by_label("Find in file")
    field.fill("24")
    expected = [at for at, line in enumerate(TRIPS.splitlines()[2:]) if "24" in line]
    hits = sum("24" in cell for line in TRIPS.splitlines()[2:] for cell in line.split(","))
    field.press("Enter")
    status = data.locator(".tools").get_by_role("status")
    expect(status).to_have_text(f"1 of {hits} cells")
    active = data.locator(".rows .active")
    expect(active.locator("xpath=..").locator("th")).to_have_text(str(expected[0] + 1))
    field.press("Enter")
    expect(active.locator("xpath=..").locator("th")).to_have_text(str(expected[1] + 1))
    expect(status).to_have_text(f"2 of {hits} cells")
    field.press("Shift+Enter")
    field.press("Shift+Enter")
    expect(active.locator("xpath=..").locator("th")).to_have_text(f"{expected[-1] + 1:,}")
    expect(status).to_have_text(f"{hits} of {hits} cells")
    field.fill("no such text")
    field.press("Enter")
    expect(data.get_by_text("Not in these rows.")).to_be_visible()


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_a_cell_found_stands_clear_of_the_fade_and_the_box_keeps_its_width(new_visitor, width):
    page = new_visitor("?task=demo_wine_qa_1", width=width)
    data = page.get_by_role("region", name="Data", exact=True)
    data.get_by_label("Sheet or table").select_option("chemistry")
    expect(data.locator("thead .name").nth(1)).to_have_text("alcohol")
    field = data.get_by_label("Find in file")
    boxes = [field.evaluate("box => box.offsetWidth")]
    field.fill("13.2")
    fade = data.locator(".rows-frame > .more-columns")
    status = data.locator(".tools").get_by_role("status")
    for number in range(1, 9):
        field.press("Enter")
        expect(status).to_have_text(re.compile(f"^{number} of "))
        boxes.append(field.evaluate("box => box.offsetWidth"))
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        active = data.locator(".rows .active")
        expect(active).to_contain_text("13.2")
        edge = active.evaluate("cell => cell.getBoundingClientRect().right")
        assert fade.is_hidden() or edge <= fade.evaluate("fade => fade.getBoundingClientRect().left") + 1
    assert len(set(boxes)) == 1


def test_a_text_looked_for_is_looked_for_again_in_another_view(data):
    field, status = data.get_by_label("Find in file"), data.locator(".tools").get_by_role("status")
    active = data.locator(".rows .active")
    field.fill("249")
    field.press("Enter")
    expect(status).to_have_text("1 of 15 cells")
    field.press("Enter")
    expect(status).to_have_text("2 of 15 cells")
    data.get_by_role("button", name="Column id").click()
    data.page.get_by_role("button", name="Sort descending").click()
    expect(status).to_have_text("15 cells")
    expect(data.locator("tbody td").first).to_have_text("2499")
    field.press("Enter")
    expect(active).to_have_text("2499")
    expect(status).to_have_text("1 of 15 cells")
    data.get_by_role("button", name=f"Column {LOOKS_LIKE_CITY}").click()
    data.page.get_by_label("Value").fill("nice")
    data.page.get_by_label("Value").press("Enter")
    expect(status).to_have_text("5 cells of these rows")
    field.press("Enter")
    expect(active).to_have_text("2498")
    expect(status).to_have_text("1 of 5 cells of these rows")
    data.get_by_role("button", name="Remove: sorted by").click()
    expect(status).to_have_text("5 cells of these rows")
    field.press("Enter")
    expect(active).to_have_text("249.5")
    data.get_by_label("Go to row").fill("3")
    data.get_by_label("Go to row").press("Enter")
    expect(active).to_have_text("56.5")
    data.get_by_role("button", name="Remove: cit").click()
    expect(data.locator("tbody tr").first.locator("td").first).to_have_text("0000")
    expect(status).to_have_text("")


def test_a_warning_leads_to_its_row_and_its_cure_into_the_notebook(data):
    data.get_by_label("File", exact=True).select_option("commas.csv")
    ragged = data.locator(".notes li", has_text="More fields than the header")
    ragged.get_by_role("button", name="row 61").click()
    expect(data.locator(".rows .active").locator("xpath=..").locator("td").first).to_have_text("last")
    decimal = data.locator(".notes li", has_text="Decimal commas")
    arguments = decimal.locator("code").first.inner_text().removeprefix("read_csv(…, ").removesuffix(")")
    assert "decimal=','" in arguments
    decimal.get_by_role("button", name="Use in notebook").click()
    expect(data.page.locator(".notebook .cm-content").last).to_contain_text(
        f"commas = pd.read_csv('../input/commas.csv', {arguments})"
    )


def test_a_file_is_read_another_way_and_back(data):
    head = data.locator("thead .name")
    data.get_by_text("How it is read: utf-8, comma").click()
    data.get_by_label("Between fields").select_option(";")
    data.get_by_role("button", name="Read again").click()
    expect(data.get_by_text("Read by your choice: utf-8, semicolon")).to_be_visible()
    expect(head).to_have_count(1)
    data.get_by_role("button", name="Use in notebook").first.click()
    expect(data.page.locator(".notebook .cm-content").last).to_contain_text("sep=';'")
    data.get_by_role("button", name="Back to as found").click()
    expect(head).to_have_count(3)


def test_a_profile_tells_numbers_and_draws_one_column_or_two(data):
    data.get_by_role("button", name="Profile", exact=True).click()
    profile = data.get_by_role("region", name="Profile")
    expect(profile.get_by_role("heading", name="Profile")).to_be_focused()
    expect(profile.get_by_role("columnheader").nth(4)).to_have_text("Min")
    expect(profile.get_by_role("columnheader").nth(5)).to_have_text("Max")
    line = profile.get_by_role("row", name=re.compile("price"))
    expect(line.locator("td").nth(2)).to_have_text("1000")  # 7 and 1,000 have no common divisor
    expect(line.locator("td").nth(3)).to_have_text("0.5")
    expect(data.locator("thead .sparkline")).to_have_count(3)
    line.get_by_role("button").first.click()
    chart = profile.get_by_role("region", name="Chart")
    expect(chart.locator(".barlayer .point").first).to_be_visible()
    chart.get_by_label("Second column").select_option(label=LOOKS_LIKE_CITY)
    expect(chart.locator(".boxlayer .box")).to_have_count(3)
    profile.get_by_role("button", name="Correlations").click()
    expect(chart.locator(".heatmaplayer image")).to_be_visible()


@pytest.mark.parametrize("width", [390, pytest.param(1440, marks=pytest.mark.long)])
def test_a_profile_comes_into_sight_and_cuts_no_number(new_visitor, width):
    page = new_visitor("?task=demo_gapminder_qa_5", width=width)
    data = page.get_by_role("region", name="Data", exact=True)
    data.get_by_role("button", name="Profile", exact=True).click()
    profile = data.get_by_role("region", name="Profile")
    lines = profile.locator("tbody tr")
    expect(lines).to_have_count(7)
    for number, facts in {
        2: ["int", "0", "12", "1952", "2007", "1979.5", "", "1952 · 1965.75 · 1979.5 · 1993.25 · 2007"],
        4: ["int", "0", "1704", "60011", "1318683096", "29601212"],
        5: ["float", "0", "1704", "241.1658765", "113523.1329", "7215.33"],
    }.items():
        assert lines.nth(number).locator("td").all_text_contents()[: len(facts)] == facts
    numbers = profile.locator("tbody tr:nth-child(n+3):nth-child(-n+6) td:not(.spark), .profile-table .value.numeric")
    assert numbers.evaluate_all("cells => cells.every(cell => cell.scrollWidth <= cell.clientWidth)")
    expect(profile.get_by_role("heading", name="Profile")).to_be_in_viewport()
    expect(lines.last.get_by_role("rowheader")).to_be_in_viewport()
    box, more = profile.get_by_role("group", name="Columns"), profile.locator(".more-columns.after")
    expect(more).to_be_visible()
    box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    expect(more).to_be_hidden()
    expect(lines.last.get_by_role("rowheader")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_numbers_of_a_profile_keep_the_figures_that_are_true(data):
    numbers = [1952, 0, -0.5, 2**53, 1.5e300, "12345678901234567890", None]
    written = data.page.evaluate(
        f"numbers => import(new URL('{PLACE}/data_summary.js', document.baseURI)).then(m => numbers.map(m.number))",
        numbers,
    )
    assert written == ["1952", "0", "-0.5", "9.007199254740992e+15", "1.5e+300", "12345678901234567890", ""]


def test_a_head_tells_of_the_first_rows_until_the_whole_file_is_profiled(new_visitor):
    page = new_visitor("?task=demo_gapminder_qa_5")
    data = page.get_by_role("region", name="Data", exact=True)
    country = data.locator("thead .summary").first
    expect(country).to_have_attribute("title", re.compile("^Of the first 1,000 rows: 84 different"))
    expect(data.locator(".facts")).to_contain_text("types and summaries of the first 1,000 rows")
    data.get_by_role("button", name="Profile", exact=True).click()
    expect(country).to_have_attribute("title", "Of the whole file: 142 different · most often 'Afghanistan' (12)")
    expect(data.locator("thead .summary").nth(2)).to_have_text("12 different · 1952 to 2007 …")
    expect(data.locator(".facts")).to_have_text("1,704 rows × 7 columns · types of the first 1,000 rows")
    data.get_by_role("button", name="Column country").click()
    expect(page.get_by_role("dialog", name="Column", exact=True)).to_contain_text("Of the whole file: 142 different")


def test_summaries_use_the_room_there_is_and_end_at_a_phrase(new_visitor):
    for width, texts in {
        1440: [
            "1,000 different · 19580329 to 19770521",
            "222 different · 313.0 to 336.8 · most often '323.1' (11) · 54 blank",
        ],
        390: ["1,000 different …", "222 different · 313.0 to 336.8 …"],
    }.items():
        page = new_visitor("?task=demo_co2_qa_1", width=width)
        data = page.get_by_role("region", name="Data", exact=True)
        summaries = data.locator("thead .summary")
        expect(summaries).to_have_text(texts)
        assert summaries.evaluate_all("all => all.every(each => each.scrollHeight <= each.clientHeight)")
        rows = data.get_by_role("grid")
        assert rows.evaluate("box => box.scrollWidth <= box.clientWidth")
        first, second = data.locator("thead th").nth(1), data.locator("thead th").nth(2)
        before = [each.evaluate("cell => cell.offsetWidth") for each in (first, second)]
        rows.focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Shift+ArrowRight")
        expect(second).to_have_css("width", f"{before[1] + 24}px")
        expect(first).to_have_css("width", f"{before[0]}px")


def test_the_summary_of_text_uses_both_lines(new_visitor):
    page = new_visitor("?task=demo_tips_qa_1")
    texts = page.get_by_role("region", name="Data", exact=True).locator("thead .summary")
    expect(texts).to_have_text(
        [
            "229 different · 3.07 to 50.81 …",
            "123 different · 1.0 to 10.0 …",
            "2 different · 'Male' (157)",
            "2 different · 'No' (151)",
            "4 different · 'Sat' (87)",
            "2 different · 'Dinner' (176)",
            "6 different · 1 to 6 …",
        ]
    )
    assert texts.evaluate_all("all => all.every(each => each.scrollHeight <= each.clientHeight)")


def test_menus_of_columns_are_large_enough_for_a_finger(new_visitor):
    page = new_visitor("?task=demo_tips_qa_1", width=390, has_touch=True, is_mobile=True)
    data = page.get_by_role("region", name="Data", exact=True)
    menus, head = data.locator("thead .column-menu"), data.locator("thead")
    expect(menus.first).to_be_visible()
    sizes = menus.evaluate_all("all => all.map(each => [each.offsetWidth, each.offsetHeight])")
    assert all(min(size) >= 24 for size in sizes)
    assert data.locator("thead .name").evaluate_all("all => all.every(each => each.scrollWidth <= each.clientWidth)")
    cell, active = data.locator("tbody tr").nth(3).locator("td").nth(1), data.locator(".rows .active")
    before = active.element_handle()
    cell.dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})  # as a swipe begins
    assert active.evaluate("(active, before) => active === before", before)
    cell.tap()
    assert cell.evaluate("cell => cell.classList.contains('active')")
    before = head.evaluate("head => head.offsetHeight")
    menus.first.tap()
    page.get_by_role("button", name="Sort descending").tap()
    expect(menus.first).to_have_text("↓")
    assert head.evaluate("head => head.offsetHeight") == before


def test_the_head_keeps_its_height_when_rows_are_sorted(data):
    head = data.locator("thead")
    before = head.evaluate("head => head.offsetHeight")
    data.get_by_role("button", name="Column id").click()
    data.page.get_by_role("button", name="Sort descending").click()
    expect(data.locator("tbody td").first).to_have_text("2499")
    assert head.evaluate("head => head.offsetHeight") == before


def test_columns_of_a_wide_table_are_searched_for(data):
    data.get_by_label("File", exact=True).select_option("wide.csv")
    data.get_by_role("button", name="Columns").click()
    data.page.get_by_label("Search columns").first.fill("m2987")
    data.page.get_by_role("button", name="m2987", exact=True).click()
    expect(data.locator(".rows .active")).to_have_text("2987")
    assert data.locator("tbody tr").first.locator("td").count() < 60


def test_warnings_of_the_first_rows_give_way_to_those_of_every_row(data):
    data.get_by_label("File", exact=True).select_option("late.csv")
    expect(data.get_by_text("types and summaries of the first 1,000 rows", exact=False)).to_be_visible()
    warnings = data.get_by_role("list", name="Warnings")
    ragged = warnings.get_by_text("More fields than the header: row 80,001.")
    expect(ragged).to_be_visible(timeout=30_000)  # found by work of low priority
    expect(warnings.get_by_role("listitem")).to_have_count(1)
    warnings.get_by_role("button", name="row 80,001").click()
    expect(data.get_by_role("grid").locator(".active")).to_have_text("80000")
