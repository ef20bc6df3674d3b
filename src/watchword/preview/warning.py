"""Warnings before a draft is saved: it finds everything, too much, or nothing and which word is why."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from watchword.archive.pieces import seen_of
from watchword.index import Index
from watchword.preview.counting import Counts, Variants, count
from watchword.preview.loosening import loosened, words_in
from watchword.preview.variants import is_taken
from watchword.preview.words import Words, words_of
from watchword.visible import brief, counted

MANY = 20
"""Items a day beyond which a draft is said to find many."""
_DAY = 86_400_000_000
_WORDS = re.compile(r"\bMATCHES '((?:[^']|'')*)'")
_SHOWN = 80
_MOST = 48
"""Parts, and words of them, that are looked for at once."""


def warnings(index: Index[Any], rows: pa.Table, found: Counts, days: int) -> list[str]:
    """Return the warnings about a draft, whose items `found` has among the `rows` of the last `days`."""
    if not found.looked:
        return [f"the archive has no items of the last {counted(days, 'day')}"]
    said = []
    if not found.complete:
        said.append(f"the time ended: counted are the newest {found.looked:,} of {counted(len(rows), 'item')}")
    if found.unreadable:
        said.append(f"{counted(found.unreadable, 'item')} that {index.language} cannot read, and that a run sets aside")
    total, rate = len(found.hits), _a_day(rows, found)
    if total and total == found.looked - found.unreadable:
        said.append("it finds every item")
    elif rate > MANY:
        said.append(f"it finds about {rate:,.0f} items a day; more than {MANY} are too many for most people")
    elif not total:
        said.append(f"it finds none of {counted(found.looked, 'item')}")
    return said


def _a_day(rows: pa.Table, found: Counts) -> float:
    """Return the hits for each day that the items reach back, at least one day."""
    seen = seen_of(rows)
    return len(found.hits) / max((int(seen[-1]) - int(seen[len(rows) - found.looked])) / _DAY, 1.0)


def missing(
    index: Index[Any], asked: Mapping[str, int], table: pa.Table, rows: pa.Table, found: Counts, deadline: float
) -> list[str]:
    """Return a line for each part that no item has, with similar parts that items have, if the draft finds nothing.

    `asked` has the number of items of each part. Of a phrase, or of words that stand near each other, the line names
    the word that no item has, or says how many items have the words elsewhere. Similar parts are counted by one more
    pass over `rows`, if there are any, until `deadline`.
    """
    absent = [atom for atom, total in asked.items() if not total]
    if found.hits or not found.looked or not absent or not found.complete or time.monotonic() > deadline:
        return []
    words = words_of(table)
    parts = {atom: [word for word in words_in(index.language, atom) if is_taken(index, word)] for atom in absent}
    single = list(dict.fromkeys([*absent, *(word for some in parts.values() for word in some)]))[:_MOST]
    similar = {atom: _similar(index, atom, words) for atom in single}
    loose = {atom: [other] for atom in absent if (other := loosened(index.language, atom)) and is_taken(index, other)}
    texts = [other for others in (*similar.values(), *loose.values(), single) for other in others]
    totals = _totals(index, list(dict.fromkeys(texts)), rows, deadline)
    said: dict[str, None] = {}
    for atom in absent:
        gone = [word for word in parts[atom] if word in similar and not totals.get(word)]
        others = similar.get(atom, []) + ([] if gone else loose.get(atom, []))
        if not gone or not totals or _known(others, totals):
            said[_line(atom, others, totals)] = None
        else:
            said |= dict.fromkeys(_line(word, similar[word], totals) for word in gone)
    return list(said)


def _known(others: list[str], totals: Mapping[str, int]) -> list[str]:
    """Return the texts that some items have, those of the most items first."""
    return sorted((other for other in others if totals.get(other)), key=lambda other: -totals[other])


def _line(atom: str, others: list[str], totals: Mapping[str, int]) -> str:
    """Return the line about a part that no item has, with the other texts that some items have."""
    have = [
        f"{totals[one]:,} {'has' if totals[one] == 1 else 'have'} {brief(one, _SHOWN)}"
        for one in _known(others, totals)
    ]
    return f"no item has {brief(atom, _SHOWN)}" + ("; " + ", ".join(have) if have else "")


def _totals(index: Index[Any], texts: list[str], rows: pa.Table, deadline: float) -> dict[str, int]:
    """Return the items of each text; of none if the time does not suffice."""
    if not texts:
        return {}
    lookup = type(index)(enumerate(texts), **index.options)
    counts = count(lookup, rows, Variants(), deadline)
    return {text: counts.totals.get(key, 0) for key, text in enumerate(texts)} if counts.complete else {}


def _similar(index: Index[Any], atom: str, words: Words) -> list[str]:
    """Return the atom with a word that no item has replaced by similar ones."""
    terms = atom if index.language == "keywords" else " ".join(_WORDS.findall(atom))
    made = [
        atom.replace(word, known, 1)
        for word in re.findall(r"\w+", terms)
        if word not in words
        for known in words.nearest(word)
    ]
    return [other for other in made if is_taken(index, other)]
