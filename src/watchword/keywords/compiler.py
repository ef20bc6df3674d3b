"""From subscription texts to rows of terms, in bulk.

Most subscriptions are plain, words between spaces or `AND`, or plain but for phrases, OR, NOT and parentheses. Those
are scanned, cut, numbered and made clauses of by kernels, without an object per row; the rest goes through the parser,
row by row: what must be refused, is very large, or has characters that change when they are folded. Of four texts::

    greece crisis               plain       row {0, 1}
    "debt crisis" NOT imf       codes 2 NOT 1, from which and from its terms 2, 1, 3 a clause is made
    (greece)                    codes OPEN 1 CLOSE, and plain after all
    greece AND                  for the parser, which refuses it

Nothing is changed but a vocabulary of the call's own, so any number of threads may compile at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int8, Int32, Int64, UInt8, concatenated
from watchword.errors import SubscriptionError, SubscriptionSyntaxError
from watchword.kernels.keywords.dnf import MOST_DEPTH, MOST_DRAFTS, MOST_WORK, clauses_of
from watchword.kernels.text import plain_rows as kernels
from watchword.kernels.text.boolean_rows import boolean_rows
from watchword.keywords.query import Clause, Limits, parse
from watchword.sets.clauses import CheckedClauses, concatenate_clauses
from watchword.sets.language import Compiled, is_plain
from watchword.sets.rows import Rows, distinct
from watchword.strings import Strings
from watchword.text.analyzer import Analyzer, Tokens, tokenize
from watchword.text.stems import StemCache
from watchword.text.vocabulary import Vocabulary

_CHUNK = 1 << 16


class _Scanned(NamedTuple):
    """Rows before they are cut into terms: their bytes without operators, their forms, and their codes."""

    data: UInt8
    forms: UInt8
    rows: Int64
    code_offsets: Int64
    codes: Int8


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
        checked: list[tuple[int, CheckedClauses]] = []
        fill = 0
        for first in range(0, texts.count, _CHUNK):
            part = texts.part(first, min(first + _CHUNK, texts.count))
            forms, found, clauses = self._chunk(part, names)
            others = np.flatnonzero(forms == kernels.OTHER).tolist()
            parsed += [(first + row, self._parsed(part, row, first)) for row in others]
            plain = np.flatnonzero(forms == kernels.PLAIN)
            offsets.append(found.offsets[1:][plain] + fill)
            terms.append(found.atoms)
            rows.append((plain + first).astype(np.int32))
            checked.append((first, clauses))
            fill += len(found.atoms)
        plain_rows = Rows(concatenated(offsets, np.int64), concatenated(terms, np.int32))
        kept = concatenated(rows, np.int32)
        return _with_plain(Compiled(names, plain_rows, kept, parsed, concatenate_clauses(checked)))

    def _parsed(self, part: Strings, row: int, first: int) -> list[Clause]:
        try:
            return parse(part.text(row), self._analyzer, self._limits, self._literal)
        except UnicodeDecodeError:
            raise SubscriptionError("column 'subscription' is not valid UTF-8", row=first + row) from None
        except SubscriptionSyntaxError as error:
            raise error.at_row(first + row) from None

    def _chunk(self, part: Strings, names: Vocabulary) -> tuple[UInt8, Rows, CheckedClauses]:
        """Return the form of each row, the distinct terms of the plain ones, and the clauses of the coded ones."""
        scanned = self._scanned(part)
        tokens = self._cut(Strings(scanned.data, part.offsets), scanned.forms)
        numbers = self._numbers(tokens, names)
        limits = min(MOST_DRAFTS, self._limits.clauses), min(MOST_DEPTH, self._limits.depth)
        codes = scanned.codes, scanned.code_offsets, scanned.rows
        clauses = CheckedClauses(*clauses_of(*codes, tokens.row_offsets, numbers, limits, scanned.forms))
        found = distinct(Rows(tokens.row_offsets, numbers))
        scanned.forms[(np.diff(found.offsets) == 0) & (scanned.forms == kernels.PLAIN)] = kernels.OTHER
        return scanned.forms, found, clauses

    def _scanned(self, part: Strings) -> _Scanned:
        forms = np.empty(part.count, np.uint8)
        data = part.data.copy()
        tables = self._analyzer.tables
        kernels.plain_rows(data, part.offsets, _CLASSES, tables, self._literal, forms)
        rows = np.flatnonzero(forms == kernels.OTHER)
        if self._limits.work < MOST_WORK:
            rows = rows[:0]
        sizes = np.diff(part.offsets)[rows]
        codes = np.empty(int(sizes.sum()), np.int8)
        offsets = np.empty(len(rows) + 1, np.int64)
        boolean_rows(part.data, part.offsets, _CLASSES, tables, self._literal, rows, data, offsets, codes)
        forms[rows[np.diff(offsets) > 0]] = kernels.CODED
        return _Scanned(data, forms, rows, offsets, codes)

    def _cut(self, strings: Strings, forms: UInt8) -> Tokens:
        """Return the terms of all rows that need no parser; a row that exceeds a limit of terms becomes `OTHER`."""
        _blank(strings, forms)
        tokens = tokenize(strings, self._analyzer.tables)
        limits = self._limits
        counts = np.diff(tokens.row_offsets)
        sizes = np.diff(tokens.strings.offsets)
        if sizes.max(initial=0) <= limits.term_bytes and counts.max(initial=0) <= limits.terms:
            return tokens
        long = np.flatnonzero(sizes > limits.term_bytes)
        forms[np.searchsorted(tokens.row_offsets, long, side="right") - 1] = kernels.OTHER
        forms[counts > limits.terms] = kernels.OTHER
        return self._cut(strings, forms)

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
    """Move subscriptions that the parser found to be plain to the other plain rows."""
    found = [(row, clauses) for row, clauses in compiled.parsed if is_plain(clauses)]
    if not found:
        return compiled
    offsets, terms = compiled.plain
    ends = np.cumsum([len(clauses[0].required) for _, clauses in found], dtype=np.int64) + offsets[-1]
    more = compiled.names.intern_texts([term for _, clauses in found for (term,) in clauses[0].required])
    plain = Rows(np.concatenate([offsets, ends]), np.concatenate([terms, more]))
    rows = np.concatenate([compiled.rows, np.array([row for row, _ in found], np.int32)])
    rest = [(row, clauses) for row, clauses in compiled.parsed if not is_plain(clauses)]
    return Compiled(compiled.names, plain, rows, rest, compiled.checked)


def _blank(strings: Strings, forms: UInt8) -> None:
    """Overwrite the rows left to the parser with spaces."""
    others = forms == kernels.OTHER
    if others.any():
        strings.data[np.repeat(others, np.diff(strings.offsets))] = 32


def _class(code: int) -> int:
    char = chr(code)
    if char.isalnum() or char == "_":
        return int(kernels.WORD)
    if char.isspace():
        return int(kernels.SPACE)
    if char in "\"'()!|*~^:/?<>={$%\\":
        return int(kernels.SYNTAX)
    return int({"-": kernels.MINUS, "&": kernels.AMPERSAND}.get(char, kernels.MARK))


_CLASSES = np.array([_class(code) for code in range(128)], np.uint8)
