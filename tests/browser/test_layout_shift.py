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
