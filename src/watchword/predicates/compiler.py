"""Many subscriptions at once: conjunctions are cut into their predicates by a kernel, and each distinct predicate is
parsed once. Other texts go to the parser, one by one.

A million rules over 16 attributes with 21 values each have 336 distinct predicates, so the parser hardly runs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from watchword.arrays import offsets_of
from watchword.errors import SubscriptionError
from watchword.kernels.predicates import pieces as kernels
from watchword.predicates.predicate import Predicate
from watchword.sets.boolean import Clause
from watchword.sets.language import Compiled, is_plain
from watchword.sets.programs import Names
from watchword.sets.rows import Rows, distinct
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

Parse = Callable[[str], list[Clause[Names]]]

_WORDS = np.zeros((4, 8), np.uint8)
for _row, _word in enumerate((b"and", b"or", b"not", b"between")):
    _WORDS[_row, : len(_word)] = list(_word)


def compiled(texts: Strings, parse: Parse, limit: int) -> Compiled:
    """Return subscriptions ready to be stored; any that may have more than `limit` predicates is parsed whole."""
    plain, sizes, pieces = _cut(texts)
    plain &= np.diff(texts.offsets) <= 2 * limit  # a predicate, or a member of IN, has at least two characters
    raw = Vocabulary()
    numbers = raw.intern(pieces)
    names: dict[Predicate, int] = {}
    known = _predicates(raw, names, parse)
    owners = np.repeat(np.arange(texts.count), sizes)
    plain[owners[np.diff(known.offsets)[numbers] == 0]] = False
    kept = numbers[plain[owners]]
    counts = np.diff(known.offsets)[kept]
    at = np.repeat(known.offsets[:-1][kept] - offsets_of(counts)[:-1], counts) + np.arange(counts.sum())
    borders = offsets_of(counts)[offsets_of(sizes[plain])]
    others = [(row, parsed_row(texts, row, parse)) for row in np.flatnonzero(~plain).tolist()]
    rows = distinct(Rows(borders, known.atoms[at]))
    return Compiled(list(names), rows, np.flatnonzero(plain).astype(np.int32), others)


def parsed_row(texts: Strings, row: int, parse: Parse) -> list[Clause[Names]]:
    """Return the clauses of one of several subscriptions; an error names its row."""
    try:
        return parse(texts.text(row))
    except SubscriptionError as error:
        raise error.at_row(row) from None


def _cut(texts: Strings) -> tuple[np.ndarray, np.ndarray, Strings]:
    """Return which rows are conjunctions, how many pieces each has, and the pieces."""
    data, offsets = texts.data, texts.offsets
    plain, sizes = np.empty(texts.count, np.bool_), np.empty(texts.count, np.int64)
    used = int(offsets[-1] - offsets[0])
    pieces, piece_offsets = np.empty(used + 1, np.uint8), np.zeros(used // 2 + 2 * texts.count + 2, np.int64)
    count = kernels.cut(data, offsets, _WORDS, plain, sizes, pieces, piece_offsets)
    return plain, sizes, Strings(pieces, piece_offsets[: count + 1])


def _predicates(raw: Vocabulary, names: dict[Predicate, int], parse: Parse) -> Rows:
    """Return the numbers, among `names`, of the predicates that each piece is a conjunction of: ``body MATCHES 'a b'``
    has two. None for any other piece: the parser decides about the whole text."""
    found: list[list[int]] = []
    for number in range(len(raw)):
        try:
            clauses = parse(raw.text(number))
        except SubscriptionError:
            clauses = []
        asked = clauses[0].required if is_plain(clauses) else ()
        found.append([names.setdefault(predicate, len(names)) for (predicate,) in asked])
    return Rows(offsets_of([len(row) for row in found]), np.array([n for row in found for n in row], np.int32))
