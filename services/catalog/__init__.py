"""Tasks: from a source, through one read-only SQLite index, to search, facets and pages."""
