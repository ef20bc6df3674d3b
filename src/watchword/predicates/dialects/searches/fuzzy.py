"""Words within some edits: fuzziness, and edits behind a beginning that stays.

>>> similar("ferry", 1), similar("ferry", 1, beginning=9)
(['ferry~1'], ['ferry', 'ferry?~0'])
>>> similar("ferry", 1, beginning=4)
['ferry?~0', 'ferr', 'ferr?~0', 'ferr?y']
>>> [edits_of("AUTO", word) for word in ("at", "boat", "ferries")], edits_of("AUTO:3,7", "boats"), edits_of("1", "boat")
([0, 1, 2], 1, 1)

Edits are insertions, deletions, replacements and swaps of neighbours, as Lucene counts them (no character is edited
twice). Behind a fixed beginning, or without swaps, they are written as wildcards, each alternative once.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from watchword.predicates.dialects.searches.refused import Refused
from watchword.predicates.dialects.searches.words import Word, family
from watchword.text.families import LONGEST, MOST_EDITS

MOST_FORMS = 400
"""How many words with wildcards the edits behind a fixed beginning may come to."""

_AUTO = re.compile(r"AUTO(?::([0-9]{1,3}),([0-9]{1,3}))?", re.ASCII | re.IGNORECASE)
_NUMBER = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,8})?|\.[0-9]{1,8}", re.ASCII)


def edits_of(fuzziness: object, word: str) -> int:
    """Return the edits that a fuzziness of Elasticsearch allows a word: 0, 1, 2, AUTO, or AUTO with two lengths."""
    written = str(fuzziness)
    auto = _AUTO.fullmatch(written)
    if auto is not None:
        low, high = (int(auto[1]), int(auto[2])) if auto[1] else (3, 6)
        if low > high:
            raise Refused(f"fuzziness {written}: the first length is above the second; write AUTO:3,6")
        return 0 if len(word) < low else 1 if len(word) < high else 2
    if isinstance(fuzziness, bool) or not _NUMBER.fullmatch(written) or float(written) not in (0, 1, 2):
        raise Refused(f"fuzziness is {written!r:.40}; write 0, 1, 2, AUTO, or AUTO:3,6")
    return int(float(written))


def edits_of_similarity(written: str, word: str) -> int:
    """Return the edits of Lucene's ``word~written``: a number of edits, or below 1 a share of the word.

    >>> edits_of_similarity("", "ferry"), edits_of_similarity("1", "ferry"), edits_of_similarity("0.5", "ferry")
    (2, 1, 2)
    """
    if not written or not _NUMBER.fullmatch(written):
        return MOST_EDITS
    value = struct.unpack("f", struct.pack("f", float(written)))[0]
    if value >= 1 and value != int(value):
        raise Refused(f"~{written}: a number of edits is whole; write ~1 or ~2")
    if value >= 1:
        return min(int(value), MOST_EDITS)
    return min(int((1 - value) * len(word)), MOST_EDITS) if value else 0


def similar(word: str, edits: int, beginning: int = 0, swaps: bool = True) -> list[str]:
    """Return alternatives for the words within some edits of a word whose first letters stay.

    A word that is no longer than its edits has fewer of them, as in Lucene, where a word must be longer.
    """
    edits = min(edits, MOST_EDITS, len(word) - 1)
    if edits <= 0:
        return [str(Word((word,)))]
    if len(word) > LONGEST:
        raise Refused(f"{word[:40]!r} has {len(word)} characters; words with edits have at most {LONGEST}")
    if not beginning and swaps:
        return [f"{word}~{edits}"]
    first, rest = word[:beginning], word[beginning:]
    if len(rest) > 12 and edits > 1:
        raise Refused(_too_many(word))
    forms = dict.fromkeys(first + form for form in _edited(rest, 0, edits, swaps))
    kept = [form for form in forms if form and not any(_wider(other, form) for other in forms)]
    if len(kept) > MOST_FORMS:
        raise Refused(_too_many(word))
    return [str(Word((form,))) if "?" not in form else family([form]) for form in kept]


def _too_many(word: str) -> str:
    return (
        f"two edits of {word[:40]!r} behind a beginning that stays are more than {MOST_FORMS} words with wildcards; "
        "leave out prefix_length, or allow one edit"
    )


def _edited(text: str, at: int, edits: int, swaps: bool) -> Iterator[str]:
    """Yield the forms of a text from a character on, ``?`` for any character."""
    if at == len(text):
        yield from ("?" * more for more in range(edits + 1))
        return
    yield from (text[at] + form for form in _edited(text, at + 1, edits, swaps))
    if edits:
        yield from _edited(text, at + 1, edits - 1, swaps)
        yield from ("?" + form for form in _edited(text, at + 1, edits - 1, swaps))
        yield from ("?" + form for form in _edited(text, at, edits - 1, swaps))
        if swaps and at + 1 < len(text):
            yield from (text[at + 1] + text[at] + form for form in _edited(text, at + 2, edits - 1, swaps))


def _wider(other: str, form: str) -> bool:
    """Return whether another form has every word of this one, and more."""
    return (
        other != form
        and len(other) == len(form)
        and all(mine in (yours, "?") for mine, yours in zip(other, form, strict=True))
    )
