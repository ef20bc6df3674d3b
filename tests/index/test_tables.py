"""Tables of events: what is read of them, by whose name, and what is refused."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from watchword import EventError, KeywordIndex, PathIndex, PredicateIndex, PropertyIndex, SubscriptionError

ITEMS = {"id": [7, 8, 9], "title": ["Greece", None, "Tea"], "body": ["a crisis", "tea crisis", None]}


@pytest.fixture
def index() -> KeywordIndex[str]:
    return KeywordIndex({"crisis": "crisis", "greek": "greece AND crisis", "tea": "tea"})


def pairs(answer: pa.Table) -> set[tuple[Any, Any]]:
    return set(zip(*answer.to_pydict().values(), strict=True))


class TestPandas:
    def test_columns_that_arrow_cannot_read_are_left_alone(self, index: KeywordIndex[str]) -> None:
        frame = pd.DataFrame({**ITEMS, "odd": [1, "x", object()]}, index=[3, 3, 3])
        assert pairs(index.match_many(frame, column="body", id="id")) == {(7, "crisis"), (8, "crisis"), (8, "tea")}
        with pytest.raises(EventError, match=r"such as column='body'; the table has: id, title, body, odd$"):
            index.match_many(frame)
        with pytest.raises(EventError, match="Arrow cannot read this table"):
            PredicateIndex({"r": "id = 7"}).match_many(frame)
        assert pairs(PredicateIndex({"r": "id = 7"}).match_many(frame, columns=["id", "title"])) == {(0, "r")}
        assert KeywordIndex(pd.DataFrame({"id": [1], "subscription": ["tea"], "odd": [object()]})).match("tea") == [1]

    def test_the_names_of_rows_are_a_column_too(self, index: KeywordIndex[str]) -> None:
        frame = pd.DataFrame(ITEMS).set_index("id")
        assert pairs(index.match_many(frame, column="title", id="id")) == {(9, "tea")}
        rows = pd.DataFrame({"subscription": ["tea"]}, index=pd.Index(["a"], name="id"))
        assert dict(KeywordIndex(rows)) == {"a": "tea"}

    @pytest.mark.parametrize("dtype", [object, "string", "category", "string[pyarrow]"])
    def test_a_series(self, index: KeywordIndex[str], dtype: Any) -> None:
        series = pd.Series(["tea", None, float("nan"), "crisis"], dtype=dtype)
        assert pairs(index.match_many(series)) == {(0, "tea"), (3, "crisis")}
        assert index.stats().nulls == 2

    def test_a_series_of_objects(self) -> None:
        series = pd.Series([{"a": 1}, None, {"a": "x"}])
        assert pairs(PredicateIndex({"r": "a = 'x'"}).match_many(series)) == {(2, "r")}


class TestOthers:
    def test_a_series_that_hands_out_a_stream(self, index: KeywordIndex[str]) -> None:
        class Series:
            def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
                values = pa.array(["tea", None, "crisis"], pa.string_view())
                return pa.chunked_array([values]).__arrow_c_stream__(requested_schema)

            def __iter__(self) -> Any:
                raise AssertionError("no object per row")

        assert pairs(index.match_many(Series())) == {(0, "tea"), (2, "crisis")}

    def test_a_frame_that_hands_out_a_table_only(self, index: KeywordIndex[str]) -> None:
        class Frame:
            columns = tuple(ITEMS)

            def to_arrow(self) -> pa.Table:
                return pa.table(ITEMS)

            def __iter__(self) -> Any:
                return iter(self.columns)

        assert pairs(index.match_many(Frame(), column="title")) == {(2, "tea")}
        with pytest.raises(EventError, match="such as column='body'"):
            index.match_many(Frame())

    def test_frames_of_spark_stay_there(self, index: KeywordIndex[str]) -> None:
        class SparkFrame:
            columns = ("text",)
            sparkSession = None

            def toArrow(self) -> pa.Table:
                raise AssertionError("collected")

        for load in (lambda: index.match_many(SparkFrame(), column="text"), lambda: index.update(SparkFrame())):
            with pytest.raises((EventError, SubscriptionError), match=r"watchword\.spark\.match"):
                load()


def test_views_inside_of_events() -> None:
    text = pa.string_view()
    kind = pa.struct({"name": text, "tags": pa.list_(text), "more": pa.struct({"x": text})})
    events = [
        {"name": "RBS", "tags": ["a", None], "more": {"x": "y"}},
        {"name": None, "tags": None, "more": None},
        None,
    ]
    rules = PredicateIndex({"r": "name = 'RBS' AND tags CONTAINS 'a' AND more.x = 'y'", "none": "name IS MISSING"})
    expected = {(0, "r"), (1, "none")}
    structs = pa.array(events, kind)
    assert pairs(rules.match_many(structs)) == pairs(pa.concat_tables(rules.match_batches(structs))) == expected
    assert pairs(rules.match_many(structs, columns=["more", "name", "tags"])) == expected
    assert pairs(rules.match_many(pa.Table.from_struct_array(structs[:2]), id="name")) == {("RBS", "r"), (None, "none")}
    words = pa.array([["tea", "time"], None, ["pie"]], pa.large_list(text))
    assert pairs(KeywordIndex({"s": '"tea time"'}).match_many(words)) == {(0, "s")}


def test_a_stream_is_matched_as_it_comes(index: KeywordIndex[str]) -> None:
    taken = []

    def batches() -> Any:
        for number in range(1000):
            taken.append(number)
            yield pa.record_batch({"id": [f"a{number}", f"b{number}"], "text": ["tea", None if number else "crisis"]})

    stream = pa.RecordBatchReader.from_batches(pa.schema({"id": pa.string(), "text": pa.string()}), batches())
    tables = index.match_batches(stream, column="text", id="id")
    assert next(tables).to_pydict() == {"event": ["a0", "b0"], "subscription": ["tea", "crisis"]}
    assert next(tables).to_pydict() == {"event": ["a1"], "subscription": ["tea"]} and len(taken) < 10
    again = pa.table({"text": pa.chunked_array([["tea", None], [None], ["x", "tea"]])})
    numbered = pa.concat_tables(index.match_batches(again.to_reader(), column="text"))
    assert pairs(numbered) == {(0, "tea"), (4, "tea")}
    empty = pa.schema({"id": pa.string()}).empty_table().to_reader()
    with pytest.raises(EventError, match="no column 'text'"):
        next(index.match_batches(empty, column="text"))


def test_two_columns_of_one_name(index: KeywordIndex[str]) -> None:
    twice = pa.table([pa.array(["tea"]), pa.array(["x"]), pa.array([1])], names=["text", "text", "id"])
    with pytest.raises(EventError, match="two columns are named 'text'"):
        index.match_many(twice, column="text")
    with pytest.raises(EventError, match="two columns are named 'text'"):
        PredicateIndex({"r": "id = 1"}).match_many(twice)
    assert pairs(PredicateIndex({"r": "id = 1"}).match_many(twice, columns=["id"])) == {(0, "r")}


def test_many_columns_are_not_all_listed(index: KeywordIndex[str]) -> None:
    wide = pa.table({f"c{number}": ["x"] for number in range(30)})
    with pytest.raises(EventError, match=r"c0, c1, .*, c19 and 10 more$"):
        index.match_many(wide, column="text")


def test_objects_have_attributes() -> None:
    rules = PredicateIndex({"r": "id = 7 OR title = 'Tea'"})
    assert pairs(rules.match_many(pa.table(ITEMS), id="id")) == {(7, "r"), (9, "r")}
    assert pairs(rules.match_many(pa.table(ITEMS), columns=["title"], id="id")) == {(9, "r")}
    for wrong in (["title", "body"], ["title"]):
        with pytest.raises(EventError, match="columns="):
            rules.match_many(pa.table(ITEMS), column=wrong)
    with pytest.raises(EventError, match=r"column=\['title'\]"):
        KeywordIndex({"s": "tea"}).match_many(pa.table(ITEMS), columns=["title"])


def test_declared_properties_are_the_attributes() -> None:
    news = PropertyIndex({"s": "sports=1"}, properties=["sports", "arts"])
    rows = pa.table({"url": ["u", "v"], "sports": [1, 0], "arts": [0, 0]})
    assert news.match_many(rows, id="url").to_pydict() == {"event": ["u"], "subscription": ["s"]}
    assert news.match_many(rows, columns=["arts", "sports"]).num_rows == 1
    with pytest.raises(EventError, match="'url' is not a declared property"):
        news.match_many(rows)


def test_documents_are_in_one_column() -> None:
    index = PathIndex({"p": "//a"})
    rows = pa.table({"xml": ["<a/>", None], "html": ["<b/>", None]})
    with pytest.raises(EventError, match="write column='xml'"):
        index.match_many(rows, column=["xml", "html"])
    encoded = '<?xml version="1.0" encoding="utf-16"?><a/>'  # what a str declares is void
    assert index.match_many(pa.array([encoded]).dictionary_encode()).num_rows == 1


def test_the_examples_of_the_guide() -> None:
    guide = Path(__file__).parents[2] / "docs" / "tables.md"
    ran = doctest.testfile(str(guide), module_relative=False)
    assert (ran.failed, ran.attempted > 15) == (0, True)
