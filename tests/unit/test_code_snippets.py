"""The snippet that loads a task's row from the Hub, run as it stands by the library it names."""

import os
import subprocess
import sys

from components.use_from_code import code_snippets
from services.catalog import open_catalog
from services.settings import Settings
from tests.folder_source import row, write_rows
from tests.loopback_hub import COMMIT, LoopbackHub

DATASET = "some/tasks"


def test_the_row_is_loaded_at_the_revision_shown(tmp_path, monkeypatch):
    tasks = [row("one_1", question="One?"), row('two_2"', question="Two?")]
    write_rows(tmp_path / "repository", {"train": [row("zero_0")], "eval": tasks})
    with LoopbackHub(datasets={DATASET: tmp_path / "repository"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        settings = Settings(
            tasks_source="hub", tasks_dataset=DATASET, tasks_revision=COMMIT, cache_dir=tmp_path / "cache"
        )
        catalog = open_catalog(settings)
        snippets = {each["title"]: each["code"] for each in code_snippets(catalog.source, catalog.task('two_2"'))}
        code = snippets["The row, without this app"]
        assert DATASET in code and COMMIT in code
        environment = os.environ | {"HF_HOME": str(tmp_path / "home"), "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
        ended = subprocess.run(
            [sys.executable, "-c", code], env=environment, cwd=tmp_path, text=True, capture_output=True, timeout=120
        )
    assert ended.stdout == "Two? ['table.csv']\n", ended.stderr


def test_tasks_that_are_not_on_the_hub_have_no_such_snippet(tmp_path):
    catalog = open_catalog(Settings(tasks_source="bundled", cache_dir=tmp_path))
    titles = [each["title"] for each in code_snippets(catalog.source, catalog.task("demo_iris_qa_1"))]
    assert titles[0] == "Python" and "The row, without this app" not in titles
