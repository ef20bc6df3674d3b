"""Columns in every form that Arrow has: an event is the same in each of them, matched and routed alike."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from watchword import EventError, Index, KeywordIndex, PredicateIndex, PropertyIndex

TAGS = [["tea", "pie"], ["ham", "tea"], ["pie", "ham"]]

KEYWORDS = KeywordIndex({"both": "tea pie", "no tea": "NOT tea", "pie": "pie"})
PROPERTIES = PropertyIndex({"both": "tea=1 pie=1", "no tea": "tea=0", "ham": "ham=1"}, properties=["tea", "pie", "ham"])
PREDICATES = PredicateIndex({"tea": "tags = 'tea'", "other": "tags != 'tea'", "none": "NOT tags = 'pie'"})
SCHEMA = {"attributes": {"tags": "text*"}}
STRICT = PredicateIndex(dict(PREDICATES), schema=SCHEMA)

LISTS: dict[str, Callable[[pa.DataType], pa.DataType]] = {
    "list": pa.list_,
    "large list": pa.large_list,
    "fixed": lambda kind: pa.list_(kind, 2),
    "view": pa.list_view,
    "large view": pa.large_list_view,
}
VALUES = {
    "string": pa.string(),
    "large string": pa.large_string(),
    "string view": pa.string_view(),
    "dictionary": pa.dictionary(pa.int32(), pa.string()),
    "dictionary of large": pa.dictionary(pa.int8(), pa.large_string()),
}


def rebuilt(outer: pa.DataType, offsets: list[int], values: pa.Array) -> pa.Array:
    """Return lists of an Arrow type made of their values."""
    if pa.types.is_fixed_size_list(outer):
        return pa.FixedSizeListArray.from_arrays(values, outer.list_size)
    width = pa.int64() if pa.types.is_large_list(outer) or pa.types.is_large_list_view(outer) else pa.int32()
    if pa.types.is_list(outer) or pa.types.is_large_list(outer):
        made = pa.LargeListArray if pa.types.is_large_list(outer) else pa.ListArray
        return made.from_arrays(pa.array(offsets, width), values)
    made = pa.LargeListViewArray if pa.types.is_large_list_view(outer) else pa.ListViewArray
    return made.from_arrays(pa.array(offsets[:-1], width), pa.array(np.diff(offsets), width), values)


def lists(kind: str, values: pa.Array, size: int = 2) -> pa.Array:
    return rebuilt(LISTS[kind](values.type), list(range(0, len(values) + 1, size)), values)


def tags(kind: str, value: str) -> pa.Array:
    flat = [tag for some in TAGS for tag in some]
    return lists(kind, pa.array(flat).cast(VALUES[value]) if "dict" not in value else pa.array(flat, VALUES[value]))


def pairs(table: pa.Table) -> set[tuple[int, str]]:
    return set(zip(table["event"].to_pylist(), table["subscription"].to_pylist(), strict=True))


def wanted(index: Index[str], events: list[Any]) -> set[tuple[int, str]]:
    return {(at, key) for at, event in enumerate(events) for key in index.match(event)}


def as_events(index: Index[str], column: pa.Array) -> tuple[pa.Array, list[Any]]:
    """Return a column of tags as events of an index, in Arrow and in Python."""
    if index.language != "predicates":
        return column, TAGS
    return pa.StructArray.from_arrays([column], names=["tags"]), [{"tags": some} for some in TAGS]


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "index", [KEYWORDS, PROPERTIES, PREDICATES, STRICT], ids=["keywords", "properties", "", "schema"]
)
def test_lists_of_every_kind_are_matched_and_routed_alike(kind: str, value: str, index: Index[str]) -> None:
    column, objects = as_events(index, tags(kind, value))
    assert pairs(index.match_many(column)) == wanted(index, objects)
    assert pairs(index.match_many(column[1:])) == wanted(index, objects[1:])
    plain = index.atoms(as_events(index, tags("list", "string"))[0])
    atoms = index.atoms(column)
    assert plain is not None and atoms is not None
    assert atoms.offsets.tolist() == plain.offsets.tolist() and atoms.atoms.tolist() == plain.atoms.tolist()


def with_null(form: str) -> pa.Array:
    """Return the texts tea, pie, null, pie, in one of the forms that a null has."""
    if form == "value":
        return pa.array(["tea", "pie", None, "pie"])
    if form == "index":
        return pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 1]), pa.array(["tea", "pie"]))
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["tea", "pie", None]))


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("form", ["value", "index", "value of the dictionary"])
@pytest.mark.parametrize("index", [KEYWORDS, PROPERTIES], ids=["keywords", "properties"])
def test_a_null_in_a_list_is_refused_in_every_form(kind: str, form: str, index: Index[str]) -> None:
    column = lists(kind, with_null(form))
    for ask in (index.match_many, index.atoms):
        with pytest.raises(EventError, match=r"one of its (terms|names) is null") as caught:
            ask(column)
        assert caught.value.position == 1


@pytest.mark.parametrize("kind", LISTS)
@pytest.mark.parametrize("form", ["value", "index", "value of the dictionary"])
@pytest.mark.parametrize("index", [PREDICATES, STRICT], ids=["", "schema"])
def test_a_null_in_a_list_is_no_value_of_an_attribute(kind: str, form: str, index: PredicateIndex[str]) -> None:
    column = pa.StructArray.from_arrays([lists(kind, with_null(form))], names=["tags"])
    assert pairs(index.match_many(column)) == wanted(index, [{"tags": ["tea", "pie"]}, {"tags": ["pie"]}])


@pytest.mark.parametrize("value", [5, 2.5, True])
@pytest.mark.parametrize("encoded", [False, True])
def test_lists_of_other_values_have_no_terms(value: Any, encoded: bool) -> None:
    values = pa.array([value]).dictionary_encode() if encoded else pa.array([value])
    for ask in (KEYWORDS.match_many, KEYWORDS.atoms):
        with pytest.raises(EventError, match=r"a list of \w+ has no terms"):
            ask(lists("list", values, 1))


def test_an_array_of_numbers_is_no_event_when_it_is_routed_either() -> None:
    for ask in (KEYWORDS.match_many, KEYWORDS.atoms):
        with pytest.raises(EventError, match="an array of int64 has no texts"):
            ask(pa.array([5]))


def test_invalid_utf8_in_a_dictionary_of_binaries_is_an_event_error() -> None:
    for column in (pa.array([b"tea\xff"]).dictionary_encode(), pa.array([b"tea\xff"])):
        for ask in (KEYWORDS.match_many, KEYWORDS.atoms):
            with pytest.raises(EventError, match="invalid UTF-8"):
                ask(column)


# attributes

NUMBERS = PredicateIndex(
    {"above": "v > 5", "not": "NOT v > 5", "other": "v != 3", "inner": "v.x = 5", "three": "v = 3"}
)


def check_numbers(column: pa.Array, objects: list[Any]) -> None:
    """Compare one attribute `v` as a column with the same events as objects."""
    events = pa.StructArray.from_arrays([column], names=["v"])
    assert pairs(NUMBERS.match_many(events)) == wanted(NUMBERS, [{"v": value} for value in objects])


def named(values: pa.Array) -> pa.Array:
    """Return a column with a dictionary, in the order of its rows."""
    return pa.DictionaryArray.from_arrays(pa.array(np.arange(len(values))), values)


def test_nan_in_a_dictionary_is_no_number() -> None:
    check_numbers(pa.array([3.0, math.nan, 7.0]), [3.0, math.nan, 7.0])
    check_numbers(named(pa.array([3.0, math.nan, 7.0])), [3.0, math.nan, 7.0])


def test_dictionaries_may_hold_lists_and_objects() -> None:
    check_numbers(named(pa.array([{"x": 5}, {"x": 6}, None])), [{"x": 5}, {"x": 6}, None])
    check_numbers(named(pa.array([[7, 3], [], None])), [[7, 3], [], None])
    check_numbers(named(pa.array([[7, 3]], pa.list_view(pa.int64()))), [[7, 3]])


def test_list_views_may_overlap_and_stand_in_any_order() -> None:
    values, sizes = pa.array([3, 7, 9]), pa.array([2, 0, 1, 3], pa.int32())
    views = pa.ListViewArray.from_arrays(pa.array([1, 0, 0, 0], pa.int32()), sizes, values)
    check_numbers(views, [[7, 9], [], [3], [3, 7, 9]])
    inner = pa.ListArray.from_arrays([0, 3, 4], views)
    check_numbers(inner, [[[7, 9], [], [3]], [[3, 7, 9]]])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.large_binary()])
@pytest.mark.parametrize("encoded", [False, True])
def test_keys_of_maps_are_names(kind: pa.DataType, encoded: bool) -> None:
    keys = pa.array(["v", "w", "v"]).cast(kind)
    events = pa.MapArray.from_arrays([0, 2, 3], keys.dictionary_encode() if encoded else keys, pa.array([7, 1, 3]))
    objects = [{"v": 7, "w": 1}, {"v": 3}]
    assert pairs(NUMBERS.match_many(events)) == wanted(NUMBERS, objects)
    strict = PredicateIndex(dict(NUMBERS), schema={"attributes": {"v": "any*"}})
    with pytest.raises(EventError, match="w is not declared"):
        strict.match_many(events)
    atoms, plain = NUMBERS.atoms(events), NUMBERS.atoms(pa.array([{"v": 7, "w": 1}, {"v": 3, "w": None}]))
    assert atoms is not None and plain is not None
    assert atoms.offsets.tolist() == plain.offsets.tolist() and atoms.atoms.tolist() == plain.atoms.tolist()


def test_a_map_from_numbers_has_no_names() -> None:
    index = PredicateIndex({"one": '"1" = 2', "not": 'NOT "1" = 2'})
    for key in (1, [1]):
        events = pa.array([[(key, 2)]], pa.map_(pa.array([key]).type, pa.int64()))
        assert pairs(index.match_many(events)) == wanted(index, [{1: 2}]) == {(0, "not")}
        assert index.atoms(events) is not None


class Stored(pa.ExtensionType):
    """An extension type that cannot be hashed, as those that users write."""

    def __init__(self, kind: pa.DataType) -> None:
        super().__init__(kind, "watchword.test")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, kind: pa.DataType, serialized: bytes) -> Stored:
        return cls(kind)


@pytest.mark.parametrize("column", [pa.array([7, None, 3]), pa.array([[7], [3], None]), pa.nulls(2)])
def test_extension_types_count_as_what_they_store(column: pa.Array) -> None:
    check_numbers(pa.ExtensionArray.from_storage(Stored(column.type), column), column.to_pylist())


def test_a_dictionary_of_texts_is_placed_once_for_each_value() -> None:
    values = pa.array(["tea", "pie", None, "tea"]).dictionary_encode()
    events = pa.StructArray.from_arrays([values], names=["tags"])
    objects = [{"tags": value} for value in values.to_pylist()]
    assert pairs(PREDICATES.match_many(events)) == wanted(PREDICATES, objects)
