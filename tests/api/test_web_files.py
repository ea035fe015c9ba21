"""What the browser gets: the app's own files and Gradio's, whole, packed where it takes that, and kept for good."""

import re
from pathlib import Path

import httpx
import pytest
from gradio.route_utils import BUILD_PATH_LIB

from components.web import FOLDER, PLACE
from tests.served_app import served_app

SCRIPT = re.search(r"assets/(index-\w+\.js)", Path(BUILD_PATH_LIB, "..", "index.html").read_text())[1]


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served_app({}, tmp_path_factory.mktemp("cache")) as (url, _):
        yield url


@pytest.mark.parametrize(
    ("address", "file"),
    [(f"{PLACE}/workbench.js", FOLDER / "workbench.js"), (f"assets/{SCRIPT}", Path(BUILD_PATH_LIB) / SCRIPT)],
)
@pytest.mark.parametrize("packing", ["gzip", "identity"])
def test_a_script_comes_whole_and_may_be_kept_for_good(url, address, file, packing):
    answer = httpx.get(url + address, headers={"Accept-Encoding": packing})
    assert answer.content == file.read_bytes()
    assert answer.headers.get("content-encoding", "identity") == packing
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.headers["content-type"].partition(";")[0].endswith("/javascript")


def test_every_script_the_page_asks_for_is_one_that_is_held(url):
    page = httpx.get(url).text
    asked = re.findall(r"""(?:src|href)="[^"]*?((?:assets|web/\w+)/[\w.-]+)\"""", page)
    assert {each.partition("/")[0] for each in asked} == {"assets", "web"}
    for each in asked:
        assert "immutable" in httpx.get(url + each).headers["cache-control"], each


@pytest.mark.parametrize("name", ["no-such.js", "..%2findex.html", "%2e%2e/index.html"])
def test_no_other_file_is_served_beside_gradios(url, name):
    assert httpx.get(f"{url}assets/{name}").status_code == 404
