"""Why, for many pairs at once: `match_many(..., explain=True)` says of each pair what `explain` says of it."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest

from tests.contract.cases import Case, unchanged
from tests.contract.test_tables import rows_of
from watchword import EventError, KeywordIndex, OptionError, PathIndex

READ_ONCE = {"generators", "iterators", "files", "files and bytes", "a stream"}


def test_every_container(reader: Case) -> None:
    index = reader.index(reader.model(30))
    for name, fill in reader.language.containers.items():
        container, held = fill(reader.events(30))
        if name in READ_ONCE:
            with pytest.raises(EventError, match=r"explain= reads .* twice"):
                index.match_many(container, explain=True)
            continue
        answer = index.match_many(container, explain=True)
        assert answer.drop(["why"]) == index.match_many(fill(reader.events(30))[0]), name
        for event, key, why in zip(*(column.to_pylist() for column in answer.columns), strict=True):
            assert why == str(index.explain(held[event], key)) and why.startswith("match: "), name


def test_nulls_ids_and_order(reader: Case) -> None:
    index = reader.index(reader.model(30))
    rows, _ = rows_of(reader)
    named = {"column": "event", "id": "key", "ordered": True}
    answer = index.match_many(rows, **named, explain=True)
    assert answer.drop(["why"]) == index.match_many(rows, **named)
    events = dict(zip(rows["key"].to_pylist(), rows["event"].to_pylist(), strict=True))
    pairs = list(zip(*(column.to_pylist() for column in answer.columns), strict=True))
    assert [why for *_, why in pairs] == [str(index.explain(events[key], id)) for key, id, _ in pairs]
    assert answer.num_rows and index.stats().nulls == 2 * rows["event"].null_count


def test_nothing_to_explain(reader: Case) -> None:
    for events in ([], [None], pa.nulls(2)):
        answer = reader.index().match_many(events, explain=True)
        assert answer.column_names == ["event", "subscription", "why"] and answer.num_rows == 0


def test_the_limit() -> None:
    index = KeywordIndex({f"s{number}": "tea" for number in range(100)})
    index["more"] = "tea NOT pie"
    hundred = ["tea pie"] * 100
    assert index.match_many(hundred, explain=True).num_rows == 10_000
    with unchanged(index, hundred[:2]), pytest.raises(OptionError, match="more than 10,000 pairs to explain; explain="):
        index.match_many([*hundred, "tea"], explain=True)
    assert index.match_many([*hundred, "tea"], explain=10_101).num_rows == 10_101
    with pytest.raises(OptionError, match="more than 10,100 pairs"):
        index.match_many([*hundred, "tea"], explain=10_100)


@pytest.mark.parametrize("bad", [0, -1, 1.5, "yes", None])
def test_what_is_no_limit(bad: object) -> None:
    with pytest.raises(OptionError, match="explain is True, False, or how many"):
        KeywordIndex().match_many([], explain=bad)  # type: ignore[arg-type]


def test_an_open_file_in_a_column_of_documents_is_named() -> None:
    index = PathIndex({"p": "//a"})
    with pytest.raises(EventError, match="event 1: explain= reads an event twice, and a BytesIO is read once"):
        index.match_many([b"<a/>", io.BytesIO(b"<a/>")], explain=True)


def test_places_are_those_of_what_matches(reader: Case) -> None:
    index, texts = reader.index(), reader.texts(30)
    for event in reader.events(30):
        for text in texts:
            places = index.places(event, text)
            assert not places or index.explain_text(event, text)
            assert index.places(event, text, 1) == places[:1]
