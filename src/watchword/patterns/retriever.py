"""REtriever: words in an automaton, found by sliding windows and recombined (Wang and Jacobsen 2004).

The class owns the automaton of words (`kernels.sequences.share_trie`), the trie of beginnings
(`beginnings`) and the accept records (`records`), where layout, invariant and cost
are told, and makes them grow: a kernel goes on until room runs out, says where it stopped, and is called again.
Matching is in `match`; its notes about a text live in the call.

The three methods of the paper differ in the rule by which phrases are cut into words; each has its class.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from watchword.arrays import Arrays, Int32, int32, int64, reserve
from watchword.index.hits import Hits
from watchword.kernels.patterns.retriever import records as kernels
from watchword.kernels.patterns.retriever.insert import delete_pattern, insert_patterns
from watchword.kernels.patterns.retriever.match import match_texts
from watchword.kernels.patterns.retriever.records import RECORD_WORDS, Records
from watchword.kernels.patterns.retriever.waits import new_scratch
from watchword.kernels.sequences import share_trie
from watchword.kernels.sequences.share_trie import KEY, PARENT, SHARE, STATE_WORDS, STATES, ShareTrie
from watchword.patterns.characters import scan, word_points
from watchword.patterns.outline import outline
from watchword.patterns.split import Splitting, score
from watchword.patterns.structure import Patterns, Structure
from watchword.strings import Strings

_WAYS = "way_"  # names the arrays of the trie of beginnings in a snapshot


class Retriever(Structure):
    """One automaton of words for all patterns, and one trie of how they begin, word by word.

    A word cut from a phrase has at least `min_word_len` characters, and a phrase is cut only where that shares more
    than `min_split_score` states more. This class cuts no phrase.
    """

    operation: ClassVar[str] = "states visited"
    splitting: ClassVar[str] = "none"

    def __init__(self, min_word_len: int = 2, min_split_score: int = 2) -> None:
        self._splitting = Splitting(self.splitting, min_word_len, min_split_score)
        self._trie = share_trie.new_trie()
        self._ways = share_trie.new_trie()
        self._records = kernels.new_records()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns one after the other in compiled code (INSERT)."""
        points, cuts = word_points(patterns)
        offsets, gaps, payloads = int64(patterns.offsets), int32(patterns.gaps), int32(payloads)
        last = reserve(self._records.last, int(payloads.max(initial=-1)) + 1, -1)
        self._records = self._records._replace(last=last)
        rows = (offsets, cuts, points, gaps, payloads)
        done = 0
        while True:
            done = insert_patterns(self._trie, self._ways, self._records, *rows, done, *self._splitting.numbers)
            if done == len(payloads):
                return
            most = int(cuts[offsets[done + 1]] - cuts[offsets[done]])
            self._trie = share_trie.grown(self._trie, most)
            self._ways = share_trie.grown(self._ways, 2 * most)
            self._records = kernels.with_room(self._records)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern: its record, and every state that only it needed (DELETE)."""
        points, cuts = word_points(pattern)
        known = 0 <= payload < len(self._records.last)
        row = (cuts, points, int32(pattern.gaps), payload)
        if not known or not delete_pattern(self._trie, self._ways, self._records, *row):
            raise KeyError(payload)

    def match(self, texts: Strings) -> Hits:
        """Find words by sliding windows and recombine them (MATCH)."""
        return scan(texts, new_scratch, partial(match_texts, self._trie, self._ways, self._records))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads in the records and in the table of subscriptions."""
        rows = self._record_rows()
        held = rows[:, kernels.PAYLOAD]
        known = (held >= 0) & (held < len(payloads))
        accepting = self._records.last[self._records.last >= 0]
        held[known] = payloads[held[known]]
        subscribed = held[accepting]
        last = np.full(int(subscribed.max(initial=-1)) + 1, -1, np.int32)
        last[subscribed] = accepting
        self._records = self._records._replace(last=last)

    def stats(self) -> Mapping[str, float]:
        """Return ``nodes`` (states but the initial one), ``shared_states`` (on the way of two words or more),
        ``postings`` (words, each accepted or half accepted), ``words_per_subscription`` and ``bytes``."""
        counts, states = self._records.counts, int(self._trie.figures[STATES])
        words, rows, ways = int(counts[kernels.WORDS]), int(counts[kernels.ROWS]), int(self._ways.figures[STATES])
        shares = share_trie.trimmed(self._trie).states[SHARE::STATE_WORDS]
        return {
            "nodes": states,
            "shared_states": int((shares > 1).sum()),
            "postings": words,
            "words_per_subscription": words / rows if rows else 0.0,
            "bytes": 4 * ((STATE_WORDS + 3) * (states + ways) + 2 * STATE_WORDS + (RECORD_WORDS + 1) * rows),
        }

    def split(self, phrase: str) -> list[str]:
        """Return the words into which `phrase` would be split if it were inserted now."""
        return self._splitting.words(self._trie, phrase)

    def score(self, word: str) -> int:
        """Return how many states `word` would share if it were inserted now (GETSCORE)."""
        return score(self._trie, word)

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the automaton, as Figure 1 has it."""
        accepted: dict[int, list[str]] = defaultdict(list)
        half: dict[int, list[str]] = defaultdict(list)
        for payload, state, *before in self._words():
            accepted[state].append(name(payload))
            for earlier in before:
                half[earlier].append(name(payload))
        return outline(self._trie, {"accept": accepted.__getitem__, "half": half.__getitem__})

    def arrays(self) -> Arrays:
        """Return the state; the arrays share memory with the automaton."""
        ways = {_WAYS + field: array for field, array in share_trie.trimmed(self._ways)._asdict().items()}
        return share_trie.trimmed(self._trie)._asdict() | ways | kernels.trimmed(self._records)._asdict()

    @classmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the automaton that `arrays` describes."""
        made = cls(**options)
        made._trie = ShareTrie(*(np.asarray(arrays[field]) for field in ShareTrie._fields))
        made._ways = ShareTrie(*(np.asarray(arrays[_WAYS + field]) for field in ShareTrie._fields))
        made._records = Records(*(np.asarray(arrays[field]) for field in Records._fields))
        return made

    def _record_rows(self) -> Int32:
        """Return a row per record ever used; it shares memory with the records."""
        return kernels.trimmed(self._records).words.reshape(-1, RECORD_WORDS)

    def _words(self) -> Iterator[list[int]]:
        """Yield each payload and the states of its words, from the last to the first."""
        ways = share_trie.trimmed(self._ways).states.reshape(-1, STATE_WORDS)
        for row in self._record_rows().tolist():
            if row[kernels.PAYLOAD] >= 0:
                told, beginning = [row[kernels.PAYLOAD]], row[kernels.BEGINNING]
                while beginning > 0:
                    told.append(int(ways[beginning, KEY]))
                    beginning = ways[ways[beginning, PARENT], PARENT]
                yield told


class SingleRetriever(Retriever):
    """A `Retriever` that may cut a phrase at one place (SINGLESPLIT)."""

    splitting: ClassVar[str] = "single"


class MultiRetriever(Retriever):
    """A `Retriever` that may cut a phrase at several places (MULTIPLESPLIT)."""

    splitting: ClassVar[str] = "multi"
