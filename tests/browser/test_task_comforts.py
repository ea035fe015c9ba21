"""Beside a task: how it wants its answer, commands to copy, a report, and a gold that stays out of both."""

import subprocess
import sys
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.folder_source import row, write_rows
from tests.hub_files import on_hub
from tests.loopback_hub import COMMIT
from tests.served_app import served_app

GOLD = "48291.7"


@pytest.fixture(scope="module")
def doubtful(tmp_path_factory):
    """The app over a dataset of a Hub, with one task whose gold is not of the kind asked for."""
    folder = tmp_path_factory.mktemp("doubtful")
    task = row("odd", question="Which country sold the most?", answer=GOLD, instruction="Find it.\nAnswer as: a name")
    write_rows(folder / "tasks", {"train": [task], "test": [row("t")], "eval": [row("e")]})
    with on_hub(folder, {"a.csv": b"a\n1\n"}) as found:
        found.hub.datasets["someone/tasks"] = (folder / "tasks").resolve()
        settings = {
            "TASKS_SOURCE": "hub",
            "TASKS_DATASET": "someone/tasks",
            "TASKS_REVISION": COMMIT,
            "HF_ENDPOINT": found.hub.url,
        }
        with served_app(settings, folder / "cache") as (url, _):
            yield url


def test_the_answers_form_stands_beside_the_question(new_visitor):
    page = new_visitor("?task=demo_tips_qa_2")
    expect(page.locator(".answer-as")).to_contain_text("a percentage with the % sign, such as 12.3%")
    expect(page.locator(".answer-as")).to_contain_text("(the prompt’s words)")
    page = new_visitor("?task=demo_iris_qa_1")
    expect(page.locator(".answer-as")).to_contain_text("one number; a number within 0.1% or 0.001 of the gold counts")
    expect(page.locator(".answer-as")).to_contain_text("(derived from the reward mode)")


def test_the_copied_call_grades_an_answer(new_visitor):
    page = new_visitor("?task=demo_iris_qa_1", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".commands summary").click()
    page.get_by_role("button", name="Copy: Grade an answer").click()
    call = page.evaluate("navigator.clipboard.readText()").replace("your answer", "5.552")
    ran = subprocess.run([sys.executable, "-c", call], capture_output=True, text=True, timeout=60)
    assert ran.stdout.splitlines()[-1] == "1.0 exact", ran.stderr
    page.get_by_role("button", name="Copy link").click()
    assert page.evaluate("navigator.clipboard.readText()") == page.url


def test_a_report_is_filled_in_and_holds_the_gold_only_once_it_was_seen(new_visitor, doubtful):
    page = new_visitor("?task=odd", base=doubtful)
    expect(page.locator(".task_view .notice.warn")).to_contain_text("Doubtful gold. The gold is not of the kind")
    assert GOLD not in page.content()
    page.locator(".report summary").click()
    page.get_by_label("What is wrong").select_option("The gold looks wrong")
    page.get_by_label("In your words").fill("I get “France” & 3 others")
    link = page.get_by_role("link", name="Open it on the Hub")

    def filled_in():
        link.focus()
        where = urlsplit(link.get_attribute("href"))
        assert (where.netloc, where.path) == ("huggingface.co", "/datasets/someone/tasks/discussions/new")
        return {name: value for name, (value,) in parse_qs(where.query).items()}

    report = filled_in()
    assert report["title"] == "The gold looks wrong: odd"
    for part in ("I get “France” & 3 others", COMMIT, "> Which country sold the most?", "split train"):
        assert part in report["description"]
    assert GOLD not in report["description"]
    page.get_by_role("button", name="Reveal gold").click()
    expect(page.get_by_role("region", name="Grade")).to_contain_text(GOLD)
    page.get_by_label("In your words").fill("still")
    assert f"> {GOLD}" in filled_in()["description"]


def test_the_answer_box_comes_before_the_gold(new_visitor):
    page = new_visitor("?task=demo_iris_qa_1")
    page.get_by_label("Your answer").focus()
    for expected in ("Grade", "Use last output", "Use answer.txt", "Reveal gold"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == expected
