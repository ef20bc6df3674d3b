"""Keyword subscriptions: saved searches over text.

A subscription is parsed into clauses (`query`), numbered (`compiler`, `clauses`) and stored in a structure
(`structure`), which finds the conjunctions that an item's terms cover. One file per structure: `brute`, `inverted`,
`count`, `compact_count`, `trie`, `compact_trie`, `poset` after the thesis of Kourdounakis (Crete, 2011), and
`packed`, which is the one to use.
"""

from watchword.keywords.index import KeywordIndex

__all__ = ["KeywordIndex"]
