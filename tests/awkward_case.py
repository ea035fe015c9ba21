"""What an awkward file is, and what its preview must show or say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Cells = Mapping[tuple[int, int], str | None]


@dataclass(frozen=True)
class Awkward:
    """A file, by its `content` or by what makes it at a path, and what is expected of its preview.

    `columns` are the names in the file (None: not looked at), `cells` some of the text by row and column from 0,
    `total` the exact number of rows, `warnings` all kinds of warning, `says` words of the notes and warnings. A file
    that can't be shown has an `error` instead: words of its sentence.
    """

    content: bytes | Callable[[Path], object]
    kind: str = "delimited"
    columns: tuple[str, ...] | None = None
    cells: Cells = field(default_factory=dict)
    total: int | None = None
    warnings: frozenset[str] = frozenset()
    says: tuple[str, ...] = ()
    error: str = ""
    table: str | None = None
    encoding: str | None = None
    long: bool = False

    def make(self, path: Path) -> None:
        """Make the file, and whatever else lies beside it."""
        if isinstance(self.content, bytes):
            path.write_bytes(self.content)
        else:
            self.content(path)


def text(
    content: bytes | Callable[[Path], object],
    columns: str,
    rows: list[list[str | None]],
    *warnings: str,
    **more: object,
) -> Awkward:
    """A table of delimited text that is shown as these rows and no others; its `columns` are separated by blanks."""
    return Awkward(
        content,
        columns=tuple(columns.split(" ")) if columns else None,
        cells={(at, column): cell for at, row in enumerate(rows) for column, cell in enumerate(row)},
        warnings=frozenset(warnings),
        **{"total": len(rows)} | more,  # type: ignore[arg-type]
    )


def refused(content: bytes | Callable[[Path], object], error: str, table: str | None = None) -> Awkward:
    """A file that gives a sentence and nothing else."""
    return Awkward(content, error=error, table=table)
