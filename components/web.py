"""The page's own scripts and styles, served under a name of their content, so that a browser may keep them for good."""

from __future__ import annotations

import functools
import gzip
import hashlib
import mimetypes
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import plotly
from gradio.route_utils import BUILD_PATH_LIB
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp

from services.settings import ROOT

FOLDER = ROOT / "assets" / "web"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_IMPORT = re.compile(r"""^(?:import|export) .*from '\./(\w+\.js)';$""", re.MULTILINE)
STYLES = "styles.css"  # all sheets in one
PAGE, SHARED = FOLDER / "page.css", FOLDER / "workbench.css"
SHEETS = [SHARED, *sorted(set(FOLDER.glob("*.css")) - {PAGE, SHARED})]  # the panes'
FIRST = ("masthead", "task_browser", "task_view")  # drawn first, before any other pane is asked for
_LARGE = {"codemirror.js", "markdown.js"}  # no pane is drawn by them


def _styles() -> bytes:
    """All sheets in one. Those of the panes hold within the page alone, where they weigh more than Gradio's resets."""
    nested = "\n".join(path.read_text() for path in SHEETS)
    return f"{PAGE.read_text()}\n.gradio-container.gradio-container .contain {{\n{nested}}}\n".encode()


def _version() -> str:
    content = hashlib.sha256(plotly.__version__.encode() + _styles())
    for path in sorted(FOLDER.iterdir()):
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()[:16]


PLACE = f"web/{_version()}"  # below the page's own address


def _with_imports(names: set[str]) -> set[str]:
    """These scripts and all that they import."""
    found = {name for each in names for name in _IMPORT.findall((FOLDER / each).read_text())}
    return names if found <= names else _with_imports(names | found)


def _links() -> str:
    """Links by which a browser asks for scripts at once: one by one, as they import each other, they take a round trip
    each. Those with `data-later` become such links when the first panes are drawn (`Workbench.turn`).
    """
    first = _with_imports({f"{name}.js" for name in FIRST})
    return "".join(
        f'<link {"rel=modulepreload" if path.name in first else "data-later"} href="{PLACE}/{path.name}">'
        for path in sorted(FOLDER.glob("*.js"))
        if path.name not in _LARGE
    )


PRELOAD = _links()


def web_files() -> ASGIApp:
    """What serves the app's own scripts, its styles and plotly's script; to be mounted at `/{PLACE}`."""
    return _held({path.name: path.read_bytes for path in (*FOLDER.iterdir(), PLOTLY)} | {STYLES: _styles})


def gradio_files() -> ASGIApp:
    """What serves Gradio's scripts and styles, in place of Gradio, which reads and packs them anew for each visitor.

    To be mounted at `/assets`, where they ask for each other.
    """
    return _held({path.name: path.read_bytes for path in Path(BUILD_PATH_LIB).iterdir()})


def _held(files: Mapping[str, Callable[[], bytes]]) -> ASGIApp:
    """Serves by their names files whose addresses tell their content, compressed where the browser takes that.

    They are held in memory, each compressed once: a page asks for some hundred, and waits for the last.
    """

    @functools.cache
    def content(name: str, packed: bool) -> bytes:
        plain = files[name]()
        return gzip.compress(plain, 6) if packed else plain

    def answer(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in files:
            return Response("There is no such file.", 404)
        packed = "gzip" in request.headers.get("accept-encoding", "")
        headers = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
        return Response(
            content(name, packed),
            headers=headers | ({"Content-Encoding": "gzip"} if packed else {}),
            media_type=mimetypes.guess_type(name)[0],
        )

    return Router([Route("/{name}", answer)])
