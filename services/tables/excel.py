"""Workbooks of Excel (.xlsx), streamed: the sheets' values as text."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import ParseError

import openpyxl
from openpyxl.utils.exceptions import InvalidFileException

from services.tables.cell_text import cell_text
from services.tables.dtypes import leading_zeros
from services.tables.model import Row, Table, TableError, choose_table
from services.tables.scratch import UnpackError

COUNT_BYTES = 8 * 1024 * 1024  # unpacked; rows of a workbook up to this are counted, those of a larger one as it says
SAMPLE_ROWS = 1000
# A cell with a formula and no value, which a program writes that doesn't compute; "str" may hold an empty text
_NO_VALUE = re.compile(
    rb'<c(?![^>]*\bt="str")[^>]*>\s*<f(?:[^>]*/>|[^>]*>[^<]*</f>)\s*(?:<v\s*/>|<v>\s*</v>)?\s*</c>', re.ASCII
)


def open_excel(path: Path, table: str | None) -> Table:
    """Open a sheet; its first row is the header, and rows come from the start.

    Raises:
        TableError: the workbook is broken.
    """
    book = _open(path)
    name = choose_table(book.sheetnames, table)
    sheet = book[name]
    claimed = sheet.max_row
    sheet.reset_dimensions()  # a wrong dimension tag would hide rows
    rows = _rows(sheet)
    header = next(rows, [])
    notes = []
    leading = list(islice(rows, SAMPLE_ROWS))
    width = max([len(header), *map(len, leading)])
    small = sum(entry.file_size for entry in zipfile.ZipFile(path).infolist()) <= COUNT_BYTES
    total = sum(1 for _ in _rows(sheet)) - 1 if small else (claimed and claimed - 1)
    if any(book[other].sheet_state != "visible" for other in book.sheetnames):
        hidden = [other for other in book.sheetnames if book[other].sheet_state != "visible"]
        notes.append(f"Hidden in the workbook: {', '.join(hidden)}.")
    if without := _formulas_without_value(sheet):
        notes.append(
            f"{without:,} cell{'s hold formulas' if without > 1 else ' holds a formula'} whose value was never stored: "
            "shown as missing, as pandas reads them. Saving the workbook in a spreadsheet program computes them."
        )

    def all_rows() -> Iterator[Row]:
        yield from leading
        yield from rows

    padded = ((row + [None] * (width - len(row)))[:width] for row in all_rows())
    return Table(
        kind="excel",
        columns=[cell or "" for cell in header] + [""] * (width - len(header)),
        rows=padded,
        total_rows=max(0, total) if total is not None else None,
        exact=small,
        tables=book.sheetnames,
        table=name,
        notes=notes,
    )


def excel_readers(path: Path, target: str) -> dict[str, str]:
    """A pandas expression for each sheet."""
    names = _open(path).sheetnames
    readers = {}
    for name in names:
        table = open_excel(path, name)
        sample = list(islice(table.rows, SAMPLE_ROWS))
        codes = [
            column
            for at, column in enumerate(table.columns)
            if column and table.columns.count(column) == 1 and leading_zeros(row[at] for row in sample)
        ]
        arguments = [repr(target)]
        if len(names) > 1:
            arguments.append(f"sheet_name={name!r}")
        if codes:
            arguments.append("dtype={" + ", ".join(f"{code!r}: str" for code in codes) + "}")
        readers[name] = f"pd.read_excel({', '.join(arguments)})"
    return readers


def _formulas_without_value(sheet: Any) -> int:
    """How many cells of the sheet are formulas only, in what is looked at of it: its first 8 MB unpacked."""
    try:
        with sheet._get_source() as part:
            return sum(1 for _ in _NO_VALUE.finditer(part.read(COUNT_BYTES)))
    except (KeyError, *UnpackError) as error:
        raise TableError(f"The sheet is broken ({error}).") from None


def _open(path: Path) -> Any:
    try:
        # given as a file: by its name openpyxl would refuse a workbook whose extension is another
        book = openpyxl.load_workbook(path.open("rb"), read_only=True, data_only=True)
    except (InvalidFileException, ParseError, KeyError, ValueError, TypeError, *UnpackError) as error:
        raise TableError(f"The workbook is broken and can't be opened ({error}).") from None
    for name in list(book.sheetnames):
        if not hasattr(book[name], "iter_rows"):  # a sheet that is a chart
            del book[name]
    return book


def _rows(sheet: Any) -> Iterator[Row]:
    """The sheet's rows up to the last one that holds anything, without the empty cells at their ends."""
    empty = 0
    try:
        for values in sheet.iter_rows(values_only=True):
            row = [cell_text(value) for value in values]
            while row and row[-1] is None:
                row.pop()
            if not row:
                empty += 1
                continue
            yield from ([] for _ in range(empty))
            empty = 0
            yield row
    except (ParseError, KeyError, ValueError, TypeError, *UnpackError) as error:
        raise TableError(f"The sheet is broken ({error}).") from None
