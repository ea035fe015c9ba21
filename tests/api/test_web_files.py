"""The page's own scripts as browsers get them: small, and kept for good."""

import urllib.request

import pytest

from components.web import FOLDER, LATER, PLACE, PLOTLY
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


def test_what_draws_the_page_is_asked_for_at_once(url):
    with urllib.request.urlopen(url) as answer:
        page = answer.read()
    for path in FOLDER.glob("*.js"):
        assert (f'href="{PLACE}/{path.name}"'.encode() in page) == (path.name not in LATER), path.name
