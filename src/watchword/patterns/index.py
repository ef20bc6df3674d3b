"""`PatternIndex`: the pattern language on top of any structure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np

from watchword.arrays import Arrays, Int32
from watchword.errors import OptionError
from watchword.index import Batch, Explanation, Found, Index, Subscriptions, below
from watchword.index.events import cut
from watchword.patterns import texts as reading
from watchword.patterns.alignment import Folding, align, span
from watchword.patterns.compiler import Compiled, Compiler
from watchword.patterns.explaining import report
from watchword.patterns.keyed import Keyed
from watchword.patterns.lengths import LengthTable
from watchword.patterns.naive import Naive
from watchword.patterns.nfa import Nfa
from watchword.patterns.query import MAX_LENGTH, Pattern, checked_length, parse
from watchword.patterns.retriever import MultiRetriever, Retriever, SingleRetriever
from watchword.patterns.stream import Plan, StreamMatcher, plan
from watchword.patterns.structure import Structure
from watchword.strings import Strings, from_texts


class Method(NamedTuple):
    """A structure, and the names of its options."""

    structure: type[Structure]
    options: tuple[str, ...] = ()


class Occurrence(NamedTuple):
    """Where a pattern's instance lies: ``text[start:end]``."""

    id: Any
    start: int
    end: int


class PatternIndex(Index):
    r"""Patterns over text: `?` is one character, `*` any run, also empty, and `\` escapes; found anywhere.

    >>> index = PatternIndex({"s1": "song?blue", "s2": "pie*tea", "s3": "blue\\?"})
    >>> index.match("a song, blue? No: a pie and tea")
    ['s2', 's3']
    >>> index.occurrences("a song, blue? No: a pie and tea")
    [Occurrence(id='s2', start=20, end=31), Occurrence(id='s3', start=8, end=13)]
    >>> print(index.explain("a song, blue? No: a pie and tea", "s1"))
    no match: missing '?blue' after 'song' at 2 in: song?blue

    Characters are Unicode code points, so `?` is one é. Options for every method: `ignore_case`, and `max_length`, how
    many characters a pattern's text may have (65,536). With `ignore_case` pattern and text are both case-folded as by
    `str.casefold`, and everything is defined on the folded texts: `?` is one character of the folded text, so that
    ``stra??e`` matches "Straße". A pattern of wildcards only is legal: `??` asks for two characters, `*` for none.
    """

    language = "patterns"
    methods: ClassVar[Mapping[str, Method]] = {
        "auto": Method(Keyed),
        "naive": Method(Naive),
        "nfa": Method(Nfa),
        "retriever-none": Method(Retriever, ("min_word_len", "min_split_score")),
        "retriever-single": Method(SingleRetriever, ("min_word_len", "min_split_score")),
        "retriever-multi": Method(MultiRetriever, ("min_word_len", "min_split_score")),
    }

    def __init__(
        self,
        subscriptions: Subscriptions | None = None,
        *,
        method: str = "auto",
        ignore_case: bool = False,
        max_length: int = MAX_LENGTH,
        **options: Any,
    ) -> None:
        if method in self.methods:
            allowed = self.methods[method].options
            for name in options:
                if name not in allowed:
                    known = ", ".join(("ignore_case", "max_length", *allowed))
                    raise OptionError(f"method {method!r} has no option {name!r}; it has: {known}")
        if not isinstance(ignore_case, bool):
            raise OptionError(f"ignore_case must be True or False, not {ignore_case!r}")
        self._ignore_case = ignore_case
        self._max_length = checked_length(max_length)
        self._method_options = options
        self._compiler = Compiler(ignore_case, self._max_length)
        super().__init__(subscriptions, method=method)

    def _reset(self) -> None:
        self._structure: Structure = self.methods[self.method].structure(**self._method_options)
        self._lengths = LengthTable()
        self._words = 0  # of all patterns together
        self._plan: Plan | None = None  # of streams, until a subscription comes or goes

    # subscribing

    def _compile(self, text: str) -> Compiled:
        return self._compiler.compile(text)

    def _subscribe(self, slot: int, compiled: Compiled) -> None:
        self._subscribe_many(np.array([slot], np.int32), compiled)

    def _unsubscribe(self, slot: int, text: str) -> None:
        self._plan = None
        compiled = self._compile(text)
        if len(compiled.blanks):
            self._lengths.remove(slot)
        else:
            self._structure.remove(compiled.patterns, slot)
            self._words -= len(compiled.patterns.chars)

    def _compile_many(self, texts: Strings) -> Compiled:
        return self._compiler.compile_many(texts)

    def _subscribe_many(self, slots: Int32, compiled: Compiled) -> None:
        self._plan = None
        if len(compiled.blanks):
            self._lengths.add(slots[compiled.blanks], compiled.minimums)
        if len(compiled.rows):
            self._structure.add(compiled.patterns, slots[compiled.rows])
            self._words += len(compiled.patterns.chars)

    # matching

    def occurrences(self, event: Any) -> list[Occurrence]:
        """Return where `event` has an instance of each pattern that it matches, in the order of subscribing.

        Start and end cut the text as a Python slice does. Of several instances it is the leftmost, and of those the
        shortest; a leading `*` makes it start where the text does. With `ignore_case` it is so in the folded text, and
        start and end are those of all characters of the original that have a part in it. An event given as bytes is
        counted in characters, too.
        """
        text = self._readable(event)
        slots = np.sort(self._match([event], 0).slots).tolist()
        return [Occurrence(self._catalog.id(slot), *self._span(slot, text)) for slot in slots]

    def stream(self) -> StreamMatcher:
        """Return a matcher for a text that arrives in chunks; it has the subscriptions as they are now.

        >>> matcher = PatternIndex({"s1": "song?blue", "s2": "pie*tea"}).stream()
        >>> matcher.feed("apple pie and a so"), matcher.feed("ng, blue? No: t"), matcher.feed("ea")
        ([], [], ['s2'])

        Whatever the chunks, the ids that `feed` returns, each once, are those that `match` finds in the whole text, and
        what the matcher keeps does not grow with the text. Whichever the method of the index, the patterns are first
        made into an automaton for streams, which for a million of them takes seconds; the index keeps that, and
        later streams share it, until a subscription comes or goes.
        """
        if self._plan is None:
            catalog = self._catalog
            slots = np.flatnonzero(~catalog.is_gone(np.arange(catalog.slots, dtype=np.int32))).astype(np.int32)
            texts = catalog.base.texts
            if catalog.removed or catalog.changed or catalog.tail_texts:
                texts = from_texts([catalog.text(slot) for slot in slots.tolist()])
            self._plan = plan(self._compile_many(texts), catalog.ids(slots), self._ignore_case)
        return StreamMatcher(self._plan)

    def _span(self, slot: int, text: Folding | str) -> tuple[int, int]:
        pattern = self._pattern(self._catalog.text(slot))
        if isinstance(text, Folding):
            return text.original(*span(pattern, align(pattern, text.folded).places))
        return span(pattern, align(pattern, text).places)

    def _parts(self, events: Any, batch: Batch) -> Iterator[Any]:
        return cut(events, batch)

    def _match(self, events: Any, position: int) -> Found:
        texts = reading.read(events, position)
        if self._ignore_case:
            texts = reading.folded(texts)
        hits = self._structure.match(texts)
        self._events += texts.count
        self._operations += hits.operations
        if len(self._lengths):
            hits = self._lengths.extend(hits, reading.measured(texts)[0])
        return Found(hits.ends, hits.payloads)

    def _explain(self, event: Any, text: str) -> Explanation:
        return Explanation(text, (report(text, self._pattern(text), self._readable(event)),))

    def _pattern(self, text: str) -> Pattern:
        pattern = parse(text, self._max_length)
        return pattern.folded() if self._ignore_case else pattern

    def _readable(self, event: Any) -> Folding | str:
        text = reading.text(event)
        return Folding(text) if self._ignore_case else text

    # figures, snapshots

    def _figures(self) -> Mapping[str, float]:
        details = {"atoms": self._words, **self._structure.stats()}
        details["clauses"] = len(self)
        details["bytes"] += self._lengths.bytes
        return details

    def _operation(self) -> str:
        return self._structure.operation

    def _renumber(self, slots: Int32) -> None:
        self._structure.renumber(slots)
        self._lengths.renumber(slots)

    def _options(self) -> dict[str, Any]:
        return {"ignore_case": self._ignore_case, "max_length": self._max_length, **self._method_options}

    def _arrays(self) -> Arrays:
        parts = {"structure": self._structure.arrays(), "lengths": self._lengths.arrays()}
        arrays = {f"{part}.{name}": array for part, found in parts.items() for name, array in found.items()}
        arrays["words"] = np.array([self._words], np.int64)
        return arrays

    def _restore(self, arrays: Arrays) -> None:
        structure = self.methods[self.method].structure
        self._structure = structure.from_arrays(below("structure", arrays), **self._method_options)
        self._lengths = LengthTable.from_arrays(below("lengths", arrays))
        self._words = int(arrays["words"][0])
