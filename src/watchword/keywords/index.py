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

    Options of every method (`keywords.options` has the defaults):

    - `stop_words`: words that are left out of subscriptions and events
    - `stemmer`: a Snowball language, by whose stems words are compared
    - `fold_accents`: compare without accents, café is cafe
    - `cjk`: "bigrams" reads Chinese, Japanese and Korean by pairs of characters
    - `literal_operators`: lower-case and, or, not are words, and not refused between words
    - `max_clauses`, `max_work`, `max_terms`, `max_term_bytes`, `max_depth`: what one subscription may cost

    Options of a method: `order` and `ranking` for the tries, `ranking` for `brute-ordered`, `capacity` and `block` for
    `compact-count`, `block` for `compact-trie`.
    """

    plug = Keywords
