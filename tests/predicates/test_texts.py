"""Conditions on texts, on every value in every form in which it can come, by every method."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tests import predicate_oracle
from watchword import EventError, PredicateIndex, methods

RULES = [
    "t MATCHES 'ferry'",
    "t MATCHES 'NOT ferry'",
    "NOT t MATCHES 'ferry'",
    "t MATCHES '\"ferry storm\"'",
    "t MATCHES 'ferry storm'",
    "t MATCHES PATTERN 'f?r*m'",
    "t MATCHES PATTERN '*'",
    "t MATCHES PATH '//ferry'",
    "t HAS 'err'",
    "t HAS 'ERR' IGNORING CASE",
    "t HAS 'ss' IGNORING CASE",
    "t LIKE ''",
    "t LIKE '_'",
    "t LIKE '%'",
    "t LIKE 'f%y'",
    "t LIKE '%r_y%m'",
    "t ILIKE 'F____'",
    "t LIKE '100!%' ESCAPE '!'",
    "t LIKE 'C:\\%\\_'",
    "MATCHES 'ferry' AND NOT HAS 'x'",
    "NOT (t HAS 'a' OR t LIKE 'b%' OR t MATCHES PATH '/c')",
]
VALUES: list[Any] = [
    *(
        "",
        " ",
        "f",
        "ferry",
        "Ferry storm",
        "storm ferry",
        "ferry, storm",
        "FERRY",
        "errr",
        "100%",
        "C:\\a\\b",
        "ferry\0x",
    ),
    *(
        "Straße",
        "ß",
        "🙂",
        "e\u0301",
        "ferry\nstorm",
        "<ferry/>",
        "<c><ferry>x</ferry></c>",
        "<ferry>",
        "x" * 5000 + "ferry",
    ),
    *(0, 5, -1.5, True, False, None),
    *([], ["ferry"], ["ferry", "storm"], [None, "ferry"], ["storm", None, "x"], [["ferry"], "storm"], ["", "<ferry/>"]),
    *({"ferry": 1}, [{"t": "ferry"}], [1, "ferry"]),
]
ALIKE = [value for value in VALUES if value is None or isinstance(value, str)]


def expected(event: Any) -> list[int]:
    return [number for number, rule in enumerate(RULES) if predicate_oracle.matches(rule, event, texts=("t",))]


@pytest.fixture(params=methods("predicates"), scope="module")
def index(request: pytest.FixtureRequest) -> PredicateIndex:
    return PredicateIndex(dict(enumerate(RULES)), method=request.param, text=["t"])


def found(index: PredicateIndex, events: Any, **options: Any) -> list[list[int]]:
    pairs = index.match_many(events, **options)
    answers: list[list[int]] = [[] for _ in range(len(events))]
    for event, rule in zip(pairs["event"].to_pylist(), pairs["subscription"].to_pylist(), strict=True):
        answers[event].append(rule)
    return [sorted(rules) for rules in answers]


def test_values_in_objects_and_json(index: PredicateIndex, tmp_path: Path) -> None:
    events = [{"t": value} for value in VALUES] + [{}]
    answers = [expected(event) for event in events]
    assert sum(map(len, answers)) > 200
    index.save(tmp_path / "saved")
    for one in (index, PredicateIndex.open(tmp_path / "saved")):
        assert [one.match(event) for event in events] == answers
        assert found(one, events) == answers
        lines = [json.dumps(event) for event in events]
        assert [one.match(line) for line in lines] == answers
        assert found(one, pa.array(lines)) == answers
        for event, rules in zip(events, answers, strict=True):
            assert [bool(one.explain(event, rule)) for rule in one] == [rule in rules for rule in one], event


TYPES = [
    pa.string(),
    pa.large_string(),
    pa.string_view(),
    pa.binary(),
    pa.large_binary(),
    pa.dictionary(pa.int8(), pa.string()),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_columns_of_every_type(index: PredicateIndex, kind: pa.DataType) -> None:
    rules = [rule for rule in RULES if "= " not in rule]
    is_binary = kind in (pa.binary(), pa.large_binary())
    answers = [expected({"t": value}) for value in ALIKE]
    if is_binary:  # `=` and STARTS WITH, which some forms of LIKE are, do not read bytes
        kept = [
            n
            for n, rule in enumerate(rules)
            if "LIKE ''" not in rule and "LIKE 'f%y'" not in rule and "LIKE 'b%'" not in rule
        ]
        kept = [n for n in kept if "ESCAPE" not in RULES[n]]
        index = PredicateIndex({n: RULES[n] for n in kept}, text=["t"])
        answers = [[rule for rule in rules if rule in kept] for rules in answers]
    values = [value.encode() if is_binary and value is not None else value for value in ALIKE]
    column = pa.array(values, kind.value_type if pa.types.is_dictionary(kind) else kind)
    column = column.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else column
    assert found(index, pa.table({"t": column})) == answers
    assert found(index, pa.table({"t": column})[3:9]) == answers[3:9]
    if not is_binary:
        lists = pa.ListArray.from_arrays(pa.array(range(len(column) + 1), pa.int32()), column)
        assert found(index, pa.table({"t": lists})) == answers


def test_frames(index: PredicateIndex) -> None:
    answers = [expected({"t": value}) for value in ALIKE]
    assert found(index, pd.DataFrame({"t": ALIKE})) == answers
    whole = [value for value in ALIKE if value is None or "\0" not in value]  # pandas ends categories at a zero byte
    assert found(index, pd.DataFrame({"t": pd.Categorical(whole)})) == [expected({"t": value}) for value in whole]


def test_bytes_that_are_no_utf_8_are_an_error_of_their_event() -> None:
    index = PredicateIndex({"a": "t MATCHES 'ferry'", "b": "u HAS 'x'"})
    for events in ([{}, {"t": b"\xff"}], pa.table({"t": pa.array([b"x", b"\xff"])})):
        with pytest.raises(EventError) as error:
            index.match_many(events)
        assert error.value.position == 1


def test_a_text_in_one_event_and_a_list_or_number_in_the_next(index: PredicateIndex) -> None:
    events = [{"t": value} for value in ("ferry", ["ferry", 7], 7, [np.float64("nan"), "ferry"], float("nan"), [[]])]
    answers = [expected({"t": value}) for value in ("ferry", ["ferry", 7], 7, ["ferry"], None, [])]
    assert found(index, events) == answers == [index.match(event) for event in events]


def test_why_names_the_text_that_is_no_document() -> None:
    index = PredicateIndex({"a": "t MATCHES PATH '//ferry'"})
    said = str(index.explain({"t": "<ferry>"}, "a"))
    assert said.startswith("no match: missing t MATCHES PATH '//ferry' (met '<ferry>', it ends before its root element")


def test_a_form_is_explained_as_it_is_matched() -> None:
    """Short forms of two letters over short texts, so that most meet nearly; `re` tries every way there is."""
    draw = random.Random(7)
    forms = {number: "".join(draw.choices("ab%_", k=draw.randint(0, 7))) for number in range(150)}
    index = PredicateIndex({number: f"t LIKE '{form}'" for number, form in forms.items()})
    spelled = {number: form.replace("%", ".*").replace("_", ".") for number, form in forms.items()}
    for _ in range(40):
        event = {"t": "".join(draw.choices("ab\n", weights=[5, 5, 1], k=draw.randint(0, 8)))}
        wanted = [number for number, form in spelled.items() if re.fullmatch(form, event["t"], re.DOTALL)]
        assert index.match(event) == wanted
        assert [number for number in forms if index.explain(event, number)] == wanted
