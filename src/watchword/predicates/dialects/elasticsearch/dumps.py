"""All queries of a percolator index: from a dump of it to subscriptions, and a list of the refused ones.

>>> hits = [
...     {"_id": "a", "_source": {"query": {"match": {"title": "ferry"}}}},
...     {"_id": "b", "_source": {"query": {"regexp": {"title": "f.*"}}}},
... ]
>>> taken = from_percolator(hits)
>>> taken.subscriptions
{'a': "title MATCHES 'ferry'"}
>>> taken.refused[0].id, taken.refused[0].reason
('b', 'regexp: regular expressions are not there yet; say it with wildcard, prefix, or several terms')

A dump has a hit or a document on each line (a *hit* has ``_id`` and ``_source``), or is the answer of a search, with
its hits in ``hits.hits``, or lines as the bulk interface takes them. The query stands in the field of type percolator;
which one that is says the mapping, or `field`, or it is the only field that holds a query.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

from watchword.errors import OptionError, SubscriptionError
from watchword.predicates.dialects.elasticsearch.options import readings
from watchword.predicates.dialects.elasticsearch.queries import KNOWN, from_elasticsearch
from watchword.predicates.dialects.elasticsearch.unsayable import UNSAYABLE
from watchword.predicates.dialects.searches.fields import Fields
from watchword.predicates.dialects.sigma.files import Rule

__all__ = ["Percolated", "Refusal", "from_percolator", "read_dump"]

LONGEST_LINE = 1 << 26
"""How many bytes a line of a dump may have, or an answer that is one JSON text."""

ENDINGS = (".ndjson", ".jsonl", ".json")
_ACTIONS = ("index", "create")


class Refusal(NamedTuple):
    """A query that is not taken: its id, its place in the dump, and why."""

    id: str
    place: str
    reason: str


@dataclass
class Percolated:
    """A dump as subscriptions by id, its refused queries, and the options of an index for them."""

    subscriptions: dict[str, str] = field(default_factory=dict)
    refused: list[Refusal] = field(default_factory=list)
    options: dict[str, Any] = field(default_factory=dict)


class Stored(NamedTuple):
    """A stored query, which is JSON or a mapping; `reason` says why there is none."""

    id: str
    place: str
    query: Any
    reason: str = ""


def from_percolator(
    dump: str | PathLike[str] | Mapping[str, Any] | Iterable[str | bytes | Mapping[str, Any]],
    *,
    mapping: str | Mapping[str, Any] | Fields | None = None,
    field: str | None = None,
    now: datetime | str | None = None,
    drop: Collection[str] = (),
) -> Percolated:
    """Return the subscriptions of a dump, which is a path, an answer, or lines and hits one by one.

    `field` is the field that holds the query; the other parameters are those of `from_elasticsearch`.
    """
    fields = mapping if isinstance(mapping, Fields) else Fields(mapping)
    made = Percolated(options={"reading": readings(fields)[0]})
    places: dict[str, str] = {}
    for stored in _stored(_records(dump), field or percolator_of(fields)):
        if stored.id in places:
            made.refused.append(Refusal(stored.id, stored.place, f"its id is that of {places[stored.id]}"))
            continue
        places[stored.id] = stored.place
        try:
            if stored.reason:
                raise SubscriptionError(stored.reason)
            made.subscriptions[stored.id] = from_elasticsearch(stored.query, mapping=fields, now=now, drop=drop)
        except SubscriptionError as error:
            made.refused.append(Refusal(stored.id, stored.place, str(error)))
    return made


def read_dump(path: str, field: str | None = None) -> list[Rule] | None:
    """Return the queries of a dump as rules in JSON, each with its place; None for a file that is no dump."""
    name = path.removesuffix(".gz")
    if not name.endswith(ENDINGS) or not Path(path).is_file():
        return None
    records = _records(path)
    first = next(records, None)
    if first is None or not _is_dumped(first[1], field):
        return None
    rules = []
    for stored in _stored(chain([first], records), field):
        text = stored.query if isinstance(stored.query, str) else json.dumps(stored.query)
        rules.append(
            Rule(
                stored.id,
                "{}" if stored.reason else text,
                f"{stored.place}: {stored.reason}" if stored.reason else stored.place,
            )
        )
    return rules


def percolator_of(fields: Fields) -> str | None:
    """Return the field of a mapping that holds queries; None if no mapping says so."""
    found = fields.percolators()
    if len(found) > 1:
        raise OptionError(f"the mapping has several percolator fields: {', '.join(found)[:200]}; name one as field")
    return found[0] if found else None


Record = tuple[str, Any]
"""A place, and the value that stands there."""


def _records(dump: Any) -> Iterator[Record]:
    """Yield the objects of a dump, each with its place."""
    if isinstance(dump, Mapping):
        yield from _hits("the answer", dump)
        return
    lines = _lines(dump) if isinstance(dump, str | PathLike) else dump
    for number, line in enumerate(lines, 1):
        place = f"line {number}" if isinstance(line, str | bytes) else f"hit {number}"
        if isinstance(line, str | bytes) and not line.strip():
            continue
        yield from _hits(place, _parsed(line, place))


def _hits(place: str, value: Any) -> Iterator[Record]:
    """Yield the hits of an answer, or a value by itself."""
    hits = value.get("hits") if isinstance(value, Mapping) else value
    listed = hits.get("hits") if isinstance(hits, Mapping) else hits
    if not isinstance(listed, list):
        yield place, value
        return
    for number, hit in enumerate(listed, 1):
        yield f"{place}, hit {number}", hit


def _lines(path: str | PathLike[str]) -> Iterator[bytes]:
    """Yield the lines of a file; an answer that goes over several lines as one."""
    opened = gzip.open if str(path).endswith(".gz") else open
    with opened(path, "rb") as file:
        first = file.readline(LONGEST_LINE + 1)
        while first and not first.strip():
            yield first
            first = file.readline(LONGEST_LINE + 1)
        if first.strip() in (b"{", b"["):
            whole = first + file.read(LONGEST_LINE + 1)
            _check_length(whole, "line 1")
            yield whole
            return
        number = 1
        while first:
            _check_length(first, f"line {number}")
            yield first
            first, number = file.readline(LONGEST_LINE + 1), number + 1


def _check_length(line: bytes, place: str) -> None:
    if len(line) > LONGEST_LINE:
        raise OptionError(f"{place}: more than {LONGEST_LINE >> 20} MiB; write a hit on each line")


def _parsed(line: Any, place: str) -> Any:
    """Return the value of a line of JSON; of any other line the reason why it has none."""
    if not isinstance(line, str | bytes):
        return line
    if len(line) > LONGEST_LINE:
        raise OptionError(f"{place}: more than {LONGEST_LINE >> 20} MiB; write a hit on each line")
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"no JSON: {str(error)[:200]}"


def _stored(records: Iterable[Record], field: str | None) -> Iterator[Stored]:
    """Yield the stored queries of the records of a dump."""
    action: Mapping[str, Any] | None = None
    for place, value in records:
        if not isinstance(value, Mapping):
            reason = value if isinstance(value, str) else "an object is expected: a hit, or a document"
            yield Stored(place, place, None, reason)
            continue
        begun = _action(value)
        if begun is not None:
            action = begun
            continue
        yield _one(place, value, action or {}, field)
        action = None


def _action(value: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return what a line of the bulk interface says of the next one; None for any other line."""
    [name] = list(value) if len(value) == 1 else [""]
    inner = value.get(name)
    meta = isinstance(inner, Mapping) and all(str(key).startswith(("_", "routing", "pipeline")) for key in inner)
    return inner if name in _ACTIONS and meta and isinstance(inner, Mapping) else None


def _one(place: str, value: Mapping[str, Any], action: Mapping[str, Any], field: str | None) -> Stored:
    source = value.get("_source", value)
    number = place.removeprefix("line ")
    id = str(value.get("_id", action.get("_id", value.get("id", number))))
    if not isinstance(source, Mapping):
        return Stored(id, place, None, "_source is no object; dump it with its source")
    if _is_query(value):
        return Stored(id, place, value)
    if field is not None:
        found: Any = source
        for key in field.split("."):
            found = found.get(key) if isinstance(found, Mapping) else None
        reason = "" if found is not None else f"there is no query in its field {field}"
        return Stored(id, place, found, reason)
    names = [name for name, one in source.items() if _is_query(one)]
    if len(names) == 1:
        return Stored(id, place, source[names[0]])
    reason = (
        f"several of its fields hold queries: {', '.join(map(str, names))[:100]}"
        if names
        else "none of its fields holds a query"
    )
    return Stored(id, place, None, f"{reason}; name the percolator's field, or give the mapping")


def _is_query(value: Any) -> bool:
    if isinstance(value, str) and value.lstrip().startswith("{"):
        value = _parsed(value, "")
    return isinstance(value, Mapping) and len(value) == 1 and next(iter(value)) in KNOWN.keys() | UNSAYABLE.keys()


def _is_dumped(value: Any, field: str | None) -> bool:
    """Return whether a first record is that of a dump, and no row of a table of rules or an object of named ones."""
    if not isinstance(value, Mapping):
        return False
    return (
        "_source" in value
        or _action(value) is not None
        or _is_query(value)
        or (field is not None and field.split(".")[0] in value)
        or ("_id" in value)
    )
