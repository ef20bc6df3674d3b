"""REtriever: words in an automaton, found by sliding windows and recombined (Wang and Jacobsen 2004).

The class owns the automaton of words (`kernels.sequences.share_trie`), the trie of beginnings and the accept records
(`beginnings` and `records` in `kernels.patterns.retriever`, where layout, invariant and cost are told), and makes them
grow: a kernel goes on until room runs out, says where it stopped, and is called again. Its notes about a text live in
the call.

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
from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

import numpy as np

from watchword.arrays import Arrays, Int32, int32, prefixed, reserve, under
from watchword.index.hits import Hits
from watchword.kernels.patterns.retriever import match as matching
from watchword.kernels.patterns.retriever import records as kernels
from watchword.kernels.patterns.retriever.insert import delete_pattern, insert_patterns
from watchword.kernels.patterns.retriever.records import RECORD_WORDS, Records
from watchword.kernels.patterns.retriever.waits import new_scratch
from watchword.kernels.sequences import share_trie
from watchword.kernels.sequences.share_trie import KEY, PARENT, SHARE, STATE_WORDS, STATES
from watchword.patterns.characters import point_rows, scan
from watchword.patterns.outline import outline
from watchword.patterns.rows import Patterns, PatternStructure
from watchword.patterns.split import Splitting, score
from watchword.strings import Strings


class Retriever(PatternStructure):
    """One automaton of words for all patterns, and one trie of how they begin, word by word.

    A word cut from a phrase has at least `min_word_len` characters, and a phrase is cut only where that shares more
    than `min_split_score` states more. This class cuts no phrase.
    """

    operation: ClassVar[str] = "states visited"
    splitting: ClassVar[str] = "none"

    def __init__(self, min_word_len: int = 2, min_split_score: int = 2) -> None:
        self._splitting = Splitting(self.splitting, min_word_len, min_split_score)
        self._trie = share_trie.new_trie()
        self._beginnings = share_trie.new_trie()
        self._records = kernels.new_records()

    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns one after the other in compiled code (INSERT)."""
        rows, payloads, rule = point_rows(patterns), int32(payloads), tuple(self._splitting.kernel_rule)
        last = reserve(self._records.last, int(payloads.max(initial=-1)) + 1, -1)
        self._records = self._records._replace(last=last)
        done = 0
        while True:
            structure = tuple(self._trie), tuple(self._beginnings), tuple(self._records)
            done = insert_patterns(*structure, tuple(rows), payloads, rule, done)
            if done == len(payloads):
                return
            first, stop = rows.word_offsets[rows.offsets[done : done + 2]].tolist()
            self._trie = share_trie.grown(self._trie, stop - first)
            self._beginnings = share_trie.grown(self._beginnings, 2 * (stop - first))
            self._records = kernels.with_room(self._records)

    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove a pattern: its record, and every state that only it needed (DELETE)."""
        known = 0 <= payload < len(self._records.last)
        structure = tuple(self._trie), tuple(self._beginnings), tuple(self._records)
        if not known or not delete_pattern(*structure, tuple(point_rows(pattern)), payload):
            raise KeyError(payload)

    def match(self, texts: Strings) -> Hits:
        """Find words by sliding windows and recombine them (MATCH)."""
        return scan(texts, matching.match, (self._trie, self._beginnings, self._records), new_scratch)

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
        words, rows = int(counts[kernels.WORDS]), int(counts[kernels.ROWS])
        both = states + int(self._beginnings.figures[STATES])
        shares = share_trie.trimmed(self._trie).states[SHARE::STATE_WORDS]
        return {
            "nodes": states,
            "shared_states": int((shares > 1).sum()),
            "postings": words,
            "words_per_subscription": words / rows if rows else 0.0,
            "bytes": 4 * ((STATE_WORDS + 3) * both + 2 * STATE_WORDS + (RECORD_WORDS + 1) * rows),
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
        trie, beginnings = share_trie.trimmed(self._trie), share_trie.trimmed(self._beginnings)
        return (
            prefixed("automaton", trie._asdict())
            | prefixed("beginnings", beginnings._asdict())
            | prefixed("records", kernels.trimmed(self._records)._asdict())
        )

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self._trie = share_trie.saved_trie(under("automaton", arrays))
        self._beginnings = share_trie.saved_trie(under("beginnings", arrays))
        self._records = Records(*(np.asarray(under("records", arrays)[field]) for field in Records._fields))

    def _record_rows(self) -> Int32:
        """Return a row per record ever used; it shares memory with the records."""
        return kernels.trimmed(self._records).words.reshape(-1, RECORD_WORDS)

    def _words(self) -> Iterator[list[int]]:
        """Yield each payload and the states of its words, from the last to the first."""
        beginnings = share_trie.trimmed(self._beginnings).states.reshape(-1, STATE_WORDS)
        for row in self._record_rows().tolist():
            if row[kernels.PAYLOAD] >= 0:
                told, beginning = [row[kernels.PAYLOAD]], row[kernels.BEGINNING]
                while beginning > 0:
                    told.append(int(beginnings[beginning, KEY]))
                    beginning = beginnings[beginnings[beginning, PARENT], PARENT]
                yield told


class SingleRetriever(Retriever):
    """A `Retriever` that may cut a phrase at one place (SINGLESPLIT)."""

    splitting: ClassVar[str] = "single"


class MultiRetriever(Retriever):
    """A `Retriever` that may cut a phrase at several places (MULTIPLESPLIT)."""

    splitting: ClassVar[str] = "multi"
