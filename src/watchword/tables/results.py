"""Matches as they come, to a file or to standard output: JSON lines, CSV or Parquet.

Every format holds one row per pair of event and subscription: the event's id, the subscription's id and,
where it was asked for, the reason.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import sys
from contextlib import AbstractContextManager, ExitStack, suppress
from types import TracebackType
from typing import IO, Any, Literal, Protocol

import pyarrow as pa
import pyarrow.parquet

from watchword.files import Closing, written_whole
from watchword.tables.sources import TableError, kind_of
from watchword.visible import json_visible, visible

FORMATS = ("jsonl", "csv", "parquet")


class Results(AbstractContextManager["Results"], Protocol):
    """Takes tables of one schema, in order. At least one must come, for an empty answer has columns too."""

    def write(self, table: pa.Table) -> None:
        """Append the rows of `table`."""

    def close(self) -> None:
        """Finish the output."""


def format_of(path: str) -> str:
    """Return the format of a file, by its name."""
    kind = kind_of(path)
    if kind not in FORMATS:
        raise TableError("the name says no format: end it in .jsonl, .csv or .parquet, or give --format", path=path)
    return kind


def open_results(format: str, path: str | None) -> Results:
    """Return where to write matches in `format`: to the file at `path`, or to standard output."""
    if format == "parquet":
        if path is None:
            raise TableError("Parquet needs a file: give --output", path="standard output")
        return ParquetResults(path)
    return TextResults(format, path)


class _Output(Closing):
    """A file that appears whole when it is closed; after an error or Ctrl-C it is as it was before.

    A path that cannot be written to is an error at the beginning, not after the work.
    """

    def __init__(self, path: str | None) -> None:
        self._stack = ExitStack()
        self._raw: IO[bytes] | None = None if path is None else self._stack.enter_context(written_whole(path))

    def close(self) -> None:
        """Put the file into its place; standard output stays open."""
        self._stack.close()

    def _discard(self, error: BaseException) -> None:
        """Leave nothing behind."""
        self._stack.__exit__(type(error), error, None)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        else:
            self._discard(error)


class TextResults(_Output):
    """JSON lines, or CSV with a header; ``.gz`` in the name compresses. Every table is passed on at once.

    On standard output control characters are shown, not sent: in JSON as JSON escapes them, which reads back as the
    same; in CSV as ``\\x1b``. A CSV file has what the events and subscriptions have.
    """

    def __init__(self, format: str, path: str | None) -> None:
        super().__init__(path)
        self._encode = _as_csv if format == "csv" else _as_jsonl
        self._first = True
        self._stream: Any = self._raw or sys.stdout.buffer
        if path is not None and path.lower().endswith(".gz"):
            self._stream = self._stack.enter_context(gzip.GzipFile(fileobj=self._raw, mode="wb"))

    def write(self, table: pa.Table) -> None:
        """Append the rows of `table`."""
        text = self._encode(table, self._first)
        self._stream.write((text if self._raw else visible(text, lines=True)).encode())
        self._stream.flush()
        self._first = False


class ParquetResults(_Output):
    """One row group per table that is not small."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self._writer: pa.parquet.ParquetWriter | None = None
        self._pending: list[pa.Table] = []

    def write(self, table: pa.Table) -> None:
        """Append the rows of `table`."""
        self._pending.append(table)
        if sum(len(part) for part in self._pending) >= 1 << 18:
            self._flush()

    def _flush(self) -> None:
        table = pa.concat_tables(self._pending)
        self._writer = self._writer or pa.parquet.ParquetWriter(self._raw, table.schema)
        self._writer.write_table(table)
        self._pending = []

    def close(self) -> None:
        """Write the remaining rows and the footer."""
        if self._pending:
            self._flush()
        if self._writer is not None:
            self._writer.close()
        super().close()

    def _discard(self, error: BaseException) -> None:
        with suppress(Exception):
            if self._writer is not None:
                self._writer.close()  # which it would try later, when the file is gone
        super()._discard(error)


def _as_jsonl(table: pa.Table, first: bool) -> str:
    pieces = []
    for name in table.column_names:
        values = table[name].to_pylist()
        numbers = pa.types.is_integer(table.schema.field(name).type)
        texts = map(str, values) if numbers else (json.dumps(value, ensure_ascii=False) for value in values)
        pieces.append([f'"{name}": {text}' for text in texts])
    return json_visible("".join(f"{{{', '.join(row)}}}\n" for row in zip(*pieces, strict=True)))


def _as_csv(table: pa.Table, first: bool) -> str:
    rows = [table.column_names] if first else []
    rows += zip(*(table[name].to_pylist() for name in table.column_names), strict=True)
    text = _rows_as_csv(rows, csv.QUOTE_MINIMAL)
    # Python leaves a lone \r without quotes, and readers, its own too, take it for the end of a row.
    return _rows_as_csv(rows, csv.QUOTE_ALL) if "\r" in text else text


def _rows_as_csv(rows: list[Any], quoting: Literal[0, 1]) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n", quoting=quoting).writerows(rows)
    return out.getvalue()
