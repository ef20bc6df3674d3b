"""Readers that Arrow does the work for: CSV and TSV, and Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from watchword.tables.sources import Chunk, TableError, failures_named, kind_of

_BLOCK = 1 << 23


class CsvReader:
    """CSV with a header, or TSV. Values stay as written; quoted values may hold line ends."""

    unit = "row"

    def __init__(self, path: str) -> None:
        self._path = self.label = path
        self._delimiter = "\t" if kind_of(path) == "tsv" else ","
        with failures_named(path):
            self._raw = pa.OSFile(path)
            self.total = self._raw.size() or None
        with _failures_placed(self.label):
            schema = self._open(self._stream(pa.OSFile(path))).schema
        self._names = schema.names
        self.columns: dict[str, bool] | None = {
            field.name: pa.types.is_string(field.type) or pa.types.is_null(field.type) for field in schema
        }

    def position(self) -> int:
        """Return how many of `total` bytes have been taken from the disk."""
        return (self.total or 0) if self._raw.closed else int(self._raw.tell())  # a finished stream closes it

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def chunks(self, names: Sequence[str], size: int) -> Iterator[Chunk]:
        """Yield the columns `names`, as text."""
        for name in names:
            if self._names.count(name) > 1:
                raise TableError(f"two columns are named {name!r}: rename one", path=self.label)
        wanted = list(dict.fromkeys([*names, self._names[-1]]))  # the last one, to look for an open quote
        row, last = 1, None
        with _failures_placed(self.label):
            reader = self._open(self._stream(self._raw), wanted)
            for block in reader:
                for start in range(0, len(block), size):
                    part = block.slice(start, size)
                    numbers = pa.array(range(row, row + len(part)), pa.int64())
                    yield Chunk(numbers, [self._text(part.column(name), row) for name in names])
                    row += len(part)
                if len(block):
                    last = block.column(self._names[-1])[-1].as_py()
        if last is not None and b"\n" in last and not self._tail().endswith(b'"'):
            raise TableError("a quote is opened and never closed", path=self.label, place=f"row {row - 1}")

    def _open(self, stream: Any, wanted: list[str] | None = None) -> Any:
        kinds = None if wanted is None else dict.fromkeys(wanted, pa.binary())
        return pa.csv.open_csv(
            stream,
            # One thread: with more, Arrow cannot say in which row a mistake is.
            read_options=pa.csv.ReadOptions(block_size=_BLOCK, use_threads=False),
            parse_options=pa.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds, include_columns=wanted, strings_can_be_null=False, check_utf8=False
            ),
        )

    def _stream(self, raw: Any) -> Any:
        return pa.CompressedInputStream(raw, "gzip") if self._path.lower().endswith(".gz") else raw

    def _text(self, column: pa.Array, row: int) -> pa.Array:
        try:
            return column.cast(pa.string())
        except pa.ArrowInvalid:
            for i, value in enumerate(column.to_pylist()):
                try:
                    value.decode()
                except UnicodeDecodeError:
                    raise TableError(
                        "not UTF-8: convert the file to UTF-8", path=self.label, place=f"row {row + i}"
                    ) from None
            raise

    def _tail(self) -> bytes:
        with pa.OSFile(self._path) as raw:
            stream, tail = self._stream(raw), b""
            while piece := stream.read(_BLOCK):
                tail = (tail + piece)[-64:]
        return bytes(tail.rstrip(b"\r\n"))


class ParquetReader:
    """Parquet, one row group at a time."""

    unit = "row"

    def __init__(self, path: str) -> None:
        self.label = path
        with _failures_placed(path):
            self._file = pa.parquet.ParquetFile(path)
        schema = self._file.schema_arrow
        self.columns: dict[str, bool] | None = {field.name: _normal_type(field.type) == pa.string() for field in schema}
        self._types = {field.name: field.type for field in schema}
        self.total: int | None = self._file.metadata.num_rows or None
        self._done = 0

    def position(self) -> int:
        """Return how many of `total` rows have been read."""
        return self._done

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def chunks(self, names: Sequence[str], size: int) -> Iterator[Chunk]:
        """Yield the columns `names`."""
        for name in names:
            if _normal_type(self._types[name]) is None:
                raise TableError(
                    f"column {name!r} holds {self._types[name]}; text or whole numbers are needed",
                    path=self.label,
                )
        with _failures_placed(self.label):
            for batch in self._file.iter_batches(size, columns=list(dict.fromkeys(names))):
                numbers = pa.array(range(self._done + 1, self._done + len(batch) + 1), pa.int64())
                self._done += len(batch)
                yield Chunk(numbers, [batch.column(n).cast(_normal_type(self._types[n])) for n in names])


def _normal_type(given: pa.DataType) -> pa.DataType | None:
    """Return the type to read a column of type `given` in; `None` if neither text nor whole numbers."""
    if pa.types.is_dictionary(given):
        given = given.value_type
    if pa.types.is_integer(given):
        return pa.int64()
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return pa.string() if any(holds(given) for holds in texts) else None


@contextmanager
def _failures_placed(label: str) -> Iterator[None]:
    """Turn Arrow's refusals into a `TableError` that names the file, and the row where Arrow knows it."""
    try:
        with failures_named(label):
            yield
    except pa.ArrowException as error:
        message = str(error).removeprefix("CSV parse error: ")
        found = re.match(r"Row #(\d+): (.*)", message, re.DOTALL)
        place = None if found is None else f"row {int(found[1]) - 1}"
        raise TableError(message if found is None else found[2], path=label, place=place) from None
