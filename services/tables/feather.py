"""Feather and Arrow files, record batch by record batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.ipc

from services.tables.arrow_text import reason, texts, type_text
from services.tables.model import Row, Table, TableError

_BATCH_ROWS = 256
_OLD_BYTES = 256 * 1024 * 1024  # a file of Feather's first version has to be read whole


def open_feather(path: Path, wanted: Sequence[int]) -> Table:
    """Open a Feather file of either version, or an Arrow file or stream; rows of the `wanted` columns from the start.

    Raises:
        TableError: the file is broken.
    """
    total: int | None
    try:
        with path.open("rb") as file:
            signature = file.read(4)
        source = pa.OSFile(str(path))
        if signature == b"FEA1":
            if path.stat().st_size > _OLD_BYTES:
                raise TableError(
                    f"A Feather file of version 1 over {_OLD_BYTES // 1024**2} MB: too large for a preview."
                )
            table = pyarrow.feather.read_table(source, memory_map=False)
            schema, total, batches = table.schema, table.num_rows, iter(table.to_batches())
        elif signature == b"ARRO":
            reader = pa.ipc.open_file(source)
            schema, total = reader.schema, None
            batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
        else:
            stream = pa.ipc.open_stream(source)
            schema, total, batches = stream.schema, None, iter(stream)
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise TableError(f"The Feather file is broken ({reason(error)}).") from None
    held = [at for at in wanted if at < len(schema.names)]
    return Table(
        kind="feather",
        columns=schema.names,
        held=held,
        rows=_rows(batches, held),
        total_rows=total,
        exact=total is not None,
        dtypes=[type_text(field.type) for field in schema],
    )


def _rows(batches: Iterator[pa.RecordBatch], held: list[int]) -> Iterator[Row]:
    try:
        for batch in batches:
            for start in range(0, batch.num_rows, _BATCH_ROWS):
                part = batch.slice(start, _BATCH_ROWS)
                cells = [texts(part.column(at)) for at in held]
                yield from ([column[at] for column in cells] for at in range(part.num_rows))
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeError) as error:
        raise TableError(f"The Feather file is broken ({reason(error)}).") from None
