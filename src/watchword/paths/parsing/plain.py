"""Documents read by handlers in Python: for what kernels do not look after, with the same raw codes.

Used for documents whose DOCTYPE has an internal subset, since that may declare entities (refused here) and defaults of
attributes (left out here: only what stands in the document counts), for encodings that Python knows and expat does not,
for streams of documents, and for everything where expat cannot be driven from kernels (`parsing.expat`). What raw codes
are is said in `kernels.paths.handlers`::

    <a x="1"><b/>hi</a>            1 -1 2 END -2 END

A string is looked up in the kernels' own tables, and remembered.
"""

from __future__ import annotations

from array import array
from collections import Counter
from xml.parsers import expat

import numpy as np

from watchword.arrays import Int32
from watchword.errors import EventError
from watchword.kernels.child_table import find_child
from watchword.kernels.paths.asked import TEXT, Asked
from watchword.kernels.paths.moves import END
from watchword.kernels.text.vocabulary import StringTable, find_many
from watchword.paths.parsing.guards import (
    UNKNOWN_ENCODING,
    Guards,
    Position,
    declares_entity,
    declares_many,
    malformed,
    too_deep,
)

_REMEMBERED = 1 << 16
_LONG = 1000
_ROOM = bytes(8)


class Numbers(dict[str, int]):
    """The numbers of strings in a table, -1 for unknown strings; the last look-ups are remembered."""

    def __init__(self, known: StringTable) -> None:
        super().__init__()
        self._known = known
        self._offsets, self._found = np.zeros(2, np.int64), np.empty(1, np.int64)

    def __missing__(self, text: str) -> int:
        raw = bytearray(text, "utf-8")
        self._offsets[1] = len(raw)
        find_many(np.frombuffer(raw + _ROOM, np.uint8), self._offsets, self._known, self._found)
        number = int(self._found[0])
        if len(self) > _REMEMBERED:
            self.clear()
        if len(text) < _LONG:
            self[text] = number
        return number


class Lookup:
    """The names and tests asked of documents, for handlers in Python."""

    def __init__(self, asked: Asked) -> None:
        self.names, self.attributes, self.values = (
            Numbers(known) for known in (asked.names, asked.attributes, asked.values)
        )
        self.present = asked.present
        self.pairs = asked.pair_keys, asked.pair_tests
        self.longest, self.looks_at_attributes = int(asked.limits[0]), bool(asked.limits[1])

    def test(self, attribute: int, value: str) -> int:
        """Return the test that an attribute, or `TEXT`, has this value, or -1."""
        number = self.values[value]
        return -1 if number < 0 else int(find_child(*self.pairs, attribute, number))


class PlainParser:
    """Reads one document; `feed` raises `EventError`, and then `code`, `offset` and `closed` say more."""

    def __init__(self, lookup: Lookup, guards: Guards, *, namespaces: bool, decoded: bool) -> None:
        self._lookup, self._guards = lookup, guards
        self._codes = array("i")
        self._node: list[str] = []
        self._size = 0
        self._declared: Counter[str] = Counter()
        self.depth = self.elements = self.code = 0
        self._parser = self._made("utf-8" if decoded else None, "}" if namespaces else None)

    def _made(self, encoding: str | None, separator: str | None) -> expat.XMLParserType:
        parser = expat.ParserCreate(encoding, separator)
        parser.ordered_attributes = parser.specified_attributes = True
        parser.StartElementHandler, parser.EndElementHandler = self._start, self._end
        parser.EntityDeclHandler, parser.AttlistDeclHandler = self._entity, self._attribute
        if self._lookup.longest >= 0:
            parser.CharacterDataHandler = self._text
            parser.CommentHandler = self._comment
            parser.ProcessingInstructionHandler = self._instruction
        return parser

    @property
    def closed(self) -> bool:
        """Return whether the root element has closed."""
        return self.elements > 0 and self.depth == 0

    @property
    def offset(self) -> int:
        """Return the byte at which the parser stands, or has found an error."""
        return max(0, self._parser.CurrentByteIndex)

    def feed(self, data: bytes | memoryview, *, final: bool) -> None:
        """Parse bytes, the last of the document or not."""
        try:
            self._parser.Parse(data, final)
        except expat.ExpatError as error:
            self.code = error.code
            raise EventError(malformed(error.code, Position(error.lineno, error.offset))) from None
        except (LookupError, ValueError) as error:
            if isinstance(error, EventError):
                raise
            self.code = UNKNOWN_ENCODING  # Python has no codec of this name, or one that expat cannot use
            raise EventError(malformed(UNKNOWN_ENCODING, self._place())) from None

    def take(self) -> Int32:
        """Return the codes since the last call."""
        codes, self._codes = self._codes, array("i")
        return np.frombuffer(codes, np.int32) if codes else np.empty(0, np.int32)

    @property
    def waiting(self) -> int:
        """Return the number of codes that `take` would return."""
        return len(self._codes)

    def _place(self) -> Position:
        return Position(self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber)

    def _start(self, name: str, attributes: list[str]) -> None:
        self._end_node()
        self.depth += 1
        self.elements += 1
        if self.depth > self._guards.max_depth:
            raise EventError(too_deep(self._guards, self._place()))
        lookup, codes = self._lookup, self._codes
        codes.append(lookup.names[name] + 1)
        if attributes and lookup.looks_at_attributes:
            for at in range(0, len(attributes), 2):
                number = lookup.attributes[attributes[at]]
                if number >= 0:
                    if lookup.present[number] >= 0:
                        codes.append(-1 - int(lookup.present[number]))
                    test = lookup.test(number, attributes[at + 1])
                    if test >= 0:
                        codes.append(-1 - test)

    def _end(self, name: str) -> None:
        self._end_node()
        self.depth -= 1
        self._codes.append(END)

    def _text(self, data: str) -> None:
        self._size += len(data)
        if self._size <= self._lookup.longest:
            self._node.append(data)

    def _comment(self, data: str) -> None:
        self._end_node()

    def _instruction(self, target: str, data: str) -> None:
        self._end_node()

    def _end_node(self) -> None:
        if self._size:
            if self._size <= self._lookup.longest:
                test = self._lookup.test(TEXT, "".join(self._node))
                if test >= 0:
                    self._codes.append(-1 - test)
            self._node.clear()
            self._size = 0

    def _attribute(self, element: str, *_: object) -> None:
        self._declared[element] += 1
        if self._declared[element] > self._guards.max_declared:
            raise EventError(declares_many(self._guards, element, self._place()))

    def _entity(self, name: str, *_: object) -> None:
        raise EventError(declares_entity(name, self._place()))
