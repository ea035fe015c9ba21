"""Which files a kernel may use, as data."""

import sys
from pathlib import Path

from services.kernels import Limits
from services.kernels.inside import confine, landlock
from services.kernels.policy import policy_of
from services.kernels.session_folder import SessionFolder
from services.settings import ROOT, Settings

LIMITS = Limits.from_settings(Settings())
CHANGES = (
    landlock.WRITE_FILE | landlock.REMOVE_DIR | landlock.REMOVE_FILE | landlock.MAKE_DIR | landlock.MAKE_REG
    | landlock.MAKE_SOCK | landlock.REFER | landlock.TRUNCATE
)  # fmt: skip
NEVER = landlock.EXECUTE | landlock.MAKE_CHAR | landlock.MAKE_BLOCK | landlock.MAKE_SYM | landlock.MAKE_FIFO


def rules_of(folder):
    policy = policy_of(folder, "required", LIMITS)
    return [(Path(path), rights) for path, rights in confine.rules(policy)]


def test_a_kernel_changes_its_own_folders_only(tmp_path):
    folder = SessionFolder(tmp_path)
    changeable = {path: rights for path, rights in rules_of(folder) if rights & CHANGES}
    assert changeable == {
        folder.work: landlock.WRITE,
        folder.home: landlock.WRITE,
        folder.sockets: landlock.SOCKETS,
        **{Path(device): landlock.DEVICE for device in ("/dev/null", "/dev/random", "/dev/urandom")},
    }
    folder.remove()


def test_no_rule_reaches_the_app_other_sessions_or_whole_trees(tmp_path):
    folder, other = SessionFolder(tmp_path), SessionFolder(tmp_path)
    secret = [other.root, other.sockets, ROOT / "app.py", ROOT / "services", ROOT / "assets", tmp_path / "catalog"]
    for path, _ in rules_of(folder):
        assert not [each for each in secret if each.is_relative_to(path)], path
        assert path not in map(Path, ("/", "/usr", "/etc", "/proc", "/proc/self", "/dev", "/tmp", "/home", "/root"))
    folder.remove()
    other.remove()


def test_nothing_is_run_and_no_link_or_device_is_made(tmp_path):
    folder = SessionFolder(tmp_path)
    assert not [path for path, rights in rules_of(folder) if rights & NEVER]
    folder.remove()


def test_python_finds_itself(tmp_path):
    folder = SessionFolder(tmp_path)
    readable = [path for path, rights in rules_of(folder) if rights & landlock.READ_FILE]
    for name in ("json", "pytest"):  # of Python itself, and of a package
        file = Path(sys.modules[name].__file__)
        assert [path for path in readable if file.is_relative_to(path)], file
    folder.remove()


def test_none_means_no_policy(tmp_path):
    folder = SessionFolder(tmp_path)
    assert policy_of(folder, "none", LIMITS) is None
    assert policy_of(folder, "where possible", LIMITS).required is False
    assert policy_of(folder, "required", LIMITS).required is True
    folder.remove()
