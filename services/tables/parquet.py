"""Parquet files: the rows wanted and no more, with the types the file declares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from services.tables.arrow_text import reason, texts, type_text
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
        raise TableError(f"The parquet file is broken ({reason(error)}).") from None
    shown = [at for at in wanted if at < len(schema.names)]
    names = list(dict.fromkeys(schema.names[at] for at in shown))
    turns = [schema.get_all_field_indices(schema.names[at]).index(at) for at in shown]  # names may stand twice
    skipped = 0
    while groups and skipped + groups[0] <= offset:
        skipped += groups.pop(0)
    left = range(file.metadata.num_row_groups - len(groups), file.metadata.num_row_groups)

    def rows() -> Iterator[Row]:
        try:
            for batch in file.iter_batches(_BATCH_ROWS, row_groups=list(left), columns=names, use_threads=False):
                places = [
                    batch.schema.get_all_field_indices(schema.names[at])[turn]
                    for at, turn in zip(shown, turns, strict=True)
                ]
                cells = [texts(batch.column(place)) for place in places]
                yield from ([column[at] for column in cells] for at in range(batch.num_rows))
        except MemoryError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise TableError(f"The parquet file is broken ({reason(error)}).") from None

    return Table(
        kind="parquet",
        columns=schema.names,
        held=shown,
        rows=rows(),
        start=skipped,
        total_rows=file.metadata.num_rows,
        exact=True,
        dtypes=[type_text(field.type) for field in schema],
    )
