"""Where a pattern's instance lies in a text: the leftmost, and of those the shortest. Plain Python, for one text.

Words that only `?` part are a *segment*, of fixed length. Each segment is put at its earliest place behind the one
before: that leaves most room to the rest, so nothing is ever tried twice, and it gives the smallest start and then
the smallest end. Inside a segment the words leapfrog: whichever cannot stand where the others want it moves all of
them on to its next occurrence. Every search goes forward, so a word reads the text once, whatever the number of
stars.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

from watchword.patterns.query import Pattern


class Alignment(NamedTuple):
    """The places of the words, as far as they were found; `held` if the whole pattern was."""

    places: list[int]
    held: bool


def align(pattern: Pattern, text: str) -> Alignment:
    """Return the places of a pattern's words in the leftmost-shortest instance.

    Where there is none, `places` goes as far as the words could be placed.

    >>> from watchword.patterns.query import parse
    >>> align(parse("a?c*c"), "aabcbc")
    Alignment(places=[1, 3, 5], held=True)
    >>> align(parse("a*c?a"), "abcbb")
    Alignment(places=[0, 2], held=False)
    """
    places: list[int] = []
    free = 0
    for first, last in _segments(pattern):
        words, shifts = pattern.words[first:last], _shifts(pattern, first, last)
        least = free + pattern.gaps[first].questions
        start = _place(text, words, shifts, least)
        if start is None:
            count = bisect_right(  # how many words can be placed; their prefixes can be, too
                range(1, len(words)), False, key=lambda n: _place(text, words[:n], shifts, least) is None
            )
            start = _place(text, words[:count], shifts, least)
            assert start is not None
            return Alignment(places + [start + shift for shift in shifts[:count]], False)
        places += [start + shift for shift in shifts]
        free = places[-1] + len(words[-1])
    return Alignment(places, free + pattern.gaps[-1].questions <= len(text))


def span(pattern: Pattern, places: Sequence[int]) -> tuple[int, int]:
    """Return start and end of the instance whose words are at these places."""
    before, behind = pattern.gaps[0], pattern.gaps[-1]
    if not pattern.words:
        return 0, before.questions
    start = 0 if before.star else places[0] - before.questions
    return start, places[-1] + len(pattern.words[-1]) + behind.questions


class Folding:
    """A text and its case folding, with the positions of the text for those of the folding.

    A character may fold to several (`ß` to `ss`); all of them lead back to it.
    """

    def __init__(self, text: str) -> None:
        self.text, self.folded = text, text.casefold()
        self._ends: list[int] | None = None
        if len(self.folded) != len(text):
            self._ends = list(accumulate(len(char.casefold()) for char in text))

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return the smallest part of the text whose folding covers a part of the folded text."""
        if self._ends is None:
            return start, end
        first = bisect_right(self._ends, start)
        return first, bisect_right(self._ends, end - 1) + 1 if end > start else first


def place_of(pattern: Pattern, text: Folding | str) -> tuple[int, int] | None:
    """Return where in a text, as it was given, a pattern's instance stands; None if it has none.

    >>> from watchword.patterns.query import parse
    >>> place_of(parse("song*e"), "a song blue"), place_of(parse("ss"), Folding("Straße")), place_of(parse("x"), "a")
    ((2, 11), (4, 5), None)
    """
    found = align(pattern, text.folded if isinstance(text, Folding) else text)
    if not found.held:
        return None
    place = span(pattern, found.places)
    return text.original(*place) if isinstance(text, Folding) else place


def _segments(pattern: Pattern) -> Iterator[tuple[int, int]]:
    """Yield the segments, words between stars: the number of the first word and of the one after the last."""
    first = 0
    for word in range(1, len(pattern.words) + 1):
        if word == len(pattern.words) or pattern.gaps[word].star:
            yield first, word
            first = word


def _shifts(pattern: Pattern, first: int, last: int) -> list[int]:
    """Return the distance of each word of a segment from the first."""
    steps = (len(pattern.words[word - 1]) + pattern.gaps[word].questions for word in range(first + 1, last))
    return list(accumulate(steps, initial=0))


def _place(text: str, words: Sequence[str], shifts: Sequence[int], least: int) -> int | None:
    """Return the earliest position from `least` on at which every word is at its shift."""
    start, turn = least, 0
    order = list(range(len(words)))
    while turn < len(order):
        word = order[turn]
        found = text.find(words[word], start + shifts[word])
        if found < 0:
            return None
        if found > start + shifts[word]:
            start = found - shifts[word]
            # Who moved the others is likely to do so again, and is asked early: else a pattern of thousands of words
            # of which the last two disagree would ask all of them for every step.
            order[0], order[turn] = word, order[0]
            turn = 0
        turn += 1
    return start
