"""A real Chromium over the real app. Both end with this package: what comes after has its event loop to itself."""

from __future__ import annotations

import shutil
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.browser.notebook_pane import MORE_TASKS, TASK, Notebook
from tests.served_app import served_app

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="package")
def chromium():
    path = shutil.which("chromium")
    assert path, "Debian's chromium is missing: run `make test`, which installs it"
    expect.set_options(timeout=15_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def app(tmp_path_factory):
    """The app on the bundled tasks: its address."""
    with served_app({"KERNEL_MAX": "8"}, tmp_path_factory.mktemp("cache")) as (url, _):
        yield url


@contextmanager
def visitors(chromium, app):
    contexts, errors = [], []

    def open_page(query="", *, base=None, width=1440, height=900, **options):
        context = chromium.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((base or app) + query)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not errors


@pytest.fixture
def new_visitor(chromium, app):
    """Open a page as a visitor of their own; the test fails on any error of the page's scripts."""
    with visitors(chromium, app) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def one_visitor(chromium, app):
    """The same for a page that all tests of a file have: to be left as it was found, or put back before each."""
    with visitors(chromium, app) as open_page:
        yield open_page


@pytest.fixture(scope="module")
def notebook_pane(one_visitor):
    return Notebook(one_visitor(f"?task={TASK}"))


@pytest.fixture(scope="module")
def tasks():
    return iter(MORE_TASKS)


@pytest.fixture
def notebook(notebook_pane, tasks):
    """The notebook of a task that was not opened before, with its starter code, on a page that a file's tests share."""
    notebook_pane.open(next(tasks))
    return notebook_pane


@pytest.fixture
def page(new_visitor):
    return new_visitor()
