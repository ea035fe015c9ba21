"""Outputs aimed at the page: in a real Chromium, nothing of it is touched, and nothing goes out to the network."""

from __future__ import annotations

import contextlib
import secrets
import shutil
import time

import pytest
from playwright.sync_api import Error, sync_playwright

from components.web import PLACE
from tests.browser.conftest import QUIET
from tests.sandbox.attacks.page import PAYLOADS, TAKE, TEMPLATES
from tests.sandbox.visitor import FIRST_SECONDS, TASK

SHOWN_MS = 1000
CONTROL_SECONDS = 10.0
MESSAGES = """<script>
for (const message of [{height: 1e12}, {height: -1}, {ready: true}, null, 7, {height: {}}, {dark: 1}])
  for (let i = 0; i < 1000; i++) parent.postMessage(message, '*')
</script>"""


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield opened
        opened.close()


class Watched:
    """A page in a context of its own, and every sign of a word in it or sent from it."""

    def __init__(self, browser, listeners, url):
        self.listeners = listeners
        self.home = url
        self.context = browser.new_context()
        self.page = self.context.new_page()
        self.dialogs = []
        self.context.on("page", lambda page: page.on("dialog", self._on_dialog))
        self.page.on("dialog", self._on_dialog)
        self.page.goto(url, wait_until="domcontentloaded")

    def _on_dialog(self, dialog):
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def signs(self, word):
        """Where the word turned up; `away` when the page itself is another."""
        found = [f"dialog {each}" for each in self.dialogs if word in each]
        if word.encode() in self.listeners.heard:
            found.append("network")
        with contextlib.suppress(Error):
            if not self.page.url.startswith(self.home):
                found.append("away")
            kept = self.page.evaluate("() => [document.title, document.cookie, ...Object.keys(localStorage)].join()")
            if word in kept:
                found.append("page")
        return found

    def close(self):
        self.context.close()


def aimed(markup, listeners, word):
    return markup.replace("WORD", word).replace("PLACE", f"127.0.0.1:{listeners.places['tcp']}")


@pytest.fixture(scope="module")
def not_cut_off(scene, browser):
    """The control: where each payload is seen when its frame shares the app's origin."""
    side = scene.confined
    watched = Watched(browser, side.listeners, f"{side.url}{PLACE}/workbench.css")
    words = {payload.name: secrets.token_hex(8) for payload in PAYLOADS}
    for payload in PAYLOADS:
        watched.page.evaluate(
            "markup => { document.body.append(Object.assign(document.createElement('iframe'), {srcdoc: markup})) }",
            aimed(payload.markup, side.listeners, words[payload.name]),
        )
    end = time.monotonic() + CONTROL_SECONDS
    while not all(watched.signs(word) for word in words.values()) and time.monotonic() < end:
        watched.page.wait_for_timeout(100)
    found = {name: watched.signs(word) for name, word in words.items()}
    watched.close()
    return found


@pytest.fixture(scope="module")
def notebook(scene, browser):
    """The app's page on a task, with its kernel started."""
    watched = Watched(browser, scene.confined.listeners, f"{scene.confined.url}?task={TASK}")
    watched.page.locator(".nb-cell").first.wait_for()
    run(watched.page, "1", FIRST_SECONDS)
    yield watched
    watched.close()


def run(page, code, seconds=20):
    page.get_by_role("button", name="+ Cell").click()
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    cell = page.locator(".nb-cell").last
    page.wait_for_function(
        "cell => ['ok', 'error'].includes(cell.dataset.state)", arg=cell.element_handle(), timeout=seconds * 1000
    )
    cell.scroll_into_view_if_needed()
    return cell


@pytest.fixture(scope="module")
def cut_off(scene, notebook):
    """Where each payload is seen when a cell shows it."""
    words = {payload.name: secrets.token_hex(8) for payload in PAYLOADS}
    bundles = [
        {kind: aimed(payload.markup, scene.confined.listeners, words[payload.name])}
        for payload in PAYLOADS
        for kind in payload.kinds
    ]
    run(notebook.page, f"for bundle in {bundles!r}: display(bundle, raw=True)")
    notebook.page.wait_for_timeout(SHOWN_MS)
    return {name: notebook.signs(word) for name, word in words.items()}


@pytest.mark.parametrize("name", [payload.name for payload in PAYLOADS])
def test_an_output_reaches_neither_page_nor_network(not_cut_off, cut_off, name):
    assert not_cut_off[name], "the control"
    assert cut_off[name] == []


def test_text_is_no_template_and_no_markup_wherever_it_stands(scene, notebook):
    word = secrets.token_hex(8)
    texts = [aimed(each, scene.confined.listeners, word) for each in [*TEMPLATES, TAKE]]
    run(
        notebook.page,
        f"""
import sys
for text in {texts!r}:
    print(text); print(text, file=sys.stderr); print('\\x1b[31m' + text)
    print('\\x1b]8;;javascript:' + text + '\\x07' + text + '\\x1b]8;;\\x07')
    display(text)
    display({{text: text, 'text/plain': text}}, raw=True, metadata={{text: text}}, display_id=text)
raise type('<b>' + text, (Exception,), {{}})(text)
""",
    )
    notebook.page.wait_for_timeout(SHOWN_MS)
    assert notebook.signs(word) == []


def test_a_frame_s_messages_neither_break_the_page_nor_make_it_endless(notebook):
    errors = []
    notebook.page.on("pageerror", lambda error: errors.append(str(error)))
    before = notebook.page.evaluate("document.documentElement.scrollHeight")
    run(notebook.page, f"display({{'text/html': {MESSAGES!r}}}, raw=True)")
    notebook.page.wait_for_timeout(SHOWN_MS)
    assert notebook.page.evaluate("document.documentElement.scrollHeight") < before + 5000
    assert errors == []
    assert run(notebook.page, "1 + 1").locator(".nb-items").inner_text() == "2"
