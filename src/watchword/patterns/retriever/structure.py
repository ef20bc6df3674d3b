"""REtriever: words in an automaton, found by sliding windows and recombined (Wang and Jacobsen 2004).

The class says how phrases are cut into words and what they are called; the automaton of words
(`kernels.sequences.share_trie`) and what puts them together again belong to its `recombination`.

The three methods of the paper differ in the rule by which phrases are cut into words; each has its class. Figure 1 of
the paper, ``song?blue``, ``pie*tea`` and ``berry``, as `Retriever.draw` has it: "berry" shares a state with "blue", and
a word that is not the last of its subscription is half accepted::

    5 b ×2
      15 e
        16 r
          17 r
            18 y accept [berry]
      6 l
        7 u
          8 e accept [song?blue]
    9 p
      10 i
        11 e half [pie*tea]
    1 s
      2 o
        3 n
          4 g half [song?blue]
    12 t
      13 e
        14 a accept [pie*tea]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import ClassVar

from watchword.arrays import Arrays, Int32, int32
from watchword.index.hits import Hits
from watchword.kernels.sequences import share_trie
from watchword.kernels.sequences.share_trie import SHARE, STATE_WORDS, STATES
from watchword.patterns.characters import Work, point_rows
from watchword.patterns.outline import outline
from watchword.patterns.retriever.beginnings import Beginnings
from watchword.patterns.retriever.recombination import Recombination
from watchword.patterns.retriever.records import RecordChains
from watchword.patterns.rows import Patterns, PatternStructure
from watchword.patterns.split import Splitting, score
from watchword.strings import Strings

_RECOMBINATIONS: Mapping[str, type[Recombination]] = {"beginnings": Beginnings, "records": RecordChains}


class Retriever(PatternStructure):
    """One automaton of words for all patterns, and their recombination.

    A word cut from a phrase has at least `min_word_len` characters, and a phrase is cut only where that shares more
    than `min_split_score` states more. This class cuts no phrase.
    """

    operation: ClassVar[str] = "states visited and steps of recombination"
    splitting: ClassVar[str] = "none"

    def __init__(self, min_word_len: int = 2, min_split_score: int = 2, recombination: str = "beginnings") -> None:
        self._splitting = Splitting(self.splitting, min_word_len, min_split_score)
        self._words = _RECOMBINATIONS[recombination]()
        self._work = Work()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns one after the other in compiled code (INSERT)."""
        self._words.insert(point_rows(patterns), int32(payloads), self._splitting.kernel_rule)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern: its records, and the states that no other one uses (DELETE)."""
        if not self._words.delete(point_rows(pattern), payload):
            raise KeyError(payload)

    def match(self, texts: Strings) -> Hits:
        """Find words by sliding windows and recombine them (MATCH)."""
        return self._work.add(*self._words.match(texts))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        self._words.renumber(payloads)

    def stats(self) -> Mapping[str, float]:
        """Return the figures of the automaton.

        ``nodes`` are ``automaton_states`` (but the initial one) and ``beginnings`` (none with records);
        ``shared_states`` are on the way of two words or more; ``postings`` are words, each accepted or half accepted;
        ``visits_per_match`` and ``recombination_per_match`` say what the operations so far were.
        """
        states, figures = int(self._words.trie.figures[STATES]), self._words.figures()
        shares = share_trie.trimmed(self._words.trie).states[SHARE::STATE_WORDS]
        return {
            "nodes": states + figures.nodes,
            "automaton_states": states,
            "beginnings": figures.nodes,
            "shared_states": int((shares > 1).sum()),
            "postings": figures.words,
            "words_per_subscription": figures.words / figures.subscriptions if figures.subscriptions else 0.0,
            "visits_per_match": self._work.visits_per_match,
            "recombination_per_match": self._work.others_per_match,
            "bytes": 4 * ((STATE_WORDS + 3) * states + STATE_WORDS) + figures.bytes,
        }

    def split(self, phrase: str) -> list[str]:
        """Return the words into which `phrase` would be split if it were inserted now."""
        return self._splitting.words(self._words.trie, phrase)

    def score(self, word: str) -> int:
        """Return how many states `word` would share if it were inserted now (GETSCORE)."""
        return score(self._words.trie, word)

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the automaton, as Figure 1 has it."""
        accepted: dict[int, list[str]] = defaultdict(list)
        half: dict[int, list[str]] = defaultdict(list)
        for payload, state, *before in self._words.words():
            accepted[state].append(name(payload))
            for earlier in before:
                half[earlier].append(name(payload))
        return outline(self._words.trie, {"accept": accepted.__getitem__, "half": half.__getitem__})

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the automaton."""
        return self._words.arrays()

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._words.restore(arrays)


class SingleRetriever(Retriever):
    """A `Retriever` that may cut a phrase at one place (SINGLESPLIT)."""

    splitting: ClassVar[str] = "single"


class MultiRetriever(Retriever):
    """A `Retriever` that may cut a phrase at several places (MULTIPLESPLIT)."""

    splitting: ClassVar[str] = "multi"
