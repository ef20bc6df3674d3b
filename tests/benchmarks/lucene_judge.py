"""Lucene's classic query syntax, as far as the benchmark writes it, judged in plain Python.

A clause with + must hold, one with - must not; where no clause has a +, one of the others must hold.

>>> answers('+greece +"debt relief" +(imf ecb) -opinion', "the ecb and greece on debt relief".split())
True
>>> answers("+(imf ecb) -greece", "the ecb and greece".split()), answers("imf ecb", ["ecb"]), answers("-imf", ["ecb"])
(False, True, False)
>>> answers("greece AND", ["greece"])
Traceback (most recent call last):
...
ValueError: not judged: greece AND
"""

from __future__ import annotations

import re

CLAUSE = re.compile(r'([+-]?)(?:\(([^()]*)\)|"([^"]*)"|([^\s()"+-]+))(?:\s+|$)')


def answers(query: str, terms: list[str]) -> bool:
    """Say whether a text with these terms is found."""
    if CLAUSE.sub("", query) or {"AND", "OR", "NOT"} & set(query.split()):
        raise ValueError(f"not judged: {query}")
    held: dict[str, list[bool]] = {"+": [], "-": [], "": []}
    for sign, group, phrase, word in CLAUSE.findall(query):
        held[sign].append(answers(group, terms) if group else _has(terms, (phrase or word).split()))
    return all(held["+"]) and not any(held["-"]) and (bool(held["+"]) or any(held[""]))


def _has(terms: list[str], words: list[str]) -> bool:
    return any(terms[at : at + len(words)] == words for at in range(len(terms)))
