"""Everything that must be refused: with the right error, in its right place, and without a trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from watchword import EventError, OptionError, PatternIndex, SubscriptionError, SubscriptionSyntaxError

GOOD = {"s1": "song?blue", "s2": "*", "s3": "pie*tea"}
TEXTS = ("", "song blue", "pie, tea", "x")


@pytest.fixture(params=[False, True], ids=["exact", "ignoring case"])
def index(request: pytest.FixtureRequest) -> Iterator[PatternIndex]:
    """An index that must come out of the test as it went in."""
    index = PatternIndex(GOOD, ignore_case=request.param)
    atoms, matches = index.stats().atoms, [index.match(text) for text in TEXTS]
    yield index
    assert list(index.items()) == list(GOOD.items()) and len(index) == len(GOOD)
    assert [index.match(text) for text in TEXTS] == matches
    assert index.stats().atoms == atoms


LONG = "ab" * 32_769

BAD = {
    "empty": ("", 0, "empty"),
    "a backslash": ("\\", 0, "backslash"),
    "dangling escape": ("abc\\", 3, "backslash"),
    "dangling after an escape": (r"a\\é" + "\\", 4, "backslash"),
    "dangling after wildcards": ("?*\\", 2, "backslash"),
    "too long": (LONG, 65_536, "max_length"),
    "too many stars": ("*" * 65_537, 65_536, "max_length"),
    "long and dangling": (LONG + "\\", 65_536, "max_length"),
    "a megabyte": ("é" * 1_000_000, 65_536, "max_length"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "position", "word"), BAD.values(), ids=BAD.keys())
def test_syntax(index: PatternIndex, text: str, position: int, word: str) -> None:
    loads = (
        (None, lambda: index.__setitem__("new", text)),
        (None, lambda: index.__setitem__("s1", text)),
        (1, lambda: index.update({"new": "fine", "s1": text})),
        (2, lambda: index.update([("new", "fine"), ("other", "?"), ("last", text)])),
        (1, lambda: index.update(pa.table({"id": ["new", "other"], "subscription": ["fine", text]}))),
    )
    for row, load in loads:
        with pytest.raises(SubscriptionSyntaxError) as refusal:
            load()
        assert (refusal.value.text, refusal.value.position, refusal.value.row) == (text, position, row)
        assert word in str(refusal.value)
        assert len(str(refusal.value)) < 1000, "the message must not repeat the bomb"


@pytest.mark.parametrize("text", [None, 5, 1.5, True, b"song", ["song"], pytest.param(object(), id="object")], ids=repr)
def test_not_a_text(index: PatternIndex, text: Any) -> None:
    with pytest.raises(SubscriptionError) as refusal:
        index["new"] = text
    assert refusal.value.row is None
    with pytest.raises(SubscriptionError) as refusal:
        index.update([("a", "fine"), ("b", text)])
    assert refusal.value.row == 1


NO_TEXT = pa.Array.from_buffers(pa.string(), 3, pa.array([b"a", b"\xff", b"\xc3"]).buffers())


def test_patterns_that_are_not_utf8(index: PatternIndex) -> None:
    for load in (index.update, PatternIndex):
        with pytest.raises(SubscriptionError, match="UTF-8") as refusal:
            load(pa.table({"id": ["a", "b", "c"], "subscription": NO_TEXT}))
        assert refusal.value.row == 1


INVALID = {
    "a stray byte": b"caf\xe9",
    "half a character": b"\xe6\x9d",
    "a continuation first": b"\x80",
    "overlong": b"\xc0\xaf",
    "a surrogate": b"\xed\xa0\x80",
    "past the last code point": b"\xf4\x90\x80\x80",
    "after much ASCII": b"a" * 1000 + b"\xff",
}


@pytest.mark.parametrize("raw", INVALID.values(), ids=INVALID.keys())
def test_events_that_are_not_utf8(index: PatternIndex, raw: bytes) -> None:
    good = ["fine"] * 300
    batches = [[*good, raw, "é"], [raw.replace(b"a", b"b")] * 2]
    columns = [pa.array([text.encode() if isinstance(text, str) else text for text in batch]) for batch in batches]
    strings = [pa.Array.from_buffers(pa.string(), len(column), column.buffers()) for column in columns]
    for events in (*batches, *columns, *strings, *(column.cast(pa.large_binary()) for column in columns)):
        with pytest.raises(EventError, match="UTF-8") as refusal:
            index.match_many(events)
        assert refusal.value.position == len(events) - 2
    with pytest.raises(EventError, match="UTF-8"):
        index.occurrences(raw)


def test_a_character_cut_in_two_by_rows(index: PatternIndex) -> None:
    """The run of bytes is valid UTF-8, its rows are not."""
    column = pa.array([b"fine", b"\xc3", b"\xa9"])
    with pytest.raises(EventError) as refusal:
        index.match_many(column)
    assert refusal.value.position == 1


@pytest.mark.parametrize(
    "event", [None, 5, 1.5, ["a"], {"a": 1}, pytest.param(object(), id="object"), pa.scalar("a")], ids=repr
)
def test_not_an_event(index: PatternIndex, event: Any) -> None:
    for ask in (index.match, index.occurrences, lambda event: index.explain(event, "s1")):
        with pytest.raises(EventError) as refusal:
            ask(event)
        assert refusal.value.position == 0
    if event is not None:
        with pytest.raises(EventError) as refusal:
            index.match_many(["a", b"b", event])
        assert refusal.value.position == 2


ARRAYS = {
    "numbers": (pa.array([1, 2]), 0),
    "lists": (pa.array([["a"]]), 0),
    "numbers in a dictionary": (pa.array([1, 2]).dictionary_encode(), 0),
    "bytes in a later chunk": (pa.chunked_array([[b"a", b"b"], [None, b"\xff"]]), 3),
}  # fmt: skip


@pytest.mark.parametrize(("events", "position"), ARRAYS.values(), ids=ARRAYS.keys())
def test_arrays(index: PatternIndex, events: Any, position: int) -> None:
    with pytest.raises(EventError) as refusal:
        index.match_many(events)
    assert refusal.value.position == position


@pytest.mark.parametrize("event", ["abc", b"abc", {"a": "b"}], ids=repr)
def test_one_event_where_many_are_asked_for(index: PatternIndex, event: Any) -> None:
    with pytest.raises(EventError, match="match_many takes many"):
        index.match_many(event)


@pytest.mark.parametrize(
    "options",
    [
        {"max_length": 0},
        {"max_length": -1},
        {"max_length": 1.5},
        {"max_length": True},
        {"max_length": 2**40},
        {"ignore_case": None},
        {"ignore_case": 1},
        {"method": "no-such-method"},
        {"stemmer": "english"},
        {"method": "naive", "min_word_len": 2},
        {"method": "nfa", "recombination": "records"},
        {"method": "retriever-none", "recombination": "backwards"},
        {"method": "retriever-none", "recombination": None},
    ],
    ids=repr,
)
def test_options(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        PatternIndex(**options)


def test_limits_are_options() -> None:
    index = PatternIndex({"s": "abcd"}, max_length=4)
    with pytest.raises(SubscriptionSyntaxError, match="max_length=4"):
        index["s"] = "abcde"
    assert dict(index) == {"s": "abcd"}
    assert PatternIndex({"s": "x" * 70_000}, max_length=70_000).match("x" * 70_000) == ["s"]


def test_a_column_names_the_first_pattern_that_is_too_long() -> None:
    """Rows of 4, 3, 5 and 6 characters where 4 are allowed: the third one is named, and nothing is changed."""
    index: PatternIndex[str] = PatternIndex(max_length=4)
    column = pa.table({"id": ["a", "b", "c", "d"], "subscription": ["abcd", "abc", "abcde", "abcdef"]})
    with pytest.raises(SubscriptionSyntaxError, match="max_length=4") as refused:
        index.update(column)
    assert (refused.value.row, refused.value.text, len(index)) == (2, "abcde", 0)
    index.update(column.slice(0, 2))
    assert index.explain("abcd", "a") and index.match("abcd") == ["a", "b"]


@pytest.mark.slow
def test_bombs_have_bounded_answers() -> None:
    """Ten thousand stars over a megabyte: found, placed and explained in linear time."""
    patterns = {
        "stars": "*" * 10_000,
        "letters": "a*" * 10_000,
        "two letters": "*".join("ab" * 5_000),
        "absent": "*c" * 10_000,
        "far": "a" + "?" * 60_000 + "b",
        "questions": "?".join("a" * 30_000),
        "long": "ab" * 30_000,
    }
    index = PatternIndex(patterns)
    for text in ("ab" * 500_000, "é" * 500_000 + "ab" * 30_000):
        matched = index.match(text)
        assert {"stars", "letters", "two letters", "long"} <= set(matched) and "absent" not in matched
        assert [found.id for found in index.occurrences(text)] == matched
        assert [key for key in index if index.explain(text, key)] == matched
