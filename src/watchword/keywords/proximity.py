"""Atoms about where words stand: NEAR, BEFORE, ``"debt crisis"~3``, ``^ferry`` and ``ferry$``.

``debt NEAR/3 ("crisis talks" OR default)`` is a `Chain` of two parts; the second has two alternatives::

    parts    ((debt),)   (("crisis talks"), (default))
    links    NEAR/3

It holds where words of neighbouring parts stand as the link between them says, each part at one place for both of its
links. The distance of side by side is 1; linked parts lie in one text and do not overlap. ``^ferry`` is a chain of
one part, which stands at the beginning of a text. A `Sloppy` phrase holds where its words, each moved by some places,
are the phrase; the moves differ by at most its slop (as in Lucene): ``"debt crisis"~1`` in *debt and crisis*.

Both are decided by a program over the row of an event (`kernels.sets.proximity`); here they are in plain Python, for
explanations and places.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from watchword.kernels.sets.proximity import CHAIN, FIRST, LAST, MOST_SLOPPY, SLOPPY
from watchword.sets.dnf import And, Guarded, Or, Tree
from watchword.sets.programs import Check
from watchword.text.families import is_family, written
from watchword.text.places import Found, TermsOfText

MOST_DISTANCE = 10_000
MOST_SLOP = 1_000


class Words(NamedTuple):
    """Words side by side, perhaps at the beginning or the end of a text."""

    names: tuple[str, ...]
    begins: bool = False
    ends: bool = False


class Link(NamedTuple):
    """How far apart neighbouring parts may stand, and whether the left one comes first."""

    distance: int
    ordered: bool


@dataclass(frozen=True, slots=True)
class Chain(Check):
    """Parts, each of alternatives, with a link between each and the next."""

    parts: tuple[tuple[Words, ...], ...]
    links: tuple[Link, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of parts without an alternative, which every event that it holds in has."""
        return tuple(dict.fromkeys(name for part in self.parts if len(part) == 1 for name in part[0].names))

    @property
    def every_name(self) -> tuple[str, ...]:
        """Return all names."""
        return tuple(dict.fromkeys(name for part in self.parts for words in part for name in words.names))

    @property
    def sample(self) -> tuple[str, ...]:
        """Return the first alternatives of all parts, side by side."""
        return tuple(name for part in self.parts for name in part[0].names)

    def operands(self, numbers: Mapping[str, int]) -> list[int]:
        """Return the words of a program."""
        made = [CHAIN, len(self.parts)]
        for number, part in enumerate(self.parts):
            link = self.links[number - 1] if number else Link(0, False)
            made += [2 * link.distance + link.ordered, len(part)]
            for words in part:
                made += [FIRST * words.begins + LAST * words.ends, len(words.names)]
                made += [numbers[name] for name in words.names]
        return made

    def find(self, terms: TermsOfText, limit: int | None = None) -> list[Found]:
        """Return the places of words that stand as asked: the first `limit` of them."""
        kept = [[one for words in part for one in _spots(terms, words)] for part in self.parts]
        for number, link in enumerate(self.links):  # what follows from the left
            left = kept[number]
            kept[number + 1] = [one for one in kept[number + 1] if any(_near(other, one, link) for other in left)]
        for number in reversed(range(len(self.links))):  # and what leads on to the right
            right, link = kept[number + 1], self.links[number]
            kept[number] = [one for one in kept[number] if any(_near(one, other, link) for other in right)]
        spots = sorted(set().union(*kept))
        return [terms.place(*spot) for spot in spots[:limit]]

    def __str__(self) -> str:
        parts = [_show_part(part) for part in self.parts]
        links = [f" {'BEFORE' if link.ordered else 'NEAR'}/{link.distance} " for link in self.links]
        return "".join(piece for pair in zip(parts, [*links, ""], strict=True) for piece in pair)


@dataclass(frozen=True, slots=True)
class Sloppy(Check):
    """A phrase whose words may stand elsewhere than side by side."""

    phrase: tuple[str, ...]
    slop: int

    @property
    def names(self) -> tuple[str, ...]:
        """Return the words of the phrase."""
        return tuple(dict.fromkeys(self.phrase))

    @property
    def every_name(self) -> tuple[str, ...]:
        """Return the words of the phrase."""
        return self.names

    @property
    def sample(self) -> tuple[str, ...]:
        """Return the phrase."""
        return self.phrase

    def operands(self, numbers: Mapping[str, int]) -> list[int]:
        """Return the words of a program."""
        return [SLOPPY, self.slop, len(self.phrase), *(numbers[name] for name in self.phrase)]

    def find(self, terms: TermsOfText, limit: int | None = None) -> list[Found]:
        """Return the places of the words of each window that has the phrase: the first `limit` of them."""
        by_text: dict[int, list[list[int]]] = {}
        for number, name in enumerate(self.phrase):
            for text, position in terms.spots(name):
                by_text.setdefault(text, [[] for _ in self.phrase])[number].append(position)
        spots: set[tuple[int, int, int]] = set()
        for text, positions in by_text.items():
            for low in sorted({at - number for number, ats in enumerate(positions) for at in ats}):
                spots.update((text, at, at + 1) for at in self._chosen(positions, low))
        return [terms.place(*spot) for spot in sorted(spots)[:limit]]

    def _chosen(self, positions: list[list[int]], low: int) -> list[int]:
        """Return a position for each word, moved by `low` to ``low + slop`` places; none if there is no such choice."""
        chosen: list[int] = []
        for number, ats in enumerate(positions):
            taken = {at for at, name in zip(chosen, self.phrase, strict=False) if name == self.phrase[number]}
            fits = (at for at in ats if low <= at - number <= low + self.slop and at not in taken)
            found = next(fits, None)
            if found is None:
                return []
            chosen.append(found)
        return chosen

    def __str__(self) -> str:
        return f'"{" ".join(self.phrase)}"~{self.slop}'


def guarded(chain: Chain) -> Tree:
    """Return a chain with what must hold wherever it does: one of the alternatives of each part.

    >>> guarded(Chain(((Words(("a",)),), (Words(("b",)), Words(("c", "d")))), (Link(3, False),))).parts[0]
    Or(parts=[('b',), ('c', 'd')])
    """
    choices = [part for part in chain.parts if len(part) > 1]
    return Guarded([*(Or([_plain(words) for words in part]) for part in choices), chain]) if choices else chain


def _plain(words: Words) -> Tree:
    if len(words.names) == 1 or not any(map(is_family, words.names)):
        return words.names
    return And([(name,) for name in dict.fromkeys(words.names)])


def _spots(terms: TermsOfText, words: Words) -> Iterator[tuple[int, int, int]]:
    """Yield where words stand: text, first position and the position behind."""
    size = len(words.names)
    for text, start in terms.spots(words.names[0]):
        rest = enumerate(words.names[1:], start + 1)
        in_place = (not words.begins or start == 0) and (not words.ends or start + size == terms.size(text))
        if in_place and all(terms.stands(name, text, at) for at, name in rest):
            yield text, start, start + size


def _near(left: tuple[int, int, int], right: tuple[int, int, int], link: Link) -> bool:
    """Return whether two spots stand as a link says.

    >>> _near((0, 3, 5), (0, 6, 7), Link(2, True)), _near((0, 6, 7), (0, 3, 5), Link(2, True))
    (True, False)
    """
    if left[0] != right[0]:
        return False
    after = right[1] - left[2] + 1
    before = left[1] - right[2] + 1
    return 0 < after <= link.distance or (not link.ordered and 0 < before <= link.distance)


def _show_part(part: tuple[Words, ...]) -> str:
    shown = [_show_words(words) for words in part]
    return shown[0] if len(shown) == 1 else f"({' OR '.join(shown)})"


def _show_words(words: Words) -> str:
    names = [written(name) if is_family(name) else name for name in words.names]
    text = names[0] if len(names) == 1 else f'"{" ".join(names)}"'
    if len(names) > 1 and any(map(is_family, words.names)):
        text = " BEFORE/1 ".join(names)
    return "^" * words.begins + text + "$" * words.ends


__all__ = ["MOST_SLOPPY", "Chain", "Link", "Sloppy", "Words", "guarded"]
