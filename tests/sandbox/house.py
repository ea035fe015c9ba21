"""A copy of the app, its environments and their Python, all owned by the ordinary user who runs it.

Started as root the tests could reach what no visitor's code can, and root's home may be closed to everyone else;
an app that owns its own files is also the easiest to harm, so what holds here holds in the image.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ORDINARY = 10001
CODE = ("app.py", "components", "services", "assets")
ENVIRONMENTS = (".venv", ".venv-kernel")
LEFT_OUT = {"test", "idlelib", "ensurepip"}
CHANGED_BY_ATTACKS = {"ipykernel", "bin"}  # copied; other packages share their files with the original


@dataclass(frozen=True)
class House:
    """Where the copy stands, and who owns and runs it; `user` is None when that is who runs the tests."""

    root: Path
    user: int | None

    @property
    def app_python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    @property
    def kernel_packages(self) -> Path:
        (packages,) = (self.root / ".venv-kernel" / "lib").glob("python*/site-packages")
        return packages

    @property
    def kernel_python(self) -> Path:
        return self.root / ".venv-kernel" / "bin" / "python"

    def start(self, command: Collection[str | Path], **options: object) -> subprocess.Popen[bytes]:
        """Start a process as the owner, in a session of its own."""
        as_owner = {} if self.user is None else {"user": self.user, "group": self.user, "extra_groups": []}
        return subprocess.Popen(list(command), start_new_session=True, **as_owner, **options)  # type: ignore[call-overload]


def build_house(base: Path) -> House:
    """Build the copy below `base`, a folder every user may enter."""
    house = House(base / "house", ORDINARY if os.geteuid() == 0 else None)
    house.root.mkdir()
    for name in CODE:
        _bring(ROOT / name, house.root / name, linked=False)
    python = _own_python(base)
    for name in ENVIRONMENTS:
        _bring(ROOT / name, house.root / name)
        _point_at(house.root / name, python)
    _hand_over(base, house.user)
    return house


def _bring(source: Path, target: Path, linked: bool = True) -> None:
    """Copy a tree; with `linked` its files are the original's own where the file system allows it."""
    if source.is_file():
        shutil.copy2(source, target)
        return
    for parent, folders, files in os.walk(source):
        folders[:] = [each for each in folders if each not in LEFT_OUT]
        place = target / Path(parent).relative_to(source)
        place.mkdir()
        copied = not linked or CHANGED_BY_ATTACKS & set(place.relative_to(target).parts)
        for name in [*files, *(each for each in folders if Path(parent, each).is_symlink())]:
            _bring_file(f"{parent}/{name}", f"{place}/{name}", linked=not copied)
        folders[:] = [each for each in folders if not Path(parent, each).is_symlink()]


def _bring_file(source: str, target: str, linked: bool) -> None:
    if linked:
        try:
            os.link(source, target, follow_symlinks=False)
            return
        except OSError:  # another file system, or a file of another user's
            pass
    shutil.copy2(source, target, follow_symlinks=False)


def _own_python(base: Path) -> Path:
    """The Python below the environments, one the owner can run: the machine's, or a copy of it."""
    machine = Path(sys.base_prefix).resolve()
    python = machine / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    if os.geteuid() != 0 or all(each.stat().st_mode & 0o005 == 0o005 for each in [python, *python.parents]):
        return python
    own = base / "python"
    own.mkdir()
    for part in ("bin", "lib"):
        _bring(machine / part, own / part, linked=part != "bin")
    # a Python with a library of its own knows it by its old address
    binary = own / "bin" / python.name
    old = os.fsencode(machine / "lib") + b"\0"
    new = b"$ORIGIN/../lib\0"
    if len(new) <= len(old):
        binary.write_bytes(binary.read_bytes().replace(old, new.ljust(len(old), b"\0")))
    return binary


def _point_at(environment: Path, python: Path) -> None:
    """Make a copied virtual environment one of `python`."""
    for name in ("python", "python3", python.name):
        (environment / "bin" / name).unlink(missing_ok=True)
        (environment / "bin" / name).symlink_to(python)
    settings = environment / "pyvenv.cfg"
    lines = [line for line in settings.read_text().splitlines() if line.split(" ")[0] not in ("home", "executable")]
    settings.unlink()
    settings.write_text("\n".join([f"home = {python.parent}", *lines]) + "\n")


def _hand_over(base: Path, user: int | None) -> None:
    """Give the owner every folder, and every file that is a copy."""
    if user is None:
        return
    for parent, _, files in os.walk(base):
        os.chown(parent, user, user)
        for name in files:
            path = f"{parent}/{name}"
            if os.lstat(path).st_nlink == 1:
                os.chown(path, user, user, follow_symlinks=False)
