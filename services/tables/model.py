"""What a preview is made of, and what opening a table gives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

Row = list[str | None]  # text as in the file; None where the file has no value at all, "" where it has a blank one


class TableError(Exception):
    """A file can't be shown; the message is a sentence for the person who asked."""


@dataclass(frozen=True)
class Column:
    """A column: its name as in the file and its type, which is an estimate unless the file declares it.

    `pandas_name` is the name pandas gives it, `summary` a line on the rows read. Both, and the type, are "" for a
    column whose cells were not read.
    """

    name: str
    dtype: str
    estimated: bool
    pandas_name: str = ""
    summary: str = ""


@dataclass(frozen=True)
class Reading:
    """How delimited text is taken apart; None: as the file suggests.

    `encoding` is a Python codec, `delimiter` one character, `header` whether the first row holds the names, `quotes`
    whether quotes enclose cells.
    """

    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None
    quotes: bool | None = None


@dataclass(frozen=True)
class TableWarning:
    """What may mislead a reader of the file: its kind, a sentence, and the first few `rows` it is about (from 1).

    `arguments` are those of pandas.read_csv that read the file right ("sep=';', decimal=','"); "" where there are none.
    """

    kind: str
    text: str
    rows: tuple[int, ...] = ()
    arguments: str = ""


@dataclass(frozen=True)
class Picture:
    """An image made small enough to show: PNG in base64, and what the file holds: its format, width and height."""

    png: str
    format: str
    width: int
    height: int


@dataclass(frozen=True)
class Preview:
    """Some rows of one table of a file, as text.

    `kind` is delimited, text, json, excel, xls, xlsb, ods, sqlite, parquet, feather, hdf5, npy, npz, zip, tar, image,
    binary (its first bytes), refused or empty. `rows` start at row `offset` (from 0,
    the header not counted) and hold the columns numbered in `shown`; their cells are None where the file has no value
    and "" where it has a blank one. `columns` are all of them, up to a cap.
    `total_rows` is None where unknown and an estimate unless `exact`. `total_columns` may exceed the columns shown.
    `tables` are the sheets or tables of the file, `table` the one shown. `cut` lists (row, column, full length in
    characters) of cells that were shortened. `size` is in bytes. `sampled` is how many of the rows the types and
    summaries are of, `warned` how many of the first rows the warnings are of; None: all.
    """

    kind: str
    size: int
    columns: tuple[Column, ...] = ()
    total_columns: int = 0
    rows: tuple[tuple[str | None, ...], ...] = ()
    offset: int = 0
    total_rows: int | None = None
    exact: bool = False
    tables: tuple[str, ...] = ()
    table: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    cut: tuple[tuple[int, int, int], ...] = ()
    notes: tuple[str, ...] = ()
    shown: tuple[int, ...] = ()
    reading: Reading | None = None
    warnings: tuple[TableWarning, ...] = ()
    picture: Picture | None = None
    sampled: int | None = None
    warned: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The preview as JSON-ready data."""
        return vars(self) | {
            "columns": [dict(vars(column)) for column in self.columns],
            "reading": self.reading and dict(vars(self.reading)),
            "warnings": [dict(vars(each)) for each in self.warnings],
            "picture": self.picture and dict(vars(self.picture)),
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Preview:
        """The preview that `as_dict` gave, after a trip through JSON."""
        return cls(
            **data
            | {
                "columns": tuple(Column(**column) for column in data["columns"]),
                "rows": tuple(tuple(row) for row in data["rows"]),
                "cut": tuple((row, column, length) for row, column, length in data["cut"]),
                "tables": tuple(data["tables"]),
                "notes": tuple(data["notes"]),
                "shown": tuple(data["shown"]),
                "reading": data["reading"] and Reading(**data["reading"]),
                "warnings": tuple(TableWarning(**each | {"rows": tuple(each["rows"])}) for each in data["warnings"]),
                "picture": data["picture"] and Picture(**data["picture"]),
            }
        )


@dataclass
class Table:
    """An opened table. `rows` begins with row `start`; reading it may raise `TableError` part of the way.

    `held` are the numbers of the columns that `rows` hold; None: all of them. `partial`: rows are missing at the end.
    `sample` are the table's first rows, to tell the columns' types from; None: those of `rows`. `warned` is how many of
    the first rows the warnings are of (None: all), `check` then gives those of every row, which takes its time.
    """

    kind: str
    columns: list[str]
    rows: Iterator[Row]
    start: int = 0
    total_rows: int | None = None
    exact: bool = False
    dtypes: list[str] | None = None  # declared by the file; None: to be estimated
    tables: list[str] = field(default_factory=list)
    table: str | None = None
    encoding: str | None = None
    delimiter: str | None = None
    notes: list[str] = field(default_factory=list)
    held: list[int] | None = None
    pandas_names: list[str] | None = None  # None: as pandas names any columns
    reading: Reading | None = None
    warnings: tuple[TableWarning, ...] = ()
    partial: bool = False
    picture: Picture | None = None
    sample: list[Row] | None = None
    warned: int | None = None
    check: Callable[[], tuple[TableWarning, ...]] | None = None


def choose_table(tables: list[str], wanted: str | None) -> str:
    """The table to show: the wanted one, or the first.

    Raises:
        TableError: there is none of that name, or none at all.
    """
    if not tables:
        raise TableError("The file holds no table.")
    if wanted is None:
        return tables[0]
    if wanted not in tables:
        raise TableError(f"The file holds no table named {wanted!r}.")
    return wanted


def numbers(values: list[int], total: int) -> str:
    """The first few row numbers in words: "row 3", "rows 3, 9 and 12 more"."""
    shown = ", ".join(f"{value:,}" for value in values[:5])
    more = total - len(values[:5])
    return f"row{'s' if total > 1 else ''} {shown}" + (f" and {more:,} more" if more else "")
