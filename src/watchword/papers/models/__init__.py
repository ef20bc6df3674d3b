"""What will it take? The papers' cost models, corrected where they cannot be right, as functions of plain numbers.

`terms` says how likely a term is in a set, `count` and `trie` what the indexes of Kourdounakis (2011) take with such
sets, `trie_bounds` what a trie takes at worst, `rapid` what RAPIDMatch takes (Kale et al. 2005), `keyed` what ``auto``
takes over keywords. They know numpy and no index: what they predict is compared with real ones in tests/papers/models
and in docs/models.md. `scale` is no paper's: it says what a number of subscriptions and a rate of events take on Spark,
from costs that were measured (docs/scale.md).
"""
