"""The list that comes with the page: text that can't end its script, and none where it can't be had."""

import json

from starlette.datastructures import QueryParams

from components.page_head import first_list_in


def test_what_is_asked_is_the_address_and_no_text_ends_the_script():
    asked = []

    def search(request):
        asked.append(request)
        return {"rows": ["</script><!-- é \ud800"]}

    text = first_list_in(search)(QueryParams("split=a&p=2&split=b"))
    assert asked == [{"split": "a", "p": "2", "page": "2"}]
    assert "<" not in text and text.isascii()
    assert json.loads(text) == search({})


def test_a_list_that_fails_leaves_the_page_whole(caplog):
    def search(_):
        raise OSError("the disk is gone")

    assert first_list_in(search)(QueryParams("")) == "null"
    assert "the disk is gone" in caplog.text
