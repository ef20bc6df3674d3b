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

    @pytest.mark.parametrize("library", [name for name in LIBRARIES if name != "structs"])
    def test_columns_of_other_names(self, reader: Case, library: str) -> None:
        model, options = reader.model(), reader.language.variants[reader.label]
        rows = table(model).rename_columns(["key", "query"]).append_column("id", pa.array(range(len(model))))
        index = reader.language.index(LIBRARIES[library](rows), id="key", subscription="query", **options)
        check(reader, index, model, reader.events(5))
        changed = LIBRARIES[library](rows.slice(0, 2).set_column(1, "query", [list(model.values())[-2:]]))
        index.update(changed, id="key", subscription="query")
        assert list(index.items())[:2] == list(zip(model, list(model.values())[-2:], strict=False))

    def test_columns_that_are_not_there(self, reader: Case) -> None:
        index, rows = reader.index(reader.model()), table(reader.model())
        renamed = rows.rename_columns(["key", "query"])
        nameless = renamed.set_column(0, "key", pa.nulls(len(rows), pa.string()))
        for given, named, says in [
            (renamed, {}, "no column 'id' in the table, which has: key, query; name yours: id='key', "),
            (renamed, {"id": "key"}, "no column 'subscription' in the table, which has: key, query; name yours: "),
            (renamed, {"id": "key", "subscription": "key"}, "id= and subscription= are two columns, not both 'key'"),
            (renamed, {"id": "", "subscription": "query"}, "no column '' in the table"),
            (nameless, {"id": "key", "subscription": "query"}, "row 0: column 'key' is null"),
            (reader.model(), {"id": "key"}, "id= and subscription= name columns of a table, and a dict has none"),
            ([("s", "x")], {"subscription": "query"}, "id= and subscription= name columns of a table, and a list has"),
        ]:  # fmt: skip
            with unchanged(index, reader.events(3)), pytest.raises(SubscriptionError, match=f"^{says}"):
                index.update(given, **named)

    def test_a_refused_one_is_named(self, reader: Case) -> None:
        """By its id in a mapping, whose rows nobody counts; by row and id elsewhere; through bulk and single loads."""
        good = reader.texts(40)
        bad = next(text for text in reader.language.bad_subscriptions if isinstance(text, str) and text)
        rows = {"s1": good[0], "s2": bad}
        for index in (reader.index(), reader.index(dict(zip(map(str, range(40)), good, strict=True)))):
            for given, place, row in [
                (rows, "id 's2': ", None),
                (list(rows.items()), "row 1, id 's2': ", 1),
                (table(rows), "row 1, id 's2': ", 1),
            ]:
                with unchanged(index, reader.events(2)), pytest.raises(SubscriptionError) as refusal:
                    index.update(given)
                assert str(refusal.value).startswith(place)
                assert (refusal.value.row, refusal.value.id) == (row, "s2")
            for given, place in [({"s": 5}, "id 's': a subscription is a str"), ([("s", 5)], "row 0, id 's': ")]:
                with pytest.raises(SubscriptionError, match=f"^{place}"):
                    index.update(given)

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
        assert all(one.error.id == one.id and f"id {one.id!r}: " in str(one.error) for one in left_out)
        has_rows = form in ("pairs", "table")
        assert all(one.error.row == (one.row if has_rows else None) for one in left_out)
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
