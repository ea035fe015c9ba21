"""The page's own scripts, served under a name of their content, so that a browser may keep them for good."""

from __future__ import annotations

import hashlib
from pathlib import Path

import plotly
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

from services.settings import ROOT

FOLDER = ROOT / "assets" / "web"
PLOTLY = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
_SHARED = FOLDER / "workbench.css"
STYLES = [_SHARED, *sorted(set(FOLDER.glob("*.css")) - {_SHARED})]
LATER = {"codemirror.js", "markdown.js"}  # large, and no pane is drawn by them


def _version() -> str:
    content = hashlib.sha256(plotly.__version__.encode())
    for path in sorted(FOLDER.iterdir()):
        content.update(path.name.encode() + path.read_bytes())
    return content.hexdigest()[:16]


PLACE = f"web/{_version()}"  # below the page's own address

# Asked for with the page: found one by one, as they import each other, they would take a round trip each.
PRELOAD = "".join(
    f'<link rel="modulepreload" href="{PLACE}/{path.name}">'
    for path in sorted(FOLDER.glob("*.js"))
    if path.name not in LATER
)


class _Kept(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        found = FileResponse(PLOTLY) if path == PLOTLY.name else await super().get_response(path, scope)
        found.headers["Cache-Control"] = "public, max-age=31536000, immutable"
        return found


def web_files() -> ASGIApp:
    """What serves the scripts and plotly's, compressed where the browser takes that; to be mounted at `/{PLACE}`."""
    return GZipMiddleware(_Kept(directory=FOLDER), minimum_size=1000, compresslevel=5)
