"""How every pane gets on the page: a static element whose script builds the rest from data."""

from __future__ import annotations

import functools
import inspect
import json
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from fastapi.responses import Response

from components.web import FIRST, PLACE

# Gradio's client gives undefined where the app can't be reached; the panes are told by an error.
_LOAD = """
const pane = element.querySelector('.pane');
const reached = (functions, name) => async request => {
  const answer = await functions[name](request);
  if (answer === undefined) throw new Error('The app did not answer.');
  return answer;
};
const load = name => import(new URL(`%(place)s/${name}.js`, document.baseURI));
load('workbench').then(({workbench}) => %(first)s || workbench.turn(pane)).then(() => load('%(name)s'))
  .then(module => module.mount(pane, typeof server === 'undefined' ? null : new Proxy(server, {get: reached})))
  .catch(error => {
    console.error(error);
    pane.textContent = 'This part of the page did not load. Reload the page: '
      + 'your cells and answers are kept in this browser.';
  });
"""
_NO_OBJECT = {"error": "The request was not understood: it should be one JSON object."}


def pane(name: str, label: str, server_functions: Sequence[Callable[[Any], Any]] = ()) -> gr.HTML:
    """Make the pane `name`, drawn by `assets/web/{name}.js` whose `mount(element, server)` is called once.

    `label` names the region for screen readers. Each server function takes one JSON object and returns one;
    anything else a caller sends is answered with `{"error": sentence}` before it is reached.
    """
    return gr.HTML(
        html_template=f'<section class="pane {name}" aria-label="{label}"></section>',
        js_on_load=_LOAD % {"place": PLACE, "name": name, "first": json.dumps(name in FIRST)},
        server_functions=[_given_objects(each) for each in server_functions],
        apply_default_css=False,
        elem_id=name,
    )


def _given_objects(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The server function, reached by objects only. Gradio awaits coroutine functions and puts others in a thread.

    A page of rows is written as JSON ten times as fast as by Gradio, which first rebuilds every value in it.
    """

    @functools.wraps(answer)
    def in_thread(request: Any) -> Response:
        return _json(answer(request) if isinstance(request, dict) else _NO_OBJECT)

    @functools.wraps(answer)
    async def awaited(request: Any) -> Response:
        return _json(await answer(request) if isinstance(request, dict) else _NO_OBJECT)

    return awaited if inspect.iscoroutinefunction(answer) else in_thread


def _json(answer: Any) -> Response:
    """`answer` as JSON in ASCII, which holds every text: half a surrogate pair has no bytes in UTF-8."""
    return Response(json.dumps(answer, allow_nan=False, separators=(",", ":")), media_type="application/json")
