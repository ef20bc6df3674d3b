"""How a phrase is cut into words: the options of REtriever's splitting (section 3.1), checked.

The rules themselves are in `kernels.patterns.retriever.splitting`. With the words song, blue, pie, tea and berry in the
automaton, the rule "none" leaves "blueberrypie" as it is, "single" cuts it into blue and berrypie, and "multi" into
blue, berry and pie.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from watchword.errors import OptionError
from watchword.kernels.patterns.retriever.splitting import MULTI, NONE, SINGLE, SplitRule, get_score, split_phrase
from watchword.kernels.sequences.share_trie import ShareTrie

RULES = {"none": NONE, "single": SINGLE, "multi": MULTI}


@dataclass(frozen=True)
class Splitting:
    """A rule, the least length of a word, and by how much a cut must raise the number of shared states."""

    rule: str = "none"
    min_word_len: int = 2
    min_split_score: int = 2

    def __post_init__(self) -> None:
        if self.rule not in RULES:
            raise OptionError(f"splitting must be one of {', '.join(RULES)}, not {self.rule!r}")
        for name, least in (("min_word_len", 1), ("min_split_score", 0)):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not least <= value < 2**31:
                raise OptionError(f"{name} must be an integer from {least} to 2**31 - 1, not {value!r}")

    @property
    def kernel_rule(self) -> SplitRule:
        """Return the rule as kernels take it."""
        return SplitRule(RULES[self.rule], self.min_word_len, self.min_split_score)

    def words(self, trie: ShareTrie, phrase: str) -> list[str]:
        """Return the words into which `phrase` would be cut if it were inserted now."""
        points = np.array([ord(character) for character in phrase], np.int32)
        ends = np.empty(max(len(points), 1), np.int64)
        count = split_phrase(trie, points, 0, len(points), self.kernel_rule, ends)
        return [phrase[start:end] for start, end in pairwise([0, *ends[:count].tolist()])]


def score(trie: ShareTrie, word: str) -> int:
    """Return how many states `word` would share if it were inserted now (GETSCORE)."""
    points = np.array([ord(character) for character in word], np.int32)
    return int(get_score(trie, points, 0, len(points)))
