"""What folders and processes are measured to hold, and trees no path reaches being removed."""

import os
import subprocess
import sys

from services.kernels.folder_tree import clear_folder, remove_tree
from services.kernels.usage import FolderUse, folder_use, process_use

MOST = FolderUse(10**9, 10**6)


def nest(root, depth):
    """Folders in folders, deeper than any path may be long."""
    handle = os.open(root, os.O_RDONLY)
    for _ in range(depth):
        os.mkdir("d" * 50, dir_fd=handle)
        inner = os.open("d" * 50, os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = inner
    os.close(handle)


def test_a_folder_is_measured_without_the_tasks_files_and_what_links_lead_to(tmp_path):
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    for folder in (root / "input", root / "work" / "deep", elsewhere):
        folder.mkdir(parents=True)
    (root / "input" / "rows.csv").write_bytes(b"x" * 1_000_000)
    (elsewhere / "large").write_bytes(b"x" * 1_000_000)
    (root / "work" / "link").symlink_to(elsewhere)
    (root / "work" / "deep" / "a.bin").write_bytes(b"x" * 200_000)
    with (root / "work" / "sparse").open("wb") as file:
        file.truncate(10**12)
    use = folder_use([root / "work", root / "home"], MOST)
    assert use.files == 4  # deep, a.bin, link, sparse
    assert 200_000 <= use.size < 300_000
    assert not use.unseen
    assert folder_use([tmp_path / "none"], MOST) == FolderUse()


def test_the_walk_ends_once_it_is_past_what_matters(tmp_path):
    for n in range(500):
        (tmp_path / str(n)).touch()
    assert folder_use([tmp_path], FolderUse(10**9, 100)).files == 101


def test_what_lies_too_deep_is_said_to_be_unseen_and_removed_all_the_same(tmp_path):
    root = tmp_path / "root"
    (root / "work").mkdir(parents=True)
    (root / "kept").write_text("kept")
    nest(root / "work", 2000)
    assert folder_use([root], MOST).unseen
    clear_folder(root / "work")
    assert list((root / "work").iterdir()) == []
    nest(root / "work", 2000)
    remove_tree(root)
    assert not root.exists()


def test_removing_follows_no_link_and_opens_closed_folders(tmp_path):
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept").write_text("kept")
    (root / "closed" / "inner").mkdir(parents=True)
    (root / "closed" / "inner" / "file").write_text("x")
    (root / "closed" / "link").symlink_to(elsewhere)
    (root / "closed" / "inner").chmod(0o000)
    (root / "closed").chmod(0o000)
    remove_tree(root)
    assert not root.exists()
    assert (elsewhere / "kept").read_text() == "kept"
    (tmp_path / "link").symlink_to(elsewhere)
    remove_tree(tmp_path / "link")
    assert (elsewhere / "kept").read_text() == "kept"


def test_a_process_is_measured_with_all_below_it():
    child = "x = b'x' * 60_000_000; print('on', flush=True); input()"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", parent], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        use = process_use(process.pid)
        process.stdin.write("\n")
        process.stdin.close()
    assert 60_000_000 < use.memory < 150_000_000
    assert use.threads == 2
    assert process_use(process.pid) is None
