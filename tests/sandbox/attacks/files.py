"""Changing files that are not the visitor's, or putting any where nobody looks for them."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tests.sandbox.attacks.attack import Attack
from tests.sandbox.effects import changes, file, kept_file, outside, writes
from tests.sandbox.scene import Side


def target(name: str, *more: str) -> Callable[[Side], Path]:
    """A path the attack was told, or one below it."""
    return lambda side: Path(side.targets[name], *more)


def below(folder: str) -> Callable[[Side], Path]:
    """A file named with the attack's word in a folder of the machine's."""
    return lambda side: Path(folder, side.word)


def beside_work(*parts: str) -> Callable[[Side], Path]:
    """A path below the attacker's session folder, seen from outside."""
    return lambda side: side.attacker_work.parent.joinpath(*parts)


def _remove(place: Callable[[Side], Path]) -> Callable[[Side], None]:
    return lambda side: place(side).unlink(missing_ok=True)


def _put_back(side: Side) -> None:
    moved = side.keeper.folder / "moved.txt"
    if moved.exists():
        moved.rename(kept_file(side))


def _make_anew(side: Side) -> None:
    if not kept_file(side).exists():
        kept_file(side).write_text(side.secrets["keeper"])
        os.chown(kept_file(side), *(side.house.user or -1,) * 2)


spoils = partial(Attack, effect=changes(file(kept_file)))
VICTIM_FILE = target("victim_work", "secret.txt")
ORIGINAL = target("house", "assets", "demo", "files", "scikit-learn__iris", "iris.csv")

WRITING = [
    Attack("a file in /tmp", "touch(f'/tmp/{t.word}')", writes(below("/tmp")), undo=_remove(below("/tmp"))),
    Attack(
        "a file in /var/tmp", "touch(f'/var/tmp/{t.word}')", writes(below("/var/tmp")), undo=_remove(below("/var/tmp"))
    ),
    Attack(
        "a file in /dev/shm", "touch(f'/dev/shm/{t.word}')", writes(below("/dev/shm")), undo=_remove(below("/dev/shm"))
    ),
    Attack("a file in a folder of the user's", "touch(f'{t.outside}/{t.word}')", writes(outside)),
    Attack("a file moved out", "touch(t.word); os.rename(t.word, f'{t.outside}/{t.word}')", writes(outside)),
    Attack("a file linked out", "touch(t.word); os.link(t.word, f'{t.outside}/{t.word}')", writes(outside)),
    Attack(
        "a file put out through a symbolic link",
        "os.symlink(t.outside, f'link-{t.word}'); touch(f'link-{t.word}/{t.word}')",
        writes(outside),
    ),
    Attack(
        "a file put out by its folder's descriptor",
        "folder = os.open(t.outside, os.O_PATH)\n"
        "fd = os.open(t.word, os.O_CREAT | os.O_WRONLY, dir_fd=folder); os.write(fd, t.word.encode())",
        writes(outside),
    ),
    Attack("a folder outside", "os.mkdir(f'{t.outside}/{t.word}')", changes(file(target("outside")))),
    Attack("a pipe outside", "os.mkfifo(f'{t.outside}/{t.word}')", changes(file(target("outside")))),
    Attack("a symbolic link outside", "os.symlink('/', f'{t.outside}/{t.word}')", changes(file(target("outside")))),
    Attack(
        "a socket outside",
        "socket.socket(socket.AF_UNIX).bind(f'{t.outside}/{t.word}')",
        changes(file(target("outside"))),
    ),
    Attack(
        "a file in the app's cache",
        "touch(f'{os.path.dirname(t.index)}/{t.word}')",
        writes(lambda side: Path(side.targets["index"]).parent / side.word),
    ),
    Attack(
        "a queue of messages",
        # taken away at once: a user may have few
        "checked(libc.mq_open(f'/{t.word}'.encode(), os.O_CREAT | os.O_RDWR, 0o600, None))\nprint('made')\n"
        "checked(libc.mq_unlink(f'/{t.word}'.encode()))",
        lambda side: lambda outcome: "made" in outcome.text,
    ),
]

CHANGING = [
    spoils("a foreign file written", "open(f'{t.keeper_folder}/kept.txt', 'a').write(t.word)"),
    spoils("a foreign file cut", "os.truncate(f'{t.keeper_folder}/kept.txt', 4)"),
    spoils(
        "a foreign file's rights",
        "os.chmod(f'{t.keeper_folder}/kept.txt', 0o666)",
        undo=lambda side: kept_file(side).chmod(0o644),
    ),
    spoils(
        "a foreign file's rights by its descriptor",
        "os.fchmod(os.open(f'{t.keeper_folder}/kept.txt', os.O_RDONLY), 0o606)",
        undo=lambda side: kept_file(side).chmod(0o644),
    ),
    spoils(
        "a foreign file's rights by a newer call",
        "system_call(452, -100, f'{t.keeper_folder}/kept.txt'.encode(), 0o640, 0)",
        undo=lambda side: kept_file(side).chmod(0o644),
    ),
    spoils(
        "a foreign file's times",
        "os.utime(f'{t.keeper_folder}/kept.txt', (1, 1))",
        undo=lambda side: kept_file(side).touch(),
    ),
    spoils(
        "a foreign file's times by an older call",
        "checked(libc.utimes(f'{t.keeper_folder}/kept.txt'.encode(), struct.pack('4q', 2, 0, 2, 0)))",
        undo=lambda side: kept_file(side).touch(),
    ),
    spoils("a second name for a foreign file", "os.link(f'{t.keeper_folder}/kept.txt', t.word)"),
    spoils(
        "a foreign file moved",
        "os.rename(f'{t.keeper_folder}/kept.txt', f'{t.keeper_folder}/moved.txt')",
        undo=_put_back,
    ),
    spoils(
        "a foreign file exchanged",
        "touch(t.word); system_call(316 if os.uname().machine == 'x86_64' else 276, -100, "
        "f'{t.keeper_folder}/kept.txt'.encode(), -100, t.word.encode(), 2)",
    ),
    spoils("a foreign file removed", "os.unlink(f'{t.keeper_folder}/kept.txt')", undo=_make_anew),
    Attack(
        "a mark on a foreign file",
        "os.setxattr(f'{t.keeper_folder}/kept.txt', 'user.mark', t.word.encode())",
        changes(lambda side: _marks(kept_file(side))),
    ),
    Attack(
        "rights of another visitor's folder",
        "os.chmod(t.victim_work, 0o777)",
        changes(lambda side: Path(side.targets["victim_work"]).stat().st_mode),
        undo=lambda side: Path(side.targets["victim_work"]).chmod(0o700),
    ),
    Attack(
        "another visitor's file", "open(f'{t.victim_work}/secret.txt', 'a').write('spoilt')", changes(file(VICTIM_FILE))
    ),
    Attack(
        "a file for another visitor",
        "touch(f'{t.victim_work}/{t.word}')",
        writes(lambda side: Path(side.targets["victim_work"], side.word)),
    ),
    Attack(
        "the record that tells the next start what to end",
        "open(t.victim_record, 'a').write(' ')",
        changes(file(target("victim_record"))),
    ),
    Attack(
        "another visitor's connection file",
        "open(t.victim_connection, 'a').write(' ')",
        changes(file(target("victim_connection"))),
    ),
    Attack(
        "the original of the task's data",
        "open(f'{t.house}/assets/demo/files/scikit-learn__iris/iris.csv', 'a').write(' ')",
        changes(file(ORIGINAL)),
    ),
    Attack("the task index", "open(t.index, 'ab').write(b' ')", changes(file(target("index")))),
    Attack(
        "the app's code",
        "open(f'{t.house}/services/__init__.py', 'a').write(' ')",
        changes(file(target("house", "services", "__init__.py"))),
    ),
    Attack(
        "the gold answers",
        "import glob; open(min(glob.glob(f'{t.house}/assets/demo/data/*')), 'ab').write(b' ')",
        changes(
            lambda side: [path.stat() for path in sorted(target("house", "assets", "demo", "data")(side).iterdir())]
        ),
    ),
    Attack(
        "a package of the kernels",
        "open(f'{t.packages}/ipykernel/__init__.py', 'a').write('#')",
        changes(file(target("packages", "ipykernel", "__init__.py"))),
    ),
]

OF_SESSION = [
    Attack(
        "the task's file of one's own session",
        "os.chmod('../input/iris.csv', 0o600); open('../input/iris.csv', 'a').write(' ')",
        changes(file(beside_work("input", "iris.csv"))),
    ),
    Attack(
        "a file more in the input folder",
        "os.chmod('../input', 0o700); touch(f'../input/{t.word}')",
        changes(file(beside_work("input"))),
    ),
    Attack(
        "the input folder renamed",
        "os.rename('../input', f'../{t.word}')",
        changes(file(beside_work())),
        undo=lambda side: None,
    ),
    Attack("a file beside the work folder", "touch(f'../{t.word}')", changes(file(beside_work()))),
    Attack(
        "one's own work folder replaced by a link",
        "os.rename('../work', f'../{t.word}'); os.symlink(t.keeper_folder, '../work')",
        changes(file(beside_work())),
    ),
]

ATTACKS = [*WRITING, *CHANGING, *OF_SESSION]


def _marks(path: Path) -> object:
    return [os.getxattr(path, name) for name in os.listxattr(path)]
