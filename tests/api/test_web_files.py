"""The page's own scripts as browsers get them: small, and kept for good."""

import re
import urllib.error
import urllib.request

import pytest

from components.web import FIRST, FOLDER, PLACE, PLOTLY
from tests.served_app import served_app


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with served_app({"KERNEL_WAITING": "0"}, tmp_path_factory.mktemp("cache")) as (url, _):
        yield url


def fetched(url, path):
    request = urllib.request.Request(f"{url}{path}", headers={"Accept-Encoding": "gzip"})
    with urllib.request.urlopen(request) as answer:
        return answer.headers, answer.read()


@pytest.mark.parametrize("path", [FOLDER / "task_browser.js", FOLDER / "codemirror.js", PLOTLY])
def test_scripts_come_packed_under_a_name_of_their_content(url, path):
    headers, packed = fetched(url, f"{PLACE}/{path.name}")
    assert headers["Content-Encoding"] == "gzip" and headers.get_content_subtype() == "javascript"
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert len(packed) < path.stat().st_size / 2


def test_a_file_that_is_not_there_is_not_found(url):
    for name in ("nothing.js", "..%2Flayout.py", "%2Fetc%2Fpasswd"):
        with pytest.raises(urllib.error.HTTPError) as told:
            urllib.request.urlopen(f"{url}{PLACE}/{name}")
        assert told.value.code == 404


def test_what_is_drawn_first_is_asked_for_with_the_page_and_the_rest_after(url):
    with urllib.request.urlopen(url) as answer:
        page = answer.read().decode()
    links = {name: kind for kind, name in re.findall(rf'<link ([^ >]+) href="{PLACE}/(\w+\.js)"', page)}
    at_once = {name for name, kind in links.items() if kind == "rel=modulepreload"}
    assert at_once >= {f"{name}.js" for name in FIRST} | {"workbench.js", "progress.js"}
    assert not {"notebook.js", "grader_lab.js", "data_table.js"} & at_once
    assert links.keys() == {path.name for path in FOLDER.glob("*.js")} - {"codemirror.js", "markdown.js"}
    for name in at_once:  # nothing that these import is found out late
        imported = set(re.findall(r"from '\./(\w+\.js)'", (FOLDER / name).read_text()))
        assert imported <= at_once, name
