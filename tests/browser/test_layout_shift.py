"""The page as it loads: what one looks at stays where it is."""

import pytest

# Of a shift nobody's key or click caused: https://web.dev/articles/cls. Up to 0.1 is good.
WATCHED = """
window.shifted = 0;
new PerformanceObserver(list => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({type: 'layout-shift', buffered: true});
"""
GOOD = 0.1
DRAWN = {
    "": ".task_browser li[data-task]",
    "?task=demo_tips_qa_1": ".nb-cell",
    "?view=lab": ".grader_lab .card",
    "?view=about": ".about_tasks .card",
}


EVERY = [(query, width) for query in DRAWN for width in (390, 1024, 1440)]
SHORT = [
    ("", 390),
    ("?task=demo_tips_qa_1", 390),
    ("?task=demo_tips_qa_1", 1440),
    ("?view=about", 1024),
    ("?view=lab", 390),
]


@pytest.mark.parametrize(
    ("query", "width"), [pytest.param(*each, marks=[] if each in SHORT else pytest.mark.long) for each in EVERY]
)
def test_the_page_hardly_moves_as_it_loads(chromium, app, query, width):
    context = chromium.new_context(viewport={"width": width, "height": 900})
    context.add_init_script(WATCHED)
    page = context.new_page()
    page.goto(app + query)
    page.locator(DRAWN[query]).first.wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(500)
    shifted = page.evaluate("window.shifted")
    context.close()
    assert shifted < GOOD


@pytest.mark.parametrize("width", [390, 1440])
def test_a_task_that_comes_after_the_panes_below_it_moves_none_of_them(chromium, app, width):
    """A route of Playwright's holds the answer back on its way; the app is the real one."""
    context = chromium.new_context(viewport={"width": width, "height": 900})
    context.add_init_script(WATCHED)
    page = context.new_page()

    held = []

    def pass_on(route):
        held.append(route) if "read_task" in route.request.post_data else route.continue_()

    page.route("**/component_server/", pass_on)
    page.goto(f"{app}?task=demo_tips_qa_1")
    page.locator(".notebook .card").wait_for()
    for route in held:
        route.continue_()
    page.locator(".nb-cell").first.wait_for()
    page.wait_for_load_state("networkidle")
    shifted = page.evaluate("window.shifted")
    context.close()
    assert shifted < GOOD
