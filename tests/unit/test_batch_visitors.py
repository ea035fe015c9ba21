"""What an app keeps of its visitors' batches: one each, bounded, and nothing left of an app that was killed."""

import json
import subprocess
import sys

import pytest

from services.batch import BatchError, Batches, Policy
from services.batch import visitors as registry
from services.catalog import open_catalog
from services.grading import Grader
from services.settings import Settings
from tests.folder_source import row, write_rows

ADA, BOB = "a" * 48, "b" * 48


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    tasks = [row(str(number), answer=str(number)) for number in range(1, 4)]
    source = write_rows(tmp_path_factory.mktemp("source") / "tasks", {"test": tasks})
    return open_catalog(Settings(tasks_source=str(source), cache_dir=tmp_path_factory.mktemp("cache")))


@pytest.fixture
def batches(catalog, tmp_path):
    made = Batches(tmp_path / "batches", catalog, lambda: Grader(1), upload_mb=1)
    yield made
    made.close()


def give(batches, token, name, data):
    upload = batches.upload(token, name)
    upload.write(data)
    upload.keep()


def lines(*answers):
    rows = [{"task_id": str(number), "prediction": answer} for number, answer in enumerate(answers, 1)]
    return "\n".join(map(json.dumps, rows)).encode()


def test_each_visitor_has_a_batch_of_their_own(batches):
    give(batches, ADA, "a.jsonl", lines("1", "2", "x"))
    give(batches, BOB, "b.jsonl", lines("1"))
    rates = {}
    for token in (ADA, BOB):
        batches.read(token, {})
        batch = batches.start(token, Policy())
        assert batch.wait(60)
        rates[token] = batch.report()["runs"][0]["outcomes"]["right"]
    assert rates == {ADA: 2, BOB: 1}
    assert batches.visitor("c" * 48) is None


def test_a_new_file_takes_the_place_of_what_was_read_before(batches):
    give(batches, ADA, "a.jsonl", lines("1"))
    batches.read(ADA, {})
    assert batches.start(ADA, Policy()).wait(60)
    give(batches, ADA, "b.jsonl", lines("2"))
    visitor = batches.visitor(ADA)
    assert (visitor.plan, visitor.batch) == (None, None)
    assert [run.run for run in batches.read(ADA, {}).counts().runs] == ["a", "b"]
    batches.remove_file(ADA, 0)
    assert [file.name for file in visitor.files] == ["b.jsonl"]
    assert [run.run for run in batches.read(ADA, {}).counts().runs] == ["b"]


def test_files_over_the_limit_are_refused_and_leave_nothing(batches):
    give(batches, ADA, "a.jsonl", b"x" * 900_000)
    upload = batches.upload(ADA, "b.jsonl")
    with pytest.raises(BatchError, match=r"b\.jsonl was not taken in: 1 MB in all is the most\."):
        upload.write(b"x" * 200_000)
    upload.discard()
    visitor = batches.visitor(ADA)
    assert [path.stat().st_size for path in visitor.folder.iterdir()] == [900_000]
    for number in range(registry.FILES - 1):
        give(batches, ADA, f"{number}.jsonl", b"{}")
    with pytest.raises(BatchError, match="10 files are the most"):
        batches.upload(ADA, "more.jsonl")


def test_files_on_their_way_count_like_those_that_are_here(batches):
    arriving = [batches.upload(ADA, f"{number}.jsonl") for number in range(registry.FILES)]
    with pytest.raises(BatchError, match="10 files are the most"):
        batches.upload(ADA, "more.jsonl")
    arriving[0].write(b"x" * 600_000)
    with pytest.raises(BatchError, match=r"1\.jsonl was not taken in: 1 MB in all"):
        arriving[1].write(b"x" * 600_000)
    arriving[1].discard()
    arriving[2].write(b"x" * 300_000)
    for upload in arriving[2:]:
        upload.keep()
    arriving[0].discard()
    visitor = batches.visitor(ADA)
    assert sum(path.stat().st_size for path in visitor.folder.iterdir()) == 300_000
    assert (len(visitor.files), len(visitor.arriving)) == (8, 0)


def test_the_longest_idle_visitor_makes_room_and_a_busy_one_does_not(batches, monkeypatch):
    tokens = [f"{number:048x}" for number in range(registry.MOST)]
    for token in tokens:
        give(batches, token, "a.jsonl", lines("1"))
    with pytest.raises(BatchError, match=r"8 others have files here now\. Try again"):
        batches.upload(ADA, "a.jsonl")
    monkeypatch.setattr(registry, "SOON_SECONDS", -1)
    gone = batches.visitor(tokens[1])
    for token in tokens:
        if token != tokens[1]:
            batches.visitor(token)
    give(batches, ADA, "a.jsonl", lines("1"))
    assert batches.visitor(tokens[1]) is None and not gone.folder.exists()
    assert batches.visitor(tokens[0]) and batches.visitor(ADA)


def test_what_a_killed_app_left_is_removed_and_a_live_ones_is_not(batches, catalog, tmp_path):
    give(batches, ADA, "a.jsonl", lines("1"))
    kept = batches.visitor(ADA).folder
    code = (
        "import os, sys; from pathlib import Path; from services.batch import Batches\n"
        "batches = Batches(Path(sys.argv[1]), None, None, 1)\n"
        "upload = batches.upload('c' * 48, 'left.csv'); upload.write(b'x'); upload.keep()\n"
        "print(batches.visitor('c' * 48).folder, flush=True); os.kill(os.getpid(), 9)"
    )
    left = subprocess.run([sys.executable, "-c", code, tmp_path / "batches"], capture_output=True, text=True)
    folder = left.stdout.strip()
    assert folder and (tmp_path / folder).exists()
    Batches(tmp_path / "batches", catalog, lambda: Grader(1), 1).close()
    assert not (tmp_path / folder).exists()
    assert kept.exists()


def test_closing_deletes_everything(catalog, tmp_path):
    batches = Batches(tmp_path / "batches", catalog, lambda: Grader(1), 1)
    give(batches, ADA, "a.jsonl", lines("1"))
    batches.read(ADA, {})
    batches.start(ADA, Policy())
    batches.close()
    assert list((tmp_path / "batches").iterdir()) == []
    with pytest.raises(BatchError, match="The app is ending"):
        batches.upload(ADA, "b.jsonl")
