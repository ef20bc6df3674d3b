"""Where in a document the elements stand that a path ends at: their start tags, in characters.

In ``<a>é<b n='>'/></a>`` the path `//b` ends at element 2, whose start tag is the characters 4 to 14. Elements are
found by the method `yfilter` in an automaton of the one path, start tags by expat, which is asked for all of them once.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Iterator
from xml.parsers import expat

import numpy as np

from watchword.arrays import Int32
from watchword.index.places import Place, Placing
from watchword.kernels.paths.moves import ALL
from watchword.paths.compiler import Compiler, compile_paths
from watchword.paths.labels import Labels
from watchword.paths.parsing.documents import Loaded
from watchword.paths.query import Step
from watchword.paths.yfilter import YFilter

_EVERY: Int32 = np.array([ALL], np.int32)
_TAG = re.compile(r"""<[^<>"']*(?:"[^"]*"[^<>"']*|'[^']*'[^<>"']*)*>""")


def placing(document: Loaded, walk: Callable[[Labels], Int32], compiler: Compiler) -> Placing:
    """Return a document as it is asked for the elements of paths; `walk` returns its moves under labels."""
    tags: list[tuple[int, int]] = []

    def places(text: str) -> Iterator[Place]:
        for element in elements_of(compiler.parse(text), walk):
            if not tags:
                tags.extend(start_tags(document))
            start, end = tags[element - 1]
            yield Place(start, end, None, element)

    return Placing(places, lambda _: 0)


def elements_of(path: tuple[Step, ...], walk: Callable[[Labels], Int32]) -> list[int]:
    """Return the elements that a path ends at; `walk` returns the moves of the document under labels."""
    labels, structure = Labels(), YFilter()
    structure.add(compile_paths([path]).with_labels(labels), np.zeros(1, np.int32))
    found: list[int] = structure.start(_EVERY, elements=True).feed(walk(labels)).elements.tolist()
    return found


def has_path(path: tuple[Step, ...], walk: Callable[[Labels], Int32]) -> bool:
    """Return whether a document has a path."""
    return bool(elements_of(path, walk))


def start_tags(document: Loaded) -> list[tuple[int, int]]:
    """Return where the start tags of a well-formed document begin and end, in characters of its text.

    A byte order mark of a document given as bytes is no character of its text.

    >>> start_tags(Loaded("<a>é<b n='>'/></a>".encode(), True))
    [(0, 3), (4, 14)]
    """
    bytes_before, encoding = _scan(document)
    mark = 0 if document.decoded else _mark(document.data)
    text = document.data[mark:].decode(encoding)
    found, at, passed = [], 0, mark
    for before in bytes_before:
        at += len(document.data[passed:before].decode(encoding))
        passed = before
        tag = _TAG.match(text, at)
        found.append((at, at if tag is None else tag.end()))
    return found


def _scan(document: Loaded) -> tuple[list[int], str]:
    """Return how many bytes come before each start tag, and the encoding of the document."""
    starts: list[int] = []
    declared: list[str] = []
    parser = expat.ParserCreate("utf-8" if document.decoded else None)
    parser.StartElementHandler = lambda name, attributes: starts.append(parser.CurrentByteIndex)
    parser.XmlDeclHandler = lambda version, encoding, standalone: declared.append(encoding or "utf-8")
    parser.Parse(document.data, True)
    if document.decoded:
        return starts, "utf-8"
    for mark, encoding in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if document.data.startswith(mark):
            return starts, encoding
    return starts, declared[0] if declared else "utf-8"


def _mark(data: bytes) -> int:
    """Return the length of the byte order mark."""
    marks = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return next((len(mark) for mark in marks if data.startswith(mark)), 0)
