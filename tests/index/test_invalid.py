"""Arrow columns that lie about themselves, and columns of rare kinds: errors with their place, or read as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from watchword import KeywordIndex, PatternIndex, PredicateIndex
from watchword.errors import EventError, SubscriptionError

RULES = PredicateIndex({"x": "a = 'x'", "day": "a > '2024-01-01'", "folded": "a = 'X' IGNORING CASE"})
WORDS, PARTS = KeywordIndex({"x": "x"}), PatternIndex({"x": "x"})


def lying(offsets: list[int], data: bytes) -> pa.Array:
    """Return strings whose offsets are changed after Arrow has looked at them."""
    own = np.linspace(0, len(data), len(offsets)).astype(np.int32)
    made = pa.Array.from_buffers(pa.string(), len(offsets) - 1, [None, pa.py_buffer(own), pa.py_buffer(data)])
    own[:] = offsets
    return made


def lying_view() -> pa.Array:
    own = np.zeros(4, np.int32)
    made = pa.Array.from_buffers(pa.string_view(), 1, [None, pa.py_buffer(own)])
    own[:] = 100, 0, 7, 10**9
    return made


def lying_list() -> pa.Array:
    own = np.array([0, 1, 2], np.int32)
    made = pa.Array.from_buffers(pa.list_(pa.string()), 2, [None, pa.py_buffer(own)], children=[pa.array(["x", "y"])])
    own[1] = 90
    return made


def lying_dictionary(index: int) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array([0, index]), pa.array(["x"]), safe=False)


INVALID = [lying([0, 2**30, 3], b"xyz"), lying([0, 3, 1, 3], b"xyz"), lying_view(), lying_list()]
INVALID += [lying_dictionary(5), lying_dictionary(-5)]


@pytest.mark.parametrize("column", INVALID, ids=lambda column: str(column.type))
def test_columns_that_lie_are_refused(column: pa.Array) -> None:
    for ask in [WORDS.match_many, lambda one: WORDS.match_many(pa.table({"a": one}), column="a"), RULES.match_many]:
        with pytest.raises(EventError):
            ask(column)
    with pytest.raises(EventError, match="no val"):
        RULES.match_many(pa.table({"b": range(len(column)), "a": column}))


def test_a_subscription_that_lies_is_refused() -> None:
    index = KeywordIndex({1: "tea"})
    for texts in [lying([0, 2**30, 3], b"xyz"), lying_dictionary(5)]:
        with pytest.raises(SubscriptionError, match="no valid"):
            index.update(pa.table({"id": [1, 2], "subscription": texts}))
    assert dict(index) == {1: "tea"}


NO_UTF8 = lying([0, 1, 3], b"x\xff\xfe")


@pytest.mark.parametrize("column", [NO_UTF8, pa.DictionaryArray.from_arrays(pa.array([0, 1]), NO_UTF8)], ids=str)
def test_bytes_that_are_not_utf8_have_their_place(column: pa.Array) -> None:
    asked = [lambda: RULES.match_many(pa.table({"a": column})), lambda: WORDS.match_many(column)]
    asked.append(lambda: RULES.match_many(pa.table({"a": pa.ListArray.from_arrays([0, 1, 2], column)})))
    for ask in asked:
        with pytest.raises(EventError, match=r"event 1.*invalid UTF-8") as caught:
            ask()
        assert caught.value.position == 1


@pytest.mark.parametrize("name", ["a", "other"])
def test_json_that_is_not_utf8_has_its_place(name: str) -> None:
    texts = [b'{"a":"x"}', b'{"%s":"\xff\xfe"}' % name.encode(), b'{"a":"x"}']
    data, offsets = b"".join(texts), np.cumsum([0, *map(len, texts)]).tolist()
    for events in [lying(offsets, data), pa.array(texts), texts * 9, lying(offsets, data).cast(pa.binary())]:
        with pytest.raises(EventError, match=r"event 1: .*invalid UTF-8"):
            RULES.match_many(events)


def test_split_characters_are_no_utf8() -> None:
    """Each of these is half a character, and both together are one."""
    with pytest.raises(EventError, match=r"event 0.*UTF-8"):
        RULES.match_many(pa.table({"a": lying([0, 1, 2], "é".encode())}))


@pytest.mark.parametrize("frame", [pd.DataFrame({"a": pd.Categorical(["x", None])}), {"a": ["x", None]}])
def test_dictionaries_of_texts_may_be_the_column(frame: Any) -> None:
    table = frame if isinstance(frame, pd.DataFrame) else pa.table({"a": pa.array(frame["a"]).dictionary_encode()})
    for index in (WORDS, PARTS):
        assert index.match_many(table, column="a").to_pydict() == {"event": [0], "subscription": ["x"]}


def runs(ends: list[int], values: Any) -> pa.Array:
    return pa.RunEndEncodedArray.from_arrays(pa.array(ends, pa.int32()), values)


@pytest.mark.parametrize("kind", [pa.string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_run_end_encoded_columns_are_the_values_that_they_repeat(kind: pa.DataType) -> None:
    plain = ["x", "x", None, "y", "x"]
    values = pa.array(["x", None, "y", "x"]).dictionary_encode() if pa.types.is_dictionary(kind) else None
    column = runs([2, 3, 4, 5], pa.array(["x", None, "y", "x"], kind) if values is None else values)
    wanted = WORDS.match_many(pa.array(plain)).to_pydict()
    assert WORDS.match_many(column).to_pydict() == wanted
    assert WORDS.match_many(pa.table({"a": column, "i": column}), column="a", id="i")["event"].to_pylist() == ["x"] * 3
    for start in range(5):
        part = pa.table({"a": column}).slice(start)
        assert RULES.match_many(part).equals(RULES.match_many([{"a": text} for text in plain[start:]]))
        assert RULES.match_many(part.to_struct_array()).equals(RULES.match_many(part))


def test_run_end_encoded_values_in_lists_and_structs() -> None:
    index = PredicateIndex({"x": "a = 'x'", "b": "o.b = 1"})
    lists = pa.ListArray.from_arrays(pa.array([0, 2, None, 4]), runs([2, 3, 4], pa.array(["x", None, "x"])))
    inner = pa.StructArray.from_arrays([runs([3], pa.array([1]))], names=["b"], mask=pa.array([False, True, False]))
    rows = pa.StructArray.from_arrays([lists, inner], names=["a", "o"], mask=pa.array([False, False, True]))
    wanted = index.match_many([{"a": ["x", "x"], "o": {"b": 1}}, {"a": [None, "x"]}, None])
    assert sorted(index.match_many(rows).to_pylist(), key=str) == sorted(wanted.to_pylist(), key=str)
    assert wanted.num_rows == 3


class Own(pa.ExtensionType):
    """A type of one's own, which has no hash."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, storage: pa.DataType) -> None:
        super().__init__(storage, "tests.own")

    def __arrow_ext_serialize__(self) -> bytes:
        return b""


@pytest.mark.parametrize("storage", [pa.array(["x", None]), pa.array(["x", None], pa.string_view())], ids=str)
def test_types_of_ones_own_are_what_they_store(storage: pa.Array) -> None:
    column = pa.ExtensionArray.from_storage(Own(storage.type), storage)
    table = pa.table({"a": column, "i": column})
    assert RULES.match_many(table)["subscription"].to_pylist() == ["x", "folded"]
    assert WORDS.match_many(column).num_rows == WORDS.match_many(table, column="a", id="i").num_rows == 1
    kept = WORDS.match_many(table, column="a", id="i")["event"]
    assert kept.to_pylist() == ["x"] and (kept.type == column.type) is (storage.type == pa.string())
    with pytest.raises(EventError, match="no JSON"):
        RULES.match_many(column)
