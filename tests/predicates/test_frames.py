"""Tables of other libraries, given by Arrow's stream interface."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from watchword import EventError, KeywordIndex, PredicateIndex

TABLE = pa.table({"name": ["RBS", "RBS", None], "value": [25, 15, 30], "tags": [[], ["x", "y"], None]})


class Stream:
    """Hands out rows, and has nothing else."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return TABLE.__arrow_c_stream__(requested_schema)


class Frame(Stream):
    """A frame as polars has it: columns, a length, and an iterator over columns."""

    columns = TABLE.column_names

    def __len__(self) -> int:
        return TABLE.num_rows

    def __iter__(self) -> Any:
        return iter(TABLE.columns)


@pytest.fixture
def index() -> PredicateIndex:
    return PredicateIndex({"rbs": "name = 'RBS' AND value > 20", "tagged": "tags CONTAINS 'x'"})


@pytest.mark.parametrize(
    "make",
    [Stream, Frame, TABLE.to_reader, TABLE.to_pandas, lambda: TABLE.to_batches()[0]],
    ids=["stream", "frame", "reader", "pandas", "batch"],
)
def test_a_table_of_any_library(index: PredicateIndex, make: Any) -> None:
    assert index.match_many(make()).to_pydict() == {"event": [0, 1], "subscription": ["rbs", "tagged"]}
    batches = list(index.match_batches(make()))
    assert pa.concat_tables(batches).to_pydict() == {"event": [0, 1], "subscription": ["rbs", "tagged"]}


def test_names_of_rows_come_along() -> None:
    index = PredicateIndex({"named": "__index_level_0__ = 'second'", "day": "day = 2"})
    frame = pd.DataFrame({"value": [1, 2]}, index=["first", "second"])
    assert index.match_many(frame).to_pydict() == {"event": [1], "subscription": ["named"]}
    dated = frame.set_index(pd.Index([1, 2], name="day"))
    assert index.match_many(dated).to_pydict() == {"event": [1], "subscription": ["day"]}
    assert index.match_many(frame.reset_index(drop=True)).num_rows == 0


def test_a_language_of_texts_wants_a_column() -> None:
    index = KeywordIndex({"s": "rbs"})
    for table in (Stream(), Frame(), TABLE.to_reader()):
        with pytest.raises(EventError, match="name the one that has the events"):
            index.match_many(table)


def test_batches_of_columns_and_lines_name_the_event_that_is_refused(index: PredicateIndex) -> None:
    good, bad = '{"name": "RBS", "value": 25}', "{"
    for events in ([good] * 700 + [bad], pa.array([good] * 700 + [bad])):
        tables = index.match_batches(events)
        assert next(tables).num_rows == 256
        with pytest.raises(EventError) as refusal:
            list(tables)
        assert refusal.value.position == 700
