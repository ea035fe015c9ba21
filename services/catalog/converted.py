"""Rows the library `datasets` reads, converted to the dataset's own layout by a child process that can be ended.

Importing it takes seconds, and it reads its environment when imported: this process never does either.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import SecretStr

from services.catalog.hub import HubError, check_reachable
from services.catalog.hub_client import not_kept
from services.catalog.source import hub_endpoint, hub_offline
from services.settings import ROOT

ON_THE_HUB = re.compile(r"([\w.-]+/[\w.-]+)(?::([\w.-]+))?(?:@([\w./-]+))?")  # dataset, config, revision
COMMIT = re.compile(r"[0-9a-f]{40}")
TOKENS = ("HUB_TOKEN", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")


@dataclass(frozen=True)
class Converted:
    """A folder with `data/{split}-00000-of-00001.parquet`; of a dataset on the Hub its name and the commit read."""

    folder: Path
    dataset: str = ""
    revision: str = ""


def fetch_converted(what: str, cache_dir: Path, seconds: float, token: SecretStr | None) -> Converted:
    """What `datasets` reads, converted.

    `what` is the path of a file or a folder (`save_to_disk` wrote it or not), or `org/name[:config][@revision]` on the
    Hub. A branch is resolved once, and all is read at that commit. Splits named validation, valid, val, dev are eval.

    Raises:
        HubError: it can't be read within `seconds`, or holds no tasks.
    """
    path = Path(what).expanduser().absolute()
    on_hub = None if path.exists() else ON_THE_HUB.fullmatch(what)
    before = kept_conversion(what, cache_dir)
    if not path.exists():
        if before and on_hub and COMMIT.fullmatch(on_hub[3] or "") and before.revision == on_hub[3]:
            return before  # a commit doesn't change
        if not on_hub:
            raise HubError(f"there is no file or folder {path}", "not_found")
        if hub_offline():
            raise HubError("HF_HUB_OFFLINE is set", "offline")
        check_reachable(hub_endpoint())
    home = cache_dir / "datasets"
    try:
        home.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(dir=home, prefix="rows-"))
    except OSError as error:
        raise not_kept(error) from None
    try:
        revision = _convert(what if on_hub else str(path), folder, home, seconds, token)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    made = Converted(folder, on_hub[1] if on_hub else "", revision)
    record = _record(what, cache_dir)
    (folder / record.name).write_text(json.dumps(asdict(made) | {"folder": str(folder)}))
    (folder / record.name).replace(record)
    if before:
        shutil.rmtree(before.folder, ignore_errors=True)
    return made


def kept_conversion(what: str, cache_dir: Path) -> Converted | None:
    """The last conversion, if it is still here."""
    try:
        found = json.loads(_record(what, cache_dir).read_text())
        kept = Converted(Path(found["folder"]), str(found["dataset"]), str(found["revision"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return kept if any((kept.folder / "data").glob("*.parquet")) else None


def _record(what: str, cache_dir: Path) -> Path:
    return cache_dir / "datasets" / f"{hashlib.sha256(what.encode(errors='surrogateescape')).hexdigest()[:32]}.json"


def _convert(what: str, folder: Path, home: Path, seconds: float, token: SecretStr | None) -> str:
    """Have the child write below `folder`; the commit it read, empty for what isn't on the Hub."""
    with tempfile.TemporaryDirectory(dir=home, prefix="work-", ignore_cleanup_errors=True) as work:
        # its own cache would be shown as if it were the Hub's answer
        environment = {name: value for name, value in os.environ.items() if name not in TOKENS} | {
            "HF_HOME": str(home / "home"),
            "HF_DATASETS_CACHE": work,
            "HF_HUB_DISABLE_IMPLICIT_TOKEN": "1",
            "HF_HUB_DISABLE_TELEMETRY": "1",
        }
        command = [sys.executable, "-m", "services.catalog.from_datasets", what, str(folder), str(seconds)]
        given = token.get_secret_value() if token else ""
        try:
            ended = subprocess.run(
                command, cwd=ROOT, env=environment, input=given, capture_output=True, text=True, timeout=seconds
            )
        except subprocess.TimeoutExpired:
            raise HubError(f"it could not be read within {seconds:.3g} s", "timed_out") from None
    try:
        answer = json.loads(ended.stdout.splitlines()[-1])
        reason, state, wait_seconds = answer["reason"], answer["state"], answer["wait_seconds"]
        revision = str(answer["revision"])
    except (ValueError, LookupError, TypeError):
        revision = ""
        reason, state, wait_seconds = f"reading it ended with code {ended.returncode}", "corrupt", None
    if reason:
        raise HubError(reason, state, wait_seconds)
    return revision
