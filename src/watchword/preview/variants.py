"""The draft without one of its parts, and its atoms, each a subscription of its own.

    ferry AND (storm OR gale) NOT strike

    without "ferry"              (storm OR gale) AND NOT strike
    without "(storm OR gale)"    ferry AND NOT strike
    without "NOT strike"         ferry AND (storm OR gale)

Beside them its atoms, `ferry` and `gale`, are counted: one that no item has is why a draft finds nothing.

An item that a variant finds and the draft does not fails by that part alone, so near misses cost no explanation. A
part that says where words stand, ``ferry NEAR/3 storm`` or a phrase, also has a variant without that (`loosening`).
"""

from __future__ import annotations

from itertools import islice
from typing import Any, NamedTuple

from watchword.errors import EventError, SubscriptionError
from watchword.index import Index
from watchword.preview.loosening import loosened

MOST_VARIANTS = 32
"""Parts of a draft that are left out, one by one."""
MOST_ATOMS = 16
"""Words and conditions of a draft that are counted by themselves."""
_EMPTY: dict[str, Any] = {"keywords": "", "predicates": {}}
"""Events that have nothing, for the languages that say what they miss in it."""
_NOTHING = _EMPTY | {"patterns": ""}


class Variant(NamedTuple):
    """A part of the draft, and the text of the draft without it."""

    part: str
    text: str


def variants(index: Index[Any], text: str, most: int = MOST_VARIANTS) -> list[Variant]:
    """Return the draft without each of its first parts; none if it has one part only.

    >>> from watchword import KeywordIndex
    >>> variants(KeywordIndex(), "ferry storm -strike")[0]
    Variant(part='ferry', text='storm AND -strike')
    """
    parts = [text[start:end] for start, end in index.conjuncts(text)]
    if len(parts) < 2:
        return []
    made = [Variant(part, " AND ".join(parts[:at] + parts[at + 1 :])) for at, part in enumerate(parts[:most])]
    return [variant for variant in made if is_taken(index, variant.text)]


def loosenings(index: Index[Any], text: str, most: int = MOST_VARIANTS) -> list[Variant]:
    """Return the draft with each of its first parts that says where words stand without that.

    >>> from watchword import KeywordIndex
    >>> loosenings(KeywordIndex(), 'ferry NEAR/3 storm NOT strike')
    [Variant(part='ferry NEAR/3 storm', text='ferry AND storm AND NOT strike')]
    """
    parts = [text[start:end] for start, end in index.conjuncts(text)][:most] or [text]
    loose = [(at, loosened(index.language, part)) for at, part in enumerate(parts)]
    made = [Variant(parts[at], " AND ".join([*parts[:at], other, *parts[at + 1 :]])) for at, other in loose if other]
    return [variant for variant in made if is_taken(index, variant.text)]


def asks_for_nothing(index: Index[Any], text: str) -> bool:
    """Return whether an event that has nothing satisfies a text, as it does ``NOT strike``.

    >>> from watchword import KeywordIndex
    >>> asks_for_nothing(KeywordIndex(), "NOT strike"), asks_for_nothing(KeywordIndex(), "ferry NOT strike")
    (True, False)
    """
    if index.language not in _NOTHING:
        return False
    try:
        return bool(index.explain_text(_NOTHING[index.language], text))
    except EventError:  # a schema wants attributes
        return False


def atoms_of(index: Index[Any], text: str) -> list[str]:
    """Return the atoms that a draft asks for as subscriptions, from what an empty event misses; at most `MOST_ATOMS`.

    >>> from watchword import KeywordIndex, PredicateIndex
    >>> atoms_of(KeywordIndex(), 'ferry AND "rough sea" NOT strike')
    ['ferry', '"rough sea"']
    >>> atoms_of(PredicateIndex(text=["title"]), "feed = 'Harbour' AND MATCHES 'ferry storm'")
    ["feed = 'Harbour'", "MATCHES 'ferry'", "MATCHES 'storm'"]
    """
    if index.language not in _EMPTY:
        return []
    try:
        clauses = index.explain_text(_EMPTY[index.language], text).clauses
    except EventError:  # a schema wants attributes
        return []
    found = dict.fromkeys(atom.removesuffix(" (it is missing)") for clause in clauses for atom in clause.missing)
    return [atom for atom in islice(found, MOST_ATOMS) if is_taken(index, atom)]


def is_taken(index: Index[Any], text: str) -> bool:
    """Return whether a text is a subscription of an index."""
    try:
        index.check(text)
    except SubscriptionError:  # what stood beside a part gave it another meaning
        return False
    return True
