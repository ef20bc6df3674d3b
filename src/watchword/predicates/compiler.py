"""Many subscriptions at once: conjunctions are cut into their predicates by a kernel, and each distinct predicate is
parsed once. Of other texts each distinct leaf is read once (`leaves`); the parser has the rest, one by one.

A million rules over 16 attributes with 21 values each have 336 distinct predicates, so the parser hardly runs. All
predicates are numbered from 0, and clauses have those numbers: ``a = 1 OR a = 2`` becomes the clauses ((0,),) and
((1,),), with `names` of two predicates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from watchword.arrays import Int32, offsets_of
from watchword.errors import SubscriptionError
from watchword.kernels.predicates import pieces as kernels
from watchword.predicates.predicate import Predicate
from watchword.sets.boolean import Clause
from watchword.sets.factoring import every_atom
from watchword.sets.language import Compiled, is_plain
from watchword.sets.programs import Names
from watchword.sets.rows import Rows, distinct
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

Parse = Callable[[str], list[Clause[Names]]]
"""Returns the clauses of a text; the names of their atoms are predicates."""

ReadBy = Callable[[Callable[[Predicate], Names]], Parse]
"""Takes a function that makes atoms of predicates; returns one that reads texts into clauses of such atoms."""

_WORDS = np.zeros((4, 8), np.uint8)
for _row, _word in enumerate((b"and", b"or", b"not", b"between")):
    _WORDS[_row, : len(_word)] = list(_word)


def compiled(texts: Strings, read_by: ReadBy, limit: int) -> Compiled:
    """Return subscriptions ready to be stored; any that may have more than `limit` predicates is parsed whole."""
    plain, sizes, pieces = _cut(texts)
    plain &= np.diff(texts.offsets) <= 2 * limit  # a predicate, or a member of IN, has at least two characters
    raw = Vocabulary()
    numbers = raw.intern(pieces)
    names: dict[Predicate, int] = {}
    read = read_by(lambda predicate: (names.setdefault(predicate, len(names)),))
    known = _predicates(raw, read)
    owners = np.repeat(np.arange(texts.count), sizes)
    plain[owners[np.diff(known.offsets)[numbers] == 0]] = False
    kept = numbers[plain[owners]]
    counts = np.diff(known.offsets)[kept]
    at = np.repeat(known.offsets[:-1][kept] - offsets_of(counts)[:-1], counts) + np.arange(counts.sum())
    borders = offsets_of(counts)[offsets_of(sizes[plain])]
    others = [(row, _bare(parsed_row(texts, row, read))) for row in np.flatnonzero(~plain).tolist()]
    rows = distinct(Rows(borders, known.atoms[at]))
    return Compiled(_asked(list(names), rows.atoms, others), rows, np.flatnonzero(plain).astype(np.int32), others)


def numbered(queries: Iterable[tuple[int, Sequence[Clause[Predicate]]]]) -> Compiled:
    """Return parsed queries ready to be stored, each with its row."""
    names: dict[Predicate, int] = {}

    def name(predicate: Predicate) -> Names:
        return (names.setdefault(predicate, len(names)),)

    parsed = [(row, [clause.with_atoms(name) for clause in query]) for row, query in queries]
    return Compiled.of(parsed, list(names))


def _bare(clauses: list[Clause[Names]]) -> list[Any]:
    """Return clauses without their names. Python's collector of cycles goes through named tuples again and again, and
    forgets plain ones of numbers; of many clauses that takes a third of the time."""
    return [tuple(clause) for clause in clauses]


def _asked(names: list[Predicate], plain: Int32, parsed: list[tuple[int, list[Any]]]) -> list[Any]:
    """Return the names, with None for each that no clause asks for: of ``a = 1 OR (a = 1 AND b = 2)`` the second."""
    found = set(plain.tolist())
    for _, clauses in parsed:
        for required, forbidden, rest, keys in clauses:
            for row in (required, forbidden, *keys):
                found.update([number for (number,) in row])
            for tree in rest:
                found.update([number for (number,) in every_atom(tree)])
    if len(found) == len(names):
        return names
    return [name if number in found else None for number, name in enumerate(names)]


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


def _predicates(raw: Vocabulary, read: Parse) -> Rows:
    """Return the numbers of the predicates that each piece is a conjunction of: ``body MATCHES 'a b'`` has two. None
    for any other piece: the whole text decides."""
    found: list[list[int]] = []
    for number in range(len(raw)):
        try:
            clauses = read(raw.text(number))
        except SubscriptionError:
            clauses = []
        found.append([number for (number,) in clauses[0].required] if is_plain(clauses) else [])
    return Rows(offsets_of([len(row) for row in found]), np.array([n for row in found for n in row], np.int32))
