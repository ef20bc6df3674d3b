"""Whether a keyword subscription covers another: of conjunctions by sets, of everything else by a proof.

``ferry`` covers ``ferry storm``, for {ferry} is a part of {ferry, storm}. Phrases imply their beginnings, ends and
words: ``"debt crisis"`` is covered by ``debt``. Words imply the families that have them, ``ferry`` is covered by
``ferr*``, and NEAR, BEFORE and phrases with a slop imply their words. Where a choice of atoms is found, texts that have
just these are asked, as a counter-example. Of words and phrases a proof is complete, but for its limit of steps; how
families and distances go together is not looked at, so there the answer may be that it cannot be told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from watchword.index.covering import Steps
from watchword.keywords.query import Atom, Grammar, plain_words
from watchword.sets.boolean import And, Tree
from watchword.sets.held import held
from watchword.sets.programs import Check, names_of
from watchword.sets.proving import Choice, Implied, atoms_of, find_choice
from watchword.text.families import has_word, is_family, sample_word
from watchword.text.places import TermPlace, TermsOfText


class Asked(NamedTuple):
    """A subscription to be compared: the words of a plain conjunction, or None and a tree."""

    words: frozenset[str] | None
    tree: Tree | None
    is_stemmed: bool = False
    """Whether a term may be the stem of other words, so that it says nothing about their families."""

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
    if all(type(atom) is tuple and len(atom) == 1 and not is_family(atom[0]) for atom in atoms):
        return Asked(frozenset(atom[0] for atom in atoms), None)
    return Asked(None, tree, grammar.analyzer.stemmer is not None)


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
    is_stemmed = narrow.is_stemmed or wide.is_stemmed
    implied = _implied([*atoms_of(one), *atoms_of(other)], steps, is_stemmed)
    return find_choice([(one, True), (other, False)], implied, steps)


def _implied(atoms: Iterable[Atom], steps: Steps, is_stemmed: bool = False) -> Implied:
    """Return the phrases, words and families among atoms that each atom implies.

    >>> _implied([("a", "b", "c"), ("b",), ("b", "c"), ("d",)], Steps(100))
    {('a', 'b', 'c'): [('b',), ('b', 'c')], ('b', 'c'): [('b',)]}
    """
    known = dict.fromkeys(atoms)
    sizes = sorted({len(atom) for atom in known if isinstance(atom, tuple)})
    families = [] if is_stemmed else [atom for atom in known if isinstance(atom, tuple) and is_family(atom[0])]
    found: dict[Atom, list[Atom]] = {}
    for atom in known:
        inner = _inner(atom, sizes, steps)
        for name in names_of(atom):
            steps.spend(len(families))
            inner += [one for one in families if not is_family(name) and has_word(one[0], name)]
        inner = [one for one in dict.fromkeys(inner) if one in known]
        if inner:
            found[atom] = inner
    return found


def _inner(atom: Atom, sizes: list[int], steps: Steps) -> list[Atom]:
    """Return the phrases of these sizes, and the words, inside of an atom."""
    if isinstance(atom, Check):
        steps.spend(len(atom.names))
        return [(name,) for name in atom.names]
    shorter = [size for size in sizes if size < len(atom)]
    steps.spend(len(atom) * len(shorter) + 1)
    return [atom[start : start + size] for size in shorter for start in range(len(atom) - size + 1)]


def atom_implies(narrow: Atom, wide: Atom, is_stemmed: bool) -> bool:
    """Return whether a text with an atom is seen to have another.

    >>> from watchword.text.families import MARK
    >>> atom_implies(("debt", "crisis"), ("crisis",), False), atom_implies(("ferry",), (MARK + "ferr*",), False)
    (True, True)
    """
    return narrow == wide or wide in _implied([narrow, wide], Steps(1 << 20), is_stemmed).get(narrow, ())


def sample_of(atom: Atom) -> list[str]:
    """Return a text, as words, that should have an atom."""
    names = atom.sample if isinstance(atom, Check) else atom
    return [sample_word(name) if is_family(name) else name for name in names]


def _event_of(atoms: list[Atom]) -> TermsOfText:
    """Return an event with these words, phrases and words of families, each in a text of its own."""
    return TermsOfText([[TermPlace(term, at, at + 1) for at, term in enumerate(sample_of(atom))] for atom in atoms])
