"""Events that are columns of tables, and subscriptions that are rows of them: every library, nulls, ids, order."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tests.contract.cases import Case, check, found, table, unchanged
from watchword import EventError, SubscriptionError


class Stream:
    """Hands out rows, and has nothing else."""

    def __init__(self, rows: pa.Table) -> None:
        self._rows = rows

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._rows.__arrow_c_stream__(requested_schema)


class Frame(Stream):
    """A frame as polars has it: it iterates over its columns."""

    @property
    def columns(self) -> list[str]:
        return list(self._rows.column_names)

    def __iter__(self) -> Any:
        return iter(self._rows.columns)


LIBRARIES = {
    "table": lambda rows: rows,
    "chunks": lambda rows: pa.concat_tables([rows.slice(0, 2), rows.slice(2)]),
    "batch": lambda rows: rows.combine_chunks().to_batches()[0],
    "reader": lambda rows: rows.to_reader(),
    "structs": lambda rows: rows.to_struct_array(),
    "pandas": lambda rows: rows.to_pandas(),
    "stream": Stream,
    "frame": Frame,
}


def rows_of(case: Case, kind: pa.DataType | None = None) -> tuple[pa.Table, list[list[Any]]]:
    """Return events in a table, every third of them null, and what each satisfies of the case's model."""
    assert case.language.column is not None
    column, held = case.language.column(case.events(12))
    order = [row for event in range(len(held)) for row in ((event,) if event % 2 else (None, event))]
    expected = [[] if row is None else case.expected(case.model(30), held[row]) for row in order]
    events = column.take(pa.array(order, pa.int64()))
    keys = [f"e{number}" for number in range(len(order))]
    if kind is not None:
        events = events.dictionary_encode() if pa.types.is_dictionary(kind) else events.cast(kind)
    return pa.table({"key": keys, "event": events, "number": range(len(order))}), expected


class TestTablesOfEvents:
    @pytest.mark.parametrize("library", LIBRARIES)
    def test_a_column(self, reader: Case, library: str) -> None:
        index = reader.index(reader.model(30))
        rows, expected = rows_of(reader)
        answer = index.match_many(LIBRARIES[library](rows), column="event")
        assert found(answer, len(expected)) == [sorted(ids) for ids in expected]
        assert index.stats().nulls == rows["event"].null_count > 0
        assert index.stats().events == len(expected) - rows["event"].null_count

    def test_ids_and_order(self, reader: Case) -> None:
        index = reader.index(reader.model(30))
        rows, expected = rows_of(reader)
        pairs = [(key, ids) for key, found in zip(rows["key"].to_pylist(), expected, strict=True) for ids in found]
        assert pairs
        answer = index.match_many(rows, column="event", id="key", ordered=True)
        assert list(zip(*answer.to_pydict().values(), strict=True)) == pairs
        batches = list(index.match_batches(rows, "event", id="key", ordered=True))
        assert pa.concat_tables(batches).equals(answer)
        numbered = index.match_many(Frame(rows), column="event", id="number")
        assert set(zip(*numbered.to_pydict().values(), strict=True)) == {(int(key[1:]), id) for key, id in pairs}
        assert index.match_many(rows.slice(0, 0), column="event", id="key").schema == answer.schema

    @pytest.mark.parametrize(
        "kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())], ids=str
    )
    def test_nulls_of_every_type(self, reader: Case, kind: pa.DataType) -> None:
        index = reader.index(reader.model(30))
        rows, expected = rows_of(reader, kind)
        answer = found(index.match_many(rows["event"]), len(expected))
        assert answer == [sorted(ids) for ids in expected]
        assert found(index.match_many(rows["event"].to_pylist()), len(expected)) == answer
        together = pa.concat_tables(index.match_batches(iter(rows["event"].to_pylist())))
        assert found(together, len(expected)) == answer

    def test_nulls_that_a_dictionary_names(self, reader: Case) -> None:
        assert reader.language.column is not None
        index = reader.index(reader.model(30))
        column, held = reader.language.column(reader.events(24))
        values = pa.concat_arrays([column, pa.nulls(1, column.type)])
        events = pa.DictionaryArray.from_arrays(pa.array([len(held), 1, None, 0]), values)
        expected = [[], reader.expected(reader.model(30), held[1]), [], reader.expected(reader.model(30), held[0])]
        assert found(index.match_many(events), 4) == [sorted(ids) for ids in expected]

    def test_only_nulls(self, reader: Case) -> None:
        index = reader.index(reader.model(30))
        for events in (pa.nulls(3), pa.nulls(3, pa.string()), [None] * 3):
            assert index.match_many(events).num_rows == 0
            assert [part.num_rows for part in index.match_batches(events)] == [0]
        assert index.stats().nulls == 18

    def test_what_is_refused(self, reader: Case) -> None:
        index = reader.index(reader.model())
        rows, _ = rows_of(reader)
        missing = "no column 'text' in the table, which has: key, event, number$"
        with unchanged(index, reader.events(3)):
            for ask, says in [
                (lambda: index.match_many(rows, column="text"), missing),
                (lambda: index.match_many(rows.to_pandas(), column="text"), missing),
                (lambda: index.match_many(rows, column="event", id="who"), "no column 'who'"),
                (lambda: index.match_many(rows, column="number"), "column 'number': an? .* int64"),
                (lambda: index.match_many(rows, column=5), "name of a column"),
                (lambda: index.match_many(rows, column="event", columns=["event"]), "give one of them"),
                (lambda: index.match_many(["x"], column="event"), "a list has none"),
                (lambda: index.match_many(5), "many events"),
                (lambda: index.match(rows), "event 0: "),
                (lambda: index.match(rows.to_pandas()), "event 0: "),
                (lambda: index.match(Frame(rows)), "event 0: "),
                (lambda: index.match_many([rows.to_pandas()]), "event 0: "),
            ]:  # fmt: skip
                with pytest.raises(EventError, match=says):
                    ask()
        if reader.language.index.reads.objects is None:
            with pytest.raises(EventError, match="such as column='key'; the table has: key, event, number"):
                index.match_many(Frame(rows))

    def test_a_refused_event_has_its_own_place(self, reader: Case) -> None:
        index = reader.index(reader.model())
        rows, _ = rows_of(reader)
        bad = next(event for event in reader.language.bad_events if isinstance(event, bytes))
        events = pa.concat_arrays([rows["event"].combine_chunks().cast(pa.binary()), pa.array([None, bad])])
        for ask in (index.match_many, lambda given: list(index.match_batches(given))):
            with pytest.raises(EventError) as refusal:
                ask(events)
            assert refusal.value.position == len(events) - 1


class TestTablesOfSubscriptions:
    @pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "structs"])
    def test_every_library(self, reader: Case, library: str) -> None:
        model, events = reader.model(), reader.events(5)
        check(reader, reader.index(LIBRARIES[library](table(model))), model, events)
        wide = table(model, pa.string_view()).append_column("more", pa.array(range(len(model))))
        assert reader.index(LIBRARIES[library](wide.select([2, 1, 0])) if library != "pandas" else wide) == model

    def test_nothing_in_columns_of_no_type(self, reader: Case) -> None:
        assert len(reader.index(pa.table({"id": [], "subscription": []}))) == 0

    @pytest.mark.parametrize("bad", [True, 1.0])
    def test_what_equals_an_id_is_none(self, reader: Case, bad: Any) -> None:
        text, more = reader.texts(2)
        loaded = reader.index(dict.fromkeys(range(1, 30), text))
        tail = reader.index()
        tail[1] = text
        for index in (reader.index(), reader.index({"s": text}), loaded, tail):
            with unchanged(index, reader.events(2)):
                assert bad not in index and index.get(bad) is None
                for load in ({bad: more}, [(bad, more)], pa.table({"id": [bad], "subscription": [more]})):
                    with pytest.raises(SubscriptionError):
                        index.update(load)
                assert [one.id for one in index.update([(bad, more)], on_error="skip")] == [bad]
                with pytest.raises(SubscriptionError):
                    index[bad] = more
                with pytest.raises(SubscriptionError):
                    index.setdefault(bad, more)
                for ask in (index.__getitem__, index.__delitem__, index.pop):
                    with pytest.raises(KeyError):
                        ask(bad)


class TestSkipping:
    @pytest.mark.parametrize("form", ["mapping", "pairs", "table", "known"])
    def test_the_good_ones_are_taken(self, reader: Case, form: str) -> None:
        texts, events = reader.texts(40), reader.events(5)
        refused = [text for text in reader.language.bad_subscriptions if form != "table" or isinstance(text, str)]
        rows: list[tuple[str, Any]] = [(f"s{n}", text) for n, text in enumerate(texts)]
        for number, text in enumerate(refused):
            rows.insert(3 * number + 1, (f"bad{number}", text))
        model = {key: text for key, text in rows if key.startswith("s")}
        before = dict.fromkeys(model, texts[0]) if form == "known" else {}
        index = reader.index(before)
        given: Any = rows if form == "pairs" else dict(rows)
        if form == "table":
            given = pa.table([pa.array(column) for column in zip(*rows, strict=True)], names=["id", "subscription"])
        left_out = index.update(given, on_error="skip")
        bad_rows = [(row, key) for row, (key, _) in enumerate(rows) if key.startswith("bad")]
        assert [(one.row, one.id) for one in left_out] == bad_rows
        assert all(one.error.row == one.row and f"row {one.row}: " in str(one.error) for one in left_out)
        check(reader, index, model, events)

    def test_an_id_that_stands_twice(self, reader: Case) -> None:
        one, two, three = reader.texts(3)
        index = reader.index()
        (again,) = index.update([("a", one), ("b", two), ("a", three)], on_error="skip")
        assert (again.row, again.id) == (2, "a") and "more than once" in again.error.reason
        assert dict(index) == {"a": one, "b": two}

    def test_nothing_is_refused(self, reader: Case) -> None:
        index = reader.index()
        assert index.update(reader.model(), on_error="skip") == []
        assert index.update(reader.model()) is None
        assert dict(index) == reader.model()
