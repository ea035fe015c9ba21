"""Input files of a local source: listed, reconciled with the names a task gives, and nothing beyond its folder."""

import itertools
import os

import pytest

from services.catalog.source import Source, local_source
from services.datafiles import DataFiles, NotFound, Offline, Refused, flat_names
from services.datafiles.cache import CacheUse
from tests.hub_files import task


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


def test_a_name_stands_for_the_files_of_that_name_in_subfolders(folder):
    inside = folder / "files" / "owner__slug"
    (inside / "x").mkdir()
    (inside / "x" / "b.csv").write_text("x\n")
    (inside / "sub" / "b.csv").write_text("sub\n")
    files = local(folder)
    assert [file.name for file in files.list(task("b.csv", "a.csv"))] == ["sub/b.csv", "x/b.csv", "a.csv"]
    inputs = files.inputs(task("b.csv", "a.csv"))
    assert {name: path.read_text() for name, path in inputs.items()} == {
        "b.csv": "sub\n",
        "x__b.csv": "x\n",
        "a.csv": "a\n1\n",
    }
    assert files.unnamed(task("b.csv", "a.csv")) == ["odd ;$(x)'é #?%41.csv", "sub/a.csv"]


def test_the_source_may_change_at_any_moment(folder, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    files, wanted, seen = local(folder), task("a.csv"), set()
    here = files._files
    files.use(Source("the Hub", None, "a/b", endpoint="http://127.0.0.1:1"))
    turns = itertools.cycle([here, files._files])
    monkeypatch.setattr(DataFiles, "_files", property(lambda _: next(turns)), raising=False)
    for _ in range(2):
        for _ in range(2):  # each call may meet either source first
            seen.add(files.list(wanted)[0].state)
            seen.add(type(files.cache_use()))
            seen.add(files.stop(wanted, "a.csv"))
            seen |= {type(found) for found in files.inputs(wanted).values()}
            try:
                seen.add(files.open(wanted, "a.csv").read_text())
            except Offline:
                seen.add(Offline)
        next(turns)
    assert seen == {
        "here",
        "on the Hub",
        type(None),
        CacheUse,
        "a.csv is not on its way.",
        type(folder),
        Offline,
        "a\n1\n",
    }
