"""Everything that must be refused: with the right error, in its right place, and without a trace."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest

from watchword import EventError, KeywordIndex, OptionError, SubscriptionError, SubscriptionSyntaxError

GOOD = {"s1": "greece crisis", "s2": "NOT imf", "s3": '"new york" OR bailout'}
TEXTS = ("", "greece crisis", "imf in new york", "bailout")


@pytest.fixture
def index() -> Iterator[KeywordIndex]:
    """An index that must come out of the test as it went in."""
    index = KeywordIndex(GOOD)
    atoms, matches = index.stats().atoms, [index.match(text) for text in TEXTS]
    yield index
    assert list(index.items()) == list(GOOD.items()) and len(index) == len(GOOD)
    assert [index.match(text) for text in TEXTS] == matches
    assert index.stats().atoms == atoms


def refused(index: KeywordIndex, text: str) -> SubscriptionSyntaxError:
    """Refuse `text` as a new subscription and as a replacement."""
    with pytest.raises(SubscriptionSyntaxError):
        index["new"] = text
    with pytest.raises(SubscriptionSyntaxError) as refusal:
        index["s1"] = text
    assert refusal.value.text == text
    return refusal.value


@pytest.mark.parametrize(
    ("text", "positions"),
    [
        ("a AND", {2}),
        ("a OR", {2}),
        ("a NOT", {2}),
        ("NOT", {0}),
        ("AND b", {0}),
        ("OR b", {0}),
        ("AND", {0}),
        ("a OR OR b", {2, 5}),
        ("a AND AND b", {2, 6}),
        ("a AND OR b", {2, 6}),
        ("a NOT OR b", {2, 6}),
        ("a (b OR)", {5}),
        ("a (OR b)", {3}),
        ("a (NOT)", {3}),
        ("(a OR b) AND", {9}),
        ("& OR", {2}),
        ("a (b", {2}),
        ("a ((b)", {2}),
        ("(", {0}),
        ("a b)", {3}),
        ("a) b", {1}),
        (")", {0}),
        ("a ()", {2, 3}),
        ("a OR ( )", {5, 7}),
        ("-()", {1, 2}),
        ('a "b', {2}),
        ('a "b" c"', {7}),
        ('"', {0}),
        ('a -"b', {3}),
        ("é 東京 (", {5}),
    ],
)
def test_syntax(index: KeywordIndex, text: str, positions: set[int]) -> None:
    assert refused(index, text).position in positions


@pytest.mark.parametrize(
    "text", ["", " \t\n", "&", "- --", '""', '"?!"', "NOT &", "(&)", "-(... OR !)", "\ud800", "🙂"]
)
def test_nothing_to_look_for(index: KeywordIndex, text: str) -> None:
    refused(index, text)


@pytest.mark.parametrize(
    "text", [None, 5, 1.5, True, ["greece"], {"greece"}, pytest.param(object(), id="object")], ids=repr
)
def test_not_a_text(index: KeywordIndex, text: Any) -> None:
    with pytest.raises(SubscriptionError):
        index["new"] = text
    with pytest.raises(SubscriptionError) as refusal:
        index.update([("a", "fine"), ("b", text)])
    assert refusal.value.row == 1


def alternatives(count: int) -> str:
    return " OR ".join(f"w{number}" for number in range(count))


def words(count: int) -> str:
    return " ".join(f"w{number}" for number in range(count))


BOMBS = {
    "1024 and one terms": ("max_terms", words(1025)),
    "one phrase": ("max_terms", f'"{words(1025)}"'),
    "a million terms": ("max_terms", f"{words(2000)} " * 500),
    "a term of 1025 bytes": ("max_term_bytes", "x" * 1025),
    "a wide term": ("max_term_bytes", "é" * 513),
    "a term that folding lengthens": ("max_term_bytes", "ŉ" * 500),
    "a term of a megabyte": ("max_term_bytes", "greece " + "x" * 1_000_000),
    "65 parentheses": ("max_depth", "(" * 65 + "a" + ")" * 65),
    "100,000 parentheses": ("max_depth", "(" * 100_000 + "a" + ")" * 100_000),
    "100,000 negations": ("max_depth", "NOT " * 100_000 + "a"),
    "100,000 minus signs": ("max_depth", "-" * 100_000 + "a"),
    "100,000 of both": ("max_depth", "-(" * 50_000 + "a" + ")" * 50_000),
}


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "text"), BOMBS.values(), ids=BOMBS.keys())
def test_limits(index: KeywordIndex, limit: str, text: str) -> None:
    refusal = refused(index, text)
    assert limit in str(refusal)
    assert len(str(refusal)) < 2000, "the message must not repeat the bomb"


@pytest.mark.parametrize("text", ["(" * 100_000, ")" * 100_000, "a " + "()" * 50_000, "OR " * 100_000])
def test_long_nonsense(index: KeywordIndex, text: str) -> None:
    refused(index, text)


LIMITED = [
    ({"max_clauses": 2}, "a OR b", "a OR b OR c"),
    ({"max_clauses": 4}, "(a OR b) (c OR d)", "(a OR b) (c OR d OR e)"),
    ({"max_terms": 2}, "a b", "a b c"),
    ({"max_terms": 2}, '"a b"', "a-b-c"),
    ({"max_term_bytes": 4}, "éé", "ééx"),
    ({"max_depth": 3}, "(((a)))", "((((a))))"),
    ({"max_depth": 3}, "NOT NOT NOT a", "NOT NOT NOT NOT a"),
    ({"max_depth": 3}, "-(NOT a)", "-(NOT (a))"),
    ({"max_depth": 3}, "(a) ((b)) (((c))) NOT d", "(a) ((b)) ((((c))))"),
]


@pytest.mark.parametrize(("options", "within", "past"), LIMITED)
def test_limits_are_options(options: dict[str, int], within: str, past: str) -> None:
    index = KeywordIndex({"s": within}, **options)
    with pytest.raises(SubscriptionSyntaxError, match=next(iter(options))):
        index["s"] = past
    assert dict(index) == {"s": within}


def test_just_within_the_limits() -> None:
    texts = [alternatives(1024), words(1024), "x" * 1024, "(" * 64 + "a" + ")" * 64, "NOT " * 64 + "b"]
    index = KeywordIndex(enumerate(texts))
    assert index.match("w1023 and a, b") == [0, 3, 4]
    assert index.match(words(1024)) == [0, 1]
    assert index.match("x" * 1024 + " b") == [2, 4]


@pytest.mark.parametrize("text", ["x" * 2_000_000, words(200_000)], ids=["one long term", "many terms"])
def test_big_events_are_fine(index: KeywordIndex, text: str) -> None:
    assert index.match(text) == ["s2"]
    assert index.match(text + " bailout imf") == ["s3"]


@pytest.mark.parametrize("key", [1, True, None, 2.0, b"s", ("s", 1), "\ud800"], ids=repr)
def test_wrong_ids(index: KeywordIndex, key: Any) -> None:
    with pytest.raises(SubscriptionError) as refusal:
        index[key] = "fine"
    assert isinstance(refusal.value, ValueError)
    with pytest.raises(SubscriptionError) as refusal:
        index.update([("fine", "fine"), (key, "fine")])
    assert refusal.value.row == 1


def test_ids_of_one_kind() -> None:
    for mixed in ([(1, "a"), ("b", "b")], [("a", "a"), (2, "b")], [(1, "a"), (True, "b")]):
        with pytest.raises(SubscriptionError) as refusal:
            KeywordIndex(mixed)
        assert refusal.value.row == 1
    index = KeywordIndex({1: "a"})
    with pytest.raises(SubscriptionError):
        index.update(pa.table({"id": ["x"], "subscription": ["b"]}))
    assert dict(index) == {1: "a"}


def test_duplicate_ids(index: KeywordIndex) -> None:
    pairs = [("a", "x"), ("b", "y"), ("a", "z")]
    rows = pa.table({"id": ["a", "b", "a"], "subscription": ["x", "y", "z"]})
    for load in (pairs, iter(pairs), rows, rows.replace_schema_metadata({"k": "v"})):
        with pytest.raises(SubscriptionError) as refusal:
            index.update(load)
        assert refusal.value.row == 2
    for load in (pairs, rows, pa.table({"id": [7, 8, 7], "subscription": ["x", "y", "z"]})):
        with pytest.raises(SubscriptionError) as refusal:
            KeywordIndex(load)
        assert refusal.value.row == 2


def column(*values: Any, kind: pa.DataType | None = None) -> pa.Array:
    return pa.array(values, kind)


NO_TEXT = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xff"]).buffers())

TABLES = {
    "no id": ({"subscription": column("a", "b")}, "id", None),
    "no subscription": ({"id": column("a", "b")}, "subscription", None),
    "no columns": ({}, "", None),
    "null id": ({"id": column("a", None), "subscription": column("x", "y")}, "id", 1),
    "null number": ({"id": column(1, None), "subscription": column("x", "y")}, "id", 1),
    "null subscription": ({"id": column("a", "b"), "subscription": column("x", None)}, "subscription", 1),
    "real ids": ({"id": column(1.0, 2.0), "subscription": column("x", "y")}, "id", None),
    "truth values": ({"id": column(True, False), "subscription": column("x", "y")}, "id", None),
    "lists as ids": ({"id": column(["a"], ["b"]), "subscription": column("x", "y")}, "id", None),
    "numbers as texts": ({"id": column("a", "b"), "subscription": column(1, 2)}, "subscription", None),
    "lists as texts": ({"id": column("a", "b"), "subscription": column(["x"], ["y"])}, "subscription", None),
    "no UTF-8 in the ids": ({"id": NO_TEXT, "subscription": column("x", "y")}, "id", 1),
    "no UTF-8 in the texts": ({"id": column("a", "b"), "subscription": NO_TEXT}, "subscription", 1),
    "bad text": ({"id": column("a", "b"), "subscription": column("x", "y (")}, "", 1),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "name", "row"), TABLES.values(), ids=TABLES.keys())
def test_tables(index: KeywordIndex, columns: dict[str, pa.Array], name: str, row: int | None) -> None:
    for load in (index.update, KeywordIndex):
        with pytest.raises(SubscriptionError) as refusal:
            load(pa.table(columns))
        assert name in str(refusal.value)
        assert row is None or refusal.value.row == row


def test_rows_are_counted_across_chunks(index: KeywordIndex) -> None:
    ids, texts = pa.chunked_array([["a", "b"], ["c", "d"]]), pa.chunked_array([["x"], ["y", "z", "w OR"]])
    with pytest.raises(SubscriptionSyntaxError) as refusal:
        index.update(pa.table({"id": ids, "subscription": texts}))
    assert (refusal.value.row, refusal.value.text, refusal.value.position) == (3, "w OR", 2)


def test_input_that_breaks_off(index: KeywordIndex) -> None:
    def broken() -> Iterator[tuple[str, str]]:
        yield "a", "fine"
        yield "s1", "fine"
        raise OSError("the source is gone")

    with pytest.raises(OSError, match="gone"):
        index.update(broken())
    with pytest.raises(OSError, match="gone"):
        KeywordIndex(broken())


@pytest.mark.parametrize("load", [5, [5], [("a",)], [("a", "b", "c")], ["abc"]], ids=repr)
def test_not_subscriptions(index: KeywordIndex, load: Any) -> None:
    with pytest.raises((SubscriptionError, TypeError)):
        index.update(load)
    with pytest.raises((SubscriptionError, TypeError)):
        KeywordIndex(load)


STRINGS = pa.list_(pa.string())


@pytest.mark.parametrize(
    ("events", "position"),
    [
        (["a", None, 5], 2),
        (["a", 5], 1),
        (["a", "b", b"\xff"], 2),
        (["a", ["b", None]], 1),
        (["a", ["b", 5]], 1),
        (["a", [b"b"]], 1),
        (["a", [["b"]]], 1),
        (iter(["a", None, 5]), 2),
        (pa.array([b"a", None, b"\xff"]), 2),
        (pa.array([b"a", None, b"\xff"])[1:], 1),
        (pa.array([b"a", b"b", b"\xff"]), 2),
        (NO_TEXT, 1),
        (pa.chunked_array([[b"a", None], [b"c", b"\xff"]]), 3),
        (pa.chunked_array([pa.array([b"a", b"b"]), pa.array([b"c", b"\xe9"])]), 3),
        (pa.array([["a"], None, ["b", None]], STRINGS), 2),
        (pa.array([["a"], ["b", None]], STRINGS), 1),
        (pa.array([1, 2]), 0),
        (pa.array([[1], [2]]), 0),
    ],
)
def test_events(index: KeywordIndex, events: Any, position: int) -> None:
    with pytest.raises(EventError) as refusal:
        index.match_many(events)
    assert refusal.value.position == position


@pytest.mark.parametrize(
    "event", [None, 5, 1.5, b"\xff", b"caf\xe9", ["a", None], [5], pytest.param(object(), id="object")], ids=repr
)
def test_event(index: KeywordIndex, event: Any) -> None:
    with pytest.raises(EventError):
        index.match(event)
    with pytest.raises(EventError):
        index.explain(event, "s1")


@pytest.mark.parametrize(
    "options",
    [
        {"method": "quantum"},
        {"method": None},
        {"colour": "red"},
        {"method": "brute", "block": 4},
        {"method": "count", "order": "rank"},
        {"method": "trie", "capacity": 4},
        {"method": "trie", "order": "sideways"},
        {"method": "trie", "order": "given"},
        {"method": "compact-trie", "order": "given"},
        {"method": "compact-trie", "block": 0},
        {"method": "compact-count", "capacity": 0},
        {"method": "compact-count", "block": -1},
        {"stemmer": "klingon"},
        {"max_clauses": 0},
        {"max_terms": -1},
        {"max_term_bytes": "many"},
        {"max_depth": 1.5},
    ],
    ids=str,
)
def test_options(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as refusal:
        KeywordIndex(**options)
    assert isinstance(refusal.value, ValueError)
