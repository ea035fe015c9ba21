"""What the grade panel says of a verdict."""

from playwright.sync_api import expect


def test_a_symbolic_match_on_parts_of_the_texts_says_which(new_visitor):
    page = new_visitor("?task=demo_stocks_qa_1", width=390)
    expect(page.locator(".data_preview table")).to_be_visible()  # what still loads above would move the panel
    expect(page.locator(".notebook .cm-editor")).to_be_visible()
    page.get_by_label("Your answer").fill("2018-01-01")
    page.get_by_label("Your answer").press("Enter")
    verdict = page.locator(".grade_panel [data-outcome]")
    expect(verdict).to_have_attribute("data-method", "math_verify")
    expect(verdict).to_contain_text("It read 2018 in the gold and 2018 in the answer.")
    expect(verdict).to_be_in_viewport(ratio=1)
