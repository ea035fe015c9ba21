"""The dataset from a Hub on this machine: what is shown, and how soon, when it delivers and when it misbehaves."""

import hashlib
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from services.catalog import Query, open_catalog
from services.catalog.hub import kept_copy
from services.settings import Settings
from tests.loopback_hub import COMMIT, Fault, LoopbackHub, refusing_hub
from tests.synthetic_source import COLUMNS, datasets, rows

DATASET = "FineEnvs/SmolDataEnvs"
ROWS = {"train": 60, "test": 40, "eval": 20}
TOTAL = 120


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """Few rows, so that an index of them is made at once."""
    folder = tmp_path_factory.mktemp("repository")
    (folder / "data").mkdir()
    for split, count in ROWS.items():
        table = pa.Table.from_pylist(rows(split, 0, datasets())[:count], COLUMNS)
        pq.write_table(table, folder / "data" / f"{split}-00000-of-00001.parquet")
    return folder


@pytest.fixture(autouse=True)
def quiet_client(monkeypatch):
    """The client asks for one more thing, once, at the address it found when it was imported."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_DISABLE_TELEMETRY", True)


@pytest.fixture
def hub(repository, monkeypatch):
    with LoopbackHub(datasets={DATASET: repository}) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
        yield running


@pytest.fixture
def settings(tmp_path):
    def make(source="auto", **others):
        return Settings(tasks_source=source, cache_dir=tmp_path / "cache", tasks_revision=COMMIT, **others)

    return make


def opened_in(settings):
    began = time.monotonic()
    return open_catalog(settings), time.monotonic() - began


def test_the_hub_delivers(hub, settings, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_the_spaces_own")
    catalog = open_catalog(settings("hub"))
    assert catalog.status.sentence == f"Showing {TOTAL} tasks of {DATASET} at revision 0123456, from the Hub."
    assert catalog.status.left_out == ()
    assert (catalog.source.dataset, catalog.source.revision) == (DATASET, COMMIT)
    assert (catalog.source.endpoint, catalog.source.files_root) == (hub.url, None)
    assert len(hub.requests) == 7
    train = hub.datasets[DATASET] / "data" / "train-00000-of-00001.parquet"
    assert catalog.status.sha256["data/train-00000-of-00001.parquet"] == hashlib.sha256(train.read_bytes()).hexdigest()
    assert not any("authorization" in headers for _, _, headers in hub.requests)

    hub.requests.clear()
    assert open_catalog(settings()).status == catalog.status
    assert hub.requests == []  # a commit doesn't change, so a kept one needs no asking


INFO, RESOLVE = "/api/datasets", "/resolve/"
LIMITED = "the Hub limits how often it is asked; it says to wait 300 s"
WRONG = "did not arrive as the Hub has it"
GATED = {"X-Error-Code": "GatedRepo"}
UNKNOWN = {"X-Error-Code": "RepoNotFound"}


@pytest.mark.parametrize(
    ("fault", "state", "reason"),
    [
        (Fault(INFO, silent=True), "timed_out", "the Hub did not deliver it within 0.5 s"),
        (Fault(INFO, status=401), "access_denied", "the Hub denied access (status 401)"),
        (Fault(INFO, status=403), "access_denied", "the Hub denied access (status 403)"),
        (Fault(INFO, status=403, headers=GATED), "access_denied", f"access to {DATASET} on the Hub is restricted"),
        (Fault(INFO, status=404, headers=UNKNOWN), "not_found", f"the Hub has no public dataset {DATASET}"),
        (Fault(INFO, status=429, headers={"Retry-After": "300"}), "rate_limited", LIMITED),
        (Fault(INFO, status=500), "offline", "the Hub answered with status 500"),
        (Fault(INFO, cut=20), "corrupt", f"what the Hub sent of {DATASET} was cut short"),
        (Fault(RESOLVE, silent=True), "timed_out", "the Hub did not deliver it within 0.5 s"),
        (Fault("data/eval", flip=True), "corrupt", f"data/eval-00000-of-00001.parquet of {DATASET} {WRONG}"),
        (Fault("data/train", drip=10_000), "timed_out", "the Hub did not deliver it within 0.5 s"),
        (Fault(RESOLVE, status=401), "access_denied", "the Hub denied access (status 401)"),
        (Fault(RESOLVE, status=403, headers=GATED), "access_denied", f"access to {DATASET} on the Hub is restricted"),
        (Fault(RESOLVE, status=404), "not_found", "the Hub has no such file (status 404)"),
        (Fault("data/eval", status=404, headers={"X-Error-Code": "EntryNotFound"}), "not_found", "has no such file"),
        (Fault(RESOLVE, status=429, headers={"Retry-After": "300"}), "rate_limited", LIMITED),
    ],
    ids=lambda value: f"{value.match} {value}" if isinstance(value, Fault) else "",
)
def test_each_failure_has_its_state_in_time_and_the_next_try_works(hub, settings, fault, state, reason):
    hub.faults.append(fault)
    catalog, seconds = opened_in(settings(hub_start_seconds=1))
    assert seconds < 10
    assert catalog.status.state == state
    assert catalog.status.sentence.startswith(f"Showing {len(catalog)} tasks of the bundled suite, because ")
    assert catalog.status.sentence.endswith(f"{reason}, and no copy of {DATASET} is kept on this machine.")
    assert catalog.status.advice
    assert catalog.search(Query()).total == len(catalog) > 40
    assert catalog.source.files_root.is_dir() and catalog.source.dataset == ""

    hub.faults.clear()
    asked = len(hub.requests)
    assert catalog.try_again(30)
    if state == "rate_limited":  # its time is not over
        assert 290 < catalog.seconds_until_next_try <= 300
        assert (len(hub.requests), catalog.status.state) == (asked, state)
    else:
        assert (catalog.status.state, len(catalog), catalog.source.revision) == ("", TOTAL, COMMIT)


def test_a_start_does_not_wait_long_for_a_hub_that_says_nothing(hub, settings):
    hub.faults.append(Fault(silent=True))
    catalog, seconds = opened_in(settings(hub_start_seconds=60))
    assert seconds < 10
    assert catalog.status.state == "timed_out"
    assert "because the Hub did not answer within 1 s, and no copy" in catalog.status.sentence


def test_all_who_try_again_at_once_share_one_try(hub, settings):
    hub.faults.append(Fault(status=403))
    catalog = open_catalog(settings())
    hub.faults[:] = [Fault("data/train", drip=40_000, times=2)]
    hub.requests.clear()
    assert not catalog.try_again(0.05)
    assert catalog.source.dataset == ""  # what is shown stays until the other is there
    with ThreadPoolExecutor(8) as visitors:
        assert all(visitors.map(catalog.try_again, [30] * 8))
    assert len(catalog) == TOTAL
    assert sum(path.endswith(f"/revision/{COMMIT}") for _, path, _ in hub.requests) == 1


def test_a_server_error_that_passes_is_not_shown(hub, settings):
    hub.faults.append(Fault("data/train", status=503, times=1))
    catalog = open_catalog(settings("hub"))
    assert (catalog.status.state, len(catalog)) == ("", TOTAL)


def test_a_branch_is_resolved_once_and_a_newer_commit_is_told_of(hub, settings):
    catalog = open_catalog(settings("hub").model_copy(update={"tasks_revision": "main"}))
    assert catalog.source.revision == COMMIT
    assert {path.split("/")[5] for _, path, _ in hub.requests if RESOLVE in path} == {COMMIT}

    def newer():
        catalog.look_for_newer()
        for thread in threading.enumerate():
            if thread.name == "newer":
                thread.join(10)
        return catalog.status.newer

    assert newer() == ""
    hub.commit = "abc1234" + "0" * 33
    assert newer() == f"A newer revision of {DATASET} exists (abc1234); shown is 0123456."
    assert catalog.source.revision == COMMIT
    hub.faults.append(Fault(status=500))
    assert newer() == ""


def test_a_copy_that_changed_on_this_disk_is_fetched_anew(hub, settings):
    folder = open_catalog(settings("hub")).source.folder
    path = folder / "data" / "eval-00000-of-00001.parquet"
    good = path.read_bytes()
    path.resolve().write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    assert kept_copy(DATASET, settings().cache_dir) is None
    catalog = open_catalog(settings("hub"))
    assert (catalog.status.state, len(catalog), path.read_bytes()) == ("", TOTAL, good)


def test_shards_of_a_split(tmp_path, repository, settings, monkeypatch):
    (tmp_path / "sharded" / "data").mkdir(parents=True)
    table = pq.read_table(repository / "data" / "test-00000-of-00001.parquet")
    for number in range(3):
        shard = table.slice(number * 10, 10)
        pq.write_table(shard, tmp_path / "sharded" / "data" / f"test-{number:05d}-of-00003.parquet")
    (tmp_path / "sharded" / "data" / "notes.parquet").write_bytes(b"nothing to do with tasks")
    with LoopbackHub(datasets={"someone/else": tmp_path / "sharded"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        catalog = open_catalog(settings("hub").model_copy(update={"tasks_dataset": "someone/else"}))
    assert [task.task_id for task in catalog.tasks(Query())] == table.column("task_id").to_pylist()[:30]
    assert len(catalog.status.sha256) == 3


def test_the_operators_token_goes_to_the_hub_and_nowhere_else(hub, settings, caplog):
    caplog.set_level("DEBUG")
    hub.faults.append(Fault("data/train", status=403, times=1))
    token = "hf_of_the_operator"
    catalog = open_catalog(settings("hub", hub_token=token))
    assert {headers.get("authorization") for _, _, headers in hub.requests} == {f"Bearer {token}"}
    assert token not in f"{catalog.status} {catalog.source} {caplog.text}"
    assert catalog.status.state == "access_denied"


def test_a_byte_that_was_wrong_once_is_fetched_again(hub, settings, repository):
    hub.faults.append(Fault("data/eval", flip=True, times=2))  # its HEAD has no body
    catalog = open_catalog(settings("hub"))
    assert (catalog.status.state, len(catalog)) == ("", TOTAL)
    good = repository / "data" / "eval-00000-of-00001.parquet"
    assert (catalog.source.folder / "data" / good.name).read_bytes() == good.read_bytes()


@pytest.mark.parametrize("wrong", [False, True], ids=["the same file", "another"])
def test_a_file_may_come_from_another_origin_without_the_token(hub, settings, repository, tmp_path, wrong):
    shutil.copytree(repository, tmp_path / "elsewhere")
    path = tmp_path / "elsewhere" / "data" / "eval-00000-of-00001.parquet"
    sha256, size = hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size
    if wrong:
        path.write_bytes(bytes(size))
    told = {"X-Repo-Commit": COMMIT, "X-Linked-ETag": f'"{sha256}"', "X-Linked-Size": str(size)}
    with LoopbackHub(datasets={DATASET: tmp_path / "elsewhere"}) as other:
        hub.faults.append(Fault("data/eval", redirect=f"{other.url}{{path}}", headers=told))
        catalog = open_catalog(settings("hub", hub_token="hf_of_the_operator"))
        assert {headers.get("authorization") for _, _, headers in hub.requests} == {"Bearer hf_of_the_operator"}
        assert other.requests
        assert not any("hf_of_the_operator" in str(headers) for _, _, headers in other.requests)
    if wrong:
        assert (catalog.status.state, len(catalog)) == ("corrupt", 0)
        assert f"because {path.parent.name}/{path.name} of {DATASET} {WRONG}, and no copy" in catalog.status.sentence
    else:
        assert (catalog.status.state, len(catalog)) == ("", TOTAL)


def test_the_token_does_not_follow_where_the_first_answer_leads(hub, settings, repository):
    with LoopbackHub(datasets={DATASET: repository}) as other:
        hub.faults.append(Fault(redirect=f"{other.url}{{path}}"))
        open_catalog(settings("hub", hub_token="hf_of_the_operator"))
        assert other.requests
        assert not any("hf_of_the_operator" in str(headers) for _, _, headers in other.requests)


def test_a_hub_that_refuses_connections(settings, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with refusing_hub() as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        catalog, seconds = opened_in(settings())
    assert seconds < 10
    assert catalog.source.dataset == ""
    assert "because the Hub can't be reached (Connection refused), and no copy" in catalog.status.sentence


def test_the_copy_kept_last_is_next_best(hub, settings):
    open_catalog(settings("hub"))
    hub.faults.append(Fault(silent=True))
    catalog, seconds = opened_in(settings(hub_start_seconds=1).model_copy(update={"tasks_revision": "main"}))
    assert seconds < 10
    assert catalog.status.sentence == (
        f"Showing {TOTAL} tasks of {DATASET} at revision 0123456, from the copy kept on this machine, "
        "because the Hub did not deliver it within 0.5 s."
    )
    assert catalog.source.dataset == DATASET


def test_a_download_that_comes_too_late_serves_the_next_start(hub, settings, repository):
    train = repository / "data" / "train-00000-of-00001.parquet"
    hub.faults.append(Fault(train.name, drip=2 * train.stat().st_size, times=2))  # its HEAD, and its body in 0.5 s
    late = settings(hub_start_seconds=0.2)
    assert open_catalog(late).source.dataset == ""
    end = time.monotonic() + 20
    while kept_copy(DATASET, late.cache_dir) is None:
        assert time.monotonic() < end
        time.sleep(0.05)
    assert len(open_catalog(settings())) == TOTAL


def test_a_cache_that_can_not_be_written_is_no_fault_of_the_network(hub, settings, repository):
    cache = settings().cache_dir
    cache.mkdir()
    (cache / "hub").write_text("no folder")
    catalog = open_catalog(settings())
    assert (catalog.status.state, catalog.source.dataset) == ("no_room", "")
    assert "because what is read can't be kept in CACHE_DIR (" in catalog.status.sentence
    assert catalog.status.advice == "Whoever runs the app should look at CACHE_DIR and its disk."


def test_offline_asks_nobody(hub, settings, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "because HF_HUB_OFFLINE is set, and no copy" in open_catalog(settings()).status.sentence
    assert hub.requests == []


def test_asked_for_the_hub_alone_it_shows_nothing_else(hub, settings):
    hub.faults.append(Fault(silent=True))
    catalog = open_catalog(settings("hub", hub_file_seconds=0.3))
    assert len(catalog) == 0 and catalog.status.left_out == ()
    assert catalog.status.sentence == (
        f"There are no tasks of {DATASET} to show, because the Hub did not deliver it within 0.3 s, "
        "and no copy of it is kept on this machine."
    )


def test_a_revision_the_dataset_does_not_have(hub, settings):
    catalog = open_catalog(settings("hub").model_copy(update={"tasks_revision": "v9"}))
    assert f"because {DATASET} has no revision v9" in catalog.status.sentence


def test_a_split_the_dataset_does_not_have(tmp_path, repository, settings, monkeypatch):
    shutil.copytree(repository, tmp_path / "smaller")
    (tmp_path / "smaller" / "data" / "eval-00000-of-00001.parquet").unlink()
    with LoopbackHub(datasets={DATASET: tmp_path / "smaller"}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        catalog = open_catalog(settings("hub"))
    assert len(catalog) == TOTAL - ROWS["eval"]
    assert catalog.status.left_out == ("The split eval is empty: there is no file data/eval-*.parquet.",)
