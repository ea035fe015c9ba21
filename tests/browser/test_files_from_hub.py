"""Files that come from a Hub while the visitor watches: their state, Stop, and a task with one missing file."""

import pytest
from playwright.sync_api import expect

from tests.browser.notebook_pane import Notebook
from tests.folder_source import row, write_rows
from tests.hub_files import BUCKET, PREFIX, on_hub
from tests.loopback_hub import COMMIT, Fault
from tests.served_app import served_app

DATASET = "someone/tasks"
TOKEN = "hf_operator"
LONG = "n\n" + "1\n" * 1_500_000


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    tmp_path = tmp_path_factory.mktemp("hub")
    tasks = [
        row("slow", bucket_prefix=PREFIX, hf_bucket=BUCKET, files=["slow.csv"]),
        row("late", bucket_prefix=PREFIX, hf_bucket=BUCKET, files=["small.csv", "late.csv"]),
        row("partly", bucket_prefix=PREFIX, hf_bucket=BUCKET, files=["small.csv", "gone.csv"]),
        row("unnamed", bucket_prefix="other__slug", hf_bucket=BUCKET, files=[]),
    ]
    write_rows(tmp_path / "tasks", {"train": tasks, "test": [row("t")], "eval": [row("e")]})
    with on_hub(
        tmp_path,
        {"slow.csv": LONG.encode(), "late.csv": LONG.encode(), "small.csv": b"a,b\n1,2\n"}
        | {f"../other__slug/{n}.csv": b"a\n" for n in "xy"},
    ) as found:
        found.hub.datasets[DATASET] = (tmp_path / "tasks").resolve()
        yield found


@pytest.fixture(scope="module")
def app_on_hub(hub):
    settings = {
        "TASKS_SOURCE": "hub",
        "TASKS_DATASET": DATASET,
        "TASKS_REVISION": COMMIT,
        "HF_ENDPOINT": hub.hub.url,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HUB_TOKEN": TOKEN,
        "HUB_START_SECONDS": "30",
    }
    with served_app(settings, hub.cache) as (url, _):
        yield url


@pytest.fixture
def visit(new_visitor, app_on_hub):
    return lambda task: new_visitor(f"?task={task}", base=app_on_hub)


def test_a_slow_file_is_watched_stopped_and_gone_on_with(hub, visit):
    hub.hub.faults.append(Fault("/resolve/", drip=400_000, times=1))
    page = visit("slow")
    data = page.get_by_role("region", name="Data", exact=True)
    expect(data.get_by_text("Coming from the Hub:")).to_be_visible()
    expect(page.get_by_role("region", name="Task", exact=True).get_by_text("coming,")).to_be_visible()
    data.get_by_role("button", name="Stop").click()
    expect(data.get_by_text("The download of slow.csv stops")).to_be_visible()
    data.get_by_role("button", name="Try again").click()
    expect(data.locator("tbody tr").first).to_be_visible(timeout=30_000)
    expect(page.get_by_role("region", name="Task", exact=True).get_by_text("coming,")).to_have_count(0)
    assert LONG.encode() in hub.whole()


def test_a_kernel_that_waits_for_files_says_which_are_ready(hub, visit):
    hub.hub.faults.append(Fault("late.csv", drip=500_000, times=1))
    page = visit("late")
    Notebook(page).run("import os; print(sorted(os.listdir('../input')))")
    expect(page.get_by_text("Filling the kernel's folder: 1 of 2 files are ready; of late.csv")).to_be_visible()
    expect(page.get_by_text("['late.csv', 'small.csv']")).to_be_visible(timeout=60_000)


def test_missing_files_and_unnamed_ones_are_told(hub, visit):
    hub.hub.faults += [Fault("/tree/", status=500, times=1), Fault("/tree/", drip=150, times=1)]
    page = visit("unnamed")
    files = page.get_by_role("region", name="Task", exact=True)
    expect(files.get_by_text("the Hub answered with status 500")).to_be_visible()
    files.get_by_role("button", name="Try again").click()
    expect(files.get_by_text("Asking the Hub about them…")).to_be_visible()
    expect(files.get_by_text("The dataset names no files for this task")).to_be_visible()
    expect(page.get_by_label("File", exact=True).locator("option")).to_have_count(2)
    page = visit("partly")
    files = page.get_by_role("region", name="Task", exact=True)
    expect(files.get_by_text("gone.csv is not on the Hub")).to_be_visible()
    expect(
        files.get_by_text("The task's folder holds 2 more that the task does not name: late.csv, slow.csv.")
    ).to_be_visible()
    notebook = Notebook(page)
    notebook.run("import os; print(os.listdir('../input'), [v for v in os.environ.values() if 'hf_op' in v])")
    expect(page.get_by_text("Missing in ../input: gone.csv.")).to_be_visible(timeout=40_000)
    expect(page.get_by_text("['small.csv'] []")).to_be_visible()
    assert TOKEN not in page.content()
