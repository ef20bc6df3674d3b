"""CSV and TSV, with a header. The first rows decide the delimiter: a comma, a semicolon or a tab.

``id;subscription`` and then ``1;greece, crisis`` has two columns with semicolons in every row, and with commas one in
the header: it is read with semicolons. A file named ``.tsv`` has tabs.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from watchword.tables.arrow import BLOCK, place_failures, row_numbers
from watchword.tables.piped import STDIN, Piped
from watchword.tables.sources import Chunk, Refuse, TableError, name_failures

DELIMITERS = (",", ";", "\t")
_SAMPLE = 1 << 16
MOST_COLUMNS = 10_000
"""The most columns of a file: each costs time and memory by itself, however few rows there are."""
_HEADER = 1 << 22


def delimiter_of(sample: bytes, whole: bool = True) -> str:
    """Return the delimiter of a file that begins with `sample`, or, with `whole`, equals it.

    A delimiter that gives every row the columns of the header is preferred, then the one that gives the header the
    most columns, then the comma.

    >>> delimiter_of(b"id;subscription\\n1;greece, crisis\\n"), delimiter_of(b"text\\ngreece; crisis\\n")
    (';', ',')
    """
    text = sample.decode("utf-8", "replace").removeprefix("\ufeff")
    return max(DELIMITERS, key=lambda delimiter: _fit(text, delimiter, whole))  # of equals the first


def _fit(text: str, delimiter: str, whole: bool) -> tuple[bool, int]:
    """Return whether all rows have the columns of the header, more than one, and the number of columns."""
    try:
        widths = [len(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter) if row]
    except csv.Error:  # a value that is longer than Python's reader takes
        return False, 0
    if not whole:
        widths = widths[:-1] or widths  # the last row may go on
    return len(set(widths)) == 1 and widths[0] > 1, widths[0] if widths else 0


class CsvReader:
    """CSV with a header, or TSV. Values stay as written; quoted values may hold line ends.

    With `refuse`, rows with other columns than the header are reported to it and left out.
    """

    unit = "row"

    def __init__(self, path: str, delimiter: str | None = None, refuse: Refuse | None = None) -> None:
        self._path, self._refuse = path, refuse
        self._piped = Piped(full=True) if path == STDIN else None
        self.label = "standard input" if path == STDIN else path
        self._names: list[str] = []
        self._skipped: set[int] = set()
        with name_failures(self.label):
            self._raw = self._open_raw()
            self.total = None if self._piped else self._raw.size() or None
        self._delimiter = delimiter or self._recognise_delimiter()
        self._refuse_wide()
        with place_failures(self.label):
            schema = self._open(self._stream(self._open_raw())).schema
        self._skipped.clear()
        if self._piped:
            self._piped.rewind(last=True)
            self._raw = self._open_raw()
        self._names = schema.names
        self._types = {field.name: _plain_type(field.type) for field in schema}
        self.columns: dict[str, bool] | None = {
            field.name: pa.types.is_string(field.type) or pa.types.is_null(field.type) for field in schema
        }

    def position(self) -> int:
        """Return the number of bytes, of `total`, read from the disk."""
        if self.total is None:
            return 0
        return self.total if self._raw.closed else int(self._raw.tell())  # a finished stream closes it

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def chunks(self, names: Sequence[str], size: int) -> Iterator[Chunk]:
        """Yield the columns `names`, as text."""
        wanted = list(dict.fromkeys([*names, self._names[-1]]))  # the last one, to look for an open quote
        for numbers, part in self._parts(dict.fromkeys(wanted, pa.binary()), size):
            yield Chunk(numbers, [self._text(part.column(name), numbers) for name in names])

    def objects(self, event_id: str | None, size: int) -> Iterator[Chunk]:
        """Yield whole rows as structs, and the column `event_id` as text.

        Arrow tells from the first 8 MB which columns hold numbers or booleans; others are texts as written, dates too.
        An empty cell is a missing value, and so is what spreadsheets write for one (NA, null) among numbers.
        """
        kinds = self._types | ({} if event_id is None else {event_id: pa.binary()})
        for numbers, part in self._parts(kinds, size):
            columns = [_empty_as_null(self._text(part[name], numbers)) if kinds[name] == pa.binary() else part[name]
                       for name in kinds]  # fmt: skip
            ids = [] if event_id is None else [self._text(part[event_id], numbers)]
            yield Chunk(numbers, [pa.StructArray.from_arrays(columns, names=list(kinds)), *ids])

    def _parts(self, kinds: dict[str, pa.DataType], size: int) -> Iterator[tuple[pa.Array, pa.RecordBatch]]:
        """Yield at most `size` rows at a time, with their numbers."""
        for name in kinds:
            if self._names.count(name) > 1:
                raise TableError(f"two columns are named {name!r}: rename one", path=self.label)
        row, last = 0, None
        with place_failures(self.label):
            for block in self._open(self._stream(self._raw), kinds):
                for start in range(0, len(block), size):
                    part = block.slice(start, size)
                    numbers = self._number_rows(row + 1, len(part))
                    yield numbers, part
                    row = numbers[-1].as_py()
                if len(block):
                    last = block.column(self._names[-1])[-1].as_py()
        if isinstance(last, bytes) and b"\n" in last and not self._tail().endswith(b'"'):
            raise TableError("a quote is opened and never closed", path=self.label, place=f"row {row}")

    def _number_rows(self, first: int, count: int) -> pa.Array:
        """Return the numbers of the next rows, without refused ones."""
        if not self._skipped:
            return row_numbers(first, count)
        numbers: list[int] = []
        while len(numbers) < count:
            if first not in self._skipped:
                numbers.append(first)
            first += 1
        return pa.array(numbers, pa.int64())

    def _open(self, stream: Any, kinds: dict[str, pa.DataType] | None = None) -> Any:
        return pa.csv.open_csv(
            stream,
            # One thread: with more, Arrow cannot say in which row a mistake is.
            read_options=pa.csv.ReadOptions(block_size=BLOCK, use_threads=False),
            parse_options=pa.csv.ParseOptions(
                delimiter=self._delimiter,
                newlines_in_values=True,
                invalid_row_handler=None if self._refuse is None else self._skip,
            ),
            convert_options=pa.csv.ConvertOptions(
                column_types=kinds, include_columns=kinds and list(kinds), strings_can_be_null=False, check_utf8=False
            ),
        )

    def _skip(self, row: Any) -> str:
        """Skip a row with other columns than the header; the header itself is Arrow's row 1."""
        number = row.number - 1
        if number not in self._skipped:
            self._skipped.add(number)
            if self._names and self._refuse is not None:  # when it is read, not looked at
                what = "value" if row.actual_columns == 1 else "values"
                self._refuse(
                    number,
                    f"it has {row.actual_columns} {what}, and the header {row.expected_columns} columns: "
                    f'put a value that has the sign {self._delimiter!r} into quotes ("")',
                )
        return "skip"

    def _recognise_delimiter(self) -> str:
        with place_failures(self.label):
            sample = self._stream(self._open_raw()).read(_SAMPLE)
        if self._piped:
            self._piped.rewind()
        return delimiter_of(sample, whole=len(sample) < _SAMPLE)

    def _refuse_wide(self) -> None:
        """Raise if the header has too many columns, or no end."""
        with place_failures(self.label):
            start = self._stream(self._open_raw()).read(_HEADER)
        if self._piped:
            self._piped.rewind()
        header = start.partition(b"\n")[0]
        if len(header) == _HEADER or header.count(self._delimiter.encode()) >= MOST_COLUMNS:
            reason = f"its header is longer than {_HEADER >> 20} MiB" if len(header) == _HEADER else "it is too wide"
            raise TableError(f"{reason}: a file has at most {MOST_COLUMNS:,} columns", path=self.label, place="row 0")

    def _open_raw(self) -> Any:
        """Return the file from its beginning."""
        return pa.OSFile(self._path) if self._piped is None else pa.PythonFile(self._piped, mode="r")

    def _stream(self, raw: Any) -> Any:
        return pa.CompressedInputStream(raw, "gzip") if self._path.lower().endswith(".gz") else raw

    def _text(self, column: pa.Array, numbers: pa.Array) -> pa.Array:
        try:
            return column.cast(pa.string())
        except pa.ArrowInvalid:
            for value, number in zip(column.to_pylist(), numbers, strict=True):
                try:
                    value.decode()
                except UnicodeDecodeError:
                    raise TableError(
                        "not UTF-8: convert the file to UTF-8", path=self.label, place=f"row {number}"
                    ) from None
            raise

    def _tail(self) -> bytes:
        if self._piped is not None:
            return self._piped.tail.rstrip(b"\r\n")
        with pa.OSFile(self._path) as raw:
            stream, tail = self._stream(raw), b""
            while piece := stream.read(BLOCK):
                tail = (tail + piece)[-64:]
        return bytes(tail.rstrip(b"\r\n"))


def _plain_type(given: pa.DataType) -> pa.DataType:
    """Return the type in which to read a column of CSV: the given one for numbers and booleans, else bytes."""
    kept = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    return given if any(holds(given) for holds in kept) else pa.binary()


def _empty_as_null(texts: pa.Array) -> pa.Array:
    """Return texts with nulls for the empty ones."""
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, texts.type), texts)
