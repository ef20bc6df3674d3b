"""`KeywordIndex`: the class that users make."""

from __future__ import annotations

import pyarrow as pa

from watchword.errors import OptionError
from watchword.index import Index, Key, reads
from watchword.keywords.language import Keywords


class KeywordIndex(Index[Key]):
    """Saved searches over text: terms, phrases, AND, OR, NOT.

    >>> index = KeywordIndex({"s1": "greece AND (crisis OR bailout) NOT imf", "s2": '"debt crisis"'})
    >>> index.match("Greece: a debt crisis, then a bailout")
    ['s1', 's2']
    >>> print(index.explain("Greece and the IMF agree on a bailout", "s1"))
    no match: forbidden imf in: greece AND bailout AND NOT imf (nearest of 2 clauses)

    Options of every method (`keywords.options` has the defaults):

    - `stop_words`: words that are left out of subscriptions and events
    - `stemmer`: a Snowball language, by whose stems words are compared
    - `fold_accents`: compare without accents, café is cafe
    - `cjk`: "bigrams" reads Chinese, Japanese and Korean by pairs of characters
    - `literal_operators`: lower-case and, or, not are words, and not refused between words
    - `max_clauses`, `max_work`, `max_terms`, `max_term_bytes`, `max_depth`: what one subscription may cost

    Options of a method: `order` and `ranking` for the tries, `ranking` for `brute-ordered`, `capacity`, `vocabulary`,
    `ranking` and `block` for `compact-count`, `block` for `compact-trie`, `storage` for `poset`.
    """

    plug = Keywords
    _plugged: Keywords

    @reads
    def draw(self) -> str:
        """Return a drawing of what the method has built, if it can be drawn: `auto`, the tries and `poset`.

        Numbers in brackets are subscriptions, counted from 0 in the order of subscribing.

        >>> print(KeywordIndex({"s1": "greece crisis", "s2": "greece imf"}, method="trie").draw())
        greece
          crisis [0]
          imf [1]
        """
        if not hasattr(self._plugged.structure, "draw"):
            raise OptionError(f"{self.method} is lists, which have no drawing; auto, the tries and poset have one")
        drawing: str = self._plugged.structure.draw(self._plugged.vocabulary.text)
        return drawing

    @reads
    def per_term(self) -> pa.Table:
        """Return how many postings or nodes each term has, in the order of their numbers: that of `ranking`, if given.

        >>> index = KeywordIndex({"s1": "greece crisis", "s2": "greece imf"}, method="trie")
        >>> index.per_term().to_pydict()
        {'term': ['greece', 'crisis', 'imf'], 'entries': [1, 1, 1]}
        """
        entries = self._plugged.structure.per_atom()
        vocabulary = self._plugged.vocabulary
        names = [vocabulary.text(number) for number in range(len(entries))]
        return pa.table({"term": pa.array(names, pa.string()), "entries": pa.array(entries)})
