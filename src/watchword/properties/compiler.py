"""From the texts of subscriptions to rows of literals, a column at a time and without an object per row.

A row that the kernel refuses is parsed again in Python, for an error with the reason and the place.
"""

from __future__ import annotations

import numpy as np

from watchword.arrays import Int32, Int64, concatenated
from watchword.errors import SubscriptionError
from watchword.kernels.properties.parsing import parse
from watchword.properties.query import Declared
from watchword.sets.rows import Rows
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

_CHUNK = 1 << 16


class Compiler:
    """Compiles subscriptions over declared properties."""

    def __init__(self, declared: Declared, vocabulary: Vocabulary) -> None:
        self._declared, self._vocabulary = declared, vocabulary

    def compile(self, texts: Strings) -> Rows:
        """Return a row for each subscription, empty for one that asks nothing; an error names the row."""
        offsets: list[Int64] = [np.zeros(1, np.int64)]
        atoms: list[Int32] = []
        fill = 0
        for first in range(0, texts.count, _CHUNK):
            part = self._part(texts.part(first, min(first + _CHUNK, texts.count)), first)
            offsets.append(part.offsets[1:] + fill)
            atoms.append(part.atoms)
            fill += len(part.atoms)
        return Rows(concatenated(offsets, np.int64), concatenated(atoms, np.int32))

    def _part(self, texts: Strings, first: int) -> Rows:
        offsets = np.zeros(texts.count + 1, np.int64)
        atoms = np.empty(len(texts.data) + 1, np.int32)
        bad = parse(texts.data, texts.offsets, len(self._declared), self._vocabulary.known, offsets, atoms)
        if bad >= 0:
            self._refuse(texts, int(bad), first + int(bad))
        return Rows(offsets, atoms[: offsets[-1]].copy())

    def _refuse(self, texts: Strings, row: int, place: int) -> None:
        try:
            self._declared.parse(texts.text(row))
        except UnicodeDecodeError:
            raise SubscriptionError("column 'subscription' is not valid UTF-8", row=place) from None
        except SubscriptionError as error:
            raise error.at_row(place) from None
        raise SubscriptionError("it cannot be read", row=place)
