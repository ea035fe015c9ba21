"""Batches: predictions in, matched with the tasks, graded with progress, and their numbers out."""

from services.batch.apart import OUTCOMES
from services.batch.compare import Flip, FlipsPage
from services.batch.formats import UnreadableFile
from services.batch.lines import report_of_lines
from services.batch.matching import Count, Counts, Plan, Policy, RunCounts
from services.batch.predictions import Columns, ColumnsUnclear
from services.batch.report import as_markdown
from services.batch.run import Batch, Progress
from services.batch.store import FILTERS, BatchError, BatchRow, RowsPage
from services.batch.versions import Versions
from services.batch.visitors import Batches

__all__ = [
    "FILTERS",
    "OUTCOMES",
    "Batch",
    "BatchError",
    "BatchRow",
    "Batches",
    "Columns",
    "ColumnsUnclear",
    "Count",
    "Counts",
    "Flip",
    "FlipsPage",
    "Plan",
    "Policy",
    "Progress",
    "RowsPage",
    "RunCounts",
    "UnreadableFile",
    "Versions",
    "as_markdown",
    "report_of_lines",
]
