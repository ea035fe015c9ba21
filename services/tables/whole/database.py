"""DuckDB, locked up: it reads one folder, writes one, and asks nobody."""

from __future__ import annotations

from pathlib import Path

import duckdb

from services.tables.whole.limits import THREADS


def connect(
    *, memory_bytes: int, temporary: Path, temporary_bytes: int, allowed: list[Path]
) -> duckdb.DuckDBPyConnection:
    """A connection that can reach the `allowed` files and folders alone, with no extension, network or setting left."""
    connection = duckdb.connect(
        config={
            "threads": THREADS,
            "memory_limit": f"{memory_bytes}B",
            "temp_directory": str(temporary),
            "max_temp_directory_size": f"{temporary_bytes}B",
            "autoload_known_extensions": False,
            "autoinstall_known_extensions": False,
            "allow_community_extensions": False,
            "preserve_insertion_order": True,
        }
    )
    connection.execute("SET enable_progress_bar = true")  # or query_progress knows nothing
    connection.execute("SET enable_progress_bar_print = false")
    folders = [f"{path}/" for path in allowed if path.is_dir()]
    files = [str(path) for path in allowed if not path.is_dir()]
    connection.execute(f"SET allowed_directories = [{', '.join(map(literal, folders))}]")
    connection.execute(f"SET allowed_paths = [{', '.join(map(literal, files))}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
    return connection


def literal(path: Path | str) -> str:
    """A path as an SQL string: table functions take no parameters in every place a path stands."""
    return "'" + str(path).replace("'", "''") + "'"
