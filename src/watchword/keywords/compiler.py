"""From subscription texts to rows of terms, in bulk.

Most subscriptions are plain: words between spaces or `AND`. Those are scanned, cut and numbered by kernels, without an
object per row; the rest goes through the parser, row by row. Nothing is changed but a vocabulary of the call's own, so
any number of threads may compile at once.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Bools, Int32, Int64, UInt8, concatenated
from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.kernels.text import plain_rows as kernels
from watchword.kernels.text.characters import Unicode
from watchword.keywords.query import Clause, Limits, parse
from watchword.sets.language import Compiled, is_plain
from watchword.sets.rows import Rows, distinct
from watchword.strings import Strings
from watchword.text.analyzer import Analyzer, Tokens, tokenize
from watchword.text.stems import StemCache
from watchword.text.vocabulary import Vocabulary

_CHUNK = 1 << 16


class Compiler:
    """Compiles subscriptions under the options of an index."""

    def __init__(
        self, analyzer: Analyzer, limits: Limits, stems: StemCache | None, literal_operators: bool = False
    ) -> None:
        self._analyzer, self._limits, self._stems = analyzer, limits, stems
        self._literal = literal_operators

    def compile(self, texts: Strings) -> Compiled:
        """Return many subscriptions; the first bad one is an error that names its row."""
        names = Vocabulary()
        offsets: list[Int64] = [np.zeros(1, np.int64)]
        terms: list[Int32] = []
        rows: list[Int32] = []
        parsed: list[tuple[int, list[Clause]]] = []
        fill = 0
        for first in range(0, texts.count, _CHUNK):
            part = texts.part(first, min(first + _CHUNK, texts.count))
            data, plain = _plain_rows(part, self._analyzer.tables, self._literal)
            found = self._plain_terms(Strings(data, part.offsets), plain, names)
            parsed += [(first + row, self._parsed(part, row, first)) for row in np.flatnonzero(~plain).tolist()]
            kept = np.flatnonzero(plain)
            offsets.append(found.offsets[1:][kept] + fill)
            terms.append(found.atoms)
            rows.append((kept + first).astype(np.int32))
            fill += len(found.atoms)
        plain_rows = Rows(concatenated(offsets, np.int64), concatenated(terms, np.int32))
        return _with_plain(Compiled(names, plain_rows, concatenated(rows, np.int32), parsed))

    def _parsed(self, part: Strings, row: int, first: int) -> list[Clause]:
        try:
            return parse(part.text(row), self._analyzer, self._limits, self._literal)
        except UnicodeDecodeError:
            raise SubscriptionError("column 'subscription' is not valid UTF-8", row=first + row) from None
        except SubscriptionSyntaxError as error:
            raise error.at_row(first + row) from None

    def _plain_terms(self, strings: Strings, plain: Bools, names: Vocabulary) -> Rows:
        """Return the distinct terms of the plain rows; unsets `plain` where the parser must look after all."""
        tokens = tokenize(strings, self._analyzer.tables)
        limits = self._limits
        counts = np.diff(tokens.row_offsets)
        sizes = np.diff(tokens.strings.offsets)
        if sizes.max(initial=0) > limits.term_bytes or counts.max(initial=0) > limits.terms:
            long = np.flatnonzero(sizes > limits.term_bytes)
            plain[np.searchsorted(tokens.row_offsets, long, side="right") - 1] = False
            plain[counts > limits.terms] = False
            return self._plain_terms(_blanked(strings, plain), plain, names)
        rows = distinct(Rows(tokens.row_offsets, self._numbers(tokens, names)))
        plain &= np.diff(rows.offsets) > 0
        return rows

    def _numbers(self, tokens: Tokens, names: Vocabulary) -> Int32:
        """Return the numbers of terms, -1 for a word that is dropped."""
        if self._stems is None:
            return names.intern(tokens.strings)
        stems, known, _ = self._stems.find(tokens.strings)
        used = np.unique(stems[stems >= 0])
        number_of = np.full(int(used.max(initial=-1)) + 2, -1, np.int32)
        number_of[used] = names.intern_texts([known.text(stem) for stem in used.tolist()])
        return number_of[stems]


def _with_plain(compiled: Compiled) -> Compiled:
    """Move what the parser found to be plain after all to the other plain rows."""
    found = [(row, clauses) for row, clauses in compiled.parsed if is_plain(clauses)]
    if not found:
        return compiled
    offsets, terms = compiled.plain
    ends = np.cumsum([len(clauses[0].required) for _, clauses in found], dtype=np.int64) + offsets[-1]
    more = compiled.names.intern_texts([term for _, clauses in found for (term,) in clauses[0].required])
    plain = Rows(np.concatenate([offsets, ends]), np.concatenate([terms, more]))
    rows = np.concatenate([compiled.rows, np.array([row for row, _ in found], np.int32)])
    rest = [(row, clauses) for row, clauses in compiled.parsed if not is_plain(clauses)]
    return Compiled(compiled.names, plain, rows, rest)


def _plain_rows(part: Strings, tables: Unicode, literal: bool) -> tuple[UInt8, Bools]:
    """Return the rows' bytes, those that are not plain blanked, and which are plain."""
    plain = np.empty(part.count, np.bool_)
    data = part.data.copy()
    kernels.plain_rows(data, part.offsets, _CLASSES, tables, literal, plain)
    return _blanked(Strings(data, part.offsets), plain).data, plain


def _blanked(strings: Strings, plain: Bools) -> Strings:
    if not plain.all():
        spans = np.repeat(~plain, np.diff(strings.offsets))
        strings.data[spans] = 32
    return strings


def _class(code: int) -> int:
    char = chr(code)
    if char.isalnum() or char == "_":
        return int(kernels.WORD)
    if char.isspace():
        return int(kernels.SPACE)
    if char in '"()!|*~^:':
        return int(kernels.SYNTAX)
    return int({"-": kernels.MINUS, "&": kernels.AMPERSAND}.get(char, kernels.MARK))


_CLASSES = np.array([_class(code) for code in range(128)], np.uint8)
