"""A duel of any pattern structure against `re`, with a parser of patterns of its own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from watchword.index.hits import Hits
from watchword.patterns.retriever import MultiRetriever, Retriever, SingleRetriever
from watchword.patterns.rows import Patterns, PatternStructure
from watchword.strings import Strings, from_texts

RETRIEVERS: dict[str, Callable[..., Retriever]] = {
    f"{made.splitting}-{recombination}": partial(made, recombination=recombination)
    for made in (Retriever, SingleRetriever, MultiRetriever)
    for recombination in ("beginnings", "records")
}
"""The three ways to split, each with both ways to recombine."""


def parsed(pattern: str) -> tuple[list[str], list[int]]:
    """Return the words of a pattern and the gaps around them, as `Patterns` has them."""
    words: list[str] = []
    gaps = [0]
    fresh, escaped = True, False
    for character in pattern:
        if not escaped and character == "\\":
            escaped = True
        elif not escaped and character in "?*":
            if not fresh:
                gaps.append(0)
            fresh = True
            gaps[-1] = gaps[-1] + 2 if character == "?" else gaps[-1] | 1
        else:
            if fresh:
                words.append("")
            words[-1] += character
            fresh = escaped = False
    if not fresh:
        gaps.append(0)
    gaps[0] &= ~1  # a pattern starts and ends anywhere
    gaps[-1] &= ~1
    assert words and len(gaps) == len(words) + 1
    return words, gaps


def patterns_of(texts: Iterable[str]) -> Patterns:
    """Return patterns, each with a word, in flat arrays."""
    rows = [parsed(text) for text in texts]
    words = [word for row, _ in rows for word in row]
    raw = [word.encode("utf-8", "surrogatepass") for word in words]
    return Patterns(
        offsets=np.cumsum([0] + [len(row) for row, _ in rows]).astype(np.int64),
        word_offsets=np.cumsum([0] + [len(piece) for piece in raw]).astype(np.int64),
        data=np.frombuffer(bytearray(b"".join(raw)), np.uint8),
        chars=np.array([len(word) for word in words], np.int32),
        gaps=np.array([gap for _, row in rows for gap in row], np.int32),
    )


def strings(*texts: str) -> Strings:
    return from_texts(texts)


def int32(values: Iterable[int]) -> Any:
    return np.array(list(values), np.int32)


@cache
def regex(pattern: str) -> re.Pattern[str]:
    """Return the regular expression that finds an instance of a pattern in a text."""
    parts = re.findall(r"\\.|.", pattern, re.DOTALL)
    wild = {"?": ".", "*": ".*?"}
    return re.compile("".join(wild.get(part) or re.escape(part[-1]) for part in parts), re.DOTALL)


def found(hits: Hits) -> list[list[int]]:
    """Return each text's payloads, sorted; a payload reported twice shows."""
    return [sorted(hits.payloads[a:b].tolist()) for a, b in pairwise(hits.offsets.tolist())]


def filled(structure: PatternStructure, *patterns: str) -> PatternStructure:
    """Add patterns under the payloads 0, 1, 2…, one after the other."""
    for payload, pattern in enumerate(patterns):
        structure.add(patterns_of([pattern]), int32([payload]))
    return structure


def matching(structure: PatternStructure, text: str) -> list[int]:
    return found(structure.match(strings(text)))[0]


def reopened(structure: PatternStructure, make: Callable[..., PatternStructure], **options: Any) -> PatternStructure:
    """Return an independent copy by way of a snapshot's arrays."""
    structure.condense()
    made = make(**options)
    made.restore({name: array.copy() for name, array in structure.arrays().items()})
    return made


class _Duel:
    """One structure beside a dict; every step is done to both."""

    def __init__(
        self, make: Callable[..., PatternStructure], seed: int, alphabet: str, options: dict[str, Any]
    ) -> None:
        self.make, self.options, self.alphabet = make, options, alphabet
        self.structure = make(**options)
        self.random = random.Random(seed)
        self.patterns: dict[int, str] = {}
        self.next_payload = 0

    def literals(self, least: int, most: int) -> str:
        return "".join(self.random.choices(self.alphabet, k=self.random.randint(least, most)))

    def pattern(self) -> str:
        wild = ["?", "*", "??", "?*", "*?", "*?*", "???"]
        parts = [self.random.choice(["", "", "", *wild])]
        for _ in range(self.random.choice([1, 1, 2, 2, 3, 4])):
            parts += [self.literals(1, self.random.choice([1, 2, 6])), self.random.choice(wild)]
        parts[-1] = self.random.choice(["", "", "", *wild])
        return "".join(parts)

    def add(self) -> None:
        rows = {}
        for _ in range(self.random.choice([0, 1, 1, 4, 40])):
            self.next_payload += self.random.choice([1, 1, 1, 5])
            rows[self.next_payload] = self.pattern()
        self.structure.add(patterns_of(rows.values()), int32(rows))
        self.patterns |= rows

    def remove(self) -> None:
        share = self.random.choice([0.05, 0.3, 0.9, 1.0])
        for payload in self.random.sample(sorted(self.patterns), int(share * len(self.patterns))):
            self.structure.remove(patterns_of([self.patterns.pop(payload)]), payload)

    def refuse(self) -> None:
        """A pattern without its payload, a payload without its pattern: nothing may change."""
        wrong = [(self.pattern(), self.next_payload + 1), ("a", 10**6), ("a", -1)]
        for payload in self.random.sample(sorted(self.patterns), min(3, len(self.patterns))):
            own = parsed(self.patterns[payload])
            changed = [self.patterns[payload] + "a", "a" + self.patterns[payload], self.pattern()]
            wrong += [(other, payload) for other in changed if parsed(other) != own]
        for pattern, payload in wrong:
            try:
                self.structure.remove(patterns_of([pattern]), payload)
            except KeyError:
                continue
            raise AssertionError(f"removed {payload} as {pattern!r}, which it is not")

    def renumber(self) -> None:
        changed = list(range(self.next_payload + 1))
        self.random.shuffle(changed)
        self.structure.renumber(int32(changed))
        self.patterns = {changed[payload]: pattern for payload, pattern in self.patterns.items()}

    def reopen(self) -> None:
        self.structure = reopened(self.structure, self.make, **self.options)

    def match(self) -> None:
        texts = ["", *(self.literals(0, most) for most in (2, 5, 12, 30))]
        hits = self.structure.match(strings(*texts))
        asked = {payload: regex(pattern) for payload, pattern in self.patterns.items()}
        expected = [sorted(p for p, expression in asked.items() if expression.search(text)) for text in texts]
        assert found(hits) == expected, (self.patterns, texts)


def duel(
    make: Callable[..., PatternStructure], seed: int, alphabet: str = "abé東", steps: int = 40, **options: Any
) -> None:
    """Interleave adding, removing, renumbering, reopening and matching, at random. In the end all patterns go."""
    both = _Duel(make, seed, alphabet, options)
    kinds = [both.add, both.add, both.remove, both.refuse, both.renumber, both.reopen]
    for _ in range(steps):
        both.random.choice(kinds)()
        both.match()
    for payload, pattern in both.patterns.items():
        both.structure.remove(patterns_of([pattern]), payload)
    both.patterns.clear()
    both.match()
    both.reopen()  # an index that tidies up later does it now
    left = both.structure.stats()
    assert (left["nodes"], left["postings"], left.get("shared_states", 0)) == (0, 0, 0)
    both.add()
    both.match()
