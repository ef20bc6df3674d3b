"""Warnings before a draft is saved: it finds everything, too much, or nothing and which word is why."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from watchword.archive.pieces import seen_of
from watchword.index import Index
from watchword.preview.counting import Counts, count
from watchword.preview.variants import is_taken
from watchword.preview.words import Words, words_of
from watchword.visible import brief, counted

MANY = 20
"""Items a day beyond which a draft is said to find many."""
_DAY = 86_400_000_000
_WORDS = re.compile(r"\bMATCHES '((?:[^']|'')*)'")
_SHOWN = 80


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

    `asked` has the number of items of each part. Similar parts are counted by one more pass over `rows`, if there are
    any, until `deadline`.
    """
    absent = [atom for atom, total in asked.items() if not total]
    if found.hits or not found.looked or not absent or not found.complete or time.monotonic() > deadline:
        return []
    words = words_of(table)
    similar = {atom: _similar(index, atom, words) for atom in absent}
    texts = dict.fromkeys(other for others in similar.values() for other in others)
    totals = _totals(index, list(texts), rows, deadline)
    said = []
    for atom, others in similar.items():
        have = sorted((other for other in others if totals.get(other)), key=lambda other: -totals[other])
        known = ", ".join(f"{totals[other]:,} have {brief(other, _SHOWN)}" for other in have)
        said.append(f"no item has {brief(atom, _SHOWN)}" + (f"; {known}" if known else ""))
    return said


def _totals(index: Index[Any], texts: list[str], rows: pa.Table, deadline: float) -> dict[str, int]:
    """Return the items of each text; of none if the time does not suffice."""
    if not texts:
        return {}
    lookup = type(index)(enumerate(texts), **index.options)
    counts = count(lookup, rows, 0, deadline)
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
