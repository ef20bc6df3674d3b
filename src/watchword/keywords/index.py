"""`KeywordIndex`: the class that users make."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from watchword.errors import OptionError
from watchword.index import Index, Key, as_reader
from watchword.index.places import MOST_PLACES, Occurrence
from watchword.keywords.language import Keywords

if TYPE_CHECKING:
    from collections.abc import Iterable

    from watchword.index import Subscriptions


class KeywordIndex(Index[Key]):
    """Saved searches over text: terms, phrases, AND, OR, NOT, wildcards, edits, distances and counts.

    >>> index = KeywordIndex({"s1": "greece AND (crisis OR bailout) NOT imf", "s2": '"debt crisis"'})
    >>> index.match("Greece: a debt crisis, then a bailout")
    ['s1', 's2']
    >>> print(index.explain("Greece and the IMF agree on a bailout", "s1"))
    no match: forbidden imf in: greece AND bailout AND NOT imf (nearest of 2 clauses)
    >>> index = KeywordIndex({"s1": "ferr* NEAR/3 storm", "s2": "harbor~1 OR 2 OF (rain, wind, fog)"})
    >>> index.match("The ferries and the storm"), index.match("Fog, no wind at the harbour")
    (['s1'], ['s2'])

    An event is a text, a mapping from names to several of them, or a list of terms, which is taken as it is. Options of
    every method, with their defaults:

    - `stop_words` (none): words that are left out of subscriptions and events
    - `stemmer` (None): a Snowball language, such as "english", by whose stems words are compared
    - `fold_accents` (False): compare without accents, café is cafe
    - `cjk` (None): "bigrams" reads Chinese, Japanese and Korean by pairs of characters
    - `literal_operators` (False): lower-case and, or, not are words, and not refused between words
    - `min_plain` (2): how many plain characters a word with wildcards must have
    - `max_clauses` (4,096), `max_work` (2,097,152): how many clauses OR and NOT may multiply into, in how many steps
    - `max_terms` (1,024), `max_term_bytes` (1,024): how many terms a subscription may have, and how long
    - `max_depth` (64): how deep parentheses and NOT may be nested

    Options of a method:

    - `order` ("rank"), for `trie` and `compact-trie`: the order of terms along a path; or "reverse-rank", "given"
    - `ranking` (none), for those, `brute-ordered` and `compact-count`: terms, the most frequent first
    - `capacity` (0.5), for `compact-count`: buckets, as a fraction of the vocabulary, or a number
    - `vocabulary` (0), for `compact-count`: how many terms there can be; 0 for those of `ranking`, or of the first load
    - `block` (25 for `compact-count`, 2 for `compact-trie`): how many postings or payloads a block has
    - `storage` ("whole"), for `poset`: what a set keeps; or "delta", what its subsets have not
    """

    plug = Keywords
    _plugged: Keywords

    if TYPE_CHECKING:  # for editors and type checkers; when it runs, `Index` takes and checks every option

        def __init__(
            self,
            subscriptions: Subscriptions[Key] | None = None,
            *,
            id: str | None = None,
            subscription: str | None = None,
            method: str
            | Literal[
                "auto", "brute", "brute-ordered", "inverted", "count", "compact-count", "trie", "compact-trie", "poset"
            ] = "auto",
            stop_words: Iterable[str] = (),
            stemmer: str | None = None,
            fold_accents: bool = False,
            cjk: Literal["bigrams"] | None = None,
            literal_operators: bool = False,
            min_plain: int = 2,
            max_clauses: int = 4096,
            max_work: int = 2_097_152,
            max_terms: int = 1024,
            max_term_bytes: int = 1024,
            max_depth: int = 64,
            ranking: Iterable[str] = ...,
            capacity: float = ...,
            vocabulary: int = ...,
            block: int = ...,
            order: Literal["rank", "reverse-rank", "given"] = ...,
            storage: Literal["whole", "delta"] = ...,
        ) -> None: ...

    @as_reader
    def occurrences(self, event: Any, limit: int = MOST_PLACES) -> list[Occurrence]:
        """Return where in `event` the words and phrases of each subscription stand that it matches, by place.

        These are all places of every word and phrase that is asked for in a part of the subscription that holds, in
        characters of the text as it was given; at most the first `limit` of each subscription. Where an event is
        several texts, `attribute` names the text; where it is a list of terms, places are positions in the list.

        >>> index = KeywordIndex({"s1": "crisis OR bailout", "s2": '"debt crisis" NOT imf'})
        >>> for found in index.occurrences("A debt crisis. Crisis?"):
        ...     print(found)
        Occurrence(id='s2', start=2, end=13, atom='"debt crisis"')
        Occurrence(id='s1', start=7, end=13, atom='crisis')
        Occurrence(id='s1', start=15, end=21, atom='crisis')
        """
        return self._found_places(event, limit)

    @as_reader
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
        drawing: str = self._plugged.structure.draw(self._plugged.name_of)
        return drawing

    @as_reader
    def per_term(self) -> pa.Table:
        """Return the postings or nodes of each term, in the order of their numbers: that of `ranking`, if given.

        >>> index = KeywordIndex({"s1": "greece crisis", "s2": "greece imf"}, method="trie")
        >>> index.per_term().to_pydict()
        {'term': ['greece', 'crisis', 'imf'], 'entries': [1, 1, 1]}
        """
        entries = self._plugged.structure.per_atom()
        names = [self._plugged.name_of(number) for number in range(len(entries))]
        return pa.table({"term": pa.array(names, pa.string()), "entries": pa.array(entries)})
