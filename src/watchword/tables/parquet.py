"""Parquet, read by Arrow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.parquet

from watchword.tables.arrow import place_failures, row_numbers
from watchword.tables.piped import STDIN, standard_input
from watchword.tables.sources import Chunk, TableError

_MAGIC = b"PAR1"


class ParquetReader:
    """Parquet, one row group at a time."""

    unit = "row"

    def __init__(self, path: str) -> None:
        self.label = "standard input" if path == STDIN else path
        with place_failures(self.label):
            opened = pa.BufferReader(self._piped()) if path == STDIN else path
            self._file = pa.parquet.ParquetFile(opened)
        schema = self._file.schema_arrow
        self.columns: dict[str, bool] | None = {field.name: _normal_type(field.type) == pa.string() for field in schema}
        self._types = {field.name: field.type for field in schema}
        self.total: int | None = self._file.metadata.num_rows or None
        self._done = 0

    def _piped(self) -> bytes:
        """Return all of standard input, for the end of a file is read first; raise if it is no Parquet."""
        head = standard_input().read(len(_MAGIC))
        if head != _MAGIC:
            raise TableError(f"no Parquet file: it does not begin with {_MAGIC.decode()}", path=self.label)
        return head + standard_input().read()

    def position(self) -> int:
        """Return how many of `total` rows have been read."""
        return self._done

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def is_binary(self, name: str) -> bool:
        """Return whether a column holds bytes."""
        return bool(pa.types.is_binary(self._types[name]))

    def chunks(self, names: Sequence[str], size: int) -> Iterator[Chunk]:
        """Yield the columns `names`."""
        for name in names:
            if _normal_type(self._types[name]) is None:
                raise TableError(
                    f"column {name!r} holds {self._types[name]}; text or whole numbers are needed",
                    path=self.label,
                )
        with place_failures(self.label):
            for batch in self._file.iter_batches(size, columns=list(dict.fromkeys(names))):
                self._done += len(batch)
                columns = [batch.column(name).cast(_normal_type(self._types[name])) for name in names]
                yield Chunk(row_numbers(self._done + 1 - len(batch), len(batch)), columns)

    def objects(self, event_id: str | None, size: int, column: str | None = None) -> Iterator[Chunk]:
        """Yield whole rows as structs, or one column as it is, and the column `event_id`."""
        ids = [] if event_id is None else [event_id]
        with place_failures(self.label):
            for batch in self._file.iter_batches(size, columns=None if column is None else [column, *ids]):
                self._done += len(batch)
                events = batch.to_struct_array() if column is None else batch.column(column)
                keys = [batch.column(name).cast(_normal_type(self._types[name]) or pa.string()) for name in ids]
                yield Chunk(row_numbers(self._done + 1 - len(batch), len(batch)), [events, *keys])


def _normal_type(given: pa.DataType) -> pa.DataType | None:
    """Return the type to read a column of type `given` in; `None` if neither text nor whole numbers."""
    if pa.types.is_dictionary(given):
        given = given.value_type
    if pa.types.is_integer(given):
        return pa.int64()
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return pa.string() if any(holds(given) for holds in texts) else None
