"""Puts the panes on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from components.api import public_api
from components.confinement import confinement
from components.data_preview import data_preview
from components.grade_panel import answer_grader, grade_panel
from components.notebook import notebook
from components.starter import starter_for
from components.task_browser import task_browser
from components.task_view import task_view
from services.catalog import Catalog
from services.datafiles import DataFiles
from services.grading import Grader

# System fonts: the page asks no other server for anything.
THEME = gr.themes.Default(
    primary_hue="indigo",
    neutral_hue="slate",
    font=["ui-sans-serif", "system-ui", "sans-serif"],
    font_mono=["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"],
).set(body_text_color_subdued="*neutral_500", body_text_color_subdued_dark="*neutral_400")

MASTHEAD = """
<header class="masthead">
  <h1>SmolDataEnvs Workbench</h1>
  <p>Browse a task, look at its data, solve it in a live kernel, grade the answer.</p>
</header>
"""


def build_page(
    catalog: Catalog,
    datafiles: DataFiles,
    grader: Grader,
    confined: Callable[[], dict[str, Any]],
) -> gr.Blocks:
    """The whole page and its public API. `confined` reports to the pane `confinement`."""
    grade_answer = answer_grader(catalog, grader)
    page: gr.Blocks
    with gr.Blocks(title="SmolDataEnvs Workbench", fill_width=True, analytics_enabled=False) as page:
        gr.HTML(MASTHEAD, apply_default_css=False, elem_id="masthead")
        with gr.Row(elem_id="workbench"):
            with gr.Column(elem_id="browse"):
                task_browser(catalog)
            with gr.Column(elem_id="solve"):
                task_view(catalog, datafiles)
                data_preview(catalog, datafiles)
                notebook(starter_for(catalog, datafiles))
            with gr.Column(elem_id="judge"):
                grade_panel(catalog, grade_answer)
        confinement(confined)
        public_api(catalog, datafiles, grade_answer)
    return page
