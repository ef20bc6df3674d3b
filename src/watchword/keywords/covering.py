"""Whether a keyword subscription covers another: of conjunctions by sets, of everything else by a proof.

``ferry`` covers ``ferry storm``, for {ferry} is a part of {ferry, storm}. Phrases imply their beginnings, ends and
words: ``"debt crisis"`` is covered by ``debt``. A proof is complete here, but for its limit of steps: where a choice of
atoms is found, the texts that have just these words and phrases are a counter-example.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from watchword.index.covering import Steps
from watchword.keywords.query import Atom, Grammar, plain_words
from watchword.sets.boolean import And, Tree
from watchword.sets.held import held
from watchword.sets.proving import Choice, Implied, atoms_of, find_choice
from watchword.text.places import TermPlace, TermsOfText


class Asked(NamedTuple):
    """A subscription to be compared: the words of a plain conjunction, or None and a tree."""

    words: frozenset[str] | None
    tree: Tree | None

    def as_tree(self) -> Tree:
        """Return the subscription as a tree."""
        return self.tree if self.words is None else And([(word,) for word in self.words])


def asked(text: str, grammar: Grammar) -> Asked:
    """Return a subscription as it is compared."""
    words = plain_words(text, grammar.literal_operators) if grammar.analyzer.is_plain else None
    if words:
        return Asked(frozenset(words), None)
    tree = grammar.tree(text)
    atoms = tree.parts if isinstance(tree, And) else [tree]
    if all(isinstance(atom, tuple) and type(atom) is tuple and len(atom) == 1 for atom in atoms):
        return Asked(frozenset(atom[0] for atom in atoms), None)
    return Asked(None, tree)


def implies(narrow: Asked, wide: Asked, steps: Steps) -> bool:
    """Return whether every event that satisfies `narrow` is proven to satisfy `wide`."""
    if narrow.words is not None and wide.words is not None:
        steps.spend()
        return narrow.words >= wide.words
    return _choice(narrow, wide, steps) is None


def refutes(narrow: Asked, wide: Asked, steps: Steps) -> bool:
    """Return whether an event is found that satisfies `narrow` and not `wide`."""
    choice = _choice(narrow, wide, steps)
    if choice is None:
        return False
    terms = _event_of([atom for atom, holds in choice.items() if holds])
    return held(narrow.as_tree(), terms.has) is not None and held(wide.as_tree(), terms.has) is None


def _choice(narrow: Asked, wide: Asked, steps: Steps) -> Choice | None:
    one, other = narrow.as_tree(), wide.as_tree()
    return find_choice([(one, True), (other, False)], _implied([*atoms_of(one), *atoms_of(other)], steps), steps)


def _implied(atoms: Iterable[Atom], steps: Steps) -> Implied:
    """Return the phrases and words among atoms that stand inside of each phrase.

    >>> _implied([("a", "b", "c"), ("b",), ("b", "c"), ("d",)], Steps(100))
    {('a', 'b', 'c'): [('b',), ('b', 'c')], ('b', 'c'): [('b',)]}
    """
    known = dict.fromkeys(atoms)
    sizes = sorted({len(atom) for atom in known})
    found: dict[Atom, list[Atom]] = {}
    for atom in known:
        shorter = [size for size in sizes if size < len(atom)]
        steps.spend(len(atom) * len(shorter) + 1)
        inner = [atom[start : start + size] for size in shorter for start in range(len(atom) - size + 1)]
        inner = [one for one in dict.fromkeys(inner) if one in known]
        if inner:
            found[atom] = inner
    return found


def _event_of(atoms: list[Atom]) -> TermsOfText:
    """Return an event with these words and phrases, each in a text of its own."""
    return TermsOfText([[TermPlace(term, at, at + 1) for at, term in enumerate(atom)] for atom in atoms])
