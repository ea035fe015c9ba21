"""Puts the panes on the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from components.about_tasks import about_tasks
from components.api import public_api
from components.batch_report import batch_report
from components.beside import beside
from components.confinement import confinement
from components.data_preview import data_preview
from components.grade_panel import answer_grader, grade_panel
from components.grader_lab import grader_lab
from components.notebook import notebook
from components.pane import pane
from components.starter import starter_for
from components.task_browser import task_browser
from components.task_view import task_view
from components.use_from_code import use_from_code
from components.web import PLACE
from services.batch import Batches
from services.catalog import Catalog
from services.datafiles import DataFiles
from services.grading import Grader
from services.reference import ReferenceGrader
from services.tables.whole import WholeTables

# System fonts: the page asks no other server for anything.
THEME = gr.themes.Default(
    primary_hue="indigo",
    neutral_hue="slate",
    font=["ui-sans-serif", "system-ui", "sans-serif"],
    font_mono=["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "monospace"],
).set(
    body_text_color_subdued="*neutral_500",
    body_text_color_subdued_dark="*neutral_400",
    link_text_color_dark="*secondary_400",
    button_primary_background_fill="*primary_600",
    button_primary_background_fill_hover="*primary_700",
)

MASTHEAD = """
<header class="masthead">
  <a class="skip" href="#workbench">Skip to the task</a>
  <h1>SmolDataEnvs Workbench</h1>
  <nav aria-label="Views">
    <a href="./" data-view="" aria-current="page">Tasks</a>
    <a href="?view=lab" data-view="lab">Grader lab</a>
    <a href="?view=batch" data-view="batch">Batch</a>
    <a href="?view=about" data-view="about">About the tasks</a>
    <a href="?view=code" data-view="code">Use it from code</a>
  </nav>
  <button type="button" class="keys" aria-haspopup="dialog" title="Every key (?)">Keys</button>
</header>
"""
MASTHEAD_LOAD = f"""
import(new URL('{PLACE}/masthead.js', document.baseURI)).then(module => module.mount(element));
"""


def build_page(
    catalog: Catalog,
    datafiles: DataFiles,
    tables: WholeTables,
    grader: Grader,
    reference: ReferenceGrader | None,
    batches: Batches,
    confined: Callable[[], dict[str, Any]],
) -> gr.Blocks:
    """The whole page and its public API. `confined` reports to the pane `confinement`."""
    grade_answer = answer_grader(catalog, grader)
    reference_verdict = beside(grader, reference)
    page: gr.Blocks
    with gr.Blocks(title="SmolDataEnvs Workbench", fill_width=True, analytics_enabled=False) as page:
        gr.HTML(MASTHEAD, js_on_load=MASTHEAD_LOAD, apply_default_css=False, elem_id="masthead")
        with gr.Row(elem_id="workbench"):
            with gr.Column(elem_id="browse"):
                task_browser(catalog)
            with gr.Column(elem_id="solve"):
                task_view(catalog, datafiles)
                data_preview(catalog, datafiles, tables)
                notebook(starter_for(catalog, datafiles))
            with gr.Column(elem_id="judge"):
                grade_panel(catalog, grade_answer, reference_verdict)
            pane("question_bar", "The question in reach")
            pane("column_edges", "Widths of the columns")
        with gr.Column(elem_id="lab"):
            grader_lab(grader, reference_verdict)
        with gr.Column(elem_id="batch"):
            batch_report(batches, grade_answer)
        with gr.Column(elem_id="about"):
            about_tasks(catalog)
        with gr.Column(elem_id="code"):
            use_from_code(catalog)
        confinement(confined)
        public_api(catalog, datafiles, grade_answer)
    return page
