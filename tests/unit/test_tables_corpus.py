"""Awkward files, each read through the child processes as any preview is: what is shown, warned of, or refused."""

import pytest

from services.tables import TableError, children, encoding, preview
from services.tables.delimited import open_delimited
from tests.awkward_files import FILES, make_all

SHORT = [name for name, file in FILES.items() if not file.long]


def read(folder, name):
    """The preview, or the sentence there is instead."""
    try:
        return preview(folder / name.replace(".", "-") / name, table=FILES[name].table)
    except TableError as error:
        return str(error)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("awkward")
    make_all(folder)
    with children.ready(seconds=60, memory_mb=1024):
        yield folder


@pytest.mark.parametrize("name", SHORT)
def test_a_file_is_shown_as_it_stands_or_refused_in_a_sentence(folder, name):
    check(name, read(folder, name))


@pytest.mark.long
@pytest.mark.parametrize("name", [name for name, file in FILES.items() if file.long])
def test_a_large_file_is_shown_as_it_stands(folder, name):
    check(name, read(folder, name))


def check(name, shown):
    file = FILES[name]
    if file.error or isinstance(shown, str):
        assert isinstance(shown, str) and file.error and file.error in shown
        return
    assert shown.kind == file.kind
    assert file.columns is None or tuple(column.name for column in shown.columns) == file.columns
    assert {place: shown.rows[place[0]][place[1]] for place in file.cells} == file.cells
    assert file.total is None or (shown.total_rows, shown.exact) == (file.total, True)
    assert {warning.kind for warning in shown.warnings} == file.warnings
    assert file.encoding is None or shown.encoding == file.encoding
    said = "\n".join([*shown.notes, *(warning.text for warning in shown.warnings)])
    assert [words for words in file.says if words not in said] == []


def test_a_bad_byte_that_no_sample_holds_ends_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(encoding, "WHOLE_BYTES", 1000)
    path = tmp_path / "long.csv"
    rows = [b"1,plain\n"] * 150_000
    rows[50_000] = b"2,caf\xe9\n"
    path.write_bytes(b"n,t\n" + b"".join(rows))
    opened = open_delimited(path)
    read = list(opened.rows)
    assert (opened.encoding, len(read), read[50_000]) == ("utf-8", 150_000, ["2", "caf\ufffd"])
