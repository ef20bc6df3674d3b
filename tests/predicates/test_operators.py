"""An operator that a reader adds works wherever the language's own do: `divisible.py` is the reader, whole."""

from __future__ import annotations

import copy
import json
import pickle
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import sleep
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from tests.contract.cases import found
from tests.predicates.divisible import Divisible
from watchword import Index, PredicateIndex, methods
from watchword.arrays import Arrays
from watchword.errors import OptionError, SubscriptionSyntaxError
from watchword.predicates.readers.doors import Doors, reader_at
from watchword.predicates.readers.reader import AttributeReader

HOME = "tests.predicates.divisible:Divisible"

RULES = {
    "seven": "n DIVISIBLE BY 7",
    "both": "n divisible by 7 AND m DIVISIBLE BY 2",
    "not": "NOT n DIVISIBLE BY 7 AND name = 'x'",
    "or": "n DIVISIBLE BY 3 OR value > 20",
    "list": "ANY items (k DIVISIBLE BY 5 AND name = 'y')",
    "deep": "a.b DIVISIBLE BY 4 AND topic KIND OF 'news'",
}
EVENTS: list[dict[str, Any]] = [
    {"n": 14, "m": 4, "name": "x", "value": 1.5},
    {"n": 21, "m": 3, "name": "x", "value": 25.0},
    {"n": 8, "name": "x"},
    {"n": [1, 7], "m": 2, "items": [{"k": 10, "name": "z"}, {"k": 15, "name": "y"}]},
    {"items": [{"k": 4, "name": "y"}], "a": {"b": 8}, "topic": "news/local"},
    {"n": None, "a": {"b": 6}, "topic": "news"},
    {"m": 2},
]


def divides(value: Any, by: int) -> bool:
    values = value if isinstance(value, list) else [value]
    return any(isinstance(one, int) and one % by == 0 for one in values)


def truth(event: dict[str, Any]) -> list[str]:
    """Return what matches, by other means."""
    seven = divides(event.get("n"), 7)
    holds = {
        "seven": seven,
        "both": seven and divides(event.get("m"), 2),
        "not": not seven and event.get("name") == "x",
        "or": divides(event.get("n"), 3) or (event.get("value") or 0) > 20,
        "list": any(divides(item["k"], 5) and item["name"] == "y" for item in event.get("items") or []),
        "deep": divides((event.get("a") or {}).get("b"), 4) and str(event.get("topic")).startswith("news"),
    }
    return [name for name, held in holds.items() if held]


def check(index: Index, expected: list[list[str]]) -> None:
    assert [index.match(event) for event in EVENTS] == expected
    ids = [sorted(row) for row in expected]
    assert found(index.match_many(EVENTS), len(EVENTS)) == ids
    many = EVENTS * 4
    assert found(index.match_many([json.dumps(event) for event in many]), len(many)) == ids * 4
    structs = pa.array([event | {"n": as_list(event.get("n"))} for event in EVENTS])
    assert found(index.match_many(structs), len(EVENTS)) == ids
    assert found(index.match_many(pa.Table.from_struct_array(structs)), len(EVENTS)) == ids
    for event, row in zip(EVENTS, expected, strict=True):
        assert [key for key in index if index.explain(event, key)] == row


def as_list(value: Any) -> list[int] | None:
    return value if value is None or isinstance(value, list) else [value]


@pytest.mark.parametrize("method", methods("predicates"))
def test_it_matches_in_every_form_and_survives_a_snapshot(method: str, tmp_path: Path) -> None:
    index = PredicateIndex(RULES, method=method, operators=[HOME])
    expected = [truth(event) for event in EVENTS]
    assert {key for row in expected for key in row} == set(RULES)
    check(index, expected)
    index.save(tmp_path / "one")
    opened = Index.open(tmp_path / "one")
    assert opened.options["operators"] == [HOME]
    opened.save(tmp_path / "two")  # while all of it sleeps
    for again in (opened, Index.open(tmp_path / "two"), copy.deepcopy(opened), pickle.loads(pickle.dumps(opened))):
        check(again, expected)


def test_it_is_subscribed_replaced_and_removed_like_any_other(tmp_path: Path) -> None:
    index, model = PredicateIndex(operators=[HOME]), {}
    random_ = random.Random(7)
    for step in range(300):
        key = random_.randrange(40)
        if key in model and random_.random() < 0.4:
            del index[key], model[key]
        else:
            model[key] = random_.randrange(1, 30)
            index[key] = f"n DIVISIBLE BY {model[key]}"
        if step % 100 == 50:
            index.save(tmp_path / "index")
            index = PredicateIndex.open(tmp_path / "index")
        value = random_.randrange(200)
        assert sorted(index.match({"n": value})) == sorted(one for one in model if value % model[one] == 0)
    index.update({1000 + by: f"n DIVISIBLE BY {by}" for by in range(1, 200)})
    assert {1007, 1014, 1028} <= set(index.match({"n": 28})) and 1005 not in index.match({"n": 28})


def test_an_explanation_says_what_it_met() -> None:
    index = PredicateIndex(RULES, operators=[HOME])
    assert str(index.explain({"n": 8}, "seven")) == "no match: missing n DIVISIBLE BY 7 (met 8) in: n DIVISIBLE BY 7"


@pytest.mark.parametrize(
    ("text", "position", "reason"),
    [
        ("name = 'x' AND n DIVISIBLE BY 0", 30, "expected a whole number above 0 after DIVISIBLE BY"),
        ("ANY items (k DIVISIBLE BY 'x')", 26, "expected a whole number above 0 after DIVISIBLE BY"),
        ("n DIVISIBLE 7", 12, "expected DIVISIBLE BY 7, not '7'"),
        ("n DIVISIBLE BY", 14, "expected a whole number above 0 after DIVISIBLE BY"),
    ],
)
def test_errors_stand_where_they_are_in_the_whole_subscription(text: str, position: int, reason: str) -> None:
    index = PredicateIndex(operators=[HOME])
    for subscribe in (lambda: index.__setitem__("r", text), lambda: index.update({"r": text, "s": text})):
        with pytest.raises(SubscriptionSyntaxError) as caught:
            subscribe()
        assert (caught.value.position, caught.value.reason) == (position, reason)
    assert len(index) == 0


def test_an_index_without_the_operator_does_not_know_it() -> None:
    with pytest.raises(SubscriptionSyntaxError, match="expected a comparison"):
        PredicateIndex({"r": "n DIVISIBLE BY 7"})
    assert PredicateIndex({"r": "divisible = 1"}, operators=[HOME]).match({"divisible": 1}) == ["r"]


def test_a_schema_knows_what_the_operator_is_about() -> None:
    schema = {"attributes": {"n": "number", "o": "object?"}}
    index = PredicateIndex({"r": "n DIVISIBLE BY 7"}, operators=[HOME], schema=schema)
    assert index.match({"n": 14}) == ["r"]
    with pytest.raises(SubscriptionSyntaxError, match="it has no value to compare"):
        index["s"] = "o DIVISIBLE BY 7"


@pytest.mark.parametrize(
    ("operators", "reason"),
    [
        (HOME, "must be a list of homes"),
        ([7], "must be a list of homes"),
        (["no.such.module:Reader"], "no reader 'no.such.module:Reader' to import"),
        (["tests.predicates.divisible:Nothing"], "no reader"),
        (["tests.predicates.divisible:Sequence"], "is no AttributeReader"),
        (["tests.predicates.divisible"], "no reader"),
        (["tests.predicates.test_operators:Small"], "must be words in capitals"),
        (["tests.predicates.test_operators:Taken"], "must be words in capitals"),
        ([HOME, "tests.predicates.test_operators:Twin"], "there is an operator 'DIVISIBLE BY' already"),
    ],
)
def test_homes_that_lead_nowhere_are_refused(operators: Any, reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        PredicateIndex(operators=operators)


class Small(Divisible):
    name = "divisible"


class Taken(Divisible):
    name = "BETWEEN US"


class Twin(Divisible):
    pass


class Longer(Divisible):
    name = "DIVISIBLE BY ALL OF"
    example = "DIVISIBLE BY ALL OF 7"


class Shorter(Divisible):
    name = example = "DIVISIBLE"


@pytest.mark.parametrize(
    ("text", "operator"),
    [
        ("n DIVISIBLE BY 7", "DIVISIBLE BY"),
        ("n DIVISIBLE BY ALL OF 7", "DIVISIBLE BY ALL OF"),
        ("n DIVISIBLE 7", "DIVISIBLE"),
    ],
)
def test_the_longest_words_win(text: str, operator: str) -> None:
    homes = [HOME, *(f"tests.predicates.test_operators:{name}" for name in ("Shorter", "Longer"))]
    index = PredicateIndex({"r": text}, operators=homes)
    (((predicate,),),) = (clause.required for clause in index._plugged.compile_one(text))
    assert predicate.operator == operator and index.match({"n": 14}) == ["r"]


def test_built_in_readers_are_imported_when_they_are_asked_for() -> None:
    doors = Doors(("watchword.predicates.readers.nodes:Nodes",))
    assert list(doors.behind) == ["KIND"] and not doors.before
    assert all(issubclass(reader, AttributeReader) for reader in doors.by_name.values())


class Slow(Divisible):
    """Takes its time to take over a snapshot, half-way without predicates."""

    name = example = "SLOWLY DIVISIBLE BY"
    restored: ClassVar[list[int]] = []

    def restore(self, arrays: Arrays) -> None:
        self.restored.append(1)
        self._atoms = {}
        sleep(0.05)
        super().restore(arrays)


def test_threads_that_ask_for_a_sleeping_reader_at_once_miss_nothing(tmp_path: Path) -> None:
    rules = {"r": "n SLOWLY DIVISIBLE BY 7", "s": "m = 1"}
    home = "tests.predicates.test_operators:Slow"
    PredicateIndex(rules, operators=[home]).save(tmp_path / "index")
    index = Index.open(tmp_path / "index")
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: index.match({"n": 14, "m": 1}), range(8)))
    assert answers == [["r", "s"]] * 8 and reader_at(home).restored == [1]
