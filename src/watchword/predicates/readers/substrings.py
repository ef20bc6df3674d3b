r"""``line HAS 'mimikatz'``, ``path LIKE 'C:\Windows\%.exe'``: texts inside of texts, and SQL's patterns of whole texts.

All of one attribute are found in one pass over a value, by an index of patterns. A LIKE is about the whole value, so it
begins and ends with a border, and so does every value: the byte 0xFF, which no UTF-8 has. ``LIKE 'a%b_'`` is the
pattern ``␣a*b?␣``, with the border shown as ␣. Four forms of LIKE are other predicates, so that each exists once:

    LIKE '%x%'   HAS 'x'               LIKE 'x%'   STARTS WITH 'x'
    LIKE '%x'    ENDS WITH 'x'         LIKE 'x'    = 'x', compared as a text

What ignores case compares the case-folded text with the case-folded value, in a field of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa

from watchword.index.events import decoded
from watchword.kernels.predicates.borders import put_borders
from watchword.predicates.events.held import Placed
from watchword.predicates.predicate import Path, Predicate
from watchword.predicates.readers.inner import TextReader, text_or_none
from watchword.predicates.readers.patterns import any_text
from watchword.predicates.values import show_value
from watchword.sets.dnf import Tree
from watchword.strings import Strings, from_arrow, from_pieces

if TYPE_CHECKING:
    from watchword.patterns.language import PatternLanguage
    from watchword.predicates.query import PredicateParser
    from watchword.sets.boolean import Token

BORDER = b"\xff"

Pieces = tuple[str | None, ...]
"""A pattern of LIKE: literal texts, "%" as None, and "_" as the empty text."""

ONE: str = ""
ANY: None = None


class Substrings(TextReader["PatternLanguage"]):
    """Finds parts of the texts of an attribute, and patterns of whole texts."""

    name = "HAS"
    operators: ClassVar[tuple[str, ...] | None] = ("HAS", "LIKE", "ILIKE")
    example = "HAS 'text'"
    folds = False

    def make(self) -> PatternLanguage:
        """Return an empty index of patterns."""
        from watchword.patterns.language import PatternLanguage
        from watchword.patterns.options import OPTIONS

        return PatternLanguage("auto", {name: option.default for name, option in OPTIONS.items()})

    @classmethod
    def parse(cls, parser: PredicateParser, path: Path) -> Tree:
        """Read the text or pattern, and what follows it."""
        operator, token = parser.operator, parser.token
        text = parser.read_text(operator)
        escape = _escape(parser) if operator != "HAS" else None
        folded = parser.ignores_case() or operator == "ILIKE"
        if operator == "HAS":
            if not text:
                raise parser.error("HAS asks for a text of at least one character; EXISTS asks for any value", token)
            return reader_of_parts(folded).has(parser, path, text, token)
        pieces = _pieces(parser, token, text, escape)
        return reader_of_parts(folded).like(parser, path, pieces, token)

    @classmethod
    def has(cls, parser: PredicateParser, path: Path, text: str, at: Token) -> Predicate:
        """Return the predicate that a text has a part."""
        made = cls.part(path, text)
        return parser.read_by(cls, path, made.constants, made.written, at)

    @classmethod
    def part(cls, path: Path, text: str) -> Predicate:
        """Return the predicate that a text has a part, without a parser."""
        text = text.casefold() if cls.folds else text
        return Predicate(path, cls.name, cls, ((ANY, text, ANY),), f"HAS {show_value(text)}{cls._case()}")

    @classmethod
    def like(cls, parser: PredicateParser, path: Path, pieces: Pieces, at: Token) -> Tree:
        """Return the predicate that a text has a form; it may be one of another operator."""
        if cls.folds:
            pieces = tuple(piece and piece.casefold() for piece in pieces)
        texts = [piece for piece in pieces if piece]
        if pieces == (ANY,):
            return any_text(parser, path, at)
        if len(texts) == 1 and ONE not in pieces:
            if pieces[0] is ANY and pieces[-1] is ANY:
                return cls.has(parser, path, texts[0], at)
            if len(pieces) == 2:
                return parser.edge(path, "ENDS" if pieces[0] is ANY else "STARTS", texts[0], cls.folds, at)
        if ONE not in pieces and ANY not in pieces:
            return parser.equal_text(path, texts[0] if texts else "", cls.folds, at)
        return parser.read_by(cls, path, (pieces,), f"LIKE {_written(pieces)}{cls._case()}", at)

    @classmethod
    def _case(cls) -> str:
        return " IGNORING CASE" if cls.folds else ""

    def define(self, atoms: Sequence[int], predicates: Sequence[Predicate]) -> None:
        """Subscribe the patterns under the atoms."""
        from watchword.patterns.compiler import parse_rows

        inner = self.inner
        patterns = from_pieces([_pattern(one.constants[0]) for one in predicates], surrogates=True)
        inner.add(np.array(atoms, np.int32), parse_rows(patterns)[0])
        self.pack_few()

    def points_of_text(self, text: Any) -> list[int]:
        """Return the parts and forms of one text."""
        text = decoded(text, 0)
        data = (text.casefold() if self.folds else text).encode("utf-8", "surrogatepass")
        one = BORDER + data + BORDER
        found = self.inner.structure.match_one(one)
        payloads = self.inner.structure.match(from_pieces([one])).payloads if found is None else found[0]
        points: list[int] = payloads.tolist()
        return points

    def points_of_texts(self, texts: pa.Array) -> Placed:
        """Return the parts and forms of each text of a column."""
        from watchword.patterns.texts import casefold, valid

        strings = valid(from_arrow(texts), 0)
        hits = self.inner.structure.match(bordered(casefold(strings) if self.folds else strings))
        return Placed(hits.offsets, hits.payloads, None)

    def holds(self, predicate: Predicate, value: Any) -> bool:
        """Say whether a value is a text of the form."""
        return self.where(predicate, value) is not None

    def where(self, predicate: Predicate, value: Any) -> tuple[int, int] | None:
        """Return the first place of a part, or the whole text for a form."""
        return next(self._found(predicate, value), None)

    def places(self, predicate: Predicate, value: Any) -> list[tuple[int, int]]:
        """Return all places of a part that do not overlap, or the whole text for a form."""
        return list(self._found(predicate, value))

    def _found(self, predicate: Predicate, value: Any) -> Iterator[tuple[int, int]]:
        from watchword.patterns.alignment import Folding

        text = text_or_none(value)
        if text is None:
            return
        (pieces,) = predicate.constants
        readable = Folding(text) if self.folds else None
        searched = text if readable is None else readable.folded
        for found in _places(pieces, searched):
            yield found if readable is None else readable.original(*found)


class FoldedSubstrings(Substrings):
    """As `Substrings`, without regard to case."""

    name = "HAS IGNORING CASE"
    operators = ()
    folds = True


def reader_of_parts(folded: bool) -> type[Substrings]:
    """Return the reader of parts and forms that ignores case, or not."""
    return FoldedSubstrings if folded else Substrings


def _escape(parser: PredicateParser) -> str | None:
    """Read ESCAPE and its character, if they are there."""
    if not parser.is_word("ESCAPE"):
        return None
    parser.advance()
    token = parser.token
    found = parser.read_text("ESCAPE")
    if len(found) != 1 or found in "%_":
        raise parser.error("ESCAPE names one character, such as '!', and neither % nor _", token)
    return found


def _pieces(parser: PredicateParser, token: Token, text: str, escape: str | None) -> Pieces:
    """Return the pieces of a pattern: neighbouring % are one, and stand behind the _ beside them."""
    pieces: list[str | None] = []
    at = 0
    while at < len(text):
        character = text[at]
        at += 1
        if character == escape:
            if at == len(text) or text[at] not in (escape, "%", "_"):
                reason = f"the escape character {escape!r} stands before %, _ or itself; write it twice to mean itself"
                raise parser.error_inside(token, reason, at - 1)
            character = text[at]
            at += 1
        elif character == "%":
            if not pieces or pieces[-1] is not ANY:
                pieces.append(ANY)
            continue
        elif character == "_":
            if pieces and pieces[-1] is ANY:
                pieces.insert(-1, ONE)
            else:
                pieces.append(ONE)
            continue
        if pieces and pieces[-1]:
            pieces[-1] += character
        else:
            pieces.append(character)
    return tuple(pieces)


def is_part(pieces: Pieces) -> bool:
    """Return whether a form asks for nothing but a part, as HAS does."""
    return len(pieces) == 3 and pieces[0] is ANY and pieces[2] is ANY and bool(pieces[1])


def _written(pieces: Pieces) -> str:
    """Return a pattern as LIKE writes it, with ESCAPE where it is needed.

    >>> _written((None, "100%", None, ""))
    "'%100!%%_' ESCAPE '!'"
    """
    escapes = any(piece and ("%" in piece or "_" in piece) for piece in pieces)
    texts = ["%" if piece is ANY else _escaped(piece, escapes) if piece else "_" for piece in pieces]
    return show_value("".join(texts)) + (" ESCAPE '!'" if escapes else "")


def _escaped(text: str, escapes: bool) -> str:
    return re.sub("([!%_])", r"!\1", text) if escapes else text


def _pattern(pieces: Pieces) -> bytes:
    r"""Return a pattern as an index of patterns reads it, with borders where it begins and ends with no %.

    >>> _pattern(("a", None, "?", "", None)), _pattern((None, "x", None))
    (b'\xffa*\\??*\xff', b'x')
    """
    if is_part(pieces):
        return _literal(str(pieces[1]))
    found = b"".join(b"*" if piece is ANY else _literal(piece) if piece else b"?" for piece in pieces)
    return BORDER + found + BORDER


def _places(pieces: Pieces, text: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a part in a text, or the whole text if it has a form.

    >>> list(_places((None, "aa", None), "aaaaa")), list(_places(("a", None, "b"), "axb"))
    ([(0, 2), (2, 4)], [(0, 3)])
    """
    if not is_part(pieces):
        if _has_form(pieces, text):
            yield 0, len(text)
        return
    part = str(pieces[1])
    at = text.find(part)
    while at >= 0:
        yield at, at + len(part)
        at = text.find(part, at + len(part))


def _has_form(pieces: Pieces, text: str) -> bool:
    """Return whether a whole text has a form, in time in proportion to its length.

    Characters between two % are taken where they come first, and no place is tried again: `%ab%b` has its ab at 1 in
    `xabab`.
    """
    runs: list[list[str]] = [[]]
    for piece in pieces:
        if piece is ANY:
            runs.append([])
        else:
            runs[-1].append(piece)
    first, *others = [re.compile("".join(re.escape(piece) or "." for piece in run), re.DOTALL) for run in runs]
    if not others:
        return first.fullmatch(text) is not None
    found = first.match(text)
    for run in others[:-1]:
        found = found and run.search(text, found.end())
    end = len(text) - sum(len(piece) or 1 for piece in runs[-1])
    return found is not None and found.end() <= end and others[-1].match(text, end) is not None


def _literal(text: str) -> bytes:
    escaped = text.replace("\\", "\\\\").replace("?", "\\?").replace("*", "\\*")
    return escaped.encode("utf-8", "surrogatepass")


def bordered(texts: Strings) -> Strings:
    """Return texts, each with a border before and behind it.

    >>> bordered(from_pieces([b"ab", b""])).data.tobytes()
    b'\\xffab\\xff\\xff\\xff'
    """
    offsets = np.empty_like(texts.offsets)
    data = np.empty(int(texts.offsets[-1] - texts.offsets[0]) + 2 * texts.count, np.uint8)
    put_borders(texts.data, texts.offsets, BORDER[0], data, offsets)
    return Strings(data, offsets, texts.surrogates)
