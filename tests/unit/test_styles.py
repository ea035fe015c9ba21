"""The style sheets survive what Gradio does to them: it prefixes every selector, cutting the list at each comma."""

import re
from pathlib import Path

import pytest

WEB = Path(__file__).resolve().parents[2] / "assets" / "web"


@pytest.mark.parametrize("sheet", sorted(WEB.glob("*.css")), ids=lambda path: path.name)
def test_no_comma_stands_inside_a_selectors_brackets(sheet):
    selectors = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S))
    assert selectors
    for selector in selectors:
        if not selector.strip().startswith("@"):
            assert not re.search(r":(is|where|not|has)\([^)]*,", selector), selector.strip()
