"""A start: what it leaves undone, and that the page is whole all the same."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START = """
import json, sys
stubs = []
sys.addaudithook(lambda event, given: stubs.append(str(given[0])) if event == "open" and ".pyi" in str(given[0]) else 0)
import app
from services.settings import load_settings
app.create_app(load_settings())
import gradio
print(json.dumps([stubs, hasattr(gradio.HTML, "change"), "gradio.components.html" in sys.modules]))
"""


def test_gradio_is_imported_whole_but_for_the_stubs_it_writes(tmp_path):
    environment = {"TASKS_SOURCE": "bundled", "CACHE_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"}
    ended = subprocess.run(
        [sys.executable, "-c", START], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120
    )
    assert json.loads(ended.stdout.splitlines()[-1]) == [[], True, True], ended.stderr
