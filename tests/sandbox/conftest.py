from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox.house import House, build_house
from tests.sandbox.scene import Scene, acted

if sys.platform != "linux":
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(scope="package")
def base() -> Iterator[Path]:
    """A folder every user may enter: pytest's own are closed to all but who runs it."""
    folder = Path(tempfile.mkdtemp(prefix="sandbox-", dir="/tmp"))
    folder.chmod(0o755)
    yield folder
    # not shutil.rmtree, which gives up on folders deep in folders; some are closed even to their owner
    subprocess.run(["find", folder, "-type", "d", "-exec", "chmod", "u+rwx", "{}", "+"], check=True)
    subprocess.run(["rm", "-rf", folder], check=True)


@pytest.fixture(scope="package")
def house(base: Path) -> House:
    return build_house(base)


@pytest.fixture(scope="package")
def scene(house: House, base: Path) -> Iterator[Scene]:
    with acted(house, base) as scene:
        yield scene
