"""Looking at a whole table, however large: a copy of its text in columns, made once, and questions to it.

The copy is an Arrow file mapped into memory, so that any row is at hand; questions go to DuckDB. Measured on 600 MB of
comma-separated text, XX
"""

from services.tables.whole.copies import Source
from services.tables.whole.limits import Limits
from services.tables.whole.tables import WholeTables

__all__ = ["Limits", "Source", "WholeTables"]
