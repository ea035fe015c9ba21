"""What a kernel says of its variables when it is asked beside its cells: in bounds, and by no code of theirs.

Only values of types known here are looked into; of all others the type is told. Nothing is imported for it.
"""

import datetime
import decimal
import fractions
import pathlib
import sys
import types
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

MOST_VARIABLES = 200
MOST_ROWS = 10
MOST_COLUMNS = 30
MOST_CHARACTERS = 120
MOST_ITEMS = 6
MOST_BITS = 300  # of an integer that is written out

_NO_DATA = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)
_SEQUENCES: dict[type, tuple[str, str]] = {
    list: ("[", "]"),
    tuple: ("(", ")"),
    set: ("{", "}"),
    frozenset: ("{", "}"),
    deque: ("[", "]"),
}
_OF_PANDAS = ("Timestamp", "Timedelta", "Period", "Interval")
_MAPPINGS = (dict, OrderedDict, defaultdict)
_PLAIN = (
    *(datetime.date, datetime.datetime, datetime.time, datetime.timedelta),
    *(decimal.Decimal, fractions.Fraction, pathlib.PosixPath, range, slice, type(None), bool, float, complex),
)


def answer_requests(kernel: Any) -> None:
    """Have the kernel answer `variables_request` and `head_request` on its shell channel.

    They are requests as `inspect_request` is: no cell is counted, no name is set, nothing is echoed.
    """

    def answered(kind: str, answer: Any) -> Any:
        def handle(stream: Any, identity: Any, request: Any) -> None:
            kernel.session.send(stream, kind, answer(request["content"]), request, identity)

        return handle

    space, hidden = kernel.shell.user_ns, kernel.shell.user_ns_hidden
    kernel.shell_handlers["variables_request"] = answered("variables_reply", lambda _: variables(space, hidden))
    kernel.shell_handlers["head_request"] = answered("head_reply", lambda asked: head(space.get(asked["name"])))


def variables(space: dict[str, Any], hidden: Iterable[str]) -> dict[str, Any]:
    """The visitor's own values by name, and how many there are in all."""
    own = {
        name: value
        for name, value in list(space.items())
        if type(name) is str and not name.startswith("_") and name not in hidden and not isinstance(value, _NO_DATA)
    }
    listed = sorted(own, key=lambda name: (name.lower(), name))[:MOST_VARIABLES]
    return {"variables": [{"name": _text(name), **_described(own[name])} for name in listed], "count": len(own)}


def head(value: Any) -> dict[str, Any]:
    """The first rows and columns of a table; `found` tells whether it is one."""
    if not _is_table(value):
        return {"found": False}
    shape = [*value.shape, 1][:2]
    if _is(value, "numpy", "ndarray"):
        first = value[:MOST_ROWS] if value.ndim == 1 else value[:MOST_ROWS, :MOST_COLUMNS]
        rows = [row if value.ndim == 2 else [row] for row in first.tolist()]
        index, columns = range(len(rows)), range(min(shape[1], MOST_COLUMNS))
    else:
        frame = value.iloc[:MOST_ROWS].to_frame() if value.ndim == 1 else value.iloc[:MOST_ROWS, :MOST_COLUMNS]
        index, columns = frame.index.tolist(), frame.columns.tolist()
        rows = list(map(list, zip(*(frame.iloc[:, at].tolist() for at in range(len(columns))), strict=True)))
    return {
        "found": True,
        "shape": shape,
        "columns": [_cell(each) for each in columns],
        "index": [_cell(each) for each in index],
        "rows": [[_cell(each) for each in row] for row in rows],
    }


def _described(value: Any) -> dict[str, Any]:
    kind, shape = type(value).__name__, ""
    if _is(value, "pandas", "DataFrame") or _is(value, "pandas", "Series") or _is(value, "numpy", "ndarray"):
        shape = " × ".join(map(str, value.shape)) or "0-d"
        if not _is(value, "pandas", "DataFrame"):
            kind += f" of {value.dtype}"
    elif type(value) in (str, bytes):
        shape = f"{len(value)} long"
    elif type(value) in _SEQUENCES or type(value) in _MAPPINGS:
        shape = "1 item" if len(value) == 1 else f"{len(value)} items"
    return {"type": _text(kind), "shape": shape, "value": _text(_shown(value)), "table": _is_table(value)}


def _is_table(value: Any) -> bool:
    of_pandas = _is(value, "pandas", "DataFrame") or _is(value, "pandas", "Series")
    return of_pandas or (_is(value, "numpy", "ndarray") and value.ndim in (1, 2))


def _is(value: Any, module: str, name: str) -> bool:
    """Whether the value is of just that type, which is no subclass's own code."""
    return type(value) is getattr(sys.modules.get(module), name, object())


def _shown(value: Any, inner: bool = False) -> str:
    """The value in a line; "" for one whose writing would be its own code."""
    kind = type(value)
    if kind in (str, bytes):
        return repr(value) if len(value) <= MOST_CHARACTERS else f"{value[:MOST_CHARACTERS]!r}…"
    if kind is int:
        return str(value) if value.bit_length() <= MOST_BITS else f"an integer of {value.bit_length()} bits"
    if kind in _PLAIN or _is_scalar(value):
        return str(value)
    if kind in _SEQUENCES or kind in _MAPPINGS:
        return "…" if inner else _items_shown(value)
    if _is(value, "pandas", "DataFrame"):
        return ", ".join(_cell(name) for name in value.columns[:MOST_ITEMS]) + (
            ", …" if value.shape[1] > MOST_ITEMS else ""
        )
    if _is(value, "pandas", "Series"):
        return _some(map(_cell, value.iloc[:MOST_ITEMS].tolist()), value.size)
    if _is(value, "numpy", "ndarray"):
        return _some(map(_cell, list(value.flat[:MOST_ITEMS])), value.size)
    return ""


def _items_shown(value: Any) -> str:
    first = list(islice(value.items() if isinstance(value, dict) else value, MOST_ITEMS))
    if isinstance(value, dict):
        return "{" + _some((f"{_inner(key)}: {_inner(each)}" for key, each in first), len(value)) + "}"
    opened, closed = _SEQUENCES[type(value)]
    return opened + _some(map(_inner, first), len(value)) + closed


def _some(shown: Iterable[str], count: int) -> str:
    return ", ".join(shown) + (", …" if count > MOST_ITEMS else "")


def _inner(value: Any) -> str:
    return _shown(value, inner=True) or f"<{type(value).__name__}>"


def _is_scalar(value: Any) -> bool:
    pandas = sys.modules.get("pandas")
    if pandas and (any(_is(value, "pandas", name) for name in _OF_PANDAS) or value is pandas.NaT or value is pandas.NA):
        return True
    generic = getattr(sys.modules.get("numpy"), "generic", None)
    return generic is not None and isinstance(value, generic) and type(value).__module__ == "numpy"


def _cell(value: Any) -> str:
    """A table's cell: text as it stands."""
    if type(value) is str:
        return _text(value)
    return _text(_shown(value) or _inner(value))


def _text(text: str) -> str:
    """In bounds, and without halves of letters, which UTF-8 can't hold."""
    cut = text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
    return cut.encode(errors="replace").decode()
