"""What the Hub does to a task's files, as the API tells it: a sentence for people, a name and seconds for programs."""

import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError

from tests.folder_source import row, write_rows
from tests.hub_files import BUCKET, on_hub
from tests.loopback_hub import COMMIT, Fault
from tests.served_app import served_app

DATASET = "someone/tasks"
FAULTS = {
    "offline": Fault("offline", status=500),
    "timed_out": Fault("/resolve/timed_out", silent=True),
    "rate_limited": Fault("rate_limited", status=429, headers={"Retry-After": "300"}),
    "not_found": Fault("not_found", status=404),
    "access_denied": Fault("access_denied", status=403),
    "corrupt": Fault("tree/corrupt", cut=20),
}


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    root = tmp_path_factory.mktemp("states")
    tasks = [row(state, bucket_prefix=state, hf_bucket=BUCKET, files=["a.csv"]) for state in FAULTS]
    write_rows(root / "tasks", {"train": tasks, "test": [row("t")], "eval": [row("e")]})
    with on_hub(root, {f"../{state}/a.csv": b"a\n1\n" for state in FAULTS}) as hub:
        hub.hub.datasets[DATASET] = (root / "tasks").resolve()
        hub.hub.faults[:] = FAULTS.values()
        settings = {
            "TASKS_SOURCE": "hub",
            "TASKS_DATASET": DATASET,
            "TASKS_REVISION": COMMIT,
            "HF_ENDPOINT": hub.hub.url,
            "HUB_FILE_SECONDS": "4",
            "KERNEL_WAITING": "0",
        }
        with served_app(settings, hub.cache) as (url, _):
            yield Client(url, verbose=False)


@pytest.mark.parametrize("state", FAULTS)
def test_a_state_has_a_sentence_a_name_and_its_seconds(client, state):
    seconds = 300 if state == "rate_limited" else None
    listed = client.predict(state, api_name="/list_files")
    asking = "" if state == "timed_out" else state  # that Hub lists the folder, and is silent on the file
    assert (listed["failure"], listed["wait_seconds"]) == (asking, seconds)
    assert bool(listed["note"]) == bool(asking)
    if state == "corrupt":  # without a list the file is asked for alone, and comes
        assert client.predict(state, "a.csv", api_name="/preview_file")["rows"] == [["1"]]
        return
    with pytest.raises(AppError, match=r"a\.csv|list of the task's files") as caught:
        client.predict(state, "a.csv", api_name="/preview_file")
    assert (caught.value.title, caught.value.duration) == (state, seconds)
    file = client.predict(state, api_name="/list_files")["files"][0]
    assert (file["state"], file["failure"]) == ("missing", state)


def test_the_source_is_told_with_every_list(client):
    found = client.predict(api_name="/search_tasks")
    assert (found["state"], found["wait_seconds"]) == ("", 0)
