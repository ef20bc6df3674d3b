"""The limits of documents, which can be set, and the error messages for malformed ones.

    Guards(max_depth=1000, max_bytes=1 << 30, max_declared=256)
    "its elements are more than 1000 deep (line 1, column 3001); raise max_depth to read it"

Expat looks at every attribute that a DOCTYPE declares for an element whenever such an element begins, so n declarations
and n elements cost n * n steps (645 kB took 13 s); `max_declared` bounds them. Beside the limits: entity declarations
are refused always, since a few of them make gigabytes, and nothing outside of a document is ever opened. Lines and
columns count from 1.
"""

from __future__ import annotations

from typing import NamedTuple
from xml.parsers import expat

from watchword.visible import shown

EXPECTED = "bytes, str, a path (os.PathLike) or an open file"

NO_MEMORY, NO_ELEMENTS, UNCLOSED, JUNK, UNKNOWN_ENCODING = 1, 3, 5, 9, 18
"""Expat's numbers for errors that are told apart here."""

_WORDS = {
    NO_MEMORY: "there is no memory to parse it",
    NO_ELEMENTS: "it ends before its root element does",
    UNCLOSED: "it ends inside a tag, a comment or the like",
    JUNK: "it goes on behind its root element; several documents are read as a stream, by match_stream or --stream",
    UNKNOWN_ENCODING: "it declares an encoding that is not known; decode it, and give a str",
}


class Guards(NamedTuple):
    """The limits of a document: depth of elements, bytes, attributes that its DOCTYPE declares for one element."""

    max_depth: int = 1000
    max_bytes: int = 1 << 30
    max_declared: int = 256


class Position(NamedTuple):
    """Where something is in a document, as expat counts: lines from 1, columns from 0."""

    line: int
    column: int

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column + 1}"


def malformed(code: int, place: Position) -> str:
    """Return the error for expat's error `code`."""
    what = _WORDS.get(code) or f"it is no well-formed XML: {expat.ErrorString(code)}"
    return f"{what} ({place})"


def too_deep(guards: Guards, place: Position | None = None) -> str:
    """Return the error for elements nested too deep."""
    where = "" if place is None else f" ({place})"
    return f"its elements are more than {guards.max_depth} deep{where}; raise max_depth to read it"


def too_large(guards: Guards) -> str:
    """Return the error for a document with too many bytes."""
    return f"it is longer than {guards.max_bytes} bytes; raise max_bytes to read it"


def declares_entity(name: str, place: Position) -> str:
    """Return the error for a document that declares an entity."""
    return f"it declares the entity {name!r} ({place}); entity declarations are refused, put the text in its place"


def declares_many(guards: Guards, element: str, place: Position) -> str:
    """Say that a document declares too many attributes for an element."""
    return (
        f"its DOCTYPE declares more than {guards.max_declared} attributes for the element {shown(element)} ({place}); "
        "raise max_declared to read it"
    )


def empty() -> str:
    """Return the message for an empty document."""
    return "it is empty; expected an XML document"


def is_blank(data: bytes | bytearray) -> bool:
    """Return whether there is only white space, with a byte order mark before it or not."""
    return len(data) < 1000 and not data.removeprefix(b"\xef\xbb\xbf").strip()
