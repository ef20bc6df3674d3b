"""The distinct words of a batch, numbered as they first appear.

>>> from watchword.strings import from_texts
>>> numbers, words = distinct_words(from_texts(["pie", "tea", "pie"]))
>>> numbers.tolist(), [words.text(number) for number in range(words.count)]
([0, 1, 0], ['pie', 'tea'])
"""

from __future__ import annotations

from watchword.arrays import Int32
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary


def distinct_words(words: Strings) -> tuple[Int32, Strings]:
    """Return the number of each word, and the distinct words by their numbers."""
    vocabulary = Vocabulary()
    numbers = vocabulary.intern(words)
    return numbers, vocabulary.strings()
