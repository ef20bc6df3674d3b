"""`PatternIndex`: the class that users make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from watchword.index import Index, Key, as_reader
from watchword.index.places import Occurrence
from watchword.patterns.language import PatternLanguage
from watchword.patterns.stream import StreamMatcher

if TYPE_CHECKING:
    from watchword.index import Subscriptions

__all__ = ["Occurrence", "PatternIndex"]


class PatternIndex(Index[Key]):
    r"""Patterns over text: `?` is one character, `*` any run, also empty, and ``\`` escapes; found anywhere.

    >>> index = PatternIndex({"s1": "song?blue", "s2": "pie*tea", "s3": "blue\\?"})
    >>> index.match("a song, blue? No: a pie and tea")
    ['s2', 's3']
    >>> index.occurrences("a song, blue? No: a pie and tea")
    [Occurrence(id='s2', start=20, end=31), Occurrence(id='s3', start=8, end=13)]
    >>> print(index.explain("a song, blue? No: a pie and tea", "s1"))
    no match: missing '?blue' after 'song' at 2 in: song?blue

    Characters are Unicode code points, so `?` is one é. A pattern of wildcards only is legal: `??` asks for two
    characters, `*` for none. An event is a text, as `str` or UTF-8, or a mapping from names to several. Options
    of every method, with their defaults:

    - `ignore_case` (False): pattern and text are both case-folded as by `str.casefold`, and everything is defined on
      the folded texts: `?` is one character of the folded text, so that ``stra??e`` matches "Straße"
    - `max_length` (65,536): how many characters a pattern's text may have

    Options of the three `retriever-*`:

    - `min_word_len` (2): the fewest characters of a word cut from a phrase
    - `min_split_score` (2): by how many shared states a cut must gain more than this
    - `recombination` ("beginnings"): how words are put together again; patterns share what they begin with, or with
      "records" each has its own records, as published
    """

    plug = PatternLanguage
    _plugged: PatternLanguage

    if TYPE_CHECKING:  # for editors and type checkers; when it runs, `Index` takes and checks every option

        def __init__(
            self,
            subscriptions: Subscriptions[Key] | None = None,
            *,
            id: str | None = None,
            subscription: str | None = None,
            method: str
            | Literal["auto", "naive", "nfa", "retriever-none", "retriever-single", "retriever-multi"] = "auto",
            ignore_case: bool = False,
            max_length: int = 65_536,
            min_word_len: int = ...,
            min_split_score: int = ...,
            recombination: Literal["beginnings", "records"] = ...,
        ) -> None: ...

    @as_reader
    def occurrences(self, event: Any) -> list[Occurrence]:
        """Return where `event` has an instance of each pattern that it matches, in the order of subscribing.

        Where an event is several texts, this is an instance in each text that has one, and `attribute` names the text.

        Start and end cut the text as a Python slice does. Of several instances it is the leftmost, and of those the
        shortest; a leading `*` makes it start where the text does. With `ignore_case` it is so in the folded text, and
        start and end are those of all characters of the original that have a part in it. An event given as bytes is
        counted in characters, too.
        """
        slots = np.sort(self._find([event], 0).payloads).tolist()
        placing = self._plugged.placing(event)
        return [
            Occurrence(self._catalog.id(slot), *place)
            for slot in slots
            for place in placing.find(self._catalog.text(slot))
        ]

    @as_reader
    def stream(self) -> StreamMatcher:
        """Return a matcher for a text that arrives in chunks; it has the subscriptions as they are now.

        >>> matcher = PatternIndex({"s1": "song?blue", "s2": "pie*tea"}).stream()
        >>> matcher.feed("apple pie and a so"), matcher.feed("ng, blue? No: t"), matcher.feed("ea")
        ([], [], ['s2'])

        Whatever the chunks, `feed` returns the ids that `match` finds in the whole text, each once, and the memory of
        the matcher does not grow with the text. Whichever the method of the index, the patterns are first made into an
        automaton for streams, which for a million of them takes seconds; the index keeps that, and later streams share
        it, until a subscription comes or goes.
        """
        ids, texts = self._catalog.live_columns()
        return StreamMatcher(self._plugged.plan(texts, ids))
