"""A confined kernel has its task's files without a copy, and can change nothing of them; others have copies."""

import asyncio

import pytest

from services.kernels import KernelPool
from tests.kernel_cases import events_of, new_launcher, new_limits, printed, start, until

ATTACKS = """
import fcntl, mmap, os, shutil
path = "../input/rows.csv"
print(os.stat(path).st_ino)
def attack(name, act):
    try:
        act()
    except Exception as error:
        print(name, type(error).__name__)
    else:
        print(name, "done")
reading = os.open(path, os.O_RDONLY)
attack("write", lambda: open(path, "r+b").write(b"X"))
attack("append", lambda: open(path, "ab").write(b"X"))
attack("truncate", lambda: os.truncate(path, 0))
attack("ftruncate", lambda: os.ftruncate(reading, 0))
attack("again", lambda: os.open(f"/proc/self/fd/{reading}", os.O_RDWR))
attack("map", lambda: mmap.mmap(reading, 0, mmap.MAP_SHARED, mmap.PROT_WRITE))
attack("link", lambda: os.link(path, "mine.csv"))
attack("rename", lambda: os.rename(path, "mine.csv"))
attack("remove", lambda: os.unlink(path))
attack("attribute", lambda: os.setxattr(path, "user.a", b"1"))
attack("flags", lambda: fcntl.ioctl(reading, 0x40086602, (16).to_bytes(8, "little")))
os.chmod(path, 0o777), os.utime(path, (1, 1))
shutil.copy(path, "copy.csv")
open("copy.csv", "a").write("more")
print(open(path).read(), open("copy.csv").read())
"""


def told(confinement, tmp_path, original):
    async def main():
        launcher = new_launcher(tmp_path / "sessions", confinement=confinement)
        async with launcher, KernelPool(launcher.engine, tmp_path / "sessions", new_limits()) as pool:
            await until(lambda: launcher.held is not None, 60)
            return printed(await events_of(start(pool, ATTACKS, inputs=lambda: {"rows.csv": original})))

    return asyncio.run(main())


@pytest.mark.parametrize(("confinement", "shared"), [("required", True), ("none", False)])
def test_a_cell_can_not_change_the_originals(tmp_path, confinement, shared):
    original = tmp_path / "rows.csv"
    original.write_text("a,b")
    before = original.stat()
    inode, _, text = told(confinement, tmp_path, original).partition("\n")
    assert (int(inode) == before.st_ino) is shared
    if shared:
        assert text.endswith("a,b a,bmore\n")
        assert "done" not in text, text
    after = original.stat()
    assert (original.read_text(), after.st_mode, after.st_mtime_ns) == ("a,b", before.st_mode, before.st_mtime_ns)
    assert after.st_nlink == 1
