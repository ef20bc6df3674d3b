"""From text to terms, the same for subscriptions and items.

Text is folded and cut into runs as `text.folding` says; stop words are dropped, and the other words are stemmed if a
stemmer is named. `Analyzer.terms` does it in plain Python; the kernels must agree with it term for term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import EventError, OptionError
from watchword.kernels.text import scan as kernels
from watchword.kernels.text.characters import Unicode
from watchword.lazy import lazy
from watchword.strings import Strings, first_null, from_arrow, from_texts, one_chunk, to_arrow
from watchword.text.folding import Folding
from watchword.text.unicode import word_tables

INVALID = "invalid UTF-8; decode or repair the text before matching it"


_FOLDING = Folding()


class Tokens(NamedTuple):
    """The terms of many rows: row `i` has those from ``row_offsets[i]`` to ``row_offsets[i + 1]`` of `strings`."""

    strings: Strings
    row_offsets: Int64


class Analyzer:
    """Cuts text into terms.

    >>> Analyzer().terms("État-major: Straße_7!")
    ['état', 'major', 'strasse_7']
    >>> Analyzer(stop_words=["the"], stemmer="english").terms("The cats")
    ['cat']
    """

    def __init__(self, stop_words: Iterable[str] = (), stemmer: str | None = None, folding: Folding = _FOLDING) -> None:
        if isinstance(stop_words, str):
            raise OptionError(f"stop_words must be a collection of words, not the string {stop_words!r}")
        self.folding = folding
        folded = [term for word in stop_words for term in folding.runs(word)]
        self.stop_words = frozenset(folded)
        self.stemmer = stemmer
        self._stemmer = _snowball(stemmer) if stemmer is not None else None
        self.is_plain = not folded and stemmer is None
        """Whether a term is just a folded run of word characters."""

    def __reduce__(self) -> tuple[Any, ...]:
        return Analyzer, (sorted(self.stop_words), self.stemmer, self.folding)

    @lazy
    def tables(self) -> Unicode:
        """Return the Unicode tables for kernels."""
        return word_tables(self.folding)

    def terms(self, text: str) -> list[str]:
        """Return the terms of `text`, in order."""
        return self.refine(self.folding.runs(text))

    def refine(self, runs: list[str]) -> list[str]:
        """Drop stop words from folded runs and stem the rest."""
        if self.stop_words:
            runs = [run for run in runs if run not in self.stop_words]
        if self._stemmer is not None:
            runs = [term for term in self._stemmer.stemWords(runs) if term]
        return runs

    def terms_many(self, texts: Sequence[str] | pa.Array | pa.ChunkedArray) -> pa.ListArray:
        """Return the terms of many texts, by the compiled scanner, as a list array of strings."""
        column = one_chunk(texts) if isinstance(texts, pa.Array | pa.ChunkedArray) else None
        missing = texts.index(None) if column is None and None in texts else None
        if column is not None:
            missing = first_null(column)
        if missing is not None:
            raise EventError("it is null", position=missing)
        tokens = tokenize(from_texts(texts) if column is None else from_arrow(column), self.tables)
        if self.is_plain:
            return pa.LargeListArray.from_arrays(tokens.row_offsets, to_arrow(tokens.strings))
        rows = pairwise(tokens.row_offsets.tolist())
        refined = [self.refine([tokens.strings.text(i) for i in range(*row)]) for row in rows]
        return pa.array(refined, pa.large_list(pa.large_string()))


def tokenize(strings: Strings, tables: Unicode) -> Tokens:
    """Cut every row into folded runs, compiled. Invalid UTF-8 is an `EventError` that names the row."""
    row_offsets = np.zeros(strings.count + 1, np.int64)
    out, ends, count = kernels.tokenize(strings.data, strings.offsets, strings.surrogates, tables, row_offsets)
    if count < 0:
        raise EventError(INVALID, position=-1 - count)
    return Tokens(Strings(out, ends[: count + 1], strings.surrogates), row_offsets)


def _snowball(language: str) -> Any:
    try:
        import Stemmer
    except ImportError:
        raise OptionError("stemming needs PyStemmer: pip install 'watchword[stemming]'") from None
    if language not in Stemmer.algorithms():
        raise OptionError(f"no stemmer {language!r}; there are: {', '.join(Stemmer.algorithms())}")
    return Stemmer.Stemmer(language)
