"""The optional schema: what breaks it, subscription or event, is named; what does not, is as without it."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contract.cases import found, unchanged
from watchword import EventError, Index, OptionError, PredicateIndex, SubscriptionSyntaxError

HIERARCHIES = {"topic": {"national": "politics", "international": "politics"}}
SCHEMA = {
    "type": "kind",
    "events": {
        "quote": {"name": "text", "value": "number", "side": ["buy", "sell", 5], "open": "boolean?"},
        "story": {
            "title": "text",
            "note": "text?",
            "tags": "text*",
            "topic": {"kind_of": "topic"},
            "also": {"kind_of": "topic", "times": "*"},
            "authors.name": "text+",
            "extra": "object?",
        },
    },
    "attributes": {"at": "date?", '"c-count"': {"is": "number", "times": "?"}},
}
QUOTE = {"kind": "quote", "name": "RBS", "value": 15, "side": "buy"}
STORY = {"kind": "story", "title": "x", "topic": "national", "authors": [{"name": "Ann"}]}


def made(subscriptions: Any = None, **options: Any) -> PredicateIndex:
    return PredicateIndex(subscriptions, schema=SCHEMA, hierarchies=HIERARCHIES, **options)


@pytest.mark.parametrize(
    "text",
    [
        "kind = 'quote' AND name = 'RBS' AND value > 20",
        "kind IN ('quote', 'story') AND at >= '2026-01-01'",
        "side = 'buy' OR side != 5 OR side IN ('sell', 5)",
        "side = 'BUY' IGNORING CASE",
        "side KIND OF 'buy' AND side STARTS WITH 'b' AND side < 'z' AND side > 3",
        "open = TRUE AND open EXISTS",
        "topic KIND OF 'politics' AND also KIND OF 'politics/local'",
        "tags CONTAINS 'x' AND tags ENDS WITH 'y'",
        "authors.name = 'Ann' AND ANY authors (name STARTS WITH 'A')",
        "authors EXISTS AND extra.anything.at.all = 5 AND ANY extra (x = 'y')",
        "title = '2026-01-01'",
        '"c-count" = 5',
        "name IS MISSING AND note IS MISSING",
        "NOT (kind = 'quote') AND title = 'x'",
        "kind = 'quote' AND value > 5 OR kind = 'story' AND title = 'x'",
        "(kind = 'quote' OR kind = 'story') AND (value > 5 OR title = 'x')",
        "name = 'a' AND name != 'a' AND NOT name = 'a'",
    ],
)
def test_subscriptions_of_the_schema(text: str) -> None:
    index = made({"one": text})
    index.update({"two": text, "three": "value > 5"})
    index["four"] = text
    assert len(index) == 4


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("value > 5 AND nme = 'x'", 14, "no attribute nme; it has name"),
        ("NOT nme EXISTS", 4, "no attribute nme"),
        ("EXISTS nme", 7, "no attribute nme"),
        ("name = 5", 7, "name as a text; 5 is none"),
        ("name = TRUE", 7, "name as a text; TRUE is none"),
        ("value = '5'", 8, "value as a number; '5' is none"),
        ("value BETWEEN 'a' AND 'b'", 14, "value as a number; 'a' is none"),
        ("value IN (1, 'x')", 9, "value as a number; 'x' is none"),
        ("value STARTS WITH 'x'", 18, "value as a number; STARTS WITH is about texts"),
        ("value IN CIDR '10.0.0.0/8'", 14, "IN CIDR is about texts"),
        ("value KIND OF 'x'", 14, "KIND OF is about texts"),
        ("open = 1", 7, "open as a boolean; 1 is none"),
        ("at = 'noon'", 5, "at as a date; 'noon' is none"),
        ("at STARTS WITH '2026'", 15, "at as a date; STARTS WITH is about texts"),
        ("at = '2026-01-01' IGNORING CASE", 5, "at as a date"),
        ("side = 'hold'", 7, "one of 'buy', 'sell', 5; 'hold' is none"),
        ("side = '5'", 7, "'5' is none"),
        ("side IN ('buy', 'hold')", 8, "'hold' is none"),
        ("side > TRUE", 7, "does not compare booleans"),
        ("topic KIND OF 'sports'", 14, "hierarchy 'topic'; 'sports' is none"),
        ("topic = 'sports'", 8, "'sports' is none"),
        ("also KIND OF 'sports/politics'", 13, "'sports/politics' is none"),
        ("authors = 'Ann'", 0, "authors as an object; it has no value to compare"),
        ("authors.first = 'Ann'", 0, "no attribute authors.first; it has authors.name"),
        ("ANY authors (first = 'Ann')", 13, "no attribute authors.first"),
        ("ANY authors (name = 5)", 20, "authors.name as a text; 5 is none"),
        ("ANY title (x = 5)", 11, "no attribute title.x"),
        ("kind = 'trade'", 7, "one of 'quote', 'story'; 'trade' is none"),
        ("kind = 'quote' AND title = 'x'", 0, "no event type of the schema has all of this together: kind, title"),
        ("title = 'x' AND value > 5", 0, "title, value"),
    ],
)
def test_subscriptions_that_break_it(text: str, position: int, says: str) -> None:
    index = made({"good": "value > 5"})
    with unchanged(index, [QUOTE]):
        with pytest.raises(SubscriptionSyntaxError, match=says.replace("(", r"\(")) as refusal:
            index["new"] = text
        assert (refusal.value.position, refusal.value.text) == (position, text)
        with pytest.raises(SubscriptionSyntaxError) as refusal:
            index.update({"a": "value > 6", "new": text})
        assert (refusal.value.position, refusal.value.row) == (position, 1)


def changed(event: dict[str, Any], **values: Any) -> dict[str, Any]:
    return {**event, **values}


BAD_EVENTS = [
    (changed(QUOTE, value=None), "value is missing"),
    (changed(QUOTE, value=float("nan")), "value is missing"),
    (changed(QUOTE, value=[]), "value is missing"),
    (changed(QUOTE, value=[1, 2]), "value has 2 values"),
    (changed(QUOTE, value="15"), "value is '15', and the schema has a number there"),
    (changed(QUOTE, value=True), "value is TRUE, and the schema has a number there"),
    (changed(QUOTE, value={"x": 1}), "value is an object"),
    (changed(QUOTE, name=5), "name is 5, and the schema has a text there"),
    (changed(QUOTE, side="hold"), "side is 'hold', and the schema has one of 'buy', 'sell', 5 there"),
    (changed(QUOTE, side=None), "side is missing"),
    (changed(QUOTE, open=1), "open is 1, and the schema has a boolean there"),
    (changed(QUOTE, title="x"), "title is not declared"),
    (changed(QUOTE, at="2026-02-30"), "at is '2026-02-30', and the schema has a date there"),
    (changed(QUOTE, at="2026-02-03T25:00"), "a date there"),
    (changed(QUOTE, at=5), "at is 5, and the schema has a date there"),
    (changed(QUOTE, kind="trade"), "kind is 'trade', and the schema has the event types 'quote', 'story'"),
    (changed(QUOTE, kind=None), "kind is missing, which names the event's type"),
    (changed(QUOTE, kind=["quote", "story"]), "kind is 'quote', 'story'"),
    (changed(QUOTE, kind=5), "kind is 5"),
    (changed(STORY, topic="sports"), "topic is 'sports', and the schema has a node of the hierarchy 'topic' there"),
    (changed(STORY, also=["national", "x/national"]), "also is 'x/national'"),
    (changed(STORY, authors=[]), "authors.name is missing"),
    (changed(STORY, authors=5), "authors is 5, and the schema has an object there"),
    (changed(STORY, authors=[{"name": "Ann", "age": 5}]), "authors.age is not declared"),
    (changed(STORY, extra=5), "extra is 5, and the schema has an object there"),
    (changed(STORY, extra=[{}, {}]), "extra has 2 values"),
]

GOOD_EVENTS = [
    QUOTE,
    changed(QUOTE, value=[15.5], open=False, at="2026-02-03T04:05:06.789+01:00", side=5),
    changed(QUOTE, title=None, tags=[], extra=[None]),
    changed(STORY, tags=["a", "b"], also=["national/x", "politics"], at="2026-02-03"),
    changed(STORY, authors=[{"name": ["Ann", "Eve"]}, {"name": ["Bob"]}], extra={"x": {"y": [1, 2]}}),
    changed(STORY, tags="a", note="n"),
]


@pytest.mark.parametrize(("event", "says"), BAD_EVENTS)
@pytest.mark.parametrize("form", [lambda event: event, json.dumps, lambda event: json.dumps(event).encode()])
def test_events_that_break_it(event: dict[str, Any], says: str, form: Any) -> None:
    index = made({"r": "name = 'RBS' OR title = 'x'"})
    if any(value != value for value in event.values()):
        form = dict  # JSON has no NaN
    for method in (index.match, lambda one: index.explain(one, "r")):
        with pytest.raises(EventError) as refusal:
            method(form(event))
        assert says in str(refusal.value)
    with pytest.raises(EventError) as refusal:
        index.match_many([form(QUOTE), form(STORY), form(event), form(event)])
    assert refusal.value.position == 2 and says in refusal.value.reason


@pytest.mark.parametrize(("event", "says"), BAD_EVENTS)
def test_columns_that_break_it(event: dict[str, Any], says: str) -> None:
    index = made({"r": "name = 'RBS' OR title = 'x'"})
    alone = pa.Table.from_pylist([event])
    with pytest.raises(EventError) as refusal:
        index.match_many(alone)
    assert refusal.value.position == 0 and says in refusal.value.reason
    texts = [json.dumps(QUOTE)] * 10 + [json.dumps(event)]
    if "NaN" not in texts[-1]:
        with pytest.raises(EventError) as refusal:
            index.match_many(texts)
        assert refusal.value.position == 10 and says in refusal.value.reason


def test_events_of_the_schema() -> None:
    index = made({"q": "name = 'RBS'", "s": "title = 'x'"})
    expected = [["q"]] * 3 + [["s"]] * 3
    assert [index.match(event) for event in GOOD_EVENTS] == expected
    assert [index.match(json.dumps(event)) for event in GOOD_EVENTS] == expected
    assert found(index.match_many(GOOD_EVENTS), 6) == expected
    for event, ids in zip(GOOD_EVENTS, expected, strict=True):
        assert found(index.match_many(pa.Table.from_pylist([event])), 1) == [ids]
        assert found(index.match_many([json.dumps(event)] * 9), 9) == [ids] * 9
    dates = [changed(QUOTE, at=datetime.date(2026, 2, 3)), changed(QUOTE, at=datetime.date(2026, 2, 4))]
    assert found(index.match_many(pa.Table.from_pylist(dates)), 2) == found(index.match_many(dates), 2)


def test_the_first_of_several_bad_rows_is_named() -> None:
    rows = [QUOTE] * 40
    rows[17], rows[30], rows[35] = changed(QUOTE, side="hold"), changed(QUOTE, value=None), changed(QUOTE, x=1)
    index = made({"r": "value > 5"})
    for events in (rows, pa.Table.from_pylist([*rows[:30], changed(QUOTE, x=1), *rows[30:]])):
        with pytest.raises(EventError, match="side is 'hold'") as refusal:
            index.match_many(events)
        assert refusal.value.position == 17


def test_maps_dictionaries_and_missing_columns() -> None:
    index = PredicateIndex({"r": "a.x = 'y'"}, schema={"attributes": {"a.x": "text", "b": ["u", "v"]}})
    kind = pa.struct({"a": pa.map_(pa.string(), pa.string()), "b": pa.dictionary(pa.int8(), pa.string())})
    good = [{"a": [("x", "y")], "b": "u"}, {"a": [("x", "z")], "b": "v"}]
    assert found(index.match_many(pa.array(good, kind)), 2) == [["r"], []]
    for bad, says in (({"a": [("z", "y")], "b": "u"}, "a.z"), ({"a": [("x", "y")], "b": "w"}, "b is 'w'")):
        with pytest.raises(EventError, match=says) as refusal:
            index.match_many(pa.array([*good, bad], kind))
        assert refusal.value.position == 2
    with pytest.raises(EventError, match="b is missing"):
        index.match_many(pa.table({"a": pa.array([{"x": "y"}])}))


values = st.sampled_from(
    [None, 1, 2.5, True, "buy", "x", "2026-01-01", "2026-13-01", "national", "national/x", [], ["x"], ["x", "y"], {}]
)
names = ("kind", "name", "value", "side", "open", "title", "note", "tags", "topic", "at", "extra", "other")


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([QUOTE, STORY]), st.dictionaries(st.sampled_from(names), values, max_size=2)),
        min_size=1,
        max_size=4,
    )
)
def test_columns_are_judged_as_objects(drawn: Any) -> None:
    events = [{**base, **changes} for base, changes in drawn]
    try:
        table = pa.Table.from_pylist([dict.fromkeys(names), *events]).slice(1)
    except (pa.ArrowInvalid, pa.ArrowTypeError):  # mixed kinds are no column
        return
    index = made({"q": "name = 'RBS'", "s": "title = 'x'", "n": "note = 'x' OR tags = 'x' OR at = '2026-01-01'"})
    wanted = verdict(index, table.to_pylist())
    assert verdict(index, table) == wanted
    assert verdict(index, [json.dumps(event) for event in table.to_pylist()]) == wanted


def verdict(index: PredicateIndex, events: Any) -> Any:
    try:
        return found(index.match_many(events), len(events))
    except EventError as error:
        return error.position


def test_without_a_schema_nothing_is_checked() -> None:
    index = PredicateIndex({"r": "nme = 5 AND kind = 'trade'"})
    assert index.match({"nme": 5, "kind": "trade", "other": {"x": 1}}) == ["r"]
    assert index.options["schema"] is None


def test_attributes_share_a_hierarchy() -> None:
    index = made({"r": "also KIND OF 'politics'", "any": "ANY authors (name = 'Ann')"})
    assert index.match(changed(STORY, also=["international"])) == ["r", "any"]
    assert found(index.match_many([changed(STORY, also=["international"])] * 20), 20) == [["any", "r"]] * 20
    assert index.explain(changed(STORY, also=["international"]), "r").matched


def test_a_snapshot_keeps_the_schema(tmp_path: Path) -> None:
    index = made({"r": "value > 5"})
    index.save(tmp_path / "index")
    opened = Index.open(tmp_path / "index")
    assert opened.options == index.options == made(**{}).options
    assert json.loads(json.dumps(index.options)) == index.options
    assert opened.match(QUOTE) == ["r"]
    with pytest.raises(EventError, match="missing"):
        opened.match({"kind": "quote"})
    with pytest.raises(SubscriptionSyntaxError, match="nme"):
        opened["new"] = "nme = 5"
    assert PredicateIndex(**index.options).options == index.options


@pytest.mark.slow
def test_more_event_types_than_a_word_has_bits() -> None:
    events = {f"e{number}": {f"a{number}": "number"} for number in range(130)}
    index = PredicateIndex(schema={"type": "kind", "events": events})
    index.update({number: f"kind = 'e{number}' AND a{number} = 1" for number in range(130)})
    assert index.match({"kind": "e129", "a129": 1}) == [129]
    with pytest.raises(SubscriptionSyntaxError, match="kind, a7") as refusal:
        index.update({200: "kind = 'e1' AND a1 = 1", 201: "kind = 'e129' AND a7 = 1"})
    assert refusal.value.row == 1


@pytest.mark.parametrize(
    ("schema", "says"),
    [
        (5, "must be a mapping"),
        ({}, "keys type, events and attributes"),
        ({"atributes": {}}, "not 'atributes'"),
        ({"type": "kind"}, "belong together"),
        ({"events": {"a": {}}}, "belong together"),
        ({"type": "kind", "events": {}}, "empty"),
        ({"type": "kind", "events": {5: {}}}, "an event type is a text, not 5"),
        ({"type": "a b", "events": {"a": {}}}, r"schema\['type'\]: 'a b' is no attribute"),
        ({"attributes": {"a": "string"}}, r"schema\['attributes'\]\['a'\] must be text, number"),
        ({"attributes": {"a": "text!"}}, "perhaps with"),
        ({"attributes": {"a": []}}, "an enumeration is a list"),
        ({"attributes": {"a": [None]}}, "a member is a text, a number or a boolean, not None"),
        ({"attributes": {"a": [float("nan")]}}, "not nan"),
        ({"attributes": {"a": {}}}, "one of the keys is, one_of and kind_of"),
        ({"attributes": {"a": {"is": "text", "kind_of": "b"}}}, "one of the keys"),
        ({"attributes": {"a": {"is": "string"}}}, "must be text"),
        ({"attributes": {"a": {"is": "text", "times": "2"}}}, "times"),
        ({"attributes": {"a": {"kind_of": "b"}}}, "hierarchy 'b', and hierarchies has: topic"),
        ({"attributes": {"a": 5}}, "must be a mapping"),
        ({"attributes": {"a": "text", '"a"': "text"}}, "declared twice"),
        ({"attributes": {"a b": "text"}}, "'a b' is no attribute"),
        ({"attributes": {"in": "text"}}, 'written "in"'),
        ({"attributes": {"a": "text", "a.b": "text"}}, "a is a text, so nothing can lie inside it"),
    ],
)
def test_schemas_that_are_none(schema: Any, says: str) -> None:
    with pytest.raises(OptionError, match=says):
        PredicateIndex(schema=schema, hierarchies=HIERARCHIES)
