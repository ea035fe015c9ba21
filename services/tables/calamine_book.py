"""Workbooks of Excel's older formats (.xls, .xlsb) and OpenDocument sheets (.ods), read by calamine.

A sheet is read whole. Workbooks of .xlsx, which can be larger, are streamed instead (see `excel`); there calamine would
also give every whole number as a float, which loses the digits beyond 2^53.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import python_calamine as calamine

from services.tables.cell_text import cell_text
from services.tables.model import Row, Table, TableError, choose_table

LARGEST_BYTES = 128 * 1024 * 1024


def open_book(path: Path, kind: str, table: str | None) -> Table:
    """Open a sheet; its first row is the header, and rows come from the start.

    Raises:
        TableError: the workbook is broken, encrypted, or larger than 128 MB.
    """
    if path.stat().st_size > LARGEST_BYTES:
        raise TableError(f"The workbook is over {LARGEST_BYTES // 1024**2} MB: too large for a preview.")
    try:
        book = calamine.CalamineWorkbook.from_path(str(path))
        sheets = {sheet.name: sheet for sheet in book.sheets_metadata if sheet.typ == calamine.SheetTypeEnum.WorkSheet}
        name = choose_table(list(sheets), table)
        sheet = book.get_sheet_by_name(name)
    except calamine.PasswordError:
        raise TableError("The workbook is encrypted. Open it with its password in the kernel.") from None
    except (calamine.CalamineError, OSError, ValueError) as error:
        raise TableError(f"The workbook is broken and can't be opened ({error}).") from None
    rows = _rows(sheet)
    header = next(rows, [])
    hidden = [name for name, sheet in sheets.items() if sheet.visible != calamine.SheetVisibleEnum.Visible]
    return Table(
        kind=kind,
        columns=[cell or "" for cell in header],
        rows=rows,
        total_rows=max(0, sheet.total_height - 1),
        exact=True,
        tables=list(sheets),
        table=name,
        notes=[f"Hidden in the workbook: {', '.join(hidden)}."] if hidden else [],
    )


def _rows(sheet: Any) -> Iterator[Row]:
    """The rows from the sheet's first, those before the first with a value included, as Excel numbers them."""
    width = sheet.total_width
    if sheet.start is None:
        return
    top, left = sheet.start
    blank: Row = [None]
    for _ in range(top):
        yield blank * width
    for values in sheet.iter_rows():
        row = [_text(value) for value in values]
        yield blank * left + row if len(row) < width else row


def _text(value: Any) -> str | None:
    """These formats have floats alone, and calamine no empty cell but ""."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return None if value == "" else cell_text(value)
