"""How every pane gets on the page: a static element whose script builds the rest from data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr

_LOAD = """
const pane = element.querySelector('.pane');
import(new URL('web/%(name)s.js', document.baseURI))
  .then(module => module.mount(pane, typeof server === 'undefined' ? null : server))
  .catch(error => {
    console.error(error);
    pane.textContent = 'This part of the page did not load. Reload the page: '
      + 'your cells and answers are kept in this browser.';
  });
"""


def pane(name: str, label: str, server_functions: Sequence[Callable[[Any], Any]] = ()) -> gr.HTML:
    """Make the pane `name`, drawn by `assets/web/{name}.js` whose `mount(element, server)` is called once.

    `label` names the region for screen readers. Each server function takes one JSON object and returns one.
    """
    return gr.HTML(
        html_template=f'<section class="pane {name}" aria-label="{label}"></section>',
        js_on_load=_LOAD % {"name": name},
        server_functions=list(server_functions),
        apply_default_css=False,
        elem_id=name,
    )
