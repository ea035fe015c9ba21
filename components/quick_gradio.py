"""Gradio as it is, imported in half the time.

At each import it parses its own sources anew, for type stubs that it writes beside them. They serve editors alone.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType

MODULE, STUB_WRITER = "gradio.component_meta", "create_or_modify_pyi"


def leave_out_stubs() -> None:
    """Have an import of Gradio from now on leave its stubs alone. A Gradio without them is imported as any other."""
    sys.meta_path.insert(0, _Finder())


def no_stub(*_: object) -> None:
    """In place of Gradio's writer of stubs."""


class _Loader(SourceFileLoader):
    def exec_module(self, module: ModuleType) -> None:
        super().exec_module(module)
        if hasattr(module, STUB_WRITER):
            setattr(module, STUB_WRITER, no_stub)


class _Finder(MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path) if fullname == MODULE else None
        if spec and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec
