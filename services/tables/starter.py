"""Code that loads a task's files in a notebook, each with the reader that reads it rightly."""

from __future__ import annotations

import keyword
import re
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from services.tables.model import Reading, TableError
from services.tables.preview import readers

INPUT = "../input"  # as seen from the kernel's working folder
MAX_TABLES = 8  # of one file that get a line each
_BY_SUFFIX = {
    ".csv": "pd.read_csv({})",
    ".txt": "pd.read_csv({})",
    ".tsv": "pd.read_csv({}, sep='\\t')",
    ".xlsx": "pd.read_excel({})",
    ".parquet": "pd.read_parquet({})",
    ".json": "pd.DataFrame(json.loads(Path({}).read_text(encoding='utf-8')))",
}
_TAKEN = {"pd", "json", "sqlite3", "Path", "files", "df"}
_IMPORTS = (
    ("json.loads(", "import json"),
    ("sqlite3.connect(", "import sqlite3"),
    ("Path(", "from pathlib import Path"),
)


def reader_call(path: Path | None, name: str, *, reading: Reading | None = None) -> str | None:
    """The Python expression that reads a file's (first) table in the kernel, where the file is named `name`.

    `reading` says how delimited text is taken apart, where it isn't by the file's own signs. Without a path (the file
    isn't here yet) the name alone decides. None where pandas has no reader for the file.
    """
    return next(iter(_readers(path, name, reading).values()), None)


def starter_code(files: Mapping[str, Path | None], *, reading: Reading | None = None) -> str:
    """Python code that loads files, given by their names in the kernel; it runs as it stands.

    `reading` says how delimited text is taken apart, where it isn't by the files' own signs.
    A path of None is of a file that isn't here yet: its name alone decides how it is read.
    """
    if not files:
        return "import pandas as pd\n"
    lines, used, first = [], set(_TAKEN), None
    for name, path in files.items():
        found = _readers(path, name, reading)
        if not found:
            lines.append(f"# {INPUT}/{_in_comment(name)}: no reader for this kind of file")
        for table, call in list(found.items())[:MAX_TABLES]:
            variable = _variable(table if len(found) > 1 else PurePosixPath(name).stem, used)
            first = first or variable
            lines.append(f"{variable} = {call}")
        if len(found) > MAX_TABLES:
            lines.append(f"# and {len(found) - MAX_TABLES} more tables in {_in_comment(name)}")
    code = "\n".join(lines)
    imports = [line for call, line in _IMPORTS if call in code]
    head = [f"{first}.head()"] if first else []
    return "\n".join([*imports, *([""] if imports else []), "import pandas as pd", "", *lines, *head]) + "\n"


def csv_code(name: str, arguments: str) -> str:
    """Python code that loads the file of this name in the kernel by read_csv with these arguments."""
    variable = _variable(PurePosixPath(name).stem, set(_TAKEN))
    return f"import pandas as pd\n\n{variable} = pd.read_csv({f'{INPUT}/{name}'!r}, {arguments})\n{variable}.head()\n"


def _readers(path: Path | None, name: str, reading: Reading | None = None) -> dict[str, str]:
    target = f"{INPUT}/{name}"
    if path is not None:
        try:
            return readers(path, target, reading=reading)
        except TableError:
            return {}
    call = _BY_SUFFIX.get(PurePosixPath(name).suffix.lower())
    return {"": call.format(repr(target))} if call else {}


def _variable(text: str, used: set[str]) -> str:
    """A valid Python name made from a file's or table's name, other than those used; it is added to them."""
    base = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_").lower()
    if not base or base[0].isdigit():
        base = f"df_{base}".rstrip("_")
    if keyword.iskeyword(base) or keyword.issoftkeyword(base):
        base += "_"
    name, number = base, 2
    while name in used or (base == "df" and name == "df"):
        name, number = f"{base}_{number}", number + 1
    used.add(name)
    return name


def _in_comment(name: str) -> str:
    return name if name.isprintable() else repr(name)
