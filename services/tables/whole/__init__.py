"""Looking at a whole table, however large: a copy of its text in columns, made once, and questions to it.

The copy is an Arrow file mapped into memory: any row is at hand, and it was made in half the time that Parquet took, or
less. Questions go to DuckDB, which asks it in place, under limits of memory and with no way out. Of a
profile it does what it does well, counting values that repeat (0.2 s of processor for 4.8 million cells); columns of
numbers are read with Arrow and sorted (0.3 to 1.2 s, where counting by value took 1.7 to 3 s), and text that hardly
repeats is told apart by sorted hashes (0.9 s, where counting took 2.6 to 3.3 s).
"""

from services.tables.whole.copies import Source
from services.tables.whole.limits import Limits
from services.tables.whole.tables import WholeTables

__all__ = ["Limits", "Source", "WholeTables"]
