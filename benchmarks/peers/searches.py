"""Searches over texts, as Watchword and Lucene write them; booleans drawn from search queries; a small workload.

>>> search = Search((("greece",), ("debt", "relief")), either=(("imf",), ("ecb",)), without=(("opinion",),))
>>> search.watchword()
'greece "debt relief" (imf OR ecb) NOT opinion'
>>> search.lucene()
'+greece +"debt relief" +(imf ecb) -opinion'

Terms are folded and cut already, so there is no sign in them that either language reads as an operator; `and`, `or` and
`not` are words to Lucene, and to an index with ``literal_operators=True``.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks.searches import changed, with_edits, with_prefix, with_slop
from watchword.keywords.query import Atom, Limits, parse, show
from watchword.papers.workloads.syndication import Lengths, Vocabulary, generate
from watchword.text.analyzer import Analyzer

_LIMITS = Limits(clauses=1, depth=1, terms=1024, term_bytes=1024)


@dataclass(frozen=True)
class Search:
    """Words and phrases that must all be there, of which one must be there, and that must not be there."""

    required: tuple[Atom, ...]
    either: tuple[Atom, ...] = ()
    without: tuple[Atom, ...] = ()

    def watchword(self) -> str:
        """Return the search as a keyword subscription."""
        group = [f"({' OR '.join(map(show, self.either))})"] if self.either else []
        return " ".join([*map(show, self.required), *group, *(f"NOT {show(atom)}" for atom in self.without)])

    def lucene(self) -> str:
        """Return the search in the syntax of Lucene's classic parser."""
        group = [f"+({' '.join(map(show, self.either))})"] if self.either else []
        required, without = ("+" + show(atom) for atom in self.required), ("-" + show(atom) for atom in self.without)
        return " ".join([*required, *group, *without])


def conjunction(query: str) -> Search:
    """Return a search query, in which every word is required. A word of several terms is a phrase of them."""
    (clause,) = parse(query, Analyzer(), _LIMITS, literal_operators=True)
    return Search(clause.required)


class Loose(NamedTuple):
    """A search of parts that are all required, and written alike in both languages: ``ferr* "night boat"~2``."""

    parts: tuple[str, ...]

    def watchword(self) -> str:
        """Return the search as a keyword subscription."""
        return " ".join(self.parts)

    def lucene(self) -> str:
        """Return the search in the syntax of Lucene's classic parser."""
        return " ".join(f"+{part}" for part in self.parts)


def loose(searches: Sequence[Search]) -> list[Search | Loose]:
    """Return conjunctions, one in ten of them with a prefix, a word within edits, or a phrase with a slop."""
    plain = [one for one in searches if all(len(atom) == 1 for atom in one.required)]
    parts = changed(([name for (name,) in one.required] for one in plain), (with_prefix, with_edits, with_slop))
    made = {id(one): Loose(tuple(found)) for one, found in zip(plain, parts, strict=True) if found}
    return [made.get(id(one), one) for one in searches]


def booleans(searches: Sequence[Search], count: int, seed: int) -> list[Search]:
    """Draw searches with phrases, OR and NOT from conjunctions; each has at least one of the three.

    Two neighbours of a conjunction become a phrase, its last word is given one or two alternatives, and a word of
    another is excluded: each in every second search.
    """
    draw = random.Random(seed)

    def word() -> Atom:
        return draw.choice(draw.choice(searches).required)

    def boolean() -> Search:
        atoms, either, without = list(draw.choice(searches).required), (), ()
        if len(atoms) > 1 and draw.random() < 0.5:
            at = draw.randrange(len(atoms) - 1)
            atoms[at : at + 2] = [atoms[at] + atoms[at + 1]]
        if draw.random() < 0.5:
            either = (atoms.pop(), *(word() for _ in range(draw.randint(1, 2))))
        if draw.random() < 0.5 or not (either or any(len(atom) > 1 for atom in atoms)):
            without = (word(),)
        return Search(tuple(atoms), either, without)

    return [boolean() for _ in range(count)]


def generated(queries: int, posts: int, seed: int) -> tuple[list[str], list[str]]:
    """Return search queries and posts without any data: terms of one vocabulary, in the posts spelt in many ways."""
    terms = Vocabulary.zipf(500, 0.75)
    drawn = generate(terms, queries, Lengths.subscriptions(), seed=seed).to_arrow_texts().to_pylist()
    texts = generate(terms, posts, Lengths.items(), seed=seed + 1).to_arrow_texts().to_pylist()
    draw = random.Random(seed)
    return drawn, [draw.choice(", |. | - | ").join(_spelt(word, draw) for word in text.split()) for text in texts]


def _spelt(term: str, draw: random.Random) -> str:
    """Return a spelling that folds to a term such as ``t17``: in capitals, in wide letters, with a soft hyphen."""
    wide = "".join(chr(ord(char) + 0xFEE0) for char in term)
    return draw.choice([term, term, term.upper(), wide, f"{term[0]}\N{SOFT HYPHEN}{term[1:]}"])
