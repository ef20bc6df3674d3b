"""Recombination as published: a record for each word of each subscription, followed backwards (sections 3.2 and 3.3).

Layout, invariant and cost are told in `word_records` and `match_records` of `kernels.patterns.retriever`. The class
makes the arrays grow: a kernel goes on until room runs out, says where it stopped, and is called again. What it notes
about a text lives in the call.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from watchword.arrays import Arrays, Int32, prefixed, reserve, under
from watchword.index.hits import Hits
from watchword.kernels.patterns.point_rows import PointRows
from watchword.kernels.patterns.retriever import match_records as matching
from watchword.kernels.patterns.retriever import word_records as kernels
from watchword.kernels.patterns.retriever.insert_records import delete_pattern, insert_patterns
from watchword.kernels.patterns.retriever.splitting import SplitRule
from watchword.kernels.patterns.retriever.word_records import RECORD_WORDS, WordRecords
from watchword.kernels.sequences import share_trie
from watchword.patterns.characters import scan
from watchword.patterns.retriever.recombination import Figures, Recombination, renumber_records
from watchword.strings import Strings


class RecordChains(Recombination):
    """Accept and half-accept records at the states; each subscription's are linked from the last to the first."""

    def __init__(self) -> None:
        super().__init__()
        self._records = kernels.new_records()

    def insert(self, rows: PointRows, payloads: Int32, rule: SplitRule) -> None:
        """Insert patterns one after the other in compiled code (INSERT)."""
        last = reserve(self._records.last, int(payloads.max(initial=-1)) + 1, -1)
        self._records = self._records._replace(last=last)
        done = 0
        while True:
            structure = tuple(self.trie), tuple(self._records)
            done = insert_patterns(*structure, tuple(rows), payloads, tuple(rule), done)
            if done == len(payloads):
                return
            first, stop = rows.word_offsets[rows.offsets[done : done + 2]].tolist()
            self.trie = share_trie.grown(self.trie, stop - first)
            self._records = kernels.with_room(self._records, stop - first)

    def delete(self, row: PointRows, payload: int) -> bool:
        """Delete a pattern's records, and the states that no other one uses (DELETE)."""
        known = 0 <= payload < len(self._records.last)
        return known and bool(delete_pattern(tuple(self.trie), tuple(self._records), tuple(row), payload))

    def match(self, texts: Strings) -> tuple[Hits, int]:
        """Find words by sliding windows, note where at their records, and go back from every accept record."""
        return scan(texts, matching.match, (self.trie, self._records), matching.new_scratch)

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads in the records and in the table of subscriptions."""
        last = renumber_records(self._rows()[:, kernels.PAYLOAD], self._records.last, payloads)
        self._records = self._records._replace(last=last)

    def words(self) -> Iterator[list[int]]:
        """Yield each payload and the states of its words, read off its records."""
        rows = self._rows().tolist()
        for record in self._records.last[self._records.last >= 0].tolist():
            told = [rows[record][kernels.PAYLOAD]]
            while record >= 0:
                told.append(rows[record][kernels.STATE])
                record = rows[record][kernels.PREVIOUS]
            yield told

    def figures(self) -> Figures:
        """Return the figures; records are not nodes."""
        words, rows = int(self._records.counts[kernels.WORDS]), int(self._records.counts[kernels.ROWS])
        return Figures(rows, words, 0, 4 * (RECORD_WORDS * words + rows))

    def arrays(self) -> Arrays:
        """Return the state."""
        trie = share_trie.trimmed(self.trie)
        return prefixed("automaton", trie._asdict()) | prefixed(
            "word_records", kernels.trimmed(self._records)._asdict()
        )

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        self.trie = share_trie.saved_trie(under("automaton", arrays))
        saved = under("word_records", arrays)
        self._records = WordRecords(*(np.asarray(saved[field]) for field in WordRecords._fields))

    def _rows(self) -> Int32:
        """Return a row per record ever used; it shares memory with the records."""
        return kernels.trimmed(self._records).words.reshape(-1, RECORD_WORDS)
