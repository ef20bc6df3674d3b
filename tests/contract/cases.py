"""What the contract suite is made of: every test of this folder runs for every method of every language.

A language describes itself once (`Language`) in ``languages.py``; each of its variants (a method with options) becomes
a `Case`, which ``conftest.py`` hands to every test that asks for one. The truth comes from the oracle: `Case.expected`
asks it of each subscription of a plain dict, the model of what the index should hold.
"""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import pyarrow as pa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from watchword import Index

Id = str | int
Model = dict[Id, str]

DRAWN, DRAWN_EVENTS = 250, 100
"""How many subscriptions and events are drawn, once, for all tests that want the same ones in every run."""


@dataclass(frozen=True, eq=False)
class Language:
    """What the suite needs to know about a language."""

    name: str
    index: type[Index]
    variants: Mapping[str, Mapping[str, Any]]
    """Options to make an index with, by a label for the test's name."""
    subscriptions: st.SearchStrategy[str]
    events: st.SearchStrategy[Any]
    matches: Callable[[str, Any], bool]
    """The oracle's verdict on a subscription and an event."""
    bad_subscriptions: tuple[Any, ...]
    bad_events: tuple[Any, ...]
    containers: Mapping[str, Callable[[list[Any]], tuple[Any, list[Any]]]]
    """Ways to fill an argument of `match_many`; each returns it and the events that it now holds."""
    column: Callable[[list[Any]], tuple[pa.Array, list[Any]]] | None = None
    """A way to fill a column of strings with events, where the language reads such."""


@dataclass(frozen=True, eq=False)
class Case:
    """One method of one language."""

    language: Language
    label: str

    def __str__(self) -> str:
        return f"{self.language.name}-{self.label}"

    @property
    def method(self) -> str:
        return str(self.language.variants[self.label].get("method", "auto"))

    def index(self, subscriptions: Any = None) -> Index:
        return self.language.index(subscriptions, **self.language.variants[self.label])

    def expected(self, model: Model, event: Any) -> list[Id]:
        """Ask the oracle, which answers once for each pair of a text and an event: methods share what it said."""
        said = _VERDICTS.setdefault((self.language, pickle.dumps(event)), {})
        for text in model.values():
            if text not in said:
                said[text] = self.language.matches(text, event)
        return [key for key, text in model.items() if said[text]]

    def texts(self, count: int) -> list[str]:
        """Return different subscriptions, the same in every run."""
        return list(dict.fromkeys(samples(self.language.subscriptions)))[:count]

    def events(self, count: int) -> list[Any]:
        return samples(self.language.events, DRAWN_EVENTS)[:count]

    def model(self, count: int = 12) -> Model:
        return {f"s{number}": text for number, text in enumerate(self.texts(count))}


_VERDICTS: dict[tuple[Language, bytes], dict[str, bool]] = {}


def cases(*languages: Language) -> list[Case]:
    return [Case(language, label) for language in languages for label in language.variants]


@cache
def samples(strategy: st.SearchStrategy[Any], count: int = DRAWN) -> list[Any]:
    """Draw values outside a property-based test, the same ones in every run, simple and complex ones mixed."""
    drawn: list[Any] = []

    @settings(
        max_examples=count,
        database=None,
        derandomize=True,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(value: Any) -> None:
        drawn.append(value)

    collect()
    random.Random(2011).shuffle(drawn)  # what hypothesis draws first is small
    return drawn


def table(model: Mapping[Id, str], text_type: pa.DataType | None = None) -> pa.Table:
    ids = list(model)
    id_type = pa.int64() if ids and isinstance(ids[0], int) else text_type or pa.string()
    columns = [pa.array(ids, id_type), pa.array(model.values(), text_type or pa.string())]
    return pa.table(columns, names=["id", "subscription"])


FORMS: dict[str, Callable[[Model], Any]] = {
    "mapping": dict,
    "pairs": lambda model: list(model.items()),
    "generator": lambda model: (pair for pair in model.items()),
    "table": table,
    "large table": lambda model: table(model, pa.large_string()),
    "chunked table": lambda model: pa.concat_tables([table(model).slice(0, 2), table(model).slice(2)]),
}


def found(answer: pa.Table, events: int) -> list[list[Id]]:
    """Return the ids of each event, sorted, after a look at the table's own promises."""
    assert answer.column_names == ["event", "subscription"]
    assert answer.schema.field("event").type == pa.int64()
    assert answer.schema.field("subscription").type in (pa.string(), pa.int64())
    positions = answer["event"].to_pylist()
    assert all(one <= two for one, two in pairwise(positions)), "events are not ascending"
    groups: list[list[Id]] = [[] for _ in range(events)]
    for position, key in zip(positions, answer["subscription"].to_pylist(), strict=True):
        groups[position].append(key)
    return [sorted(group) for group in groups]


def check(case: Case, index: Index, model: Model, events: list[Any]) -> None:
    """Compare what the index holds with the model, and what it finds with the oracle."""
    assert list(index.items()) == list(model.items())
    assert len(index) == len(model)
    expected = [case.expected(model, event) for event in events]
    assert [index.match(event) for event in events] == expected
    assert found(index.match_many(events), len(events)) == [sorted(ids) for ids in expected]


@contextmanager
def unchanged(index: Index, events: list[Any]) -> Iterator[None]:
    """What happens inside must leave no trace."""

    def state() -> tuple[Any, ...]:
        figures = index.stats()
        counts = (figures.subscriptions, figures.clauses, figures.atoms)
        return len(index), list(index.items()), [index.match(event) for event in events], counts

    before = state()
    yield
    assert state() == before
