"""From subscription texts to term numbers, in bulk.

Most subscriptions are plain: words between spaces or `AND`. Those are scanned, cut and numbered by kernels,
without an object per row; the rest goes through the parser, row by row.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from watchword.arrays import Int32, Int64, concatenated
from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.kernels.text import scan as text_kernels
from watchword.keywords.query import Clause, Limits, parse
from watchword.keywords.reader import distinct
from watchword.sets.clauses import Compiled, Complex
from watchword.sets.structure import Rows
from watchword.strings import Strings
from watchword.text.analyzer import Analyzer, Tokens, tables, tokenize
from watchword.text.vocabulary import Vocabulary

_CHUNK = 1 << 16


class Compiler:
    """Compiles subscriptions; new terms get numbers in `vocabulary`."""

    def __init__(self, analyzer: Analyzer, limits: Limits, vocabulary: Vocabulary) -> None:
        self._analyzer, self._limits, self._vocabulary = analyzer, limits, vocabulary

    def complex(self, row: int, clauses: list[Clause]) -> list[Complex]:
        """Return parsed clauses in term numbers."""
        return [self._complex(row, clause, len(clauses) > 1) for clause in clauses]

    def _complex(self, row: int, clause: Clause, shared: bool) -> Complex:
        words = clause.terms()
        atoms = [(atom, 0) for atom in clause.required if len(atom) > 1]
        atoms += [(atom, 1) for atom in clause.forbidden]
        texts = words + [term for atom, _ in atoms for term in atom]
        numbers = self._vocabulary.intern_texts(texts).tolist()
        program: list[int] = []
        at = len(words)
        for atom, forbidden in atoms:
            program.append(2 * len(atom) + forbidden)
            program += numbers[at : at + len(atom)]
            at += len(atom)
        return Complex(row, numbers[: len(words)], program, shared)

    def compile(self, texts: Strings) -> Compiled:
        """Return many subscriptions in term numbers; the first bad one is an error that names its row."""
        offsets: list[Int64] = [np.zeros(1, np.int64)]
        terms: list[Int32] = []
        rows: list[Int32] = []
        rest: list[Complex] = []
        surfaces = None if self._analyzer.is_plain else _Refined(self._analyzer, self._vocabulary)
        fill = 0
        for first in range(0, texts.count, _CHUNK):
            part = _slice(texts, first, min(first + _CHUNK, texts.count))
            data, plain = _plain_rows(part)
            found = self._plain_terms(Strings(data, part.offsets), plain, surfaces)
            for row in np.flatnonzero(~plain).tolist():
                rest += self._parsed(part, row, first)
            kept = np.flatnonzero(plain)
            ends = found.offsets[1:][kept]
            offsets.append(ends + fill)
            terms.append(found.terms)
            rows.append((kept + first).astype(np.int32))
            fill += len(found.terms)
        plain_rows = Rows(concatenated(offsets, np.int64), concatenated(terms, np.int32))
        return _with_plain(Compiled(plain_rows, concatenated(rows, np.int32), rest))

    def _parsed(self, part: Strings, row: int, first: int) -> list[Complex]:
        text = ""
        try:
            text = part.text(row)
            return self.complex(first + row, parse(text, self._analyzer, self._limits))
        except UnicodeDecodeError:
            raise SubscriptionError("column 'subscription' is not valid UTF-8", row=first + row) from None
        except SubscriptionSyntaxError as error:
            raise error.at_row(first + row) from None

    def _plain_terms(self, strings: Strings, plain: npt.NDArray[np.bool_], surfaces: _Refined | None) -> Rows:
        """Return the distinct terms of the plain rows; unsets `plain` where the parser must look after all."""
        tokens = tokenize(strings)
        limits = self._limits
        counts = np.diff(tokens.row_offsets)
        sizes = np.diff(tokens.strings.offsets)
        if sizes.max(initial=0) > limits.term_bytes or counts.max(initial=0) > limits.terms:
            long = np.flatnonzero(sizes > limits.term_bytes)
            plain[np.searchsorted(tokens.row_offsets, long, side="right") - 1] = False
            plain[counts > limits.terms] = False
            return self._plain_terms(_blanked(strings, plain), plain, surfaces)
        numbers = surfaces.numbers(tokens) if surfaces is not None else self._vocabulary.intern(tokens.strings)
        rows = distinct(Rows(tokens.row_offsets, numbers))
        plain &= np.diff(rows.offsets) > 0
        return rows


class _Refined:
    """Terms of words under stop words and stemming: each distinct word is refined once."""

    def __init__(self, analyzer: Analyzer, vocabulary: Vocabulary) -> None:
        self._analyzer, self._vocabulary = analyzer, vocabulary
        self._words = Vocabulary()
        self._terms = np.empty(0, np.int32)

    def numbers(self, tokens: Tokens) -> Int32:
        words = self._words.intern(tokens.strings)
        fresh = [self._words.text(n) for n in range(len(self._terms), len(self._words))]
        refined = [self._analyzer.refine([word]) for word in fresh]
        known = self._vocabulary.intern_texts([terms[0] for terms in refined if terms])
        terms = np.full(len(fresh), -1, np.int32)
        terms[[i for i, found in enumerate(refined) if found]] = known
        self._terms = np.concatenate([self._terms, terms])
        return self._terms[words]


def _with_plain(compiled: Compiled) -> Compiled:
    """Move what the parser found to be plain after all to the other plain rows."""
    found = [c for c in compiled.complex if not c.program and not c.shared and c.required]
    if not found:
        return compiled
    offsets, terms = compiled.plain
    ends = np.cumsum([len(clause.required) for clause in found], dtype=np.int64) + offsets[-1]
    more = np.array([term for clause in found for term in clause.required], np.int32)
    rows = np.array([clause.row for clause in found], np.int32)
    rest = [c for c in compiled.complex if c.program or c.shared or not c.required]
    plain = Rows(np.concatenate([offsets, ends]), np.concatenate([terms, more]))
    return Compiled(plain, np.concatenate([compiled.rows, rows]), rest)


def _slice(strings: Strings, first: int, last: int) -> Strings:
    start, stop = strings.offsets[first], strings.offsets[last]
    return Strings(strings.data[start:stop].copy(), strings.offsets[first : last + 1] - start, strings.surrogates)


def _plain_rows(part: Strings) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.bool_]]:
    """Return the rows' bytes, those that are not plain blanked, and which are plain."""
    plain = np.empty(part.count, np.bool_)
    data = part.data.copy()
    unicode = tables()
    text_kernels.plain_rows(data, part.offsets, _CLASSES, unicode.pages, unicode.values, plain)
    return _blanked(Strings(data, part.offsets), plain).data, plain


def _blanked(strings: Strings, plain: npt.NDArray[np.bool_]) -> Strings:
    if not plain.all():
        spans = np.repeat(~plain, np.diff(strings.offsets))
        strings.data[spans] = 32
    return strings


def _class(code: int) -> int:
    char = chr(code)
    if char.isalnum() or char == "_":
        return text_kernels.WORD
    if char.isspace():
        return text_kernels.SPACE
    if char in '"()':
        return text_kernels.SYNTAX
    return text_kernels.MINUS if char == "-" else text_kernels.MARK


_CLASSES = np.array([_class(code) for code in range(128)], np.uint8)
