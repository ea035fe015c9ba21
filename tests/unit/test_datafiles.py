"""Input files of a local source and of a Hub that fails in a network's ways."""

import os
import threading
import time
from dataclasses import dataclass

import pytest

from services.catalog.source import Source, local_source
from services.catalog.task import Task
from services.datafiles import (
    AccessDenied,
    Corrupt,
    DataFileError,
    DataFiles,
    NotFound,
    Offline,
    RateLimited,
    Refused,
    StillComing,
    TimedOut,
    flat_names,
)
from tests.folder_source import row
from tests.loopback_hub import Fault, LoopbackHub, refusing_hub

BUCKET = "someone/bucket"


def task(*files, prefix="owner__slug"):
    columns = row("t1", files=tuple(files), bucket_prefix=prefix, hf_bucket=BUCKET, split="train")
    return Task(**columns)


@pytest.fixture
def folder(tmp_path):
    """A source's `files/` folder, with a secret beside it."""
    (tmp_path / "secret.csv").write_text("secret")
    (tmp_path / "files" / "owner__slug" / "sub").mkdir(parents=True)
    inside = tmp_path / "files" / "owner__slug"
    (inside / "a.csv").write_text("a\n1\n")
    (inside / "sub" / "a.csv").write_text("a\n22\n")
    (inside / "odd ;$(x)'é #?%41.csv").write_text("x\n")
    (tmp_path / "files" / "owner__slug-more").mkdir()
    (tmp_path / "files" / "owner__slug-more" / "b.csv").write_text("b\n")
    return tmp_path


def local(folder):
    return DataFiles(local_source(folder, "a folder"), folder / "cache", 5)


def test_a_file_named_twice_is_one_file(folder):
    files = local(folder)
    twice = task("a.csv", "a.csv", "gone.csv")
    assert [(file.name, file.size) for file in files.list(twice)] == [("a.csv", 4), ("gone.csv", None)]
    assert files.open(twice, "a.csv").read_text() == "a\n1\n"
    with pytest.raises(NotFound, match=r"There is no file 'gone\.csv' in the task's folder\."):
        files.open(twice, "gone.csv")


def test_without_named_files_the_folder_is_the_list_and_names_become_flat(folder):
    files = local(folder)
    assert [file.name for file in files.list(task())] == ["a.csv", "odd ;$(x)'é #?%41.csv", "sub/a.csv"]
    inputs = files.inputs(task())
    assert {name: path.read_text() for name, path in inputs.items()} == {
        "a.csv": "a\n1\n",
        "odd ;$(x)'é #?%41.csv": "x\n",
        "sub__a.csv": "a\n22\n",
    }


def test_a_missing_file_is_no_hindrance_to_the_others(folder):
    found = local(folder).inputs(task("a.csv", "gone.csv", "../../secret.csv"))
    assert found["a.csv"].read_text() == "a\n1\n"
    assert (type(found["gone.csv"]), type(found["secret.csv"])) == (NotFound, Refused)


def test_flat_names_keep_every_file():
    assert list(flat_names(["x/a.csv", "a.csv", "y/a.csv", "a.csv", "y__a.csv"]).items()) == [
        ("x/a.csv", "a.csv"),
        ("a.csv", "a__2.csv"),
        ("y/a.csv", "y__a.csv"),
        ("y__a.csv", "y__a__2.csv"),
    ]


@pytest.mark.parametrize(
    "name", ["../../secret.csv", "/etc/hostname", "sub/../../owner__slug-more/b.csv", "a\0.csv", ""]
)
def test_a_name_that_leads_outside_is_refused(folder, name):
    files = local(folder)
    assert files.list(task(name))[0].path is None
    with pytest.raises(Refused, match="is refused"):
        files.open(task(name), name)


def test_a_link_or_prefix_that_leads_outside_is_refused(folder):
    inside = folder / "files" / "owner__slug"
    (inside / "link.csv").symlink_to(folder / "secret.csv")
    (inside / "near.csv").symlink_to(inside / "a.csv")
    (folder / "files" / "linked").symlink_to(folder)
    files = local(folder)
    assert files.open(task("near.csv"), "near.csv").read_text() == "a\n1\n"
    for outside in (task("link.csv"), task("secret.csv", prefix="linked"), task("secret.csv", prefix="..")):
        with pytest.raises(Refused):
            files.open(outside, outside.files[0])


def test_links_in_a_circle_and_endless_paths_are_missing_files(folder):
    (folder / "files" / "owner__slug" / "circle.csv").symlink_to("circle.csv")
    (folder / "files" / "circle").symlink_to("circle")
    files = local(folder)
    assert [file.name for file in files.list(task()) if file.path is None] == ["circle.csv"]
    for name in ("circle.csv", "x/" * 5000 + "x.csv"):
        with pytest.raises(NotFound, match="There is no file"):
            files.open(task(name), name)
    for prefix in ("circle", "x/" * 5000 + "x"):
        with pytest.raises(NotFound, match="The source has no folder"):
            files.list(task(prefix=prefix))


def test_a_file_whose_name_is_no_text_is_not_listed(folder):
    (folder / "files" / "owner__slug-more" / os.fsdecode(b"\xff.csv")).write_text("a\n")
    assert [file.name for file in local(folder).list(task(prefix="owner__slug-more"))] == ["b.csv"]


def test_only_a_task_s_own_files_can_be_opened(folder):
    with pytest.raises(NotFound, match=r"The task has no file 'sub/a\.csv'"):
        local(folder).open(task("a.csv"), "sub/a.csv")


@dataclass
class OnHub:
    hub: LoopbackHub
    files: DataFiles
    cache: object

    def left_over(self):
        return [path for path in self.cache.rglob("*") if path.is_file()]


@pytest.fixture
def on_hub(folder, tmp_path_factory):
    cache = tmp_path_factory.mktemp("cache")
    with LoopbackHub(buckets={BUCKET: folder / "files"}, page=2) as hub:
        yield OnHub(hub, DataFiles(Source("the Hub", None, "org/name", endpoint=hub.url), cache, 1.0), cache)


def test_a_file_comes_from_the_hub_once_and_without_a_token(on_hub, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    wanted = task("odd ;$(x)'é #?%41.csv")
    assert on_hub.files.list(wanted)[0].path is None
    for _ in range(2):
        assert on_hub.files.open(wanted, wanted.files[0]).read_text() == "x\n"
    assert on_hub.files.list(wanted)[0].size == 2
    [(method, path, headers)] = on_hub.hub.requests
    assert (method, path) == ("GET", f"/buckets/{BUCKET}/resolve/owner__slug/{wanted.files[0]}")
    assert "authorization" not in headers and "cookie" not in headers


def test_a_folder_of_the_bucket_is_listed_page_by_page_without_its_neighbour(on_hub):
    assert [file.name for file in on_hub.files.list(task())] == ["a.csv", "odd ;$(x)'é #?%41.csv", "sub/a.csv"]
    assert len(on_hub.hub.requests) == 2
    assert on_hub.files.inputs(task())["sub__a.csv"].read_text() == "a\n22\n"


def test_eight_who_want_one_file_share_one_download(on_hub):
    on_hub.hub.faults.append(Fault("a.csv", drip=20))  # 4 bytes in 0.2 s
    seen, outcomes = [], []

    def want():
        path = on_hub.files.open(task("a.csv"), "a.csv", progress=lambda *state: seen.append(state))
        outcomes.append(path.read_text())

    threads = [threading.Thread(target=want) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == ["a\n1\n"] * 8
    assert len(on_hub.hub.requests) == 1
    assert all(name == "a.csv" and done <= 4 and total in (None, 4) for name, done, total in seen)


@pytest.mark.parametrize(
    ("fault", "state", "sentence"),
    [
        (Fault("a.csv", status=401), AccessDenied, "not given to anonymous readers"),
        (Fault("a.csv", status=403), AccessDenied, "not given to anonymous readers"),
        (Fault("a.csv", status=404), NotFound, "is not on the Hub"),
        (Fault("a.csv", status=429, headers={"Retry-After": "300"}), RateLimited, "try again in 300 seconds"),
        (Fault("a.csv", status=500), Offline, "status 500"),
        (Fault("a.csv", cut=2), Corrupt, "cut short"),
        (Fault("a.csv", silent=True), TimedOut, "silent"),
        (Fault("a.csv", drip=2), TimedOut, "within 1 seconds"),
    ],
)
def test_a_failing_hub_is_a_state_and_the_next_try_works(on_hub, fault, state, sentence):
    on_hub.hub.faults.append(Fault(**{**fault.__dict__, "times": 1}))
    start = time.monotonic()
    with pytest.raises(DataFileError, match=sentence) as caught:
        on_hub.files.open(task("a.csv"), "a.csv")
    assert type(caught.value) is state
    assert time.monotonic() - start < 10
    assert on_hub.left_over() == []
    assert on_hub.files.open(task("a.csv"), "a.csv").read_text() == "a\n1\n"


def test_a_file_that_trickles_is_given_up_at_its_deadline(on_hub, folder):
    (folder / "files" / "owner__slug" / "slow.csv").write_text("n\n" * 200)
    on_hub.hub.faults.append(Fault("slow.csv", drip=20))  # 20 s
    seen = []
    start = time.monotonic()
    with pytest.raises(TimedOut, match="within 1 seconds") as caught:
        on_hub.files.open(task("slow.csv"), "slow.csv", progress=lambda name, done, total: seen.append((done, total)))
    assert type(caught.value) is TimedOut
    assert time.monotonic() - start < 10
    assert 0 < max(done for done, _ in seen) < 40
    assert on_hub.left_over() == []


def test_a_listing_that_trickles_is_given_up_too(on_hub, monkeypatch):
    monkeypatch.setattr("services.datafiles.hub.LIST_SECONDS", 0.5)
    on_hub.hub.faults.append(Fault("/tree", drip=20, times=1))
    start = time.monotonic()
    with pytest.raises(TimedOut, match=r"The task's folder did not arrive from the Hub within 0\.5 seconds"):
        on_hub.files.list(task())
    assert time.monotonic() - start < 10
    assert len(on_hub.files.list(task())) == 3


def test_who_does_not_wait_leaves_the_download_to_the_next(on_hub):
    on_hub.hub.faults.append(Fault("a.csv", drip=10, times=1))  # 0.4 s
    with pytest.raises(StillComing, match=r"of 0\.0 MB are here") as waiting:
        on_hub.files.open(task("a.csv"), "a.csv", wait_seconds=0.2)
    assert (waiting.value.done, waiting.value.total) < (4, 4)
    assert on_hub.files.open(task("a.csv"), "a.csv").read_text() == "a\n1\n"
    assert len(on_hub.hub.requests) == 1


def test_no_hub_is_offline(tmp_path, monkeypatch):
    with refusing_hub() as url:
        source = Source("the Hub", None, "org/name", endpoint=url)
        with pytest.raises(Offline, match="can't be reached"):
            DataFiles(source, tmp_path, 5).open(task("a.csv"), "a.csv")
        monkeypatch.setenv("HF_HUB_OFFLINE", "1")
        with pytest.raises(Offline, match="set to work offline"):
            DataFiles(source, tmp_path, 5).open(task("a.csv"), "a.csv")
