"""A session's folder takes only plain names and files, and what a crashed app left is found and ended."""

import json
import os
import subprocess
import sys
import threading

import pytest

from services.kernels.processes import identify, kill_tree
from services.kernels.session_folder import AnswerUnreadable, SessionFolder, sweep
from tests.kernel_cases import full_disk


@pytest.fixture
def folder(tmp_path):
    made = SessionFolder(tmp_path / "sessions")
    yield made
    made.remove()


@pytest.mark.parametrize("name", ["", ".", "..", "../out", "/etc/passwd", "a/b", "nul\0"])
def test_names_that_lead_elsewhere_are_refused(folder, tmp_path, name):
    source = tmp_path / "source"
    source.write_text("x")
    with pytest.raises(ValueError, match="not a plain file name"):
        folder.fill({name: source})
    assert not folder.filled


def test_a_filling_that_failed_can_be_done_again(folder, tmp_path):
    good = tmp_path / "good.csv"
    good.write_text("a\n")
    with pytest.raises(FileNotFoundError):
        folder.fill({"good.csv": good, "missing.csv": tmp_path / "missing.csv"})
    folder.fill({"good.csv": good, "missing.csv": good})
    assert (folder.input / "missing.csv").read_text() == "a\n"


def test_a_folder_removed_while_it_is_filled_stays_removed(tmp_path):
    """The copying goes on in its thread when nobody waits for it any more."""
    pipe = tmp_path / "slow"
    os.mkfifo(pipe)
    folder = SessionFolder(tmp_path / "sessions")
    filling = threading.Thread(target=folder.fill, args=({"slow": pipe},))
    filling.start()
    removing = threading.Thread(target=folder.remove)
    with pipe.open("w") as slow:
        removing.start()
        slow.write("rows")
    filling.join(10)
    removing.join(10)
    folder.fill({"again": pipe})
    assert not list((tmp_path / "sessions").iterdir())


def test_the_answer_is_read_from_a_plain_small_file_only(folder, tmp_path):
    answer = folder.work / "answer.txt"
    assert folder.answer() is None
    answer.write_text("  42\n")
    assert folder.answer() == "42"
    answer.write_bytes(b"caf\xe9")
    assert folder.answer() == "caf\ufffd"
    answer.write_text("x" * 1_000_001)
    with pytest.raises(AnswerUnreadable, match="more than 1 MB"):
        folder.answer()
    for make in (lambda: answer.symlink_to("/etc/hostname"), lambda: os.mkfifo(answer), answer.mkdir):
        answer.unlink(missing_ok=True)
        make()
        with pytest.raises(AnswerUnreadable, match="not a plain file"):
            folder.answer()


def test_a_work_folder_made_a_link_gives_no_answer(folder, tmp_path):
    (tmp_path / "answer.txt").write_text("secret")
    folder.work.rmdir()
    folder.work.symlink_to(tmp_path)
    assert folder.answer() is None


def test_a_folder_that_cannot_be_made_leaves_nothing(tmp_path, monkeypatch):
    sockets = tmp_path / "short"
    sockets.mkdir()
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(sockets))
    monkeypatch.setattr("secrets.token_hex", lambda n: "x" * 300)
    with pytest.raises(OSError, match="File name too long"):
        SessionFolder(tmp_path / "sessions")
    assert not list(sockets.iterdir())


def test_a_full_disk_leaves_nothing_of_a_folder(tmp_path):
    with full_disk(), pytest.raises(OSError, match="File too large"):
        SessionFolder(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_sweep_ends_and_removes_what_a_dead_app_left(tmp_path):
    sessions = tmp_path / "sessions"
    left, own = SessionFolder(sessions), SessionFolder(sessions)
    sleeper = [sys.executable, "-c", "import time; time.sleep(600)"]
    kernel = subprocess.Popen(sleeper, cwd=left.work, start_new_session=True)
    stray = subprocess.Popen(sleeper, cwd="/", env={"HOME": str(left.work)}, start_new_session=True)
    other = subprocess.Popen(sleeper)
    try:
        left.note_kernel(identify(kernel.pid))
        record = left.root.with_suffix(".json")
        # the app's number is in use again, by a process that started at another time
        record.write_text(json.dumps(json.loads(record.read_text()) | {"app": [other.pid, 1]}))
        (left.work / "locked").mkdir()
        (left.work / "locked" / "file").write_text("x")
        (left.work / "locked").chmod(0o500)
        assert sweep(sessions) == 1
        assert (kernel.wait(5), stray.wait(5), other.poll()) == (-9, -9, None)
        assert not any(each.exists() for each in (left.root, left.sockets, record))
        assert own.root.is_dir() and own.sockets.is_dir()
    finally:
        for each in (kernel, stray, other):
            each.kill()
            each.wait()
        own.remove()


def test_a_number_used_again_is_not_killed(tmp_path):
    kernel = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    try:
        before = identify(kernel.pid)
        kill_tree(type(before)(before.pid, before.start - 1), tmp_path / "home")
        assert kernel.poll() is None
        kill_tree(before, tmp_path / "home")
        assert kernel.wait(5) == -9
    finally:
        kernel.kill()
        kernel.wait()
