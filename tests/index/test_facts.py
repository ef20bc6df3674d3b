"""Small public facts: kind of ids, options, a check of a text, batches."""

from __future__ import annotations

from itertools import count, islice

import pyarrow as pa
import pytest

from watchword import KeywordIndex, OptionError, PatternIndex, SubscriptionSyntaxError
from watchword.index import EventKind, language_class
from watchword.index.events import Pace, around, next_size


def test_the_type_of_ids() -> None:
    assert KeywordIndex().id_type is None
    assert KeywordIndex({1: "a"}).id_type is int
    index = KeywordIndex({"s": "a"})
    assert index.id_type is str
    del index["s"]
    assert index.id_type is None


def test_options_make_an_equal_index() -> None:
    index = KeywordIndex({"s": "cats"}, method="trie", stemmer="english", stop_words=["the"], max_depth=3)
    again = KeywordIndex(dict(index), method=index.method, **index.options)
    assert again.options == index.options and again.match("the cat") == ["s"]
    assert index.options["max_depth"] == 3 and index.options["max_terms"] == 1024


def test_check_says_what_subscribing_would() -> None:
    index = KeywordIndex({"s": "a"})
    index.check("greece AND crisis")
    index.check(["greece", "crisis OR imf"])
    with pytest.raises(SubscriptionSyntaxError) as refusal:
        index.check("greece AND (")
    assert refusal.value.row is None
    with pytest.raises(SubscriptionSyntaxError) as refusal:
        index.check(["greece", "crisis", "(("])
    assert refusal.value.row == 2
    with pytest.raises(SubscriptionSyntaxError):
        PatternIndex().check("a\\")
    assert dict(index) == {"s": "a"} and index.stats().atoms == 1


def test_batches_go_on_where_the_last_ended() -> None:
    index = KeywordIndex(dict.fromkeys(range(40), "a") | {99: "b"})
    events = ["a", "b", "c"] * 2_000
    tables = list(index.match_batches(events))
    assert len(tables) > 1
    assert pa.concat_tables(tables).to_pydict() == index.match_many(events).to_pydict()
    arrow = [table.to_pydict() for table in index.match_batches(pa.chunked_array([events[:7], events[7:]]))]
    assert [event for part in arrow for event in part["event"]] == index.match_many(events)["event"].to_pylist()


def test_batches_of_a_stream_without_end() -> None:
    index = KeywordIndex({"even": "e"})
    endless = ("e" if number % 2 == 0 else "o" for number in count())
    (first, second) = islice(index.match_batches(endless), 2)
    assert first["event"].to_pylist()[:3] == [0, 2, 4]
    assert second["event"].to_pylist()[0] == first["event"].to_pylist()[-1] + 2
    index["odd"] = "o"  # taken up by the batches that follow
    assert set(next(index.match_batches(["o"]))["subscription"].to_pylist()) == {"odd"}


def test_sizes_follow_the_pairs() -> None:
    assert next_size(256, 0) == 1024
    assert next_size(4096, 0) == 4096
    assert next_size(10, 10**9) == 1
    assert next_size(10, 0, most=12) == 12


def test_slices_are_sized_by_the_pairs_before_them_and_hold_every_event_once() -> None:
    pace, parts = Pace(64, most=100), []
    for part in pace.slices(1000):
        parts.append(part)
        pace.record(part.stop - part.start, 0 if part.start < 300 else 1 << 20)
    assert [event for part in parts for event in range(1000)[part]] == list(range(1000))
    sizes = [part.stop - part.start for part in parts]
    assert sizes[:6] == [64, 100, 100, 100, 100, 25] and max(sizes) == 100
    assert list(Pace().slices(0)) == []


def test_the_end_of_a_batch_is_judged_as_if_it_were_whole() -> None:
    pace = Pace(1000)
    pace.record(events=10, pairs=10_000)
    assert pace.size == 262


def test_an_error_without_its_row_keeps_its_pointer() -> None:
    error = SubscriptionSyntaxError("no end", text="greece (", position=7, row=3)
    assert str(error).startswith("row 3: no end") and error.without_row().row is None
    assert str(error.without_row()) == str(error).removeprefix("row 3: ")
    assert "^" in str(error.without_row())


def test_around_refused_events() -> None:
    index = KeywordIndex({"s": "a"})
    events = ["a", 5, "b", "a", None, None, "a"]
    answers, refused = around(events, index.match_many)
    found = sorted(start + position for start, table in answers for position in table["event"].to_pylist())
    assert found == [0, 3, 6]
    assert sorted(refused) == [1] and "not int" in refused[1]


def test_what_an_event_is_and_which_options_are_taken() -> None:
    kinds = {name: language_class(name).reads for name in ("keywords", "paths", "predicates", "properties")}
    assert kinds == {
        "keywords": EventKind(several_texts=True),
        "paths": EventKind(documents=True),
        "predicates": EventKind(objects="json"),
        "properties": EventKind(objects="columns"),
    }
    assert KeywordIndex().reads is KeywordIndex.reads
    KeywordIndex.check_options(method="trie", stop_words=["the"])
    for method, options in (("auto", {"stemmer": "klingon"}), ("auto", {"nonsense": 1}), ("none", {})):
        with pytest.raises(OptionError):
            KeywordIndex.check_options(method, **options)
