"""HDF5: the tree, the arrays, and what is named but never read."""

import h5py
import numpy as np
import pytest

from services.tables import Reading, TableError, preview
from services.tables.window import read_preview


def shown(path, table=None, rows=50, offset=0):
    return read_preview(path, rows, offset, table, wanted=None, reading=Reading())


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hdf5")
    (folder / "secret.txt").write_bytes(b"a secret!!")
    with h5py.File(folder / "other.h5", "w") as other:
        other["x"] = np.arange(3)
    with h5py.File(folder / "a.h5", "w") as file:
        file["g/square"] = np.arange(6, dtype="i2").reshape(2, 3)
        file["long"] = np.arange(100_000)
        file["cube"] = np.arange(24.0).reshape(2, 3, 4)
        file["one"] = 0.1
        file["fixed"] = np.array([b"ab", "é".encode()])
        file["words"] = ["é", ""]
        file["records"] = np.array([(1, 2.5, b"x")], dtype=[("i", "i4"), ("f", "f4"), ("s", "S2")])
        file["none"] = h5py.Empty("f4")
        file["soft"] = h5py.SoftLink("/g/square")
        file["external"] = h5py.ExternalLink("other.h5", "/x")
        file["g/back"] = file["/"]
        file.create_dataset("raw", (10,), "u1", external=[(str(folder / "secret.txt"), 0, 10)])
        layout = h5py.VirtualLayout((3,), "i8")
        layout[:] = h5py.VirtualSource("other.h5", "x", (3,))
        file.create_virtual_dataset("virtual", layout)
        file.create_dataset("pickles", (1,), h5py.vlen_dtype("u1"))
        file.create_dataset("pointers", (1,), h5py.ref_dtype)
        file.create_dataset("within", (1,), np.dtype([("n", "i4"), ("p", h5py.ref_dtype)]))
        file.create_dataset("bomb", (2**40,), "f8", chunks=(2**28,), compression="gzip")
    return folder / "a.h5"


REFUSED = {
    "/none": "it holds no value",
    "/soft": "it leads to /g/square, which is listed where it is",
    "/external": "it leads to another file, other.h5, at /x",
    "/g/back": "it is listed under another path",
    "/virtual": "it is virtual: its values are in other files or arrays",
    "/pickles": "its values vary in length: Python objects are often stored so, as pickles",
    "/pointers": "it holds references",
    "/within": "of its field p, it holds references",
    "/bomb": "it is stored in pieces of 268,435,456, too large to unpack for a preview",
}


def test_the_tree_lists_every_object_and_says_what_is_not_shown(tree):
    listing = shown(tree)
    entries = {path: tuple(more) for path, *more in listing.rows}
    assert entries["/g"] == ("group", "", "", "")
    assert entries["/g/square"] == ("array", "2 × 3", "int16", "")
    assert entries["/records"] == ("array", "1", "i int32, f float32, s text", "")
    assert {path: why for path, (*_, why) in entries.items() if why and path != "/raw"} == REFUSED
    assert entries["/raw"][-1] == f"its values are in another file, {tree.parent / 'secret.txt'}"
    assert set(listing.tables) == {"(contents)"} | {
        path for path, (kind, *_, why) in entries.items() if kind == "array" and not why
    }
    for path in ("/raw", *REFUSED):
        with pytest.raises(TableError, match="is not shown: "):
            shown(tree, path)


@pytest.mark.parametrize(
    ("path", "names", "rows"),
    [
        ("/g/square", "0 1 2", (("0", "1", "2"), ("3", "4", "5"))),
        ("/one", "0", (("0.1",),)),
        ("/fixed", "0", (("ab",), ("é",))),
        ("/words", "0", (("é",), ("",))),
        ("/records", "i f s", (("1", "2.5", "x"),)),
        ("/cube", "0 1 2 3", tuple(tuple(f"{float(4 * row + at)}" for at in range(4)) for row in range(3))),
    ],
)
def test_arrays_are_tables(tree, path, names, rows):
    read = shown(tree, path)
    assert (" ".join(column.name for column in read.columns), read.rows) == (names, rows)
    assert (read.total_rows, read.exact, read.table) == (len(rows), True, path)


def test_pages_and_planes(tree):
    assert shown(tree, "/long", rows=2, offset=99_999).rows == (("99999",),)
    assert shown(tree, "/cube").notes == ("3 dimensions, 2 × 3 × 4: the plane [0, :, :] is shown.",)


def test_a_packed_bomb_within_the_bound_fails_alone(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("wide", (4, 2_000_000), "f8", chunks=(1, 2_000_000), compression="gzip")
        file["wide"][0] = np.ones(2_000_000)
    read = preview(tmp_path / "a.h5", table="/wide")
    assert read.rows[0][0] == "1.0" and len(read.rows) == 4
    assert read.notes[0] == "Of 2,000,000 columns the first 20,000 are shown."
