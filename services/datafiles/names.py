"""Names of files: checked, and made flat for the kernel."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from services.datafiles.errors import Refused

MAX_NAME_BYTES = 255


def checked(name: str) -> PurePosixPath:
    """The name as a relative path that can't leave its folder.

    Raises:
        Refused: it is absolute, climbs, has an empty part, or is no name a file can have.
    """
    parts = name.split("/")
    bad = any(part in {"", ".", ".."} or len(part.encode(errors="surrogatepass")) > MAX_NAME_BYTES for part in parts)
    if bad or "\0" in name:
        raise Refused(f"The file name {name!r} is refused: it doesn't name a file inside the task's folder.")
    return PurePosixPath(name)


def flat_names(names: Iterable[str]) -> dict[str, str]:
    """For each file's path within the task's folder, its name in the kernel, where there are no subfolders.

    That is its base name. Of two files with one base name the second is named after its path, `sub__name.csv`.
    """
    flat: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        path = PurePosixPath(name)
        candidate = path.name
        if candidate in taken:
            candidate = "__".join(path.parts)
        number = 2
        while candidate in taken:
            candidate = f"{path.stem}__{number}{path.suffix}"
            number += 1
        taken.add(candidate)
        flat[name] = candidate
    return flat
