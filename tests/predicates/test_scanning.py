"""The kernel that reads JSON texts takes and refuses the texts that Python's `json` does, and reads the same values."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword import EventError, PredicateIndex
from watchword.kernels.predicates.scan import CROWDED, LONG_KEY
from watchword.predicates.events import reader
from watchword.predicates.events.documents import parsed
from watchword.predicates.events.reader import NameNode
from watchword.predicates.events.scanning import Scanned, Scanner, as_strings

RULES = [
    "a = 1",
    "a > 1.5",
    "a != 'x'",
    "a < 'm'",
    "a = TRUE",
    "a != FALSE",
    "a BETWEEN -9223372036854775808 AND 9223372036854775807",
    "a > 9007199254740992",
    "a EXISTS",
    "a IS MISSING",
    "a IN (0, 'é', 9007199254740993, 12345678901234567890, 1e300, '')",
    "a = 'É' IGNORING CASE",
    "a STARTS WITH 'é'",
    "a HAS 'x'",
    "a LIKE '%\U0001f600_'",
    "a MATCHES 'storm AND NOT sea'",
    "a IN CIDR '10.0.0.0/8'",
    "a >= '2026-11-16'",
    "a KIND OF 'politics'",
    "a CONTAINS 2",
    "a.b.c = 2",
    "a.b EXISTS",
    'a."" = 3',
    '"é" = 1',
    '"a.b" = 2',
    '"a name of more than sixteen bytes" = 1',
    "ANY a (b > 1 AND b.c IS MISSING)",
    "ANY a (ANY b (c = 2))",
    "MATCHES 'ferry'",
]
OPTIONS: dict[str, Any] = {"text": ["b", "a.b"], "hierarchies": {"a": {"national": "politics"}}}
PLAIN = {f"p{number}": f"p{number} = 1" for number in range(20)}
"""Rules about other attributes: texts are read one at a time by a kernel if it can read most attributes."""
INDEX = PredicateIndex(PLAIN | {f"r{number}": rule for number, rule in enumerate(RULES)}, **OPTIONS)

VALUES = [
    *("0", "-0", "1", "1.0", "1e0", "10E-1", "0.1e+1", "2", "1.5", "1.5000000000000001", "-1", "1e300", "1e999"),
    *("-1e999", "9007199254740993", "9007199254740992", "9223372036854775807", "9223372036854775808"),
    *("-9223372036854775808", "12345678901234567890", "-12345678901234567890", "1" * 38, "1" * 39, "-" + "1" * 38),
    *("9" * 639, "1" * 700, "0.1", "0.30000000000000004", "123456789.12345678", "1e22", "1e23", "1e-22", "1e-23"),
    *("5e-324", "0e9999", "1.0e0000001", "0." + "0" * 30 + "1", "1" * 25 + ".5", "100000000000000000000000e-23"),
    *("true", "false", "null", '""', '"x"', '"\\u0078"', '"é"', '"\\u00e9"', '"\\u00C9"'),
    *('"\\n\\t\\r\\b\\f\\/\\\\\\""', '"\\u0000"', '"a\\u0000x"', '"\U0001f600!"', '"\\ud83d\\ude00!"'),
    *('"\\ud83d\\u0041"', '"\\ud83d"', '"\\ude00\\ud83d"', '"x\\ud83d"', '"\x7f"', '"National"', '"national"'),
    *('"2026-11-16"', '"2026-11-17T00:00:00Z"', '"10.1.2.3"', '"storm"', '"Storm at sea"', "[]", "[1]", "[null]"),
    *("[null, 1, [2, [\"x\"]]]", "[1, 1.5, true, \"x\", {}]", "{}", '{"b": {}}', '{"b": {"c": 2}}'),
    *('{"b": [{"c": 2}, {"c": 1}, 3]}', '[{"b": 2}, {"b": 2, "c": 1}]', '[{"b": {"c": 3}}]', '{"": 3}'),
    *('{"b": "ferry"}', '{"\\u0062": {"\\u0063": 2}}', '{"b": [[[{"c": 2}]]]}', '[[{"b": [{"c": 2}]}]]'),
    *('"' + "y" * 5000 + '\\u0078"',),
]  # fmt: skip
"""Every edge value by hand, as JSON."""

NO_VALUES = [
    *("", "+1", "01", "-", "-01", "1.", ".5", "1e", "1e+", "1.e1", "0x1", "1_0", "NaN", "Infinity", "-Infinity"),
    *("nan", "١", "tru", "True", "nul", "nulll", "falsee", "'x'", '"x', '"', '"\\', '"\\x41"', '"\\u12"'),
    *('"\\u00g0"', '"\\u 123"', '"\\U0041"', '"\n"', '"\x00"', '"\x1f"', '"\t"', "[", "[1", "[1,", "[1,]", "[,]"),
    *("[1 2]", "]", "{", '{"b"', '{"b":', '{"b":1', '{"b":1,', '{"b":1,}', "{1: 2}", "{b: 1}", '{"b" 1}'),
    *('{"b": 1 "c": 2}', "{]", "[}", '{"b": 1]', "[1}", '{"b": 1, "b": 1}', '{"b": 1, "\\u0062": 2}'),
    *('[{"x": {}, "y": 1, "x": {}}]', '{"": 1, "": 2}', "1 2", "/* x */ 1", "\ufeff1", "\xa01", "\v1"),
]  # fmt: skip
"""Texts that are no value of JSON, and that a careless reader takes for one."""

FRAMES = [
    *('{"a": %s}', '{"é":1,"a":%s}', ' {\t"a" :\n%s\r,\r\n"a.b": 2 } ', '{"a":{"b":%s}}'),
    *('{"a": {"b": [{"c": %s}]}}', '{"zzz": %s}'),
]  # fmt: skip


ENOUGH = 20
"""Fewer texts than this may be read one by one."""


def framed(values: list[str]) -> list[str]:
    """Return each value in every position of an event: asked for, inside of what is asked for, and asked by no rule."""
    return [frame.replace("%s", value) for value in values for frame in FRAMES]


def ids(event: Any) -> list[str]:
    return sorted(INDEX.match(event))


def wanted(text: Any) -> list[str] | EventError:
    """Return the ids by Python's `json` and the event as an object, or the error."""
    try:
        return ids(parsed(text, 0))
    except EventError as error:
        return error


EMPTY = ids({})
one = ids
"""Returns the ids of one text, which is read by a kernel of its own."""


def found(events: Any) -> list[list[str]]:
    """Return the ids of each of many texts."""
    ids: list[list[str]] = [[] for _ in range(len(events))]
    for pair in INDEX.match_many(events).to_pylist():
        ids[pair["event"]].append(pair["subscription"])
    return [sorted(one) for one in ids]


def check(texts: list[str]) -> None:
    """Compare texts that are right in one batch, and those that are wrong one by one and among right ones."""
    outcomes = [(text, wanted(text)) for text in texts]
    right = [(text, outcome) for text, outcome in outcomes if isinstance(outcome, list)]
    if right:
        texts, ids = [text for text, _ in right] + ["{}"] * ENOUGH, [outcome for _, outcome in right] + [EMPTY] * ENOUGH
        assert found(pa.array([text.encode("utf-8", "surrogatepass") for text in texts])) == ids
        assert found(texts) == ids
        assert [one(text) for text in texts] == ids
    for text, outcome in outcomes:
        if isinstance(outcome, EventError):
            for before in (0, 1, 2 * ENOUGH):
                with pytest.raises(EventError) as caught:
                    INDEX.match_many(pa.array([*['{"zz": 1}'] * before, text, text, *["{}"] * ENOUGH]))
                assert (caught.value.reason, caught.value.position) == (outcome.reason, before)
            with pytest.raises(EventError) as caught:
                INDEX.match(text)
            assert caught.value.reason == outcome.reason


@pytest.mark.slow
def test_every_edge_value_in_every_position_is_read_as_python_reads_it() -> None:
    check(framed(VALUES))


def test_every_wrong_value_in_every_position_is_refused_as_python_refuses_it() -> None:
    texts = framed(NO_VALUES)
    assert not any(isinstance(wanted(text), list) for text in texts)
    check(texts)


WHOLE = [
    *("{}", " {} ", "\n{}\r\n", '{"a":1}\n', "[]", "1", '"a"', "null", "true", "", " ", "\n", "{}{}", "{} 1"),
    *("{},", "\ufeff{}", "\xa0{}", "{}\x00", "\x00", "{" * 300, "[" * 300, '{"a":' * 300, "}", "]", '{"a":1}}'),
    *('{"a":[1]]}', "NaN", "{\v}"),
]  # fmt: skip


def test_whole_texts_are_taken_and_refused_as_python_does() -> None:
    check(WHOLE)


def nested(depth: int, name: str = "a") -> str:
    return '{"' + name + '":' + "[" * (depth - 1) + "]" * (depth - 1) + "}"


def test_events_are_nested_up_to_the_limit_and_no_deeper() -> None:
    objects = ['{"a":' * depth + "1" + "}" * depth for depth in (199, 200, 201)]
    lists = [nested(depth, name) for depth in (199, 200, 201) for name in "az"]
    check(objects + lists)
    assert [isinstance(wanted(text), list) for text in objects] == [True, True, False]


# random texts


def spelled(value: Any, draw: Random) -> str:
    """Return JSON with white space, escapes and numbers written in ways that are drawn."""
    space = draw.choice(["", "", " ", "\n\t\r "])
    if isinstance(value, dict):
        pairs = [spelled(name, draw) + ":" + spelled(one, draw) for name, one in value.items()]
        return space + "{" + ",".join(pairs) + space + "}"
    if isinstance(value, list):
        return "[" + ",".join(spelled(one, draw) for one in value) + space + "]" + space
    if isinstance(value, str):
        written = json.dumps(value, ensure_ascii=draw.random() < 0.5)
        if value.isalnum() and draw.random() < 0.5:
            written = '"' + "".join(f"\\u{ord(one):04x}" if ord(one) < 0x10000 else one for one in value) + '"'
        return space + written + space
    return space + json.dumps(value)


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-(10**40), 10**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from(["x", "é", "storm sea", "ferry", "2026-11-16", "10.1.2.3", "national", "", "\U0001f600!"]),
    st.text(max_size=20),
)
NAMES = st.sampled_from(["a", "b", "c", "", "é", "a.b", "z", "a name of more than sixteen bytes"]) | st.text(max_size=9)
EVENTS = st.dictionaries(
    NAMES,
    st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3)),
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.lists(EVENTS, min_size=1, max_size=6), st.integers(0, 1 << 30))
def test_random_texts_match_as_their_objects_do(events: list[dict[str, Any]], seed: int) -> None:
    check([spelled(event, Random(seed)) for event in events])


PIECES = ["", '"', "\\", ",", ":", "{", "}", "[", "]", "1", "e", "-", ".", " ", "\x01", "\\u", "\\ud83d", "é", "null"]


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(EVENTS, st.integers(0, 1 << 30))
def test_damaged_texts_are_refused_or_match_as_python_reads_them(event: dict[str, Any], seed: int) -> None:
    draw = Random(seed)
    text = spelled(event, draw)
    damaged = []
    for _ in range(20):
        at = draw.randrange(len(text))
        damaged.append(text[:at] + draw.choice(PIECES) + text[at + draw.randrange(4) :])
    check(damaged)


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=12), st.sampled_from([b'{"a": "%s"}', b'{"%s": 1}', b'{"z": "%s", "a": 1}']))
def test_bytes_are_refused_where_they_are_no_utf8(inside: bytes, frame: bytes) -> None:
    text = frame.replace(b"%s", inside)
    outcome = wanted(text)
    if isinstance(outcome, list):
        assert found(pa.array([text] * ENOUGH)) == [outcome] * ENOUGH
    else:
        with pytest.raises(EventError) as caught:
            INDEX.match_many(pa.array([text] * ENOUGH))
        assert caught.value.reason == outcome.reason


# what the kernel takes itself


def scanned(texts: list[str], names: list[str]) -> Scanned:
    root = NameNode()
    for name in names:
        root.below[name] = NameNode()
        root.below[name].fields = [None]  # type: ignore[list-item]
    strings = as_strings(texts)
    assert strings is not None
    return Scanner(root).scan(strings)


def general(*texts: str) -> list[int]:
    """Return which texts the kernel leaves to Python, where `a` is asked for."""
    rows: list[int] = scanned(list(texts), ["a"]).general.tolist()
    return rows


LONGEST = "1" * 700
RARE = {'"\\ud83d"', '"\\ude00\\ud83d"', '"x\\ud83d"', '"\\ud83d\\u0041"', "1" * 39, "9" * 639, LONGEST}
"""Values that the kernel leaves to Python where they are asked for; `LONGEST` everywhere."""


def test_only_rare_texts_are_left_to_python() -> None:
    left = {name: {VALUES[row] for row in general(*(f'{{"{name}": {value}}}' for value in VALUES))} for name in "az"}
    assert left == {"a": RARE, "z": {LONGEST}}


def test_single_texts_are_not_parsed_in_python_unless_they_are_rare(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [frame.replace("%s", value) for value in VALUES for frame in FRAMES]
    wanted = {text: ids(parsed(text, 0)) for text in texts}
    left = []

    def parse(text: Any, position: int) -> dict[str, Any]:
        left.append(text)
        return parsed(text, position)

    monkeypatch.setattr(reader, "parsed", parse)
    assert {text: ids(text) for text in texts} == wanted
    assert set(left) == {text for value in RARE for text in framed([value])[: 6 if value == LONGEST else 5]}


def test_a_text_of_more_keys_than_are_compared_is_read_in_python() -> None:
    def text(keys: int) -> str:
        return "{" + ",".join(f'"{number}":0' for number in range(keys)) + "}"

    assert general(text(CROWDED), text(CROWDED + 1), "{}") == [1]


def test_a_key_with_an_escape_is_taken_up_to_its_limit() -> None:
    longest, longer = ('{"' + "k" * (size - 8) + '\\u0061": 1}' for size in (LONG_KEY, LONG_KEY + 1))
    assert general(longest, longer) == [1]


def test_values_find_room_however_many_a_text_has() -> None:
    found = scanned(["{}", '{"a": [' + "1," * 5000 + '"x"]}', '{"a": 2}'], ["a", "b"])
    groups = {kind: (owners.tolist(), values.to_pylist()) for _, kind, owners, values in found.groups()}
    assert groups == {0: ([1] * 5000 + [2], [1] * 5000 + [2]), 5: ([1], ["x"])}


@pytest.mark.parametrize(
    "text",
    [
        "[" * 1_000_000,
        '{"a":' * 200_000,
        '{"a": "' + "\\" * 999_999,
        '{"a": ' + "9" * 1_000_000 + "}",
        '{"a": 0.' + "9" * 1_000_000 + "}",
        '{"a": "' + "x" * 1_000_000 + '"}',
        "{" + ",".join(f'"{number}":0' for number in range(40_000)) + "}",
        '{"a": [' + "[]," * 100_000 + "0]}",
        '{"a": 1e' + "9" * 100_000 + "}",
    ],
    ids=["lists", "objects", "backslashes", "integer", "digits", "text", "keys", "empty lists", "exponent"],
)
def test_hostile_texts_are_read_or_refused_as_python_does(text: str) -> None:
    check([text])


def test_an_index_that_learns_new_attributes_reads_them_in_the_next_batch() -> None:
    index = PredicateIndex({"a": "a = 1"})
    texts = pa.array(['{"a": 1, "b": {"c": 2}}'] * ENOUGH)

    def ids() -> set[str]:
        return set(index.match_many(texts)["subscription"].to_pylist())

    assert ids() == {"a"}
    index["bc"] = "b.c > 1"
    assert ids() == {"a", "bc"}
    del index["a"]
    assert ids() == {"bc"}


def test_single_texts_match_while_subscriptions_come_and_go(tmp_path: Path) -> None:
    draw = Random(7)
    names = ["a", "b", "c", "d"]
    index = PredicateIndex()
    for step in range(150):
        if draw.random() < 0.3:
            name, value = draw.choice(names), draw.randrange(40)
            texts = [f"{name} = {value}", f"{name} > {value}", f"{name} != 'v{value}'", f"{name} HAS 'v{value}'"]
            index[f"r{draw.randrange(100)}"] = draw.choice([*texts, f"{name}.x = 'v{value}' AND b < {value}"])
        elif index and draw.random() < 0.1:
            del index[draw.choice(list(index))]
        if step in (50, 100):
            index.save(tmp_path / f"index{step}")
            index = PredicateIndex.open(tmp_path / f"index{step}")
        values = [
            draw.choice([draw.randrange(40), f"v{draw.randrange(40)}", {"x": f"v{draw.randrange(40)}"}]) for _ in "12"
        ]
        event = {draw.choice(names): values if draw.random() < 0.3 else value for value in values}
        text = json.dumps(event)
        assert index.match(text) == index.match(text.encode()) == index.match(event)


def test_a_text_with_more_values_or_points_than_there_is_room_for_matches_all_the_same() -> None:
    index = PredicateIndex({str(number): f"a IN (1, {number + 2})" for number in range(5_000)} | {"b": "b > 1"})
    texts = ['{"a": 1}', '{"b": [' + "1," * 5_000 + "2]}", '{"b": "' + "x" * 100_000 + '"}', '{"a": 1, "b": 2}']
    for _ in range(700):  # after which the kernel has arrays of the constants
        index.match("{}")
    assert [index.match(text) for text in texts] == [index.match(json.loads(text)) for text in texts]


def test_few_and_many_texts_match_alike() -> None:
    text = '{"a": {"b": [{"c": 2}, "ferry"]}}'
    for count in range(1, ENOUGH + 1):
        assert found(pa.array([text] * count)) == found([text] * count) == [ids(json.loads(text))] * count


def test_of_several_wrong_texts_the_first_is_named_whatever_is_wrong() -> None:
    index = PredicateIndex(PLAIN | {"path": "doc MATCHES PATH '//a'", "word": "doc MATCHES 'storm'"})
    wrong = ['{"doc": "<a><b></a>"}', '{"doc": "\\ud800 storm"}', '{"doc": 1', '{"doc": 1, "doc": 2}']
    reasons = {}
    for text in wrong:
        try:
            index.match(parsed(text, 0))
        except EventError as error:
            reasons[text] = error.reason
    assert len(reasons) >= 2
    for order in permutations(wrong):
        texts = ['{"doc": "<a/>"}'] * ENOUGH + list(order)
        first = next(row for row, text in enumerate(texts) if text in reasons)
        for events in (texts, pa.array(texts)):
            with pytest.raises(EventError) as caught:
                index.match_many(events)
            assert (caught.value.position, caught.value.reason) == (first, reasons[texts[first]])
    for text, reason in reasons.items():
        with pytest.raises(EventError) as caught:
            index.match(text)
        assert caught.value.reason == reason


def test_threads_match_single_texts_of_an_index_that_none_has_read() -> None:
    index = PredicateIndex(PLAIN | {f"a{number}": f"a = {number} AND b < {number}" for number in range(50)})
    events = [{"a": number % 50, "b": number % 7, "p1": number % 2} for number in range(400)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(index.match, map(json.dumps, events))) == [index.match(event) for event in events]


def test_texts_that_are_no_texts_are_refused_by_their_position() -> None:
    texts: list[Any] = ['{"a": 1}'] * ENOUGH
    for wrong in (7, b"\xff", "\ud800", ["{}"]):
        with pytest.raises(EventError) as caught:
            INDEX.match_many([*texts[:5], wrong, *texts])
        assert caught.value.position == 5
    assert found([*texts, {"a": 1}, b'{"a": 1}']) == [ids({"a": 1})] * (ENOUGH + 2)
