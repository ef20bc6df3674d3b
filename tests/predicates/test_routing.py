"""Routing by equalities: an event that satisfies a subscription has all that one of its clauses needs."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from tests.contract.cases import samples
from tests.predicate_oracle import matches
from tests.predicate_strategies import HIERARCHIES, queries
from tests.predicates.test_columns import plain, table
from watchword import EventError, PredicateIndex, SubscriptionSyntaxError
from watchword.index.routing import Needs
from watchword.strings import from_texts

EQUALITIES = [
    "a = 1",
    "a = 1.0 AND b = 'x'",
    "a = 9007199254740993",
    "b = 2.0 OR n.x = 'xy' AND topic = 'x'",
    "c CONTAINS 'x' AND NOT c = 'y'",
    "a IN (0)",
    "a = TRUE",
    "a = -0.0",
    "orders.sku = 'X' AND orders.price = 1",
    "\"q r\" = 'it''s'",
    "c = 1.5",
    "b = 9223372036854775813",
    "a = 1e30",
]

BARE = ("b", '"q r"')
"""The attributes that a LIKE or MATCHES without an attribute reads."""
SEARCHES = [
    "LIKE 'x'",
    "LIKE 'X' IGNORING CASE",
    "LIKE 'xy' AND a = 1",
    "MATCHES 'x' AND topic = 'politics'",
    "MATCHES 'x OR NOT straße' OR a = 5",
    "b MATCHES 'x' OR b LIKE 'xy'",
    "b HAS 'x' AND NOT (c = 'y' OR LIKE 'x')",
    "NOT (a = 1 OR MATCHES 'x')",
    "topic MATCHES PATTERN 'p*l' AND topic = 'national'",
    "NOT topic MATCHES PATH '//x' AND (n.x = 'x' OR HAS 'y')",
    "topic LIKE 'national' AND (LIKE 'x' OR b = 'X')",
    "ANY orders (sku MATCHES 'x' AND price = 5) OR \"q r\" LIKE '5'",
    "b LIKE '2024-01-01'",
]


def needed(needs: Needs) -> dict[int, list[set[int]]]:
    """Return, by subscription, what each of its clauses needs."""
    found: dict[int, list[set[int]]] = {}
    for row, owner in enumerate(needs.owners.tolist()):
        atoms = needs.atoms[needs.offsets[row] : needs.offsets[row + 1]]
        found.setdefault(owner, []).append(set(atoms.tolist()))
    return found


def had(index: PredicateIndex, events: pa.Array) -> list[set[int]]:
    atoms = index.atoms(events)
    assert atoms is not None and len(atoms.offsets) == len(events) + 1
    return [set(part.tolist()) for part in np.split(atoms.atoms, atoms.offsets[1:-1])]


def is_refused(index: PredicateIndex, text: str) -> bool:
    """Say whether a CONTAINS is about an attribute that the option `text` has as one text."""
    try:
        index.check(text)
    except SubscriptionSyntaxError as error:
        assert error.reason.startswith("CONTAINS asks for a member of a list")
        return True
    return False


def check(index: PredicateIndex, column: pa.Array, objects: list[Any]) -> int:
    """Compare with the judge, and return how many pairs were ruled out."""
    texts = [*EQUALITIES, *SEARCHES, *(text for text in samples(queries)[:150] if not is_refused(index, text))]
    assert len(texts) > 150
    clauses = needed(index.needs(from_texts(texts)))
    refused = 0
    for atoms, event in zip(had(index, column), objects, strict=True):
        for number, text in enumerate(texts):
            reached = any(clause <= atoms for clause in clauses.get(number, []))
            assert reached or not matches(text, event, HIERARCHIES, BARE), (text, event)
            refused += not reached
    return refused


@pytest.mark.parametrize("seed", range(12))
def test_what_matches_is_reached(seed: int) -> None:
    index = PredicateIndex(hierarchies=HIERARCHIES, text=BARE)
    columns = table(seed)
    columns = columns.drop_columns([name for name in ("noise",) if name in columns.column_names])
    objects = [plain(event) for event in columns.to_pylist()]
    assert check(index, columns.to_struct_array().combine_chunks(), objects) > 0
    whole = [json.loads(json.dumps(event, default=str), parse_constant=lambda name: None) for event in objects]
    lines = pa.array([json.dumps(event) for event in whole])
    assert check(index, lines, whole) > 0
    one_by_one = pa.array([*[json.dumps(event) for event in whole], '{"a": [1, "x", {"b": 2}]}'])  # kinds are mixed
    assert check(index, one_by_one, [*whole, {"a": [1, "x", {"b": 2}]}]) > 0


def test_maps_lists_and_dictionaries() -> None:
    index = PredicateIndex()
    maps = pa.array([[("a", "x"), ("b", "y")], [], [("a", None)]], pa.map_(pa.string(), pa.string()))
    structs = pa.array([{"a": "x", "b": "y"}, {}, {"a": None}], pa.struct({"a": pa.string(), "b": pa.string()}))
    nested = pa.array([{"m": [("k", [1, None, 2])]}], pa.struct({"m": pa.map_(pa.string(), pa.list_(pa.int64()))}))
    assert had(index, maps) == had(index, structs) and [len(one) for one in had(index, maps)] == [2, 0, 0]
    assert had(index, nested) == had(index, pa.array(['{"m": {"k": [1.0, 2]}}']))
    coded = pa.StructArray.from_arrays([structs.field(0).dictionary_encode(), structs.field(1)], names=["a", "b"])
    assert had(index, coded.slice(1)) == had(index, structs)[1:]


def test_what_cannot_be_told_and_what_cannot_be_read() -> None:
    index = PredicateIndex()
    assert index.atoms(pa.array([{"a": b"bytes"}])) is None
    assert index.atoms(pa.array([[("a", b"bytes")]], pa.map_(pa.string(), pa.binary()))) is None
    for bad, reason in [("{", "no JSON"), ("[]", "an object"), ('{"a": NaN}', "NaN")]:
        with pytest.raises(EventError, match=reason) as caught:
            index.atoms(pa.array(['{"a": 1}', bad, "{"]))
        assert caught.value.position == 1
    nothing = index.needs(from_texts(["a > 1", "NOT a = 1", "a IN (1, 2)", "a = 'X' IGNORING CASE"]))
    assert nothing is not None and len(nothing.atoms) == 0 and len(nothing.owners) == 4
    assert index.needs() is not None


def test_events_that_break_a_schema_are_refused() -> None:
    index = PredicateIndex(schema={"attributes": {"a": "number"}})
    assert index.atoms(pa.array([{"a": 1}])) is not None
    for events in (pa.array([{"a": 1}, {"a": None}]), pa.array(['{"a": 1}', '{"a": "x"}'])):
        with pytest.raises(EventError) as caught:
            index.atoms(events)
        assert caught.value.position == 1
    assert index.refusal(pa.struct({"b": pa.string()})) is None and "an object" in str(index.refusal(pa.int64()))


def test_hashes_never_change() -> None:
    """They are stored with indexes."""
    (atoms,) = had(PredicateIndex(), pa.array(['{"name": "RBS", "a": {"b": [1.5, true]}}']))
    number = _hash(struct.pack("<d", 1.5))
    expected = [_atom("name", _hash(b"RBS"), 2), _atom("a.b", number, 1), _atom("a.b", 1, 0)]
    assert sorted(map(hex, atoms)) == sorted(map(hex, expected))


MASK = (1 << 64) - 1


def _hash(data: bytes) -> int:
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & MASK
    value = ((value ^ value >> 33) * 0xFF51AFD7ED558CCD) & MASK
    value = ((value ^ value >> 33) * 0xC4CEB9FE1A85EC53) & MASK
    return value ^ value >> 33


def _atom(attribute: str, value: int, kind: int) -> int:
    found = (((value + kind + 1) * 0x9E3779B97F4A7C15) & MASK) ^ _hash(attribute.encode())
    found = ((found ^ found >> 33) * 0xFF51AFD7ED558CCD) & MASK
    return found ^ found >> 33
