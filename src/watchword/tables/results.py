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
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, Any, Literal, Protocol

import pyarrow as pa
import pyarrow.parquet

from watchword.files import Closing
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
    """Return the format that a file's name stands for."""
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


class TextResults(Closing):
    """JSON lines, or CSV with a header; ``.gz`` in the name compresses. Every table is passed on at once.

    On standard output control characters are shown, not sent: in JSON as JSON escapes them, which reads back as the
    same; in CSV as ``\\x1b``. A CSV file has what the events and subscriptions have.
    """

    def __init__(self, format: str, path: str | None) -> None:
        self._encode = _as_csv if format == "csv" else _as_jsonl
        self._first = True
        self._owned = path is not None
        self._file: IO[bytes] | gzip.GzipFile
        if path is None:
            self._file = sys.stdout.buffer
        elif path.lower().endswith(".gz"):
            self._file = gzip.open(path, "wb")  # noqa: SIM115 - closed by `close`
        else:
            self._file = Path(path).open("wb")  # noqa: SIM115 - closed by `close`

    def write(self, table: pa.Table) -> None:
        """Append the rows of `table`."""
        text = self._encode(table, self._first)
        self._file.write((text if self._owned else visible(text, lines=True)).encode())
        self._file.flush()
        self._first = False

    def close(self) -> None:
        """Close the file; standard output stays open."""
        if self._owned:
            self._file.close()


class ParquetResults(Closing):
    """One row group per table that is not small."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._writer: pa.parquet.ParquetWriter | None = None
        self._pending: list[pa.Table] = []
        Path(path).open("wb").close()  # a path that cannot be written to fails now, not after the work

    def write(self, table: pa.Table) -> None:
        """Append the rows of `table`."""
        self._pending.append(table)
        if sum(len(part) for part in self._pending) >= 1 << 18:
            self._flush()

    def _flush(self) -> None:
        table = pa.concat_tables(self._pending)
        self._writer = self._writer or pa.parquet.ParquetWriter(self._path, table.schema)
        self._writer.write_table(table)
        self._pending = []

    def close(self) -> None:
        """Write what is left, and the footer."""
        if self._pending:
            self._flush()
        if self._writer is not None:
            self._writer.close()


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
