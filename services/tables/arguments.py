"""The arguments of pandas.read_csv, put together and written as Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from services.tables.dialect import WHITE_SPACE, Dialect
from services.tables.names import pandas_names
from services.tables.shape import Shape

Arguments = Mapping[str, Any]


class Code(str):
    """Python source that stands for a value."""

    __slots__ = ()
    __repr__ = str.__str__


TEXT = Code("str")


def merged(parts: Iterable[Arguments]) -> dict[str, Any]:
    """One set of arguments from several: what is said of different columns is joined, else the later one holds."""
    whole: dict[str, Any] = {}
    for part in parts:
        for name, value in part.items():
            before = whole.get(name)
            if isinstance(value, Mapping) and isinstance(before, Mapping):
                value = {**before, **{key: each for key, each in value.items() if key not in before}}
            elif name == "parse_dates" and before:
                value = [*before, *(each for each in value if each not in before)]
            whole[name] = value
    return whole


def written(arguments: Arguments) -> str:
    """The arguments as they stand between the brackets of a call."""
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def column_keys(dialect: Dialect, shape: Shape) -> list[str | int]:
    """What pandas calls each column under `reading_arguments`; "" where it makes it the index."""
    if not dialect.names:
        return list(range(len(shape.columns)))
    if shape.row_names:
        return ["", *pandas_names(shape.header)]
    return [*pandas_names(shape.columns)]


def named(dialect: Dialect, names: list[str]) -> dict[str, Any]:
    """Names in place of those in the file. Its header is skipped: pandas would hold the rows to its width."""
    return {"skiprows": dialect.above, "names": names}


def reading_arguments(dialect: Dialect, shape: Shape) -> dict[str, Any]:
    """The arguments without which pandas takes the file's rows apart wrongly, or not at all."""
    arguments: dict[str, Any] = {}
    if dialect.delimiter == WHITE_SPACE:
        arguments["sep"] = Code('r"\\s+"')
    elif dialect.delimiter != ",":
        arguments["sep"] = dialect.delimiter
    if not dialect.delimiter.isascii():
        arguments["engine"] = "python"
    if dialect.encoding.name not in {"utf-8", "utf-8-sig"}:
        arguments["encoding"] = dialect.encoding.name
    if dialect.encoding.replaced:
        arguments["encoding_errors"] = "replace"
    if not dialect.quotes:
        arguments["quoting"] = 3
    if dialect.skipped:
        arguments["skiprows"] = dialect.skipped
    wider = shape.widest > len(shape.header) and not shape.trailing_delimiter
    if not dialect.names:
        arguments["header"] = None
        if wider:
            arguments["names"] = Code(f"range({shape.widest})")
    elif wider and not shape.row_names:
        arguments |= named(dialect, pandas_names(shape.columns))
    if shape.trailing_delimiter:
        arguments["index_col"] = False
    return arguments
