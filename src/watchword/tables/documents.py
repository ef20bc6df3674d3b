"""Files of XML documents: one document a file, or many, concatenated.

``docs/1.xml`` with ``<a/>`` is an event whose id is ``docs/1.xml``. A stream with ``<a/><b/>`` has two events, the
documents 1 and 2. Tables with a column of documents are read by `Events`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from watchword.errors import EventError
from watchword.files import Closing
from watchword.tables.events import Batch
from watchword.tables.piped import STDIN
from watchword.tables.sources import ByteSource, TableError, kind_of, name_failures

SMALL = 1 << 20
"""Files of up to 1 MiB are read whole and parsed together with others; a larger one is parsed as it is read."""
BYTES_AT_ONCE = 1 << 23


def holds_documents(path: str, kind: str | None = None) -> bool:
    """Return whether a file, by `kind` or its name, is no table but a document, or, for standard input, several."""
    return kind is None and (path == STDIN or kind_of(path) == "lines")


class Documents(Closing):
    """Files that each hold one document, in batches of at most `size`; the name of a document's file is its id."""

    label, without_text, documents = "", 0, True
    id_type = pa.string()

    def __init__(self, paths: Sequence[str], size: int = 10_000) -> None:
        self._paths, self._size = paths, size
        self.total: int | None = len(paths)
        self._done = 0
        for path in paths:
            with name_failures(path):
                Path(path).stat()
            if Path(path).is_dir():
                raise TableError("this is a folder, and files are needed: give its files, such as *.xml", path=path)

    def position(self) -> int:
        """Return the number of files read."""
        return self._done

    def __iter__(self) -> Iterator[Batch]:
        events: list[Any] = []
        names: list[str] = []
        weight = 0
        for path in self._paths:
            event = _document(path)
            events.append(event)
            names.append(path)
            weight += len(event) if isinstance(event, bytes) else 0  # others are read as they are matched
            if len(events) == self._size or weight >= BYTES_AT_ONCE:
                yield from self._batch(events, names)
                events, names, weight = [], [], 0
        if events:
            yield from self._batch(events, names)

    def _batch(self, events: list[Any], names: list[str]) -> Iterator[Batch]:
        """Yield a batch of documents, and close them before the next batch."""
        self._done += len(names)
        column = pa.array(names, pa.string())
        try:
            yield Batch(events, column, column)
        finally:
            for event in events:
                if isinstance(event, _Compressed):
                    event.close()

    def failure(self, number: object, reason: str) -> TableError:
        """Return the error for a document that cannot be read, given its file's name."""
        return TableError(reason.removeprefix(f"{Path(str(number))}: "), path=number)


def _document(path: str) -> Any:
    """Return the bytes of a small file; for one that is large, compressed or unreadable, an object that reads it, or
    raises the reason."""
    if path.lower().endswith(".gz"):
        return _Compressed(path)
    try:
        return Path(path) if Path(path).stat().st_size > SMALL else Path(path).read_bytes()
    except OSError:
        return Path(path)


class _Compressed:
    """A compressed document as an open file. Read to its end, it can be read again."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._source: ByteSource | None = None

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes of the document; none at its end."""
        self._source = self._source or ByteSource(self._path)
        try:
            data = self._source.read(size)
        except TableError as error:
            raise EventError(error.reason) from None
        if not data:
            self.close()
        return data

    def close(self) -> None:
        """Go back to the beginning."""
        if self._source is not None:
            self._source.close()
            self._source = None


class DocumentStream(Closing):
    """A file of concatenated documents, to be read as an open file; documents are numbered from 1."""

    without_text, documents = 0, True
    id_type = pa.int64()

    def __init__(self, path: str) -> None:
        self._source = ByteSource(path)
        self.label, self.total = self._source.label, self._source.total
        self.position, self.read = self._source.position, self._source.read
        self.is_live = path == STDIN

    def failure(self, number: object, reason: str) -> TableError:
        """Return the error for a document that cannot be read, given its number; lines are counted from its own."""
        return TableError(reason, path=self.label, place=f"document {number}")

    def close(self) -> None:
        """Close the file; standard input stays open."""
        self._source.close()
