r"""The pattern language: text into words and the gaps between them.

    pattern := (literal | "?" | "*" | "\" any character)+

`?` stands for exactly one character, `*` for any run of characters, also the empty one; a backslash takes the next
character as it is. Characters are code points. A *word* is a run of literals, a *gap* the wildcards between two
words: their order does not matter, so a gap is a number of `?` and whether there is a `*`, however many of them were
written. A pattern with ten thousand stars is therefore legal, and costs its length.

`parse` says it in plain Python, one pattern at a time, with errors that point at their place; `compiler` does
columns.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from watchword.errors import SubscriptionSyntaxError
from watchword.patterns.options import MAX_LENGTH


class Gap(NamedTuple):
    """Exactly `questions` characters, or, with a `star`, at least `questions` characters."""

    questions: int
    star: bool

    def __str__(self) -> str:
        return "?" * self.questions + "*" * self.star


class Pattern(NamedTuple):
    """Unescaped words, and the gap before each and after the last: one gap more than words."""

    words: tuple[str, ...]
    gaps: tuple[Gap, ...]

    def folded(self) -> Pattern:
        """Return the pattern with its words case-folded."""
        return Pattern(tuple(word.casefold() for word in self.words), self.gaps)


def parse(text: Any, max_length: int = MAX_LENGTH) -> Pattern:
    r"""Return the words and gaps of a subscription.

    >>> parse(r"song?blue\*").words
    ('song', 'blue*')
    >>> [str(gap) for gap in parse("*?a?*?b").gaps]
    ['?*', '??*', '']
    """
    if not isinstance(text, str):
        raise SubscriptionSyntaxError(
            f"a pattern subscription is a str, not {type(text).__name__}", text=repr(text)[:200], position=0
        )
    if not text:
        raise SubscriptionSyntaxError("a pattern may not be empty; * alone matches every text", text=text, position=0)
    if len(text) > max_length:
        raise SubscriptionSyntaxError(
            f"the pattern has {len(text):,} characters, more than max_length={max_length:,}; "
            "shorten it, or make the index with a larger max_length",
            text=text,
            position=max_length,
        )
    words: list[str] = []
    gaps: list[Gap] = []
    questions, star, end = 0, False, 0
    for token in _TOKENS.finditer(text):
        end = token.end()
        if token.lastgroup == "gap":
            questions, star = token[0].count("?"), "*" in token[0]
        else:
            gaps.append(Gap(questions, star))
            words.append(_ESCAPES.sub(r"\1", token[0]))
            questions, star = 0, False
    if end < len(text):
        raise SubscriptionSyntaxError(
            r"this backslash escapes nothing; write \\ for a backslash", text=text, position=len(text) - 1
        )
    return Pattern(tuple(words), (*gaps, Gap(questions, star)))


_TOKENS = re.compile(r"(?P<gap>[?*]+)|(?P<word>(?:[^?*\\]|\\.)+)", re.DOTALL)
_ESCAPES = re.compile(r"\\(.)", re.DOTALL)
