"""What the page says of itself to a browser's tab, to a search and where its link is shared."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable

from gradio.routes import templates
from jinja2 import BaseLoader, Environment, FunctionLoader
from starlette.datastructures import QueryParams

from components.progress import Answer
from components.web import PLACE, PRELOAD, STYLES

logger = logging.getLogger(__name__)

TITLE = "SmolDataEnvs Workbench"
DESCRIPTION = (
    "Browse verified data-analysis tasks, look at their tables, solve them in a live kernel, grade the answer."
)

# Gradio's own tags name Gradio and a picture on another server.
_GRADIOS = re.compile(r"<meta\s+(?:property=\"og:|name=\"twitter:)[^>]*>\s*")
# The view, and whether a task is open, are known from the address before anything is drawn: known later, all that is
# seen would move.
_ASKED_FOR = """<script>
{
  const asked = new URLSearchParams(location.search);
  const {dataset} = document.documentElement;
  dataset.view = asked.get('view') ?? '';
  dataset.task = asked.get('task') ? 'some' : 'none';
}
</script>
"""
_OURS = f"""<title>{TITLE}</title>
<meta name="description" content="{DESCRIPTION}" />
<link rel="icon" type="image/svg+xml" href="{PLACE}/icon.svg" />
<meta property="og:type" content="website" />
<meta property="og:title" content="{TITLE}" />
<meta property="og:description" content="{DESCRIPTION}" />
<meta property="og:url" content="{{{{ config['root'] }}}}/" />
<meta property="og:image" content="{{{{ config['root'] }}}}/{PLACE}/card.png" />
<meta property="og:image:width" content="1200" />
<meta property="og:image:height" content="630" />
<meta property="og:image:alt" content="A ladder whose third rung is green: the rung that matched" />
<meta name="twitter:card" content="summary_large_image" />
<link rel="stylesheet" href="{PLACE}/{STYLES}" />
{_ASKED_FOR}{PRELOAD}
<script type="application/json" id="first-list">{{{{ first_list(request.query_params) | safe }}}}</script>
"""


def use_own_head(search: Answer) -> None:
    """Have the document that Gradio serves carry the app's own title, description, icon, social card and scripts.

    Those who draw a card run no scripts, and want absolute addresses: both stand in the document as it is served. With
    it comes what `search` answers to the document's address: the list need not be asked for.
    """
    environment, loader = templates.env, templates.env.loader
    environment.globals["first_list"] = first_list_in(search)
    if loader is not None:
        environment.loader = FunctionLoader(_with_own_head(environment, loader))


def first_list_in(search: Answer) -> Callable[[QueryParams], str]:
    """What the document holds for `search`: its answer as JSON in ASCII without `<`, and `null` if it fails."""

    def first_list(address: QueryParams) -> str:
        asked = dict(reversed(address.multi_items()))  # of a name given twice a browser takes the first
        try:
            answer = search(asked | {"page": asked.get("p")})
        except Exception:
            logger.exception("The list could not come with the page; the page will ask for it")
            return "null"
        return json.dumps(answer, separators=(",", ":")).replace("<", "\\u003c")

    return first_list


def _with_own_head(environment: Environment, loader: BaseLoader) -> Callable[[str], str]:
    def source(name: str) -> str:
        text = loader.get_source(environment, name)[0]
        return _GRADIOS.sub("", text).replace("</head>", f"{_OURS}</head>", 1)

    return source
