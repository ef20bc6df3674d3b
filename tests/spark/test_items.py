"""The event that Spark makes of an item is the one that `watchword.items` makes: random items, both ways."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame, SparkSession

from tests.contract.cases import samples
from watchword import items
from watchword.items import COLUMNS, DOCUMENT, EVENTS, ROW
from watchword.spark import sources
from watchword.spark.feed_source import feed_schema

AWKWARD = "&<>\"'\x00\x08\t\x0b\n\r\x1f\x7f\ufffd\ufffe\uffff\U0001f6a2\u0301aé. ]"
texts = st.text(st.sampled_from(AWKWARD) | st.characters(exclude_categories=["Cs"]), max_size=8)
moments = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=st.just(UTC))
rows = st.fixed_dictionaries(
    dict.fromkeys(("id", "title", "text", "feed"), texts)
    | {name: st.none() | texts for name in ("link", "author", "language", "feed_url")}
    | {"published": st.none() | moments, "categories": st.none() | st.lists(st.none() | texts, max_size=3)}
)


def read_by_spark(frame: DataFrame, language: str, attributes: list[str] | None, feeds: bool) -> list[Any]:
    events = frame.select("number", sources.event_of(language, frame, attributes, feeds=feeds).alias("event"))
    return [row["event"] for row in sorted(events.toArrow().to_pylist(), key=lambda row: row["number"])]


@pytest.fixture(scope="module")
def columns() -> list[dict[str, Any]]:
    return samples(rows)


def frame_of(spark: SparkSession, columns: list[dict[str, Any]], **more: str) -> DataFrame:
    table = [(number, *(row[name] for name in COLUMNS)) for number, row in enumerate(columns)]
    schema = feed_schema()
    names = ["number int", *(f"`{field.name}` {field.dataType.simpleString()}" for field in schema.fields)]
    frame = spark.createDataFrame(table, ", ".join(names))
    return frame.selectExpr(
        "*", f"struct({', '.join(COLUMNS)}) AS {ROW}", *(f"{how} AS {name}" for name, how in more.items())
    )


@pytest.mark.parametrize("feeds", [True, False])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata"])
def test_both_ways_give_the_same_event(
    spark: SparkSession, columns: list[dict[str, Any]], feeds: bool, zone: str
) -> None:
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = frame_of(spark, columns)
        for language in EVENTS:
            expected = [items.event_of(language, row, feeds=feeds) for row in columns]
            assert read_by_spark(frame, language, None, feeds) == expected, language
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_attributes_and_bytes(spark: SparkSession, columns: list[dict[str, Any]]) -> None:
    frame = frame_of(spark, columns, **{DOCUMENT: "encode(concat(text, '!'), 'UTF-8')"})
    expected = [items.event_of("properties", row, ["title", "link"]) for row in columns]
    assert read_by_spark(frame, "properties", ["title", "link"], False) == expected
    documents = [items.event_of("paths", row | {DOCUMENT: (row["text"] + "!").encode()}) for row in columns]
    assert read_by_spark(frame, "paths", None, False) == documents


@given(rows)
@settings(max_examples=200)
def test_a_stored_item_gives_the_event_of_its_columns(row: dict[str, Any]) -> None:
    """But for what the store does not tell apart: an empty link, author, language or address from a missing one."""
    row |= {name: row[name] or None for name in ("link", "author", "language", "feed_url")}
    row |= {"feed": row["feed"] + "x", "categories": [name for name in row["categories"] or () if name]}
    fields = {name: value or "" for name, value in row.items() if name not in ("id", "published", "categories")}
    item = items.Item(row["id"], **fields, published=row["published"], categories=tuple(row["categories"]))
    for language in EVENTS:
        assert items.event_of(language, item) == items.event_of(language, row, feeds=True), language
