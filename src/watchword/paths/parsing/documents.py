"""What a document may be given as: bytes, `str`, a path, an open file. All become bytes, whole or in chunks.

A `str` was decoded already, so the encoding that it may declare is void: it is encoded as UTF-8 and read as that, and
the same goes for files opened as text. A `str` is a document and never a file's name; one that is a name is refused
with the remedy::

    load("<a/>", guards)                        (b"<a/>", True)
    load("news.xml", guards)                    EventError: … give pathlib.Path('news.xml')
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import UInt8
from watchword.errors import EventError
from watchword.paths.parsing.guards import EXPECTED, Guards, too_large
from watchword.strings import Strings, from_pieces

CHUNK = 1 << 20


class Loaded(NamedTuple):
    """A document, or a chunk of it; `decoded`: its bytes are UTF-8, whatever it declares."""

    data: bytes
    decoded: bool


def load(event: object, guards: Guards) -> Loaded:
    """Return a document given in any form as bytes; raises `EventError` if it is none."""
    if isinstance(event, bytes | bytearray | memoryview):
        return Loaded(bytes(event), False)
    if isinstance(event, str):
        return Loaded(_encoded(event), True)
    parts, total = [], 0
    for part in chunks(event):
        parts.append(part)
        total += len(part.data)
        if total > guards.max_bytes:
            raise EventError(too_large(guards))
    return Loaded(b"".join(part.data for part in parts), any(part.decoded for part in parts))


def load_many(events: list[Any], guards: Guards) -> tuple[Strings, UInt8]:
    """Return documents in one run of bytes, and which of them were decoded already."""
    loaded = []
    for position, event in enumerate(events):
        try:
            loaded.append(load(event, guards))
        except EventError as error:
            raise EventError(error.reason, position=position) from None
    decoded = np.array([document.decoded for document in loaded], np.uint8)
    return from_pieces([document.data for document in loaded]), decoded


def is_in_memory(event: object) -> bool:
    """Return whether a document is in memory as a whole, and needs no reading."""
    return isinstance(event, bytes | bytearray | memoryview | str)


def chunks(event: object) -> Iterator[Loaded]:
    """Yield a document chunk by chunk."""
    if isinstance(event, bytes | bytearray | memoryview | str):
        yield load(event, Guards())
    elif isinstance(event, os.PathLike):
        try:
            with Path(event).open("rb") as file:
                yield from _read_chunks(file.read)
        except OSError as error:
            raise EventError(f"{os.fspath(event)}: {error.strerror or error}") from error
    else:
        yield from _read_chunks(reader_of(event))


def reader_of(event: object, expected: str = f"document; expected {EXPECTED}") -> Callable[[int], Any]:
    """Return the `read` of an open file; its `read1`, which does not wait for a full buffer, if it has one.

    Its failures are `EventError`s: the file was closed, its disk is gone, it is not in its encoding.
    """
    read = getattr(event, "read1", None) or getattr(event, "read", None)
    if not callable(read):
        raise EventError(f"a {type(event).__name__} is no {expected}")

    def reading(size: int) -> Any:
        try:
            return read(size)
        except EventError:
            raise
        except (OSError, ValueError) as error:
            raise EventError(f"the file cannot be read: {error}") from error

    return reading


def stream_of(file: object) -> Callable[[int], Any]:
    """Return the `read` of an open file of concatenated documents; any other object is refused."""
    if isinstance(file, os.PathLike):
        raise EventError(f"a stream is an open file, not a path; give open({os.fspath(file)!r}, 'rb')")
    if isinstance(file, bytes | bytearray | memoryview | str):
        buffer = "StringIO" if isinstance(file, str) else "BytesIO"
        raise EventError(f"a stream is an open file, not {type(file).__name__}; give io.{buffer}(…)")
    return reader_of(file, "open file")


def _read_chunks(read: Callable[[int], Any]) -> Iterator[Loaded]:
    while chunk := read(CHUNK):
        if isinstance(chunk, str):
            yield Loaded(_as_utf_8(chunk), True)
        elif isinstance(chunk, bytes | bytearray | memoryview):
            yield Loaded(bytes(chunk), False)
        else:
            raise EventError(f"the file's read gives {type(chunk).__name__}; expected bytes or str")


def _encoded(text: str) -> bytes:
    if not text.lstrip("\ufeff \t\r\n").startswith("<") and _names_file(text):
        raise EventError(f"a str is read as a document, and this is the name of a file; give pathlib.Path({text!r})")
    return _as_utf_8(text)


def _as_utf_8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise EventError(f"character {error.start} is a lone surrogate, which no XML may have") from None


def _names_file(text: str) -> bool:
    try:
        return len(text) < 4096 and Path(text).is_file()
    except (OSError, ValueError):
        return False
