"""The bytes of a file, a compressed file or standard input, and the kind of table they are."""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa

from watchword.errors import WatchwordError
from watchword.tables.piped import STDIN, Piped

_READ = 1 << 22
LINE_BYTES = 1 << 26
"""The most bytes of a line."""
_SHOWN = 20
_KINDS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
}

KINDS = ("csv", "tsv", "jsonl", "parquet", "lines")
"""The kinds of files with rows."""


class TableError(WatchwordError, ValueError):
    """A file cannot be read as a table. ``place`` is the line or row at fault, or ``None`` for the file."""

    def __init__(self, message: str, *, path: object, place: str | None = None) -> None:
        super().__init__(f"{path}: {message}" if place is None else f"{path}: {place}: {message}")
        self.reason = message
        self.path = path
        self.place = place


def kind_of(path: str) -> str:
    """Return ``csv``, ``tsv``, ``jsonl``, ``parquet`` or ``lines``, by the name."""
    name = path.lower()
    kind = _KINDS.get(Path(name.removesuffix(".gz")).suffix, "lines")
    if kind == "parquet" and name.endswith(".gz"):
        raise TableError("Parquet compresses its own columns: run gunzip on the file first", path=path)
    return kind


class Chunk(NamedTuple):
    """Some rows of a file: one Arrow array per column asked for, int64 or string, nulls kept.

    `numbers` are those of the rows' lines (plain lines, JSON lines) or of the rows themselves (CSV, Parquet).
    """

    numbers: pa.Array
    columns: list[pa.Array]


Refuse = Callable[[int, str], None]
"""A function called with the number of each unreadable row, and the reason."""


class ByteSource:
    """The bytes of one file, decompressed, with the position of reading; `piped` is standard input, if given."""

    def __init__(self, path: str, piped: Piped | None = None) -> None:
        self.path = path
        self.label = "standard input" if path == STDIN else path
        self.total: int | None = None
        self._raw: IO[bytes] | Piped
        if path == STDIN:
            self._raw = piped or Piped()
            if piped is None:
                self._raw.rewind(last=True)
        else:
            with name_failures(path):
                self._raw = Path(path).open("rb")  # noqa: SIM115 - closed by `close`
                self.total = os.fstat(self._raw.fileno()).st_size or None
        self._stream: Any = gzip.GzipFile(fileobj=self._raw) if path.lower().endswith(".gz") else self._raw  # type: ignore[arg-type]

    def position(self) -> int:
        """Return the number of bytes, of `total`, read from the disk."""
        return 0 if self.total is None or isinstance(self._raw, Piped) else self._raw.tell()

    def lines(self, most: int) -> Iterator[tuple[int, list[bytes]]]:
        """Yield runs of at most `most` lines without their ends, each with the number of its first line."""
        number, parts = 1, [self.read(_READ)]
        while parts[-1]:
            head, newline, tail = parts[-1].rpartition(b"\n")
            if newline:
                whole = _without_mark(b"".join([*parts[:-1], head]), number).split(b"\n")
                for start in range(0, len(whole), most):
                    yield number + start, [line.removesuffix(b"\r") for line in whole[start : start + most]]
                number += len(whole)
                parts = [tail]
            if sum(map(len, parts)) > LINE_BYTES:
                reason = (
                    f"a line of more than {LINE_BYTES >> 20} MiB: is this a file of lines, or are its ends missing?"
                )
                raise TableError(reason, path=self.label, place=f"line {number}")
            parts.append(self.read(_READ))
        if last := _without_mark(b"".join(parts), number):
            yield number, [last.removesuffix(b"\r")]

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; none at the end. A pipe gives the bytes available: its results should not wait
        for a full buffer."""
        with name_failures(self.label):
            data: bytes = self._stream.read(size)
            return data

    def close(self) -> None:
        """Close the file; standard input stays open."""
        if self.path != STDIN:
            self._stream.close()
            self._raw.close()


def decode_line(line: bytes, label: str, number: int) -> str:
    """Return `line` as text; raises an error that names the line if it is not UTF-8."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise TableError(
            f"byte {error.start + 1} is not UTF-8: convert the file to UTF-8",
            path=label,
            place=f"line {number}",
        ) from None


@contextmanager
def name_failures(label: str) -> Iterator[None]:
    """Replace errors of the system and of Arrow by a `TableError` that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise TableError("there is no such file", path=label) from None
    except IsADirectoryError:
        raise TableError("this is a folder, and a file is needed", path=label) from None
    except PermissionError:
        raise TableError("no permission to read it: check the owner and the mode", path=label) from None
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise TableError(f"damaged or no gzip file ({error}): fetch it again", path=label) from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise TableError(f"cannot read it: {error.strerror or error}", path=label) from None


def _without_mark(text: bytes, number: int) -> bytes:
    return text.removeprefix(b"\xef\xbb\xbf") if number == 1 else text


def column_list(names: Any) -> str:
    """Return the columns' names for a message."""
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - _SHOWN:,} more" if len(shown) > _SHOWN else ""
    return (", ".join(shown[:_SHOWN]) or "none") + more


def check_kind(chunk: Chunk, at: int, kind: pa.DataType, what: str, label: str, unit: str) -> None:
    """Raise if the column `at` of `chunk` is not of `kind`: text or whole numbers."""
    column = chunk.columns[at]
    if column.type != kind and len(column) > column.null_count:
        row = column.is_valid().index(True).as_py()
        raise TableError(wrong_kind(what, column.type, kind), path=label, place=f"{unit} {chunk.numbers[row]}")


def wrong_kind(what: str, given: pa.DataType, needed: pa.DataType) -> str:
    """Return the message for text instead of a whole number, or the other way round."""
    names = {pa.string(): "text", pa.int64(): "a number"}
    return f"{what} is {names[given]}; {names[needed]} is needed"
