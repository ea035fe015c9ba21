"""Tasks: from a source, through one read-only SQLite index, to search, facets and pages."""

from services.catalog.catalog import Catalog
from services.catalog.contents import Neighbours, Page, Row, UnknownTask
from services.catalog.index import CatalogError
from services.catalog.opening import open_catalog
from services.catalog.query import FACETS, ORDERS, Query
from services.catalog.source import Source
from services.catalog.status import Status
from services.catalog.task import REWARD_MODES, SPLITS, TIERS, Task

__all__ = [
    "FACETS",
    "ORDERS",
    "REWARD_MODES",
    "SPLITS",
    "TIERS",
    "Catalog",
    "CatalogError",
    "Neighbours",
    "Page",
    "Query",
    "Row",
    "Source",
    "Status",
    "Task",
    "UnknownTask",
    "open_catalog",
]
