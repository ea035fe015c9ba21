"""The dataset from a Hub on this machine: what is shown, and how soon, when it delivers and when it misbehaves."""

import shutil
import time

import pytest

from services.catalog import Query, open_catalog
from services.catalog.hub import kept_copy
from services.settings import Settings
from tests.loopback_hub import COMMIT, Fault, LoopbackHub, refusing_hub
from tests.synthetic_source import write_source

DATASET = "FineEnvs/SmolDataEnvs"


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    folder = tmp_path_factory.mktemp("repository")
    write_source(folder)
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
    assert catalog.status.sentence == f"Showing 5,394 tasks of {DATASET} at revision 0123456, from the Hub."
    assert catalog.status.left_out == ()
    assert (catalog.source.dataset, catalog.source.revision) == (DATASET, COMMIT)
    assert (catalog.source.endpoint, catalog.source.files_root) == (hub.url, None)
    assert len(hub.requests) == 6
    assert not any("authorization" in headers for _, _, headers in hub.requests)

    hub.requests.clear()
    assert open_catalog(settings()).status == catalog.status
    assert hub.requests == []  # a commit doesn't change, so a kept one needs no asking


@pytest.mark.parametrize(
    ("fault", "allowed", "reason"),
    [
        (Fault(silent=True), 3, "the Hub did not deliver it within 2.5 s"),
        (Fault("data/train", drip=2000), 1, "the Hub did not deliver it within 0.5 s"),
        (Fault(status=429, headers={"Retry-After": "300"}), 1, "the Hub did not deliver it within 0.5 s"),
        (Fault(status=403), 3, "the Hub denied access (status 403)"),
        (Fault(status=403, headers={"X-Error-Code": "GatedRepo"}), 3, f"access to {DATASET} on the Hub is restricted"),
        (Fault(status=404, headers={"X-Error-Code": "RepoNotFound"}), 3, f"the Hub has no public dataset {DATASET}"),
    ],
    ids=["silent", "drip", "rate limited", "denied", "gated", "no such dataset"],
)
def test_a_hub_that_fails_costs_no_more_than_the_time_allowed(hub, settings, fault, allowed, reason):
    hub.faults.append(fault)
    catalog, seconds = opened_in(settings(hub_start_seconds=allowed))
    assert seconds < allowed + 4
    because = f"because {reason}, and no copy of {DATASET} is kept on this machine"
    assert catalog.status.sentence == f"Showing {len(catalog)} tasks of the bundled suite, {because}."
    assert catalog.search(Query()).total == len(catalog) > 40
    assert catalog.source.files_root.is_dir() and catalog.source.dataset == ""


def test_a_hub_that_refuses_connections(settings, monkeypatch):
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    with refusing_hub() as endpoint:
        monkeypatch.setenv("HF_ENDPOINT", endpoint)
        catalog, seconds = opened_in(settings())
    assert seconds < 4
    assert catalog.source.dataset == ""
    assert "because the Hub can't be reached (Connection refused), and no copy" in catalog.status.sentence


def test_the_copy_kept_last_is_next_best(hub, settings):
    open_catalog(settings("hub"))
    hub.faults.append(Fault(silent=True))
    catalog, seconds = opened_in(settings(hub_start_seconds=1).model_copy(update={"tasks_revision": "main"}))
    assert seconds < 4
    assert catalog.status.sentence == (
        f"Showing 5,394 tasks of {DATASET} at revision 0123456, from the copy kept on this machine, "
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
    assert len(open_catalog(settings())) == 5394


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
    assert len(catalog) == 5250
    assert catalog.status.left_out == ("The split eval is empty: there is no file data/eval-*.parquet.",)
