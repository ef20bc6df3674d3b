"""A part of a draft that says where words stand, without that: for near misses, and for why a draft finds nothing.

    ferry NEAR/3 "rough sea"       loosened    ferry AND (rough AND sea)
                                   words       ferry, rough, sea

An item that has the words and not their order is nearer to the draft than one that has none of them.
"""

from __future__ import annotations

import re

from watchword.keywords.foreign import QUOTES

_QUOTED = re.compile(rf"[{QUOTES}]([^{QUOTES}]*)[{QUOTES}](?:~\d+)?")
_LINK = re.compile(r"\s(?:NEAR|BEFORE)/\d+(?=\s)")
_NEGATED = re.compile(r"\bNOT\b|(?<!\w)-")
_OPERATOR = re.compile(r"\b(?:AND|OR)\b|\b\d+\s+OF\b")
_WORD = re.compile(r"[\w*?]*\w[\w*?]*(?:~\d+)?")
_RESERVED = re.compile(r"and|or|not|of|[A-Z]+")
_MATCHES = re.compile(r"(?<=\bMATCHES ')(?:[^']|'')*(?=')")


def loosened(language: str, part: str) -> str | None:
    """Return a part without the places of its words; None if it says nothing of places, or has a NOT.

    >>> loosened("keywords", 'ferry NEAR/3 ("rough sea"~2 OR gale)')
    'ferry AND ((rough AND sea) OR gale)'
    >>> loosened("predicates", "title MATCHES 'ferry BEFORE/2 storm'"), loosened("keywords", "ferry")
    ("title MATCHES 'ferry AND storm'", None)
    """
    if _NEGATED.search(_QUOTED.sub("", part)):
        return None
    text = _MATCHES.sub(lambda found: _anywhere(found[0]), part) if language == "predicates" else _anywhere(part)
    return None if text == part else text


def words_in(language: str, atom: str) -> list[str]:
    """Return the words of an atom that has several, each as a subscription of its own.

    >>> words_in("keywords", "ferr* NEAR/3 (storm~1 OR gale)"), words_in("keywords", '"rough sea"~2')
    (['ferr*', 'storm~1', 'gale'], ['rough', 'sea'])
    >>> words_in("predicates", "title MATCHES '\\"rough sea\\"'"), words_in("keywords", "ferry")
    (["title MATCHES 'rough'", "title MATCHES 'sea'"], [])
    """
    asked = _MATCHES.search(atom) if language == "predicates" else None
    if language == "predicates" and asked is None:
        return []
    inner = atom if asked is None else asked[0]
    plain = _OPERATOR.sub(" ", _LINK.sub(" ", _QUOTED.sub(r" \1 ", inner)))
    words = list(dict.fromkeys(_WORD.findall(plain)))
    if len(words) < 2:
        return []
    return words if asked is None else [atom[: asked.start()] + word + atom[asked.end() :] for word in words]


def _anywhere(text: str) -> str:
    """Return a query with AND between words that it wants near each other."""
    alone = _QUOTED.fullmatch(text)
    if alone is not None:
        return _each_word(alone).removeprefix("(").removesuffix(")")
    return _LINK.sub(" AND", _QUOTED.sub(_each_word, text))


def _each_word(quoted: re.Match[str]) -> str:
    words = [f'"{word}"' if _RESERVED.fullmatch(word) else word for word in re.findall(r"\w+", quoted[1])]
    joined = " AND ".join(words)
    return quoted[0] if not words else joined if len(words) == 1 else f"({joined})"
