"""Tables of any supported file, read safely: rows as text, and the code that reads them in pandas."""

from services.tables.children import ready
from services.tables.model import Column, Preview, Reading, TableError, TableWarning
from services.tables.preview import preview, readers
from services.tables.starter import csv_code, reader_call, starter_code

__all__ = [
    "Column",
    "Preview",
    "Reading",
    "TableError",
    "TableWarning",
    "csv_code",
    "preview",
    "reader_call",
    "readers",
    "ready",
    "starter_code",
]
