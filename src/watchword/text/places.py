"""Where in a text its terms stand, in characters, through folding, stems and pairs of CJK characters.

A text is first cut into *pieces* at characters that fold to nothing but separators. A piece of ASCII is one term. Any
other piece is folded and then cut; each character of the folded piece has the number of the character it came from::

    piece      ﬁ l e <soft hyphen> s        東 京 都
    folded     f i l e s                    東 京 都        NFKC_Casefold, composed
    from       0 0 1 2 4                    0 1 2
    terms      files  0 to 5                東京 0 to 2, 京都 1 to 3   (with cjk="bigrams")

Characters that unite, as ``e`` and an acute accent do, are one unit; two terms of one character (``½`` is ``1`` and
``2``) share its place. A place ends behind the marks of its last letter, and has no other characters at its ends that
fold to nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple, Protocol, cast

from watchword.kernels.text.characters import MARK, SEPARATOR
from watchword.text.analyzer import Analyzer
from watchword.text.families import has_word, is_family
from watchword.text.folding import Folding, compose, kind_of

_WORDS = re.compile(r"\w+", re.ASCII)

Span = tuple[int, int]


class TermPlace(NamedTuple):
    """A term of a text, the characters ``text[start:end]`` that it comes from, and its word before it was stemmed, if
    that is another."""

    term: str
    start: int
    end: int
    stemmed: str | None = None

    @property
    def word(self) -> str:
        """Return the folded word, which families are asked about."""
        return self.term if self.stemmed is None else self.stemmed


Found = tuple[int, int, int]
"""Where something stands: the number of a text, and start and end in its characters."""


class Findable(Protocol):
    """An atom that says itself where it stands."""

    def find(self, terms: TermsOfText, limit: int | None = None) -> list[Found]:
        """Return the first places."""


def term_places(text: str, analyzer: Analyzer) -> list[TermPlace]:
    """Return the terms of a text, in order, each with its place.

    >>> term_places("Die Straße!", Analyzer())
    [TermPlace(term='die', start=0, end=3, stemmed=None), TermPlace(term='strasse', start=4, end=10, stemmed=None)]
    """
    if text.isascii():
        found = [(word[0].lower(), *word.span()) for word in _WORDS.finditer(text)]
    else:
        found = [run for piece in _pieces(text, analyzer.folding) for run in _runs(text, *piece, analyzer.folding)]
    if analyzer.is_plain:
        return [TermPlace(*run) for run in found]
    known = {run: analyzer.refine([run]) for run in {run for run, _, _ in found}}
    return [TermPlace(term, start, end, run) for run, start, end in found for term in known[run]]


class TermsOfText:
    """The terms of one text, or of several between which no phrase reaches, ready to be asked where they stand.

    >>> terms = TermsOfText([term_places("Debt, a debt crisis", Analyzer())])
    >>> terms.find(("debt",)), terms.find(("debt", "crisis"))
    ([(0, 0, 4), (0, 8, 12)], [(0, 8, 19)])
    """

    def __init__(self, texts: Sequence[Sequence[TermPlace]]) -> None:
        self._texts = texts
        self._at: dict[str, list[tuple[int, int]]] = {}
        for number, places in enumerate(texts):
            for position, place in enumerate(places):
                self._at.setdefault(place.term, []).append((number, position))

    def find(self, atom: Sequence[str] | Findable, limit: int | None = None) -> list[Found]:
        """Return the places of a term, a family, terms side by side, or of an atom that finds itself: the first `limit`
        of them."""
        if not isinstance(atom, tuple):
            return cast(Findable, atom).find(self, limit)
        places: list[Found] = []
        for number, position in self.spots(atom[0]):
            found = self._texts[number][position : position + len(atom)]
            if len(atom) == 1 or [place.term for place in found] == list(atom):
                places.append((number, found[0].start, found[-1].end))
                if len(places) == limit:
                    break
        return places

    def has(self, atom: Sequence[str] | Findable) -> bool:
        """Return whether an atom stands in a text."""
        return bool(self.find(atom, 1))

    def spots(self, name: str) -> list[tuple[int, int]]:
        """Return the texts and positions of a term, or of the words of a family."""
        if name not in self._at and is_family(name):
            words = {place.word for places in self._texts for place in places}
            held = {word for word in words if has_word(name, word)}
            self._at[name] = [
                (number, position)
                for number, places in enumerate(self._texts)
                for position, place in enumerate(places)
                if place.word in held
            ]
        return self._at.get(name, [])

    def stands(self, name: str, text: int, position: int) -> bool:
        """Return whether a term, or a word of a family, stands at a position of a text."""
        if position >= len(self._texts[text]):
            return False
        place = self._texts[text][position]
        return has_word(name, place.word) if is_family(name) else place.term == name

    def size(self, text: int) -> int:
        """Return the number of terms of a text."""
        return len(self._texts[text])

    def place(self, text: int, first: int, stop: int) -> Found:
        """Return the place of the terms ``first`` to ``stop - 1`` of a text."""
        places = self._texts[text]
        return text, places[first].start, places[stop - 1].end


def _pieces(text: str, folding: Folding) -> Iterator[Span]:
    """Yield the borders of the pieces between separating characters."""
    separates = _separators(folding)
    start = -1
    for at, char in enumerate(text):
        if separates[char]:
            if start >= 0:
                yield start, at
                start = -1
        elif start < 0:
            start = at
    if start >= 0:
        yield start, len(text)


class _Separators(dict[str, bool]):
    """Whether a character separates terms: all that it folds to does. Computed at its first use."""

    def __init__(self, folding: Folding) -> None:
        super().__init__()
        self._folding = folding

    def __missing__(self, char: str) -> bool:
        folded = self._folding.char(char)
        self[char] = bool(folded) and all(self._folding.kind(one) == SEPARATOR for one in folded)
        return self[char]


@cache
def _separators(folding: Folding) -> _Separators:
    return _Separators(folding)


def _runs(text: str, start: int, end: int, folding: Folding) -> Iterator[tuple[str, int, int]]:
    """Yield the folded runs of a piece of a text, each with its place in the text."""
    piece = text[start:end]
    if piece.isascii():
        yield piece.lower(), start, end
        return
    units = _units(piece, folding)
    folded = "".join(unit for unit, _, _ in units)
    owners = [number for number, (unit, _, _) in enumerate(units) for _ in unit]
    for first, last in folding.spans(folded):
        stop = start + units[owners[last - 1]][2]
        while stop < end and kind_of(text[stop]) == MARK and not folding.char(text[stop]):
            stop += 1
        yield folded[first:last], start + units[owners[first]][1], stop


def _units(piece: str, folding: Folding) -> list[tuple[str, int, int]]:
    """Return the folded text of a piece by units, each with its place in the piece: what unites is one unit.

    >>> _units("e\\N{COMBINING ACUTE ACCENT}ﬁ", Folding())
    [('é', 0, 2), ('fi', 2, 3)]
    """
    units: list[tuple[str, int, int]] = []
    for at, char in enumerate(piece):
        folded = folding.char(char)
        if not folded:
            continue
        if units and _unites(units[-1][0], folded[0]):
            before, start, _ = units[-1]
            units[-1] = before + folded, start, at + 1
        else:
            units.append((folded, at, at + 1))
    return [(compose(folded), start, end) for folded, start, end in units]


def _unites(before: str, char: str) -> bool:
    """Return whether a character is a mark, or composes with the end of a folded text."""
    if unicodedata.combining(char):
        return True
    return not char.isascii() and len(unicodedata.normalize("NFC", compose(before)[-1] + char)) == 1
