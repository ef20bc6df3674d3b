"""Recombination going forward: the subscriptions' words and gaps in a trie of shared beginnings.

Layout, invariant and cost are told in `beginnings`, `records` and `waits` of `kernels.patterns.retriever`. The class
makes the arrays grow: a kernel goes on until room runs out, says where it stopped, and is called again. What it notes
about a text lives in the call.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from watchword.arrays import Arrays, Int32, prefixed, reserve, under
from watchword.index.hits import Hits
from watchword.kernels.patterns.point_rows import PointRows
from watchword.kernels.patterns.retriever import match as matching
from watchword.kernels.patterns.retriever import records as kernels
from watchword.kernels.patterns.retriever.insert import delete_pattern, insert_patterns
from watchword.kernels.patterns.retriever.records import RECORD_WORDS, Records
from watchword.kernels.patterns.retriever.splitting import SplitRule
from watchword.kernels.patterns.retriever.waits import new_scratch
from watchword.kernels.sequences import share_trie
from watchword.kernels.sequences.share_trie import KEY, PARENT, STATE_WORDS, STATES
from watchword.patterns.characters import scan
from watchword.patterns.retriever.recombination import Figures, Recombination, renumber_records
from watchword.strings import Strings


class Beginnings(Recombination):
    """One trie of the beginnings of subscriptions, word by word, with an accept record for each whole one."""

    def __init__(self) -> None:
        super().__init__()
        self._beginnings = share_trie.new_trie()
        self._records = kernels.new_records()

    def insert(self, rows: PointRows, payloads: Int32, rule: SplitRule) -> None:
        """Insert patterns one after the other in compiled code (INSERT)."""
        last = reserve(self._records.last, int(payloads.max(initial=-1)) + 1, -1)
        self._records = self._records._replace(last=last)
        done = 0
        while True:
            structure = tuple(self.trie), tuple(self._beginnings), tuple(self._records)
            done = insert_patterns(*structure, tuple(rows), payloads, tuple(rule), done)
            if done == len(payloads):
                return
            first, stop = rows.word_offsets[rows.offsets[done : done + 2]].tolist()
            self.trie = share_trie.grown(self.trie, stop - first)
            self._beginnings = share_trie.grown(self._beginnings, 2 * (stop - first))
            self._records = kernels.with_room(self._records)

    def delete(self, row: PointRows, payload: int) -> bool:
        """Delete a pattern's record, and every state and beginning that only it needed (DELETE)."""
        known = 0 <= payload < len(self._records.last)
        structure = tuple(self.trie), tuple(self._beginnings), tuple(self._records)
        return known and bool(delete_pattern(*structure, tuple(row), payload))

    def match(self, texts: Strings) -> tuple[Hits, int]:
        """Find words by sliding windows; a word that some beginning waits for makes it longer."""
        return scan(texts, matching.match, (self.trie, self._beginnings, self._records), new_scratch)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads in the records and in the table of subscriptions."""
        last = renumber_records(self._rows()[:, kernels.PAYLOAD], self._records.last, payloads)
        self._records = self._records._replace(last=last)

    def words(self) -> Iterator[list[int]]:
        """Yield each payload and the states of its words, read off its beginning."""
        beginnings = share_trie.trimmed(self._beginnings).states.reshape(-1, STATE_WORDS)
        for row in self._rows().tolist():
            if row[kernels.PAYLOAD] >= 0:
                told, beginning = [row[kernels.PAYLOAD]], row[kernels.BEGINNING]
                while beginning > 0:
                    told.append(int(beginnings[beginning, KEY]))
                    beginning = beginnings[beginnings[beginning, PARENT], PARENT]
                yield told

    def figures(self) -> Figures:
        """Return the figures; nodes are beginnings and waits."""
        words, rows = int(self._records.counts[kernels.WORDS]), int(self._records.counts[kernels.ROWS])
        nodes = int(self._beginnings.figures[STATES])
        used = 4 * ((STATE_WORDS + 3) * nodes + STATE_WORDS + (RECORD_WORDS + 1) * rows)
        return Figures(rows, words, nodes, used)

    def arrays(self) -> Arrays:
        """Return the state."""
        trie, beginnings = share_trie.trimmed(self.trie), share_trie.trimmed(self._beginnings)
        return (
            prefixed("automaton", trie._asdict())
            | prefixed("beginnings", beginnings._asdict())
            | prefixed("records", kernels.trimmed(self._records)._asdict())
        )

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.trie = share_trie.saved_trie(under("automaton", arrays))
        self._beginnings = share_trie.saved_trie(under("beginnings", arrays))
        self._records = Records(*(np.asarray(under("records", arrays)[field]) for field in Records._fields))

    def _rows(self) -> Int32:
        """Return a row per record ever used; it shares memory with the records."""
        return kernels.trimmed(self._records).words.reshape(-1, RECORD_WORDS)
