"""Pattern subscriptions: literals with the wildcards `?` and `*`, found anywhere in a text.

A pattern is parsed into words with gaps between them (`query` for one, `compiler` for a column) and stored in a
structure (`structure`), which finds the patterns of which a text (`texts`) holds an instance; a pattern without a
word is kept by the length that it asks for (`lengths`). `alignment` says where the instance lies. One file per
structure.
"""

from watchword.patterns.index import Occurrence, PatternIndex

__all__ = ["Occurrence", "PatternIndex"]
