"""What the browser gets: the app's own files and Gradio's, whole and small, and kept for good."""

import re
from pathlib import Path

import httpx
import pytest
from gradio.route_utils import BUILD_PATH_LIB

from components.web import FIRST, FOLDER, PLACE, PLOTLY, STYLES
from tests.served_app import served_app

GRADIO = Path(BUILD_PATH_LIB)
INDEX = re.search(r"assets/(index-\w+\.js)", (GRADIO.parent / "index.html").read_text())[1]
FILES = {
    f"{PLACE}/task_browser.js": FOLDER / "task_browser.js",
    f"{PLACE}/codemirror.js": FOLDER / "codemirror.js",
    f"{PLACE}/{PLOTLY.name}": PLOTLY,
    f"assets/{INDEX}": GRADIO / INDEX,
}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served_app({"KERNEL_WAITING": "0"}, tmp_path_factory.mktemp("cache")) as (url, _):
        yield url


@pytest.mark.parametrize("address", FILES)
@pytest.mark.parametrize("packing", ["gzip", "identity"])
def test_scripts_come_whole_packed_where_that_is_taken_under_a_name_of_their_content(url, address, packing):
    path = FILES[address]
    answer = httpx.get(url + address, headers={"Accept-Encoding": packing})
    assert answer.content == path.read_bytes()
    assert answer.headers.get("Content-Encoding", "identity") == packing
    if packing == "gzip":
        assert int(answer.headers["Content-Length"]) < path.stat().st_size / 2
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert answer.headers["Content-Type"].partition(";")[0].endswith("/javascript")


def test_all_sheets_come_as_one(url):
    answer = httpx.get(f"{url}{PLACE}/{STYLES}")
    assert answer.headers["Content-Type"].partition(";")[0] == "text/css"
    for sheet in FOLDER.glob("*.css"):
        assert sheet.read_text() in answer.text


def test_every_file_the_page_asks_for_is_one_that_is_held(url):
    page = httpx.get(url).text
    asked = re.findall(r"""(?:src|href)="[^"]*?((?:assets|web/\w+)/[\w.-]+)\"""", page)
    assert {each.partition("/")[0] for each in asked} == {"assets", "web"}
    for each in asked:
        assert "immutable" in httpx.get(url + each).headers["Cache-Control"], each


@pytest.mark.parametrize("place", [PLACE, "assets"])
def test_a_file_that_is_not_there_is_not_found(url, place):
    for name in ("nothing.js", "..%2Flayout.py", "..%2Findex.html", "%2e%2e/index.html", "%2Fetc%2Fpasswd"):
        assert httpx.get(f"{url}{place}/{name}").status_code == 404


def test_what_is_drawn_first_is_asked_for_with_the_page_and_the_rest_after(url):
    page = httpx.get(url).text
    links = {name: kind for kind, name in re.findall(rf'<link ([^ >]+) href="{PLACE}/(\w+\.js)"', page)}
    at_once = {name for name, kind in links.items() if kind == "rel=modulepreload"}
    assert at_once >= {f"{name}.js" for name in FIRST} | {"workbench.js", "progress.js"}
    assert not {"notebook.js", "grader_lab.js", "data_table.js"} & at_once
    assert links.keys() == {path.name for path in FOLDER.glob("*.js")} - {"codemirror.js", "markdown.js"}
    for name in at_once:  # nothing that these import is found out late
        imported = set(re.findall(r"from '\./(\w+\.js)'", (FOLDER / name).read_text()))
        assert imported <= at_once, name
