"""Files that mislead or attack whoever reads them, with what a preview must show or say of each.

`python -m tests.awkward_files FOLDER` makes them all in a folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tests.awkward_binary import BINARY
from tests.awkward_case import Awkward
from tests.awkward_text import TEXT

FILES: dict[str, Awkward] = TEXT | BINARY


def make_all(folder: Path) -> None:
    """Make every file in a folder of its own below `folder`, which some of them try to leave."""
    for name, file in FILES.items():
        place = folder / name.replace(".", "-")
        place.mkdir(parents=True)
        file.make(place / name)


if __name__ == "__main__":
    make_all(Path(sys.argv[1]))
