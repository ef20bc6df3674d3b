"""The languages as the contract suite sees them: variants, strategies, oracle, bad input, containers of events."""

from __future__ import annotations

import json
from functools import partial
from io import BytesIO
from typing import Any

import pyarrow as pa

from tests import oracle, path_oracle, path_strategies, predicate_oracle, predicate_strategies, strategies
from tests.contract import numbers
from tests.contract.cases import Language, cases
from watchword import KeywordIndex, PathIndex, PatternIndex, PredicateIndex, PropertyIndex


def _text(event: Any) -> str:
    """Return a Unicode text with about the same terms as an event."""
    if isinstance(event, bytes):
        return event.decode()
    return (event if isinstance(event, str) else " ".join(event)).replace("\ud800", " ")


def _texts(kind: pa.DataType, events: list[Any]) -> tuple[pa.Array, list[Any]]:
    texts = [_text(event) for event in events]
    return pa.array(texts, pa.string()).cast(kind), texts


def _lists(kind: pa.DataType, events: list[Any]) -> tuple[pa.Array, list[Any]]:
    lists = [oracle.terms(_text(event)) for event in events]
    return pa.array(lists, kind), lists


def _sliced(events: list[Any]) -> tuple[pa.Array, list[Any]]:
    array, texts = _texts(pa.string(), events)
    return array[3:-2], texts[3:-2]


def _sliced_lists(events: list[Any]) -> tuple[pa.Array, list[Any]]:
    array, lists = _lists(pa.list_(pa.string()), events)
    return array[3:-2], lists[3:-2]


def _chunked(events: list[Any]) -> tuple[pa.ChunkedArray, list[Any]]:
    array, texts = _texts(pa.string(), events)
    return pa.chunked_array([array[:4], array[4:4], array[4:]]), texts


def _encoded(events: list[Any]) -> tuple[pa.Array, list[Any]]:
    array, texts = _texts(pa.string(), events)
    return array.dictionary_encode(), texts


TEXT_CONTAINERS = {
    "tuple": lambda events: (tuple(events), events),
    "generator": lambda events: ((event for event in events), events),
    "string": lambda events: _texts(pa.string(), events),
    "large string": lambda events: _texts(pa.large_string(), events),
    "string view": lambda events: _texts(pa.string_view(), events),
    "binary": lambda events: _texts(pa.binary(), events),
    "large binary": lambda events: _texts(pa.large_binary(), events),
    "dictionary": _encoded,
    "slice": _sliced,
    "chunks": _chunked,
    "no chunks": lambda _: (pa.chunked_array([], pa.string()), []),
    "no texts": lambda _: (pa.array([]), []),
}

DICTIONARY = pa.dictionary(pa.int32(), pa.string())

KEYWORDS = Language(
    name="keywords",
    index=KeywordIndex,
    variants={
        "auto": {},
        "brute": {"method": "brute"},
        "brute-ordered": {"method": "brute-ordered"},
        "brute-ordered-ranked": {"method": "brute-ordered", "ranking": strategies.TERMS[3:6]},
        "inverted": {"method": "inverted"},
        "count": {"method": "count"},
        "compact-count": {"method": "compact-count"},
        "compact-count-small": {"method": "compact-count", "capacity": 4, "block": 2},
        "trie": {"method": "trie"},
        "trie-reverse": {"method": "trie", "order": "reverse-rank"},
        "trie-given": {"method": "trie", "order": "given", "ranking": strategies.TERMS[::-2]},
        "compact-trie": {"method": "compact-trie"},
        "compact-trie-reverse": {"method": "compact-trie", "order": "reverse-rank", "block": 2},
        "compact-trie-given": {"method": "compact-trie", "order": "given", "ranking": strategies.TERMS},
        "compact-count-ranked": {"method": "compact-count", "ranking": strategies.TERMS[::-1]},
        "poset": {"method": "poset"},
        "poset-delta": {"method": "poset", "storage": "delta"},
    },
    subscriptions=strategies.keyword_queries,
    events=strategies.keyword_events,
    matches=oracle.matches,
    bad_subscriptions=("", "  ", "&", "a AND", "(", '"a', "()", "NOT", None, 5),
    bad_events=(None, 5, b"caf\xe9", ["a", None], ["a", 5], {"a": 5}, {"a": "b", "c": b"\xff"}),
    containers={
        **TEXT_CONTAINERS,
        "generators": lambda events: ([iter(oracle.terms(_text(event))) for event in events],
                                      [oracle.terms(_text(event)) for event in events]),
        "lists": lambda events: _lists(pa.list_(pa.string()), events),
        "lists of numbers": lambda events: _lists(pa.list_(DICTIONARY), events),
        "slice of lists": _sliced_lists,
    },
    column=TEXT_CONTAINERS["string"],
)  # fmt: skip

BAD_PATTERNS = ("", "\\", "a\\", "*\\\\\\", None, 5, b"a", "a" * 65_537)
BAD_TEXTS = (None, 5, b"caf\xe9", ["a"], {"a": 5}, {"a": "b", "c": ["d"]})

PATTERNS = Language(
    name="patterns",
    index=PatternIndex,
    variants={
        "auto": {},
        "naive": {"method": "naive"},
        "nfa": {"method": "nfa"},
        "retriever-none": {"method": "retriever-none"},
        "retriever-single": {"method": "retriever-single"},
        "retriever-multi": {"method": "retriever-multi"},
        "retriever-multi-eager": {"method": "retriever-multi", "min_word_len": 1, "min_split_score": 0},
        "retriever-none-records": {"method": "retriever-none", "recombination": "records"},
        "retriever-single-records": {"method": "retriever-single", "recombination": "records"},
        "retriever-multi-records": {
            "method": "retriever-multi",
            "recombination": "records",
            "min_word_len": 1,
            "min_split_score": 0,
        },
    },
    subscriptions=strategies.patterns(strategies.PATTERN_CHARACTERS),
    events=strategies.pattern_events(strategies.PATTERN_CHARACTERS),
    matches=oracle.matches_pattern,
    bad_subscriptions=BAD_PATTERNS,
    bad_events=BAD_TEXTS,
    containers=TEXT_CONTAINERS,
    column=TEXT_CONTAINERS["string"],
)

FOLDED_PATTERNS = Language(
    name="patterns",
    index=PatternIndex,
    variants={"auto-ignore-case": {"ignore_case": True}},
    subscriptions=strategies.patterns(strategies.FOLDING_CHARACTERS),
    events=strategies.pattern_events(strategies.FOLDING_CHARACTERS),
    matches=partial(oracle.matches_pattern, ignore_case=True),
    bad_subscriptions=BAD_PATTERNS,
    bad_events=BAD_TEXTS,
    containers=TEXT_CONTAINERS,
    column=TEXT_CONTAINERS["string"],
)

NAMES = strategies.PROPERTIES


def _bit_strings(kind: pa.DataType, events: list[Any]) -> tuple[pa.Array, list[Any]]:
    texts = ["".join(oracle.property_values(event, NAMES).values()) for event in events]
    return pa.array(texts, pa.string()).cast(kind), texts


def _name_lists(kind: pa.DataType, events: list[Any]) -> tuple[pa.Array, list[Any]]:
    lists = [[name for name, value in oracle.property_values(event, NAMES).items() if value == "1"] for event in events]
    return pa.array(lists, kind), lists


def _property_table(kind: pa.DataType, events: list[Any]) -> tuple[pa.Table, list[Any]]:
    held = [oracle.property_values(event, NAMES) for event in events]
    columns = {name: pa.array([int(values[name]) for values in held]).cast(kind) for name in reversed(NAMES)}
    return pa.table(columns), ["".join(values.values()) for values in held]


def _structs(events: list[Any]) -> tuple[pa.Array, list[Any]]:
    table, texts = _property_table(pa.bool_(), events)
    return table.to_struct_array().combine_chunks()[3:-2], texts[3:-2]


PROPERTIES = Language(
    name="properties",
    index=PropertyIndex,
    variants={
        "auto": {"properties": NAMES},
        "brute": {"properties": NAMES, "method": "brute"},
        "count": {"properties": NAMES, "method": "count"},
        "tree": {"properties": NAMES, "method": "tree"},
        "rapid": {"properties": NAMES, "method": "rapid"},
        "rapid-light": {"properties": NAMES, "method": "rapid", "c": 2},
    },
    subscriptions=strategies.property_subscriptions,
    events=strategies.property_events,
    matches=partial(oracle.matches_properties, names=NAMES),
    bad_subscriptions=("", "  ", "a", "a=", "=1", "a=2", "a=1 a=0", "a=1 AND", "b=1", "(a=1)", "000", "a=1 OR x=1", 5),
    bad_events=(None, 5, "", "0101", "0000000*", ["a", "b"], ["a", None], {"a": 2}, {"b": 1}, b"\xff"),
    containers={
        "tuple": lambda events: (tuple(events), events),
        "generator": lambda events: ((event for event in events), events),
        "iterators": lambda events: ([iter(names) for names in _name_lists(pa.list_(pa.string()), events)[1]],
                                     _name_lists(pa.list_(pa.string()), events)[1]),
        "bit strings": lambda events: _bit_strings(pa.string(), events),
        "large bit strings": lambda events: _bit_strings(pa.large_string(), events),
        "binary": lambda events: _bit_strings(pa.binary(), events),
        "bit strings of a dictionary": lambda events: _bit_strings(DICTIONARY, events),
        "lists": lambda events: _name_lists(pa.list_(pa.string()), events),
        "large lists": lambda events: _name_lists(pa.large_list(pa.large_string()), events),
        "lists of a dictionary": lambda events: _name_lists(pa.list_(DICTIONARY), events),
        "table": lambda events: _property_table(pa.bool_(), events),
        "table of integers": lambda events: _property_table(pa.int8(), events),
        "record batch": lambda events: (_property_table(pa.bool_(), events)[0].to_batches()[0],
                                        _property_table(pa.bool_(), events)[1]),
        "slice of structs": _structs,
        "no chunks": lambda _: (pa.chunked_array([], pa.string()), []),
    },
    column=lambda events: _bit_strings(pa.string(), events),
)  # fmt: skip

NUMBERS = Language(
    name="numbers",
    index=numbers.NumberIndex,
    variants={"auto": {}, "count": {"method": "count"}},
    subscriptions=strategies.numbers,
    events=strategies.number_events,
    matches=numbers.matches,
    bad_subscriptions=("", "x", "-1", "1.5", None, 5),
    bad_events=(None, "7", [1, "7"], {"a": 1}),
    containers={
        "tuple": lambda events: (tuple(events), events),
        "generator": lambda events: ((event for event in events), events),
    },
)


def _json(events: list[Any]) -> tuple[pa.Array, list[Any]]:
    """Return as JSON those events that can be written so."""
    texts, kept = [], []
    for event in events:
        try:
            texts.append(json.dumps(event, allow_nan=False))
            kept.append(event)
        except (TypeError, ValueError):
            continue
    return pa.array(texts, pa.string()), kept


PREDICATES = Language(
    name="predicates",
    index=PredicateIndex,
    variants={
        name: {"method": name, "hierarchies": predicate_strategies.HIERARCHIES} for name in PredicateIndex.methods
    },
    subscriptions=predicate_strategies.queries,
    events=predicate_strategies.events,
    matches=partial(predicate_oracle.matches, hierarchies=predicate_strategies.HIERARCHIES),
    bad_subscriptions=("", "  ", "a", "a =", "a == 1", "a = 1 b = 2", "(a = 1", "a LIKE x", None, 5),
    bad_events=(None, 5, ["a"], b"\xff"),
    containers={
        "tuple": lambda events: (tuple(events), events),
        "generator": lambda events: ((event for event in events), events),
    },
    column=_json,
)


def _documents(kind: pa.DataType, events: list[Any]) -> tuple[pa.Array, list[Any]]:
    return pa.array(events, pa.binary()).cast(kind), events


PATHS = Language(
    name="paths",
    index=PathIndex,
    variants={
        **{name: {"method": name} for name in PathIndex.methods},
        "auto-unguided": {"guide_bytes": 0},
        "lazy-dfa-small": {"method": "lazy-dfa", "max_states": 4},
    },
    subscriptions=path_strategies.paths,
    events=path_strategies.documents,
    matches=lambda text, event: bool(path_oracle.occurrences(text, event, path_strategies.URIS)),
    bad_subscriptions=("", "  ", "/", "a/", "a[1]", "a[b]", "a|b", "..", "a::b", "@", "a//@x", None, 5, b"//a"),
    bad_events=(None, 5, b"", b"<a>", b"<a></b>", "a", b"caf\xe9", ["<a/>"], b"<a/><b/>"),
    containers={
        "tuple": lambda events: (tuple(events), events),
        "generator": lambda events: ((event for event in events), events),
        "str": lambda events: ([event.decode() for event in events], events),
        "files": lambda events: ([BytesIO(event) for event in events], events),
        "files and bytes": lambda events: ([*map(BytesIO, events[:3]), *events[3:]], events),
        "a stream": lambda events: (BytesIO(b"\n".join(events)), events),
        "binary": lambda events: _documents(pa.binary(), events),
        "large binary": lambda events: _documents(pa.large_binary(), events),
        "string": lambda events: _documents(pa.string(), events),
        "slice": lambda events: (_documents(pa.binary(), events)[0][3:-2], events[3:-2]),
        "dictionary": lambda events: (_documents(pa.string(), events)[0].dictionary_encode(), events),
        "chunks": lambda events: (pa.chunked_array([pa.array(events[:4]), pa.array(events[4:], pa.binary())]), events),
        "no chunks": lambda _: (pa.chunked_array([], pa.string()), []),
    },
    column=lambda events: _documents(pa.string(), events),
)  # fmt: skip

CASES = cases(KEYWORDS, PATTERNS, FOLDED_PATTERNS, PATHS, PREDICATES, PROPERTIES, NUMBERS)
