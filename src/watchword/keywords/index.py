"""`KeywordIndex`: the class that users make."""

from __future__ import annotations

from watchword.index import Index, Key
from watchword.keywords.language import Keywords


class KeywordIndex(Index[Key]):
    """Saved searches over text: terms, phrases, AND, OR, NOT.

    >>> index = KeywordIndex({"s1": "greece AND (crisis OR bailout) NOT imf", "s2": '"debt crisis"'})
    >>> index.match("Greece: a debt crisis, then a bailout")
    ['s1', 's2']
    >>> print(index.explain("Greece and the IMF agree on a bailout", "s1"))
    no match: forbidden imf in: greece AND bailout AND NOT imf (nearest of 2 clauses)

    An event is a text, a mapping from names to several of them, or a list of terms, which is taken as it is. Options of
    every method, with their defaults:

    - `stop_words` (none): words that are left out of subscriptions and events
    - `stemmer` (None): a Snowball language, such as "english", by whose stems words are compared
    - `fold_accents` (False): compare without accents, café is cafe
    - `cjk` (None): "bigrams" reads Chinese, Japanese and Korean by pairs of characters
    - `literal_operators` (False): lower-case and, or, not are words, and not refused between words
    - `max_clauses` (256), `max_work` (2,097,152): how many clauses OR and NOT may multiply into, in how many steps
    - `max_terms` (1,024), `max_term_bytes` (1,024): how many terms a subscription may have, and how long
    - `max_depth` (64): how deep parentheses and NOT may be nested

    Options of a method:

    - `order` ("rank"), for `trie` and `compact-trie`: the order of terms along a path; or "reverse-rank", "given"
    - `ranking` (none), for those and `brute-ordered`: terms, the most frequent first
    - `capacity` (0.5), for `compact-count`: buckets, as a fraction of the terms of the first load, or a number
    - `block` (25 for `compact-count`, 2 for `compact-trie`): how many postings or payloads a block has
    """

    plug = Keywords
