"""What a report's numbers hang on: the grading rules, the tasks and the app."""

from __future__ import annotations

import hashlib
import tomllib
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

from services.catalog import Catalog

_ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Versions:
    """`grader`: a hash of its source, and the libraries that compare. `revision`: none for a folder."""

    grader: str
    tasks: str
    revision: str
    app: str

    @classmethod
    def of(cls, catalog: Catalog) -> Versions:
        """The versions in use with these tasks."""
        source = catalog.source
        return cls(grader_version(), source.dataset or source.name, source.revision, app_version())

    def as_dict(self) -> dict[str, str]:
        return asdict(self)


@cache
def grader_version() -> str:
    """What gives verdicts, as in `source 0123456789ab, math-verify 0.9.0, sympy 1.14.0`."""
    source = hashlib.sha256()
    for path in sorted((_ROOT / "services" / "grading").glob("*.py")):
        source.update(path.read_bytes())
    libraries = (f"{name} {version(name)}" for name in ("math-verify", "sympy"))
    return ", ".join([f"source {source.hexdigest()[:12]}", *libraries])


@cache
def app_version() -> str:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return f"{project['name']} {project['version']}"
