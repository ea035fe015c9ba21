"""What a Hub says of a dataset repository: its commit, its files, and the hashes of those kept as large ones."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

DATASET_API = re.compile(r"/api/datasets/([^/]+/[^/]+)(?:/(revision|tree|paths-info)/([^/]+)(?:/(.+))?)?")
LARGE = (".parquet", ".arrow")


def dataset_answer(root: Path, name: str, commit: str, kind: str, below: str, recursive: bool, body: bytes) -> object:
    """The JSON the Hub answers for a repository in the folder `root`; `kind` and `below` as in its address."""
    every = sorted(path.relative_to(root).as_posix() for path in root.rglob("*"))
    paths = [path for path in every if (root / path).is_file()]
    if kind == "tree":
        inside = [path for path in every if not below or path.startswith(f"{below}/")]
        depth = len(Path(below).parts) + 1
        return [_node(root, path) for path in inside if recursive or len(Path(path).parts) == depth]
    if kind == "paths-info":
        asked = json.loads(body)["paths"] if body.startswith(b"{") else parse_qs(body.decode())["paths"]
        return [_node(root, path) for path in every if path in asked]
    siblings = [{"rfilename": path} | _content(root, path) for path in paths]
    about = {"_id": "1", "id": name, "sha": commit, "private": False, "gated": False, "disabled": False}
    return about | {"tags": [], "downloads": 0, "likes": 0, "siblings": siblings}


def _node(root: Path, path: str) -> dict[str, Any]:
    if (root / path).is_dir():
        return {"type": "directory", "path": path, "oid": "0" * 40, "size": 0}
    content = _content(root, path)
    return {"type": "file", "path": path, "oid": content.pop("blobId")} | content


def _content(root: Path, path: str) -> dict[str, Any]:
    data = (root / path).read_bytes()
    content: dict[str, Any] = {
        "size": len(data),
        "blobId": hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest(),
    }
    if path.endswith(LARGE):
        sha256 = hashlib.sha256(data).hexdigest()
        content["lfs"] = {"oid": sha256, "sha256": sha256, "size": len(data), "pointerSize": 132}
    return content
