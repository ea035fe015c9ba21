"""Looking at a whole table, however large: a copy of its text in columns, made once, and questions to it.

The copy is an Arrow file mapped into memory: any row is at hand, and it was made in a quarter of the time that Parquet
or a database took. Questions go to DuckDB, which asks it in place, under limits of memory and with no way out.
"""

from services.tables.whole.copies import Source
from services.tables.whole.limits import Limits
from services.tables.whole.tables import WholeTables

__all__ = ["Limits", "Source", "WholeTables"]
