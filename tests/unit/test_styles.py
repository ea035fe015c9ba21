"""The sheets of the panes are nested in the page's own, where some rules would say nothing without a word."""

import re

import pytest

from components.web import SHEETS


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_what_has_no_place_within_a_pane_stands_in_the_pages_sheet(sheet):
    rules = re.findall(r"([^{}]+)\{", re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.S))
    assert rules
    for rule in rules:
        assert not re.match(r"\s*(@keyframes|@font-face|@import|:root|html|body|\.gradio-container)\b", rule), rule
        assert not re.match(r"\s*(\.dark|\[data-)(?! & )", rule), f"{rule}: what is outside the panes stands before &"
