"""What every method of the pattern language must be: a store of words with gaps between them.

Above this line live text, ids, escapes, case and patterns without a word; below it a pattern is a row of *words*
(literal runs, as UTF-8 bytes) with a *gap* before each and one behind the last, and a *payload*, an int32 that the
structure hands back untouched when a text holds an instance of the pattern. A payload belongs to one row at a time.

Gaps and positions count characters (code points), never bytes. A gap is ``2 * questions + star``: exactly
`questions` characters where `star` is 0, at least that many where it is 1. A pattern may start anywhere and end
anywhere, so the first and the last gap never have a star: they only say how many characters must exist there.

A row matches a text if there is one choice of an occurrence for each word such that all gaps hold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, Int64
from watchword.index.hits import Hits
from watchword.strings import Strings


class Patterns(NamedTuple):
    """Patterns in flat arrays, each with at least one word.

    Pattern `i` has the words ``offsets[i]`` to ``offsets[i + 1]``; word `j` is ``data[cuts[j]:cuts[j + 1]]``, never
    empty, of ``chars[j]`` characters. The gap before word `j` of pattern `i` is ``gaps[j + i]``, and the one behind
    its last word ``gaps[offsets[i + 1] + i]``: a pattern has one gap more than words.
    """

    offsets: Int64
    cuts: Int64
    data: npt.NDArray[np.uint8]
    chars: Int32
    gaps: Int32

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Structure(ABC):
    """A mutable set of ``(pattern, payload)`` that finds the patterns of which a text holds an instance."""

    operation: ClassVar[str]
    """What `Hits.operations` counts, as a plural noun: ``"states visited"``."""

    @abstractmethod
    def add(self, patterns: Patterns, payloads: Int32) -> None:
        """Add patterns, one or millions, on top of those already there."""

    @abstractmethod
    def remove(self, pattern: Patterns, payload: int) -> None:
        """Remove the one pattern that was added with this payload; a `KeyError` if there is none such."""

    @abstractmethod
    def match(self, texts: Strings) -> Hits:
        """Find the patterns in each text (valid UTF-8). Changes nothing: several threads may call it at once."""

    @abstractmethod
    def renumber(self, payloads: Int32) -> None:
        """Replace every payload `p` by ``payloads[p]``."""

    @abstractmethod
    def stats(self) -> Mapping[str, float]:
        """Return the method's figures; always among them ``bytes`` (in use, spare capacity left out)."""

    @abstractmethod
    def arrays(self) -> Arrays:
        """Return the whole state as flat arrays, trimmed to what is in use, for a snapshot."""

    @classmethod
    @abstractmethod
    def from_arrays(cls, arrays: Arrays, **options: Any) -> Self:
        """Return the structure that `arrays` describes. The arrays may be private memory maps: reading one
        page costs one page, writing is allowed and stays in this process."""
