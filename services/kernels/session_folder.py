"""A session's own folder: the task's files in `input/`, what cells write in `work/`, what libraries keep in `home/`."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import secrets
import shutil
import stat
import tempfile
import threading
from collections.abc import Mapping
from io import FileIO
from pathlib import Path

from services.kernels.folder_tree import clear_folder, remove_tree
from services.kernels.processes import ProcessId, identify, kill_tree

ANSWER_BYTES = 1_000_000
NOT_PLAIN = "answer.txt is not a plain file. Write the answer into a file of that name."
SOCKET_PATH_BYTES = 107  # sun_path of unix(7), its closing zero left out
SOCKETS = "workbench-"
COPIED_AT_ONCE = 1 << 28
FICLONE = 0x40049409  # ioctl_ficlone(2): share blocks, copy on write


class AnswerUnreadable(Exception):
    """`answer.txt` is there and can't be taken as text; the message is for the visitor."""


class SessionFolder:
    """A random folder only this user may enter, with a record beside it from which a crashed app's leftovers are found.

    The record stands outside the folder, where cells are not meant to write.
    """

    def __init__(self, sessions: Path) -> None:
        """Make the folder under `sessions`, and a short one for sockets under the system's temporary folder.

        Raises:
            OSError: one of them can't be made.
        """
        sessions.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root = sessions / secrets.token_hex(16)
        self.input = self.root / "input"
        self.work = self.root / "work"
        self.home = self.root / "home"
        self.start_log = self.root / "start.log"  # what the kernel says before it can say it to the app
        self.filled = False
        self.linked = False  # cells here can change neither content nor mode nor times of a file in `input/`
        self._inside: set[str] = set()  # names of files in `input/`
        self._removed = False
        self._changing = threading.Lock()  # a filling nobody waits for any more goes on in its thread
        self._record = self.root.with_suffix(".json")
        self.sockets = _socket_folder()
        try:
            self.note_kernel(None)
            for folder in (self.root, self.input, self.work, self.home):
                folder.mkdir(mode=0o700)
        except OSError:
            self.remove()
            raise

    def fill(self, files: Mapping[str, Path]) -> None:
        """Put a task's files into `input/`, read-only, under the given names; blocks while it copies.

        They are the very files where `linked`, else copies. A later call adds files that are not there yet.

        Raises:
            ValueError: a name is not a plain file name.
            OSError: a file can't be read, or the disk is full.
        """
        with self._changing:
            if self._removed:
                return
            self.input.chmod(0o700)
            for name, source in files.items():
                if name in ("", ".", "..") or "/" in name or "\0" in name:
                    raise ValueError(f"{name!r} is not a plain file name")
                if name not in self._inside:
                    _put(source, self.input / name, self.linked)
                    self._inside.add(name)
            self.input.chmod(0o500)
            self.filled = True

    def note_kernel(self, kernel: ProcessId | None) -> None:
        """Record which app and which kernel process the folder belongs to.

        Raises:
            OSError: the disk is full.
        """
        app = identify(os.getpid())
        record = {
            "app": [app.pid, app.start] if app else None,
            "kernel": [kernel.pid, kernel.start] if kernel else None,
            "sockets": str(self.sockets),
        }
        draft = self._record.with_suffix(".draft")
        try:
            draft.write_text(json.dumps(record))
            draft.replace(self._record)
        except OSError:
            draft.unlink(missing_ok=True)
            raise

    def answer(self) -> str | None:
        """The text of `work/answer.txt` without white space around it, None when there is no such file.

        Raises:
            AnswerUnreadable: it is a link, not a plain file, or over 1 MB.
        """
        try:
            folder = os.open(self.work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError:
            return None
        try:
            file = os.open("answer.txt", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError:
            raise AnswerUnreadable(NOT_PLAIN) from None
        finally:
            os.close(folder)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            os.close(file)
            raise AnswerUnreadable(NOT_PLAIN)
        with open(file, "rb") as stream:  # noqa: PTH123 - a descriptor has no path
            text = stream.read(ANSWER_BYTES + 1)
        if len(text) > ANSWER_BYTES:
            raise AnswerUnreadable(
                "answer.txt holds more than 1 MB, which is no answer. Write only the answer into it."
            )
        return text.decode("utf-8", errors="replace").strip()

    @property
    def writable(self) -> tuple[Path, ...]:
        """The folders in which a kernel can make anything."""
        return self.work, self.home, self.sockets

    def empty(self) -> None:
        """Remove what was written beside the task's files. Its processes must have ended."""
        with self._changing:
            if not self._removed:
                for each in self.writable:
                    clear_folder(each)

    def remove(self) -> None:
        """Remove the folder with all in it, its sockets and its record. Its processes must have ended."""
        with self._changing:
            self._removed = True
            remove_tree(self.sockets)
            remove_tree(self.root)
            self._record.unlink(missing_ok=True)


def sweep(sessions: Path) -> int:
    """End and remove what apps that did not end well left under `sessions`; gives the number of folders removed.

    Folders of an app that still runs are left alone.
    """
    removed = 0
    for record in sessions.glob("*.json"):
        root = record.with_suffix("")
        try:
            held = json.loads(record.read_text())
            app, kernel = (ProcessId(*held[name]) if held[name] else None for name in ("app", "kernel"))
            sockets = Path(held["sockets"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if app and app.running():
            continue
        kill_tree(kernel, root)
        if sockets.name.startswith(SOCKETS):
            remove_tree(sockets)
        remove_tree(root)
        record.unlink(missing_ok=True)
        removed += 1
    return removed


def _socket_folder() -> Path:
    for parent in (tempfile.gettempdir(), "/tmp"):
        # the longest path in it is the shell socket's, a few letters
        if len(os.fsencode(parent)) + len(f"/{SOCKETS}12345678/k-5") < SOCKET_PATH_BYTES:
            return Path(tempfile.mkdtemp(prefix=SOCKETS, dir=parent))
    raise OSError("the path of the system's temporary folder is too long for sockets")


def _put(source: Path, target: Path, link: bool) -> None:
    """Make `target` the same file (`link`, where both are on one disk), or one that shares its blocks, or a copy."""
    target.unlink(missing_ok=True)  # of a filling that did not end
    if link and source.is_file():
        with contextlib.suppress(OSError):
            os.link(source, target)
            return
    with source.open("rb", buffering=0) as read, target.open("xb", buffering=0) as write:
        try:
            fcntl.ioctl(write, FICLONE, read.fileno())
        except OSError:
            _copy_bytes(read, write)
    target.chmod(0o400)


def _copy_bytes(read: FileIO, write: FileIO) -> None:
    try:
        while os.copy_file_range(read.fileno(), write.fileno(), COPIED_AT_ONCE):
            pass
    except OSError:  # not on these file systems, or not from a pipe
        shutil.copyfileobj(read, write, 1 << 20)
