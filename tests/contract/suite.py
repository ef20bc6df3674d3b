"""The suite that every method of every language must pass.

A language plugs in by describing itself once (`Language`) in ``test_contract.py``; each of its variants (a
method with options) then becomes a `Case`, and every test below runs for every case. The truth comes from the
oracle: `Case.expected` asks it of each subscription of a plain dict, the model of what the index should hold.
"""

from __future__ import annotations

import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from watchword import EventError, Index, OptionError, SnapshotError, SubscriptionError

Id = str | int
Model = dict[Id, str]


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


@dataclass(frozen=True, eq=False)
class Case:
    """One method of one language."""

    language: Language
    label: str

    def __str__(self) -> str:
        return f"{self.language.name}-{self.label}"

    def index(self, subscriptions: Any = None) -> Index:
        return self.language.index(subscriptions, **self.language.variants[self.label])

    def expected(self, model: Model, event: Any) -> list[Id]:
        return [key for key, text in model.items() if self.language.matches(text, event)]

    def texts(self, count: int) -> list[str]:
        """Return different subscriptions, the same in every run."""
        return list(dict.fromkeys(samples(self.language.subscriptions, 2 * count)))[:count]

    def events(self, count: int) -> list[Any]:
        return samples(self.language.events, count)

    def model(self, count: int = 12) -> Model:
        return {f"s{number}": text for number, text in enumerate(self.texts(count))}


def cases(*languages: Language) -> list[Case]:
    return [Case(language, label) for language in languages for label in language.variants]


@cache
def samples(strategy: st.SearchStrategy[Any], count: int) -> list[Any]:
    """Draw values outside a property-based test, the same ones in every run."""
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


class TestMapping:
    def test_starts_empty(self, case: Case) -> None:
        index = case.index()
        assert isinstance(index, MutableMapping)
        check(case, index, {}, case.events(5))
        assert list(index) == [] and "s0" not in index
        assert index.match_many([]).num_rows == 0

    def test_subscribe_replace_unsubscribe(self, case: Case) -> None:
        index, model, events = case.index(), {}, case.events(10)
        texts = case.texts(8)
        for key, text in zip("cabd", texts, strict=False):
            index[key] = model[key] = text
        check(case, index, model, events)
        index["a"] = model["a"] = texts[4]  # keeps its place
        check(case, index, model, events)
        del index["c"], model["c"]
        check(case, index, model, events)
        index["c"] = model["c"] = texts[5]  # goes to the end
        check(case, index, model, events)
        index["b"] = model["b"]  # replaced by itself
        check(case, index, model, events)
        assert "c" in index and "z" not in index and index["c"] == texts[5]
        assert list(index) == list(index.keys()) == ["a", "b", "d", "c"]

    def test_unknown_ids(self, case: Case) -> None:
        index = case.index(case.model())
        with unchanged(index, case.events(5)):
            for key in ("nobody", 7, None):
                assert key not in index
                assert index.get(key, "default") == "default"
                with pytest.raises(KeyError):
                    index[key]
                with pytest.raises(KeyError):
                    del index[key]
                with pytest.raises(KeyError):
                    index.pop(key)
                with pytest.raises(KeyError):
                    index.explain(case.events(1)[0], key)

    def test_mixed_in_methods(self, case: Case) -> None:
        model, events, text = case.model(), case.events(5), case.texts(13)[12]
        index = case.index(model)
        assert index == model and index != {} and list(index.values()) == list(model.values())
        assert index.pop("s3") == model.pop("s3") and index.pop("s3", None) is None
        assert index.setdefault("s4", text) == model["s4"]
        assert index.setdefault("new", text) == model.setdefault("new", text)
        check(case, index, model, events)
        key, value = index.popitem()
        assert model.pop(key) == value
        check(case, index, model, events)
        index.update(s0=text, other=text)
        model.update(s0=text, other=text)
        check(case, index, model, events)
        index.clear()
        check(case, index, {}, events)
        index.update(model)
        check(case, index, model, events)


class TestIds:
    @pytest.mark.parametrize(
        "ids", [["b", "", "é 東京", "b\0", "x" * 300], [3, -(2**63), 2**63 - 1, 0, -1]], ids=["str", "int"]
    )
    def test_both_kinds(self, case: Case, ids: list[Id], tmp_path: Path) -> None:
        model, events = dict(zip(ids, case.texts(len(ids)), strict=True)), case.events(8)
        index = case.index(model)
        check(case, index, model, events)
        kind = pa.string() if isinstance(ids[0], str) else pa.int64()
        assert index.match_many(events).schema.field("subscription").type == kind
        assert case.index(table(model)) == model
        index.save(tmp_path / "index")
        check(case, case.language.index.open(tmp_path / "index"), model, events)

    @pytest.mark.parametrize(
        ("good", "bad"),
        [
            ("s", [1, True, None, 1.5, b"s", ("s",), "\ud800"]),
            (1, ["s", True, False, None, 1.0, 2**63, -(2**63) - 1]),
        ],
        ids=["str", "int"],
    )
    def test_wrong_kinds_are_refused(self, case: Case, good: Id, bad: list[Any]) -> None:
        texts = case.texts(2)
        index = case.index({good: texts[0]})
        with unchanged(index, case.events(5)):
            for key in bad:
                with pytest.raises(SubscriptionError):
                    index[key] = texts[1]
                with pytest.raises(SubscriptionError):
                    index.update([(good, texts[1]), (key, texts[1])])
                with pytest.raises(SubscriptionError):
                    case.index([(good, texts[0]), (key, texts[1])])


class TestLoading:
    @pytest.mark.parametrize("form", FORMS)
    def test_every_form_is_the_same(self, case: Case, form: str) -> None:
        model, events = case.model(), case.events(10)
        index = case.index(FORMS[form](model))
        check(case, index, model, events)
        more = dict(zip(["s9", "t1", "s0", "t0"], case.texts(16)[12:], strict=True))
        index.update(FORMS[form](more))
        check(case, index, model | more, events)

    @pytest.mark.parametrize("form", FORMS)
    def test_nothing_to_load(self, case: Case, form: str) -> None:
        index = case.index(FORMS[form]({}))
        check(case, index, {}, case.events(3))
        index.update(FORMS[form]({}))
        index["s"] = text = case.texts(1)[0]
        check(case, index, {"s": text}, case.events(3))

    @pytest.mark.parametrize("form", FORMS)
    def test_refused_texts_name_the_row(self, case: Case, form: str) -> None:
        index, events = case.index(case.model()), case.events(5)
        good = case.model(6)
        for bad in case.language.bad_subscriptions:
            if "table" in form and not isinstance(bad, str):
                continue
            load = {"new": next(iter(good.values()))} | good | {"bad": bad}
            with unchanged(index, events):
                with pytest.raises(SubscriptionError) as refusal:
                    index.update(FORMS[form](load))
                assert refusal.value.row == len(load) - 1
                with pytest.raises(SubscriptionError) as refusal:
                    case.index(FORMS[form](load))
                assert refusal.value.row == len(load) - 1

    def test_one_refused_text(self, case: Case) -> None:
        index, events = case.index(case.model()), case.events(5)
        for bad in case.language.bad_subscriptions:
            for key in ("new", "s1"):
                with unchanged(index, events), pytest.raises(SubscriptionError) as refusal:
                    index[key] = bad
                assert refusal.value.row is None

    @pytest.mark.parametrize("form", ["pairs", "generator", "table"])
    def test_duplicate_ids_name_the_row(self, case: Case, form: str) -> None:
        model = case.model(6)
        index = case.index(model)
        again = {list(model)[1]: next(iter(model.values()))}
        for load in (index.update, case.index):
            rows = {
                "pairs": [*model.items(), *again.items()],
                "generator": (pair for part in (model, again) for pair in part.items()),
                "table": pa.concat_tables([table(model), table(again)]),
            }
            with unchanged(index, case.events(5)), pytest.raises(SubscriptionError) as refusal:
                load(rows[form])
            assert refusal.value.row == len(model)

    def test_options_are_checked(self, case: Case) -> None:
        options = case.language.variants[case.label]
        with pytest.raises(OptionError):
            case.language.index(**options, no_such_option=1)
        with pytest.raises(OptionError):
            case.language.index(**options | {"method": "no-such-method"})


class TestMatching:
    @settings(max_examples=40, deadline=None)
    @given(data=st.data())
    def test_agrees_with_the_oracle(self, case: Case, data: st.DataObject) -> None:
        language = case.language
        texts = data.draw(st.lists(language.subscriptions, min_size=1, max_size=12))
        events = data.draw(st.lists(language.events, min_size=1, max_size=5))
        model = {f"s{number}": text for number, text in enumerate(texts)}
        check(case, case.index(model), model, events)

    def test_every_container(self, case: Case) -> None:
        model, events = case.model(30), case.events(30)
        index = case.index(model)
        for name, fill in case.language.containers.items():
            container, held = fill(events)
            expected = [sorted(case.expected(model, event)) for event in held]
            assert found(index.match_many(container), len(held)) == expected, name

    def test_bad_events_name_their_position(self, case: Case) -> None:
        index, events = case.index(case.model()), case.events(5)
        for bad in case.language.bad_events:
            with unchanged(index, events):
                with pytest.raises(EventError) as refusal:
                    index.match(bad)
                assert refusal.value.position == 0
                with pytest.raises(EventError) as refusal:
                    index.match_many([*events[:3], bad, *events])
                assert refusal.value.position == 3
                with pytest.raises(EventError):
                    index.explain(bad, "s0")

    def test_from_several_threads(self, case: Case) -> None:
        model, events = case.model(60), case.events(40)
        index = case.index(model)
        expected = [case.expected(model, event) for event in events]

        def work(_: int) -> tuple[list[list[Id]], list[list[Id]]]:
            many = found(index.match_many(events), len(events))
            return [index.match(event) for event in events], many

        with ThreadPoolExecutor(4) as pool:
            for one, many in pool.map(work, range(12)):
                assert one == expected
                assert many == [sorted(ids) for ids in expected]


class TestExplaining:
    @settings(max_examples=25, deadline=None)
    @given(data=st.data())
    def test_agrees_with_the_oracle(self, case: Case, data: st.DataObject) -> None:
        language = case.language
        texts = data.draw(st.lists(language.subscriptions, min_size=1, max_size=5))
        events = data.draw(st.lists(language.events, min_size=1, max_size=3))
        index = case.index(enumerate(texts))
        for event in events:
            for key, text in enumerate(texts):
                explanation = index.explain(event, key)
                assert bool(explanation) == language.matches(text, event), (text, event)
                assert str(explanation).strip()


class TestSnapshots:
    def test_save_open_change_save(self, case: Case, tmp_path: Path) -> None:
        model, events, texts = case.model(), case.events(15), case.texts(16)
        index, path = case.index(model), tmp_path / "index"
        index.save(path)
        check(case, index, model, events)
        first = dict(model)
        opened = Index.open(path)
        assert type(opened) is case.language.index
        check(case, opened, model, events)
        opened["s2"] = model["s2"] = texts[12]
        del opened["s1"], model["s1"]
        opened["s1"] = model["s1"] = texts[13]
        opened.update(FORMS["pairs"]({"t": texts[14], "s5": texts[15]}))
        model |= {"t": texts[14], "s5": texts[15]}
        check(case, opened, model, events)
        reader = case.language.index.open(str(path))
        check(case, reader, first, events)  # changes live in memory until saved
        opened.save(path)
        check(case, case.language.index.open(path), model, events)
        check(case, opened, model, events)
        check(case, reader, first, events)  # who opened the old one keeps it
        check(case, index, first, events)

    def test_an_opened_index_refuses_alike(self, case: Case, tmp_path: Path) -> None:
        case.index(case.model()).save(tmp_path / "index")
        opened = Index.open(tmp_path / "index")
        assert opened.stats().method == case.index().stats().method
        for bad in case.language.bad_subscriptions:
            with unchanged(opened, case.events(5)), pytest.raises(SubscriptionError):
                opened["s1"] = bad
        with unchanged(opened, case.events(5)), pytest.raises(SubscriptionError):
            opened[1] = case.texts(1)[0]

    def test_empty_index(self, case: Case, tmp_path: Path) -> None:
        case.index().save(tmp_path / "index")
        opened = Index.open(tmp_path / "index")
        check(case, opened, {}, case.events(5))
        opened["s"] = text = case.texts(1)[0]
        check(case, opened, {"s": text}, case.events(5))

    def test_emptied_index(self, case: Case, tmp_path: Path) -> None:
        index = case.index(case.model())
        for key in case.model():
            del index[key]
        index.save(tmp_path / "index")
        check(case, Index.open(tmp_path / "index"), {}, case.events(5))

    def test_no_snapshot(self, case: Case, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        (tmp_path / "file").write_text("not a snapshot")
        for name in ("missing", "empty", "file"):
            with pytest.raises(SnapshotError) as refusal:
                case.language.index.open(tmp_path / name)
            assert str(tmp_path / name) in str(refusal.value.path)

    def test_in_another_process(self, case: Case, tmp_path: Path) -> None:
        model, events = case.model(), case.events(15)
        case.index(model).save(tmp_path / "index")
        (tmp_path / "events").write_bytes(pickle.dumps(events))
        subprocess.run([sys.executable, "-c", OTHER_PROCESS, str(tmp_path)], check=True, timeout=300)
        items, answers = pickle.loads((tmp_path / "answers").read_bytes())
        assert items == list(model.items())
        assert answers == [case.expected(model, event) for event in events]


OTHER_PROCESS = """
import pickle, sys
from pathlib import Path
from watchword import Index
folder = Path(sys.argv[1])
events = pickle.loads((folder / "events").read_bytes())
index = Index.open(folder / "index")
answers = list(index.items()), [index.match(event) for event in events]
(folder / "answers").write_bytes(pickle.dumps(answers))
"""


class TestFigures:
    def test_stats(self, case: Case) -> None:
        model = case.model(40)
        index = case.index(model)
        figures = index.stats()
        assert figures.language == case.language.name
        assert figures.method == case.language.variants[case.label].get("method", figures.method)
        assert figures.subscriptions == len(model)
        assert figures.atoms > 0 and figures.bytes > 0
        assert (figures.nodes or 0) + (figures.postings or 0) > 0
        index.match_many(case.events(20))
        assert index.stats().operations_per_match > 0
        index.clear()
        assert (index.stats().subscriptions, index.stats().clauses) == (0, 0)


class TestChurn:
    def test_a_long_life(self, case: Case, tmp_path: Path) -> None:
        """Thousands of changes, so that whatever grows, merges, splits or is compacted does so."""
        random_ = random.Random(2011)
        texts, events = case.texts(150), case.events(25)
        truth = {text: [case.language.matches(text, event) for event in events] for text in texts}
        model: Model = {number: random_.choice(texts) for number in range(4000)}
        index = case.index(model)
        for step in range(1, 2001):
            key = random_.randrange(6000)
            if key in model and random_.random() < 0.6:
                del index[key], model[key]
            else:
                index[key] = model[key] = random_.choice(texts)
            if step % 500 == 0:
                load = {random_.randrange(9000): random_.choice(texts) for _ in range(6000)}
                index.update(load)
                model.update(load)
                assert list(index.items()) == list(model.items())
                expected = [[key for key in model if truth[model[key]][at]] for at in range(len(events))]
                assert [index.match(event) for event in events] == expected
                assert found(index.match_many(events), len(events)) == [sorted(ids) for ids in expected]
            if step == 1200:
                index.save(tmp_path / "index")
                index = Index.open(tmp_path / "index")
