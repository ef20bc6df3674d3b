"""Readers that Arrow does the work for: CSV and TSV, and Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
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
        self._types = {field.name: _plain_type(field.type) for field in schema}
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
        wanted = list(dict.fromkeys([*names, self._names[-1]]))  # the last one, to look for an open quote
        for row, part in self._parts(dict.fromkeys(wanted, pa.binary()), size):
            yield Chunk(_numbers(row, len(part)), [self._text(part.column(name), row) for name in names])

    def objects(self, event_id: str | None, size: int) -> Iterator[Chunk]:
        """Yield whole rows as structs, and the column `event_id` as text.

        Arrow tells from the first 8 MB which columns hold numbers or booleans; others are texts as written, dates too.
        An empty cell is a missing value, and so is what spreadsheets write for one (NA, null) among numbers.
        """
        kinds = self._types | ({} if event_id is None else {event_id: pa.binary()})
        for row, part in self._parts(kinds, size):
            columns = [_emptied(self._text(part[name], row)) if kinds[name] == pa.binary() else part[name]
                       for name in kinds]  # fmt: skip
            ids = [] if event_id is None else [self._text(part[event_id], row)]
            yield Chunk(_numbers(row, len(part)), [pa.StructArray.from_arrays(columns, names=list(kinds)), *ids])

    def _parts(self, kinds: dict[str, pa.DataType], size: int) -> Iterator[tuple[int, pa.RecordBatch]]:
        """Yield at most `size` rows at a time, with the number of their first."""
        for name in kinds:
            if self._names.count(name) > 1:
                raise TableError(f"two columns are named {name!r}: rename one", path=self.label)
        row, last = 1, None
        with _failures_placed(self.label):
            for block in self._open(self._stream(self._raw), kinds):
                for start in range(0, len(block), size):
                    part = block.slice(start, size)
                    yield row, part
                    row += len(part)
                if len(block):
                    last = block.column(self._names[-1])[-1].as_py()
        if isinstance(last, bytes) and b"\n" in last and not self._tail().endswith(b'"'):
            raise TableError("a quote is opened and never closed", path=self.label, place=f"row {row - 1}")

    def _open(self, stream: Any, kinds: dict[str, pa.DataType] | None = None) -> Any:
        return pa.csv.open_csv(
            stream,
            # One thread: with more, Arrow cannot say in which row a mistake is.
            read_options=pa.csv.ReadOptions(block_size=_BLOCK, use_threads=False),
            parse_options=pa.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds, include_columns=kinds and list(kinds), strings_can_be_null=False, check_utf8=False
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

    def is_binary(self, name: str) -> bool:
        """Say whether a column holds bytes."""
        return bool(pa.types.is_binary(self._types[name]))

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
                self._done += len(batch)
                columns = [batch.column(name).cast(_normal_type(self._types[name])) for name in names]
                yield Chunk(_numbers(self._done + 1 - len(batch), len(batch)), columns)

    def objects(self, event_id: str | None, size: int, column: str | None = None) -> Iterator[Chunk]:
        """Yield whole rows as structs, or one column as it is, and the column `event_id`."""
        ids = [] if event_id is None else [event_id]
        with _failures_placed(self.label):
            for batch in self._file.iter_batches(size, columns=None if column is None else [column, *ids]):
                self._done += len(batch)
                events = batch.to_struct_array() if column is None else batch.column(column)
                keys = [batch.column(name).cast(_normal_type(self._types[name]) or pa.string()) for name in ids]
                yield Chunk(_numbers(self._done + 1 - len(batch), len(batch)), [events, *keys])


def _numbers(first: int, count: int) -> pa.Array:
    return pa.array(range(first, first + count), pa.int64())


def _plain_type(given: pa.DataType) -> pa.DataType:
    """Return the type to read a column of CSV in: that of numbers and booleans, bytes for anything else."""
    kept = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    return given if any(holds(given) for holds in kept) else pa.binary()


def _emptied(texts: pa.Array) -> pa.Array:
    """Return texts with nulls for the empty ones."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, texts.type), texts)


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
        found = re.match(r"(?:In CSV column #\d+: )?Row #(\d+): (.*)", message, re.DOTALL)
        place = None if found is None else f"row {int(found[1]) - 1}"
        reason = message if found is None else found[2]
        if reason.startswith("CSV conversion error"):
            reason += "; the column begins with values of that type: give the events as JSON lines or Parquet"
        raise TableError(reason, path=label, place=place) from None
