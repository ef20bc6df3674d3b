"""JSON texts: every form in which they come is read by one rule, also where Arrow's reader would not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from watchword import EventError, PredicateIndex
from watchword.predicates.events.documents import columns_of

INDEX = PredicateIndex({"nine": "c = 9", "there": "c EXISTS", "small": "a < 5", "a": "a EXISTS", "deep": "n.x > 1"})

FORMS: dict[str, Callable[[list[str]], Any]] = {
    "few": lambda texts: texts,
    "many": lambda texts: texts * 10,
    "bytes": lambda texts: [text.encode() for text in texts] * 10,
    "string": lambda texts: pa.array(texts * 10),
    "large_string": lambda texts: pa.array(texts * 10, pa.large_string()),
    "binary": lambda texts: pa.array([text.encode() for text in texts] * 10, pa.binary()),
    "dictionary": lambda texts: pa.array(texts * 10).dictionary_encode(),
    "one": lambda texts: pa.array(texts[:1]),
}


def ids(events: Any) -> list[list[str]]:
    """Return the ids that each event matches, in the order of subscribing."""
    pairs = INDEX.match_many(events, ordered=True).to_pylist()
    return [[pair["subscription"] for pair in pairs if pair["event"] == row] for row in range(len(events))]


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Callable[[list[str]], Any]:
    return FORMS[request.param]


@pytest.mark.parametrize(
    "texts",
    [
        ['{"c": [null, 9]}', '{"c": [9]}'],  # of the first Arrow makes an array that is not valid
        ['{"c": [null, null, 9, null]}', '{"c": null}'],
        ['{"c": [[null], [9]]}', '{"c": []}'],
        ['{"n": [null, {"x": 2}]}', '{"n": {"x": null}}'],
        ['{"c": 9}\n', '{"c": 8}\r\n', '{"a": 1}\n\n'],
        ['  {"c": 9} ', '\t{"c": 8}', '{"a": 1.5}'],
        ['{"a": 1e999}', '{"a": -1e999}', '{"a": 1.0}'],
        ["{}", '{"c": 9}'],
        ['{"c": "NaN", "a": 1.5}', '{"c": "Infinity"}'],
    ],
)
def test_texts_are_read_alike_in_every_form(form: Callable[[list[str]], Any], texts: list[str]) -> None:
    events = form(texts)
    given = [json.loads(text) for text in (events if isinstance(events, list) else events.to_pylist())]
    assert ids(events) == [INDEX.match(event) for event in given]


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ("null", "an event is an object, not null"),  # a line on which Arrow's reader crashes
        ("[1]", "an event is an object, not an array"),
        ("5", "an event is an object, not a number"),
        ('{"a": NaN}', "NaN is no JSON number"),
        ('{"a": [1.5, Infinity]}', "Infinity is no JSON number"),
        ('{"n": {"x": -Infinity}}', "-Infinity is no JSON number"),
        ("", "it is no JSON"),
        ('{"a": 1}\n{"a": 2}', "Extra data"),
        ('{"a": 1}\n{"a": 2}\n', "Extra data"),
    ],
)
def test_a_bad_text_is_named_in_every_form(form: Callable[[list[str]], Any], bad: str, reason: str) -> None:
    for texts in ([bad, '{"a": 1.5}'], [bad, ""], [bad]):
        with pytest.raises(EventError, match=reason) as caught:
            INDEX.match_many(form(texts))
        assert caught.value.position == 0
    with pytest.raises(EventError, match=reason):
        INDEX.match(bad)


def test_line_ends_do_not_keep_texts_from_arrow() -> None:
    for texts in (['{"a": 1}\n'] * 3, [b'{"a": 1}\r\n'] * 3, pa.array(['{"a": 1}\n'] * 3)):
        table = columns_of(texts)
        assert table is not None and table.to_pylist() == [{"a": 1}] * 3


@pytest.mark.parametrize("end", [b"", b"\n"])
@pytest.mark.parametrize("options", [{}, {"schema": {"attributes": {"a": "text"}}}])
def test_a_text_that_is_no_utf_8_is_named_wherever_it_stands(options: dict[str, Any], end: bytes) -> None:
    """Arrow makes arrays of strings from any bytes; the first text is looked at before all others."""
    good, bad = b'{"a": "x"}' + end, b'{"a": "\xff"}' + end
    index = PredicateIndex({"s": "a = 'x'"}, **options)
    for place, texts in enumerate(([bad, good], [good, bad], [good, good, bad])):
        offsets = np.cumsum([0, *map(len, texts)])
        for kind, width in ((pa.string(), np.int32), (pa.large_string(), np.int64), (pa.binary(), np.int32)):
            buffers = [None, pa.py_buffer(offsets.astype(width)), pa.py_buffer(b"".join(texts))]
            with pytest.raises(EventError, match="invalid UTF-8 at byte 7") as error:
                index.match_many(pa.Array.from_buffers(kind, len(texts), buffers))
            assert error.value.position == place
