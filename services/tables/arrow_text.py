"""Arrow's values as text."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa


def texts(column: pa.Array) -> list[str | None]:
    """The values of a column as text, None where there is none."""
    kind = column.type
    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [_nested(value) for value in column.to_pylist()]
    if pa.types.is_float64(kind):
        return [None if value is None else repr(value) for value in column.to_pylist()]
    try:
        found: list[str | None] = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        return [_nested(value) for value in column.to_pylist()]
    return found


def type_text(kind: pa.DataType) -> str:
    """The type as Arrow writes it, of a dictionary's values."""
    return f"{kind.value_type} (dictionary)" if pa.types.is_dictionary(kind) else str(kind)


def reason(error: Exception) -> str:
    """The first line of what Arrow says of a broken file."""
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__


def _nested(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return f"{len(value):,} bytes: {value[:16].hex(' ')}{' …' if len(value) > 16 else ''}"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)
