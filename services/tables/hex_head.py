"""The first bytes of a file as they are, for kinds that have no table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from services.tables.model import Row, Table

HEAD_BYTES = 4096
_LINE = 16


def open_hex(path: Path, label: str) -> Table:
    """The first 4 kB: offset, bytes in hex and as ASCII, sixteen a row.

    `label` says what the file is: "a PDF document"."""
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)

    def rows() -> Iterator[Row]:
        for at in range(0, len(head), _LINE):
            line = head[at : at + _LINE]
            text = "".join(chr(byte) if 32 <= byte < 127 else "·" for byte in line)
            yield [f"{at:08x}", line.hex(" "), text]

    return Table(
        kind="binary",
        columns=["offset", "hex", "text"],
        rows=rows(),
        total_rows=-(-len(head) // _LINE),
        exact=True,
        dtypes=["hex", "hex", "text"],
        notes=[f"This is {label}. There is no table to show: these are its first {len(head):,} bytes."],
    )
