"""DuckDB, locked up: it is handed tables in memory, reaches no file but its own temporary ones, and asks nobody."""

from __future__ import annotations

from pathlib import Path

import duckdb

from services.tables.whole.limits import THREADS


def connect(memory_bytes: int, temporary: Path, temporary_bytes: int) -> duckdb.DuckDBPyConnection:
    """A connection with no files, extensions or network, whose settings can't be changed any more."""
    connection = duckdb.connect(
        config={
            "threads": THREADS,
            "memory_limit": f"{memory_bytes}B",
            "temp_directory": str(temporary),
            "max_temp_directory_size": f"{temporary_bytes}B",
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "allow_community_extensions": False,
            "python_enable_replacements": False,
        }
    )
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection
