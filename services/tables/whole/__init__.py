"""Looking at a whole table, however large: a copy of its text in columns, made once, and questions to it.

The copy is a Parquet file, the questions go to DuckDB.
"""

from services.tables.whole.copies import Source
from services.tables.whole.limits import Limits
from services.tables.whole.tables import WholeTables

__all__ = ["Limits", "Source", "WholeTables"]
