"""The pattern language as it plugs into an index.

A pattern is an atom by itself: phase one, reading, finds the patterns that occur in a text, and phase two has nothing
left to do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from watchword.arrays import Int32
from watchword.index import EventKind, Explanation, Language, Method, method_table
from watchword.index.covering import Steps
from watchword.index.hits import Hits, united
from watchword.index.places import Place, Placing
from watchword.index.texts import texts_of_one
from watchword.options import Option
from watchword.parts import Counters
from watchword.patterns import texts as reading
from watchword.patterns.alignment import Folding, place_of
from watchword.patterns.compiler import Compiled, Compiler
from watchword.patterns.covering import implies, refutes
from watchword.patterns.explaining import report
from watchword.patterns.keyed.structure import KeyedPatterns
from watchword.patterns.lengths import LengthTable
from watchword.patterns.options import METHOD_OPTIONS, OPTIONS
from watchword.patterns.query import Pattern, parse
from watchword.patterns.stream import Plan, plan
from watchword.strings import Strings

_STRUCTURES = {
    "auto": "watchword.patterns.keyed.structure:KeyedPatterns",
    "naive": "watchword.patterns.naive:Naive",
    "nfa": "watchword.patterns.nfa:Nfa",
    "retriever-none": "watchword.patterns.retriever:Retriever",
    "retriever-single": "watchword.patterns.retriever:SingleRetriever",
    "retriever-multi": "watchword.patterns.retriever:MultiRetriever",
}


class PatternLanguage(Language):
    """Words with gaps between them, found anywhere in a text."""

    name = "patterns"
    reads = EventKind(several_texts=True)
    options: ClassVar[Mapping[str, Option]] = OPTIONS
    methods: ClassVar[Mapping[str, Method]] = method_table(_STRUCTURES, METHOD_OPTIONS)

    def __init__(self, method: str, options: Mapping[str, Any]) -> None:
        super().__init__(method, options)
        self._ignore_case, self._max_length = bool(options["ignore_case"]), int(options["max_length"])
        self._compiler = Compiler(self._ignore_case, self._max_length)
        self._lengths = LengthTable()
        self._counts = {"patterns": 0, "words": 0}
        self.parts |= {"lengths": self._lengths, "counters": Counters(self._counts)}
        self._plan: Plan | None = None  # of streams, until a subscription comes or goes

    def compile(self, texts: Strings) -> Compiled:
        """Return patterns ready to be stored."""
        return self._compiler.compile(texts)

    def compile_one(self, text: str) -> Compiled:
        """Return one pattern, or raise as the parser does."""
        if not isinstance(text, str):
            parse(text, self._max_length)
        compiled: Compiled = super().compile_one(text)
        return compiled

    def add(self, slots: Int32, compiled: Compiled) -> None:
        """Store patterns, those without a word by the length that they ask for."""
        self._plan = None
        if len(compiled.blanks):
            self._lengths.add(slots[compiled.blanks], compiled.minimums)
        if len(compiled.rows):
            self.structure.add(compiled.patterns, slots[compiled.rows])
        self._count(compiled, 1)

    def remove(self, slot: int, text: str) -> None:
        """Remove the pattern of a slot."""
        self._plan = None
        compiled = self.compile_one(text)
        if len(compiled.blanks):
            self._lengths.remove(slot)
        else:
            self.structure.remove(compiled.patterns, slot)
        self._count(compiled, -1)

    def _count(self, compiled: Compiled, by: int) -> None:
        self._counts["patterns"] += by * (len(compiled.rows) + len(compiled.blanks))
        self._counts["words"] += by * len(compiled.patterns.chars)

    def read(self, events: Any, position: int) -> Hits:
        """Return the patterns that each text holds."""
        texts, groups = reading.read(events, position)
        if self._ignore_case:
            texts = reading.casefold(texts)
        hits: Hits = self.structure.match(texts)
        if len(self._lengths):
            hits = self._lengths.extend(hits, reading.count_characters(texts)[0])
        return hits if groups is None else united(hits, groups)

    def find_one(self, event: Any) -> tuple[Int32, int]:
        """Match one text, without the arrays of a batch if possible."""
        plain = type(event) is str and not self._ignore_case and not len(self._lengths)
        if plain and isinstance(self.structure, KeyedPatterns):
            found = self.structure.match_one(event.encode("utf-8", "surrogatepass"))
            if found is not None:
                return found
        return super().find_one(event)

    def find(self, holding: Hits) -> Hits:
        """Return the patterns as they are: each is a subscription."""
        return holding

    def explain(self, event: Any, text: str) -> Explanation:
        """Return the positions of the pattern's pieces, or the piece that was not found."""
        pattern = self.pattern(text)
        texts = texts_of_one(event, 0) if isinstance(event, Mapping) else [event]
        reports = [report(text, pattern, self.readable(one)) for one in texts or [""]]
        return Explanation(text, (next((one for one in reports if one.held), reports[0]),))

    def placing(self, event: Any) -> Placing:
        """Return an event as it is asked where a pattern's instance stands in each of its texts."""
        texts: dict[str | None, Folding | str]
        if isinstance(event, Mapping):
            texts_of_one(event, 0)  # which raises
            texts = {str(name): self.readable(text) for name, text in event.items() if text is not None}
        else:
            texts = {None: self.readable(event)}

        def places(text: str) -> Iterator[Place]:
            pattern = self.pattern(text)
            for name, readable in texts.items():
                found = place_of(pattern, readable)
                if found is not None:
                    yield Place(*found, name)

        return Placing(places, list(texts).index)

    def asked(self, text: str) -> Pattern:
        """Return a pattern as `implies` takes it."""
        return self.pattern(text)

    def implies(self, narrow: Pattern, wide: Pattern, steps: Steps) -> bool:
        """Return whether every text with a pattern is proven to have another."""
        return implies(narrow, wide, steps)

    def refutes(self, narrow: Pattern, wide: Pattern, steps: Steps) -> bool:
        """Return whether a text is found that has a pattern and not another."""

        def found(pattern: Pattern, text: str) -> bool:
            return place_of(pattern, self.readable(text)) is not None

        return refutes(narrow, wide, steps, found)

    def figures(self) -> Mapping[str, int]:
        """Return patterns as clauses, and the words of all of them as atoms."""
        return {"clauses": self._counts["patterns"], "atoms": self._counts["words"]}

    # for what a pattern index has besides

    def pattern(self, text: str) -> Pattern:
        """Return a subscription's pattern, case-folded if the index ignores case."""
        pattern = parse(text, self._max_length)
        return pattern.folded() if self._ignore_case else pattern

    def readable(self, event: Any) -> Folding | str:
        """Return an event's text, with its folding if the index ignores case."""
        text = reading.text(event)
        return Folding(text) if self._ignore_case else text

    def plan(self, texts: Strings, ids: Any) -> Plan:
        """Return the plan for streams, made once and dropped when a pattern is added or removed."""
        made = self._plan
        if made is None:
            made = self._plan = plan(self.compile(texts), ids, self._ignore_case)
        return made
