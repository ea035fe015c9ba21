"""What the page says of itself where its link is shared, and in a browser's tab."""

import io
import re
import urllib.request

from PIL import Image

from components.web import PLACE


def fetched(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.headers.get_content_type(), answer.read()


def test_a_shared_link_shows_the_apps_own_words_and_picture(app):
    page = fetched(app)[1].decode()
    said = re.findall(r'<meta (?:property|name)="((?:og|twitter):[^"]+)" content="([^"]*)"', page)
    words = dict(said)
    assert len(said) == len(words)
    assert (words["og:title"], words["og:url"]) == ("SmolDataEnvs Workbench", app)
    assert "<title>SmolDataEnvs Workbench</title>" in page
    kind, picture = fetched(words["og:image"])
    assert words["og:image"].startswith(app)
    assert (kind, Image.open(io.BytesIO(picture)).size) == ("image/png", (1200, 630))


def test_the_tab_has_an_icon_of_the_apps_own(app):
    assert f'rel="icon" type="image/svg+xml" href="{PLACE}/icon.svg"' in fetched(app)[1].decode()
    assert fetched(f"{app}{PLACE}/icon.svg")[0] == "image/svg+xml"
    assert Image.open(io.BytesIO(fetched(app + "favicon.ico")[1])).size == (512, 512)
