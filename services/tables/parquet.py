"""Parquet files: the rows wanted and no more, with the types the file declares."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from services.tables.model import Row, Table, TableError

_BATCH_ROWS = 256


def open_parquet(path: Path, offset: int, wanted: Sequence[int]) -> Table:
    """Open a parquet file; rows come from row `offset`, of the `wanted` columns alone.

    Raises:
        TableError: the file is broken.
    """
    try:
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
        groups = [file.metadata.row_group(at).num_rows for at in range(file.metadata.num_row_groups)]
    except (pa.ArrowException, OSError) as error:
        raise TableError(f"The parquet file is broken ({_reason(error)}).") from None
    shown = [at for at in wanted if at < len(schema.names)]
    names = list(dict.fromkeys(schema.names[at] for at in shown))
    skipped = 0
    while groups and skipped + groups[0] <= offset:
        skipped += groups.pop(0)
    left = range(file.metadata.num_row_groups - len(groups), file.metadata.num_row_groups)

    def rows() -> Iterator[Row]:
        try:
            for batch in file.iter_batches(_BATCH_ROWS, row_groups=list(left), columns=names, use_threads=False):
                places = [batch.schema.get_all_field_indices(schema.names[at])[0] for at in shown]
                texts = [_texts(batch.column(place)) for place in places]
                yield from ([column[at] for column in texts] for at in range(batch.num_rows))
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise TableError(f"The parquet file is broken ({_reason(error)}).") from None

    return Table(
        kind="parquet",
        columns=schema.names,
        held=shown,
        rows=rows(),
        start=skipped,
        total_rows=file.metadata.num_rows,
        exact=True,
        dtypes=[str(field.type) for field in schema],
    )


def _texts(column: pa.Array) -> list[str | None]:
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return [_nested(value) for value in column.to_pylist()]
    if pa.types.is_float64(kind):
        return [None if value is None else repr(value) for value in column.to_pylist()]
    try:
        texts: list[str | None] = column.cast(pa.string()).to_pylist()
    except pa.ArrowException:
        return [_nested(value) for value in column.to_pylist()]
    return texts


def _nested(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes):
        return f"{len(value):,} bytes: {value[:16].hex(' ')}{' …' if len(value) > 16 else ''}"
    return json.dumps(value, ensure_ascii=False, default=str) if isinstance(value, dict | list) else str(value)


def _reason(error: Exception) -> str:
    return str(error).splitlines()[0].rstrip(".") if str(error) else type(error).__name__
