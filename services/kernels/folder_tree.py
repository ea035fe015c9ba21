"""Removing trees of folders made by strangers: of any depth, closed to us, full of links."""

from __future__ import annotations

import contextlib
import secrets
import stat
from pathlib import Path


def remove_tree(root: Path) -> None:
    """Remove a folder with all in it; what can't be removed is left. Nothing else may change it meanwhile."""
    clear_folder(root)
    with contextlib.suppress(OSError):
        root.rmdir()


def clear_folder(root: Path) -> None:
    """Remove all in a folder, or the file of that name; what can't be removed is left.

    Folders in folders are moved up first: however deep a tree is, no path gets long and no recursion deep.
    """
    if not _is_folder(root):
        root.unlink(missing_ok=True)
        return
    moved = secrets.token_hex(8)
    count = 0
    queue = [root]
    while queue:
        folder = queue.pop()
        # without write permission a folder keeps its entries from anyone but root
        with contextlib.suppress(OSError):
            folder.chmod(0o700)
        for each in _entries(folder):
            with contextlib.suppress(OSError):
                if not _is_folder(each):
                    each.unlink()
                    continue
                each.chmod(0o700)  # to be moved it must be writable itself
                count += 1
                queue.append(each.rename(root / f"{moved}-{count}"))
        if folder != root:
            with contextlib.suppress(OSError):
                folder.rmdir()


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _entries(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []
