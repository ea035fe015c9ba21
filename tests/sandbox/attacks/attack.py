"""An attack as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.sandbox.effects import Effect
from tests.sandbox.scene import Side


@dataclass(frozen=True)
class Attack:
    """A program to run as a cell, what is seen outside when it succeeds, and how that is made good again.

    The program knows its targets as `t`; see `scene.PRELUDE` for what else it has.
    `unconfined` says why it can't succeed even unconfined, where it can't; most attacks leave it empty.
    """

    name: str
    code: str
    effect: Effect
    undo: Callable[[Side], None] | None = None
    unconfined: str = ""
    machines: tuple[str, ...] = ("x86_64", "aarch64")
