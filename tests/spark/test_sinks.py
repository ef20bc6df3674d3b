"""Sinks by themselves, without Spark: what they keep of a batch, once, however often it is given."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from watchword.errors import OptionError, PipelineError
from watchword.home import Home
from watchword.spark.found import ITEMS, BatchKey, Found
from watchword.spark.sinks import SCHEMA, FileSink, InboxSink, make_sinks
from watchword.store import Request

KEY = BatchKey("b7c1", 17, "keywords")
MOMENT = datetime(2026, 11, 17, 8, tzinfo=UTC)


def found(pairs: list[tuple[int, str]], items: list[dict[str, Any]], as_of: int | None = None) -> Found:
    table = pa.table({"item": pa.array([n for n, _ in pairs], pa.int32()), "subscription": [key for _, key in pairs]})
    return Found(table, pa.Table.from_pylist(items, schema=ITEMS), as_of)


FERRY = {"id": "urn:1", "title": "Ferry", "text": "late", "published": MOMENT, "categories": ["Sport", None]}
STORM = {"id": "urn:2", "title": "Storm", "text": "soon"}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home.make(tmp_path / "home")
    with made.store() as store:
        store.add_subscriber("ada")
        store.subscribe_many([Request("ada", "ferry", "a"), Request("ada", "storm", "b")])
    return made


def test_a_file_has_a_row_for_each_pair_and_is_replaced(tmp_path: Path) -> None:
    sink = FileSink(tmp_path)
    assert not sink.is_written(KEY)
    sink.write(KEY, found([(1, "a")], [FERRY, STORM]))
    sink.write(KEY, found([(0, "a"), (1, "a"), (1, "b")], [FERRY, STORM]))
    assert sink.is_written(KEY) and not sink.is_written(BatchKey("b7c1", 17, "patterns"))
    assert [file.name for file in tmp_path.iterdir()] == ["batch-17-keywords.parquet"]
    table = pq.read_table(tmp_path / "batch-17-keywords.parquet")
    assert table.schema.equals(SCHEMA)
    rows = table.to_pylist()
    assert [(row["id"], row["subscription"]) for row in rows] == [("urn:1", "a"), ("urn:2", "a"), ("urn:2", "b")]
    assert rows[0] == {**dict.fromkeys(SCHEMA.names), **FERRY, "subscription": "a"} and rows[2]["author"] is None
    sink.write(KEY, found([], []))
    assert pq.read_table(tmp_path / "batch-17-keywords.parquet").num_rows == 0


def test_long_items_with_many_matches_are_written_once_each(tmp_path: Path) -> None:
    items = [{"id": f"urn:{n}", "text": f"{n}" * 306_000} for n in range(2)]
    FileSink(tmp_path).write(KEY, found([(n % 2, f"s{n}") for n in range(10_000)], items))  # 3 GB, were they repeated
    file = tmp_path / "batch-17-keywords.parquet"
    assert file.stat().st_size < 2_000_000
    assert pq.read_table(file, columns=["id", "subscription"]).num_rows == 10_000
    (part,) = pq.ParquetFile(file).iter_batches(batch_size=2, row_groups=[0], columns=["text"]).__next__().columns
    assert part.to_pylist() == ["0" * 306_000, "1" * 306_000]


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(PipelineError, match=r"batch-17-keywords.parquet: cannot be written"):
        FileSink(tmp_path / "file").write(KEY, found([], []))


def test_inboxes_get_a_batch_once(home: Home) -> None:
    sink = InboxSink(home)
    assert not sink.is_written(KEY)
    for again in (False, True):
        sink.write(KEY, found([(0, "a"), (1, "a"), (1, "b")], [FERRY, STORM]))
        assert sink.is_written(KEY), again
        with home.store() as store:
            inbox = {d.item.identity: sorted(reason.subscription for reason in d.reasons) for d in store.inbox("ada")}
            assert inbox == {"urn:1": ["a"], "urn:2": ["a", "b"]} and store.stats().matches == 3
            item = next(d.item for d in store.inbox("ada") if d.item.identity == "urn:1")
    assert (item.title, item.published, item.categories, item.author) == ("Ferry", MOMENT, ("Sport",), "")
    sink.write(BatchKey("b7c1", 18, "keywords"), found([(0, "a")], [{**FERRY, "text": "other"}, STORM]))
    with home.store() as store:
        assert store.stats().matches == 3, "an item is in an inbox once"


def test_a_subscription_that_is_younger_than_the_index_gets_nothing(home: Home) -> None:
    with home.store() as store:
        as_of = store.stats().counter
        store.unsubscribe("a")
        store.subscribe("ada", "another wish", id="a")
    InboxSink(home).write(KEY, found([(0, "a"), (0, "b")], [FERRY], as_of))
    with home.store() as store:
        (delivery,) = store.inbox("ada")
        assert [reason.subscription for reason in delivery.reasons] == ["b"]


def test_sinks_are_chosen_by_name(home: Home) -> None:
    run = home.run("main")
    assert [type(sink) for sink in make_sinks(["inboxes", "files"], home, run)] == [FileSink, InboxSink]
    assert [type(sink) for sink in make_sinks(["files"], home, run)] == [FileSink]
    for names in (["kafka", "files"], []):
        with pytest.raises(OptionError, match="sinks are files, inboxes, one or more of them"):
            make_sinks(names, home, run)
