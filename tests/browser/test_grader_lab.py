"""The grader lab: graded as one types, by address, and copied out again."""

import json

import pytest
from playwright.sync_api import expect

# label of the example → the rung it shows
EXAMPLES = {
    "Same text but for case and spaces": "exact",
    "A number within tolerance": "numeric",
    "A fraction given as a percentage": "numeric_scaled",
    "A list in another order": "list",
    "Equal as mathematics": "math_verify",
    "No rung: a miss": "miss",
    "Another day of the same year": "numeric",
    "Only the first part was read": "math_verify",
    "Another unit": "math_verify",
    "A label for its number": "math_verify",
    "A range for its first number": "numeric",
    "Equal once rounded to six decimals": "math_verify",
    "A percentage nobody asked for": "numeric_scaled",
    "A decimal comma read as thousands": "numeric",
    "A prefix": "miss",
    "A full stop": "miss",
    "A minus that is none": "miss",
    "True for yes": "miss",
    "Semicolons in a list": "miss",
}


@pytest.fixture
def lab(new_visitor):
    return new_visitor("?view=lab", permissions=["clipboard-read", "clipboard-write"])


def verdict(page):
    return page.locator(".grader_lab [data-outcome]")


def copied(page, button):
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    return page.evaluate("navigator.clipboard.readText()")


def test_each_example_shows_its_rung_and_what_there_is_to_say(lab):
    expect(lab.locator("#lab-example option")).to_have_text(["Load an example…", *EXAMPLES])
    for label, method in EXAMPLES.items():
        lab.get_by_label("Examples").select_option(label=label)
        doubt = label in list(EXAMPLES)[6:14]
        form = label in list(EXAMPLES)[14:]
        expect(lab.get_by_label("Examples").locator("option:checked")).to_have_text(label)
        expect(verdict(lab)).to_have_attribute("data-method", method)
        expect(lab.locator(".grader_lab [data-caution]").first).to_be_visible(visible=doubt)
        expect(lab.locator(".grader_lab [data-near-miss]").first).to_be_visible(visible=form)


def test_it_grades_while_one_types_and_says_what_it_can_not_read(lab):
    lab.get_by_label("Gold").fill("100")
    lab.get_by_label("Answer", exact=True).press_sequentially("105")
    expect(verdict(lab)).to_have_attribute("data-outcome", "wrong")
    lab.get_by_label("Relative tolerance").fill("0.05")
    expect(verdict(lab)).to_have_attribute("data-method", "numeric")
    lab.get_by_label("Relative tolerance").fill("five")
    expect(lab.locator(".grader_lab")).to_contain_text("Relative tolerance: a tolerance is a number, zero or more.")


def test_a_suggested_answer_is_tried_by_a_click(lab):
    lab.get_by_label("Gold").fill("yes")
    lab.get_by_label("Answer", exact=True).fill("ANSWER: yes")
    expect(verdict(lab)).to_have_attribute("data-outcome", "wrong")
    lab.locator(".grader_lab [data-near-miss] .suggested").first.click()
    expect(lab.get_by_label("Answer", exact=True)).to_have_value("yes")
    expect(verdict(lab)).to_have_attribute("data-method", "exact")


def test_a_case_leaves_as_a_link_as_json_and_as_python(lab, new_visitor):
    gold, answer = 'a "b" & ü', "x=1 # ?\\"
    lab.get_by_label("Gold").fill(gold)
    lab.get_by_label("Answer", exact=True).fill(answer)
    lab.get_by_label("Reward mode", exact=True).select_option("flexible")
    expect(verdict(lab)).to_have_attribute("data-outcome", "wrong")
    case = {"gold": gold, "prediction": answer, "reward_mode": "flexible", "atol": 0.001, "rtol": 0.001}
    assert json.loads(copied(lab, "Copy as test case")) == case
    lab.wait_for_timeout(1600)
    called = {}
    call = copied(lab, "Copy as Python")
    assert call.startswith("# grade is the reference grader")
    exec(call, {"grade": lambda *args, **named: called.update(args=args, named=named)})
    assert called == {
        "args": (gold, answer),
        "named": {"reward_mode": "flexible", "rel_tol": 0.001, "abs_tol": 0.001},
    }
    lab.wait_for_timeout(1600)
    link = copied(lab, "Copy link")
    other = new_visitor(base=link)
    expect(other.get_by_label("Gold")).to_have_value(gold)
    expect(other.get_by_label("Answer", exact=True)).to_have_value(answer)
    expect(verdict(other)).to_have_attribute("data-outcome", "wrong")


def test_a_graded_task_opens_in_the_lab_and_back_leads_to_the_task(new_visitor):
    page = new_visitor("?task=demo_iris_qa_1")
    page.get_by_label("Your answer").fill("5.6")
    page.get_by_label("Your answer").press("Enter")
    page.get_by_role("button", name="Open in the grader lab").click()
    expect(page.get_by_role("textbox", name="Gold", exact=True)).to_have_value("5.552")
    expect(verdict(page)).to_have_attribute("data-outcome", "wrong")
    page.get_by_role("link", name="Tasks", exact=True).click()
    expect(page.get_by_role("heading", name="mean petal length")).to_be_visible()
    expect(page.locator(".grader_lab")).not_to_be_visible()
    page.go_back()
    expect(page.get_by_role("textbox", name="Gold", exact=True)).to_have_value("5.552")
