"""Texts into words, as Lucene's standard analyser cuts them, and words as a MATCHES has them.

>>> [word.runs for word in words_of("Don't pay 3.50 for wi-fi")]
[('don', 't'), ('pay',), ('3', '50'), ('for',), ('wi',), ('fi',)]
>>> [str(word) for word in words_of("Don't and café")]
['"don t"', '"and"', 'café']

A word is a run of letters, digits and `_`; to Lucene it is also several of them with an apostrophe, a point or a colon
between two letters, or a point, a comma or a semicolon between two digits. Here such a word is a phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from watchword.predicates.dialects.searches.refused import Refused
from watchword.text.folding import Folding

MOST_PLAIN = 1024
"""How many words the text of one condition may have."""

_FOLDING = Folding()
_BETWEEN_LETTERS = frozenset("'‘’.:·‧״՟")
_BETWEEN_DIGITS = frozenset("'‘’.,;֊")
_QUOTED = frozenset({"and", "or", "not", "of"})
"""Words that would be read as operators."""


class Word(NamedTuple):
    """A word: its runs of letters and digits, mostly one."""

    runs: tuple[str, ...]

    def __str__(self) -> str:
        text = " ".join(self.runs)
        return f'"{text}"' if len(self.runs) > 1 or text in _QUOTED else text


def words_of(text: str, stop_words: Sequence[str] = ()) -> list[Word]:
    """Return the words of a text, without stop words."""
    folded = _FOLDING.text(text)
    found: list[list[str]] = []
    end = -2
    for start, stop in _FOLDING.spans(folded):
        if start == end + 1 and _joins(folded, end):
            found[-1].append(folded[start:stop])
        else:
            found.append([folded[start:stop]])
        end = stop
    if len(found) > MOST_PLAIN:
        raise Refused(f"a text of {len(found):,} words; {MOST_PLAIN:,} are taken: split it")
    kept = ([run for run in runs if run not in stop_words] for runs in found)
    return [Word(tuple(runs)) for runs in kept if runs]


def _joins(folded: str, at: int) -> bool:
    """Return whether the character between two runs belongs to one word with them."""
    before, sign, after = folded[at - 1], folded[at], folded[at + 1]
    if before.isdecimal() and after.isdecimal():
        return sign in _BETWEEN_DIGITS
    return sign in _BETWEEN_LETTERS and not (before.isdecimal() or after.isdecimal() or "_" in (before, after))


def only_word(text: str, of: str) -> Word:
    """Return the word that a text is, as terms of an index are: folded, and nothing else beside it; `of` is the query.

    >>> only_word("Ferry", "term")
    Traceback (most recent call last):
    ...
    watchword.predicates.dialects.searches.refused.Refused: term compares with single words of a text as they are \
indexed, in lower case, and 'Ferry' is none, so it would never match; write match, or 'ferry'
    """
    found = words_of(text)
    if len(found) != 1 or _FOLDING.text(text) != text or not _covers(found[0], text):
        folded = " ".join(" ".join(word.runs) for word in found)
        instead = f", or {folded!r:.60}" if len(found) == 1 else ""
        raise Refused(
            f"{of} compares with single words of a text as they are indexed, in lower case, and {text!r:.60} is none, "
            f"so it would never match; write match{instead}"
        )
    return found[0]


def _covers(word: Word, text: str) -> bool:
    return len("".join(word.runs)) + len(word.runs) - 1 == len(text)


def phrase(words: Iterable[Word], slop: int = 0) -> str:
    """Return words side by side, or with a slop.

    >>> phrase(words_of("Debt crisis")), phrase(words_of("Debt crisis"), 3), phrase(words_of("debt"), 3)
    ('"debt crisis"', '"debt crisis"~3', 'debt')
    """
    runs = [run for word in words for run in word.runs]
    if len(runs) == 1:
        return str(Word(tuple(runs)))
    return f'"{" ".join(runs)}"{f"~{slop}" if slop else ""}'


def family(pieces: Sequence[str]) -> str:
    """Return a word with wildcards; `pieces` are texts, and ``*`` and ``?`` as pieces of their own.

    >>> family(["ferr", "*"]), family(["?", "erry"]), family(["f", "?", "rr", "*"])
    ('ferr*', '?erry~0', 'f?rr*')
    """
    made = "".join(pieces)
    return f"{made}~0" if "?" in (made[0], made[-1]) else made


def folded_run(text: str) -> str:
    """Return the folded form of a text that is a part of one word; a `Refused` if it cannot be.

    >>> folded_run("Ferr"), folded_run("")
    ('ferr', '')
    """
    folded = _FOLDING.text(text)
    if folded and _FOLDING.spans(folded) != [(0, len(folded))]:
        raise Refused(
            f"{text!r:.60} with wildcards or edits is compared with single words, and none has such characters in it, "
            "so it would never match; write its words apart, or the whole as a keyword field"
        )
    return folded
