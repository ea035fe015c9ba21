"""Input files on a Hub of this machine, for tests of how they come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.catalog.source import Source
from services.catalog.task import Task
from services.datafiles import DataFiles
from tests.folder_source import row
from tests.loopback_hub import LoopbackHub

BUCKET = "someone/bucket"
PREFIX = "owner__slug"


def task(*files: str, prefix: str = PREFIX) -> Task:
    return Task(**row("t1", files=tuple(files), bucket_prefix=prefix, hf_bucket=BUCKET, split="train"))


@dataclass
class OnHub:
    """A Hub, the folder of the task on it, and the cache its files come into."""

    hub: LoopbackHub
    folder: Path
    cache: Path

    def files(self, deadline: float = 3.0, **options: Any) -> DataFiles:
        """What a fresh start of the app has."""
        return DataFiles(Source("the Hub", None, "org/name", endpoint=self.hub.url), self.cache, deadline, **options)

    def whole(self) -> list[bytes]:
        """The contents of the files in the cache."""
        return [path.read_bytes() for path in (self.cache / "files" / "whole").rglob("*") if path.is_file()]

    def parts(self) -> list[int]:
        """The sizes of what has come of others."""
        return [path.stat().st_size for path in (self.cache / "files" / "parts").glob("*")]

    def asked(self, part: str) -> int:
        """How many requests named this."""
        return sum(part in path for _, path, _ in self.hub.requests)


@contextmanager
def on_hub(root: Path, contents: dict[str, bytes], page: int = 1000) -> Iterator[OnHub]:
    """A Hub that holds a task's folder with these files."""
    folder = root / "bucket" / PREFIX
    for name, content in contents.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    with LoopbackHub(buckets={BUCKET: root / "bucket"}, page=page) as hub:
        yield OnHub(hub, folder, root / "cache")
