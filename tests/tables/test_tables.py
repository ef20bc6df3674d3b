"""Reading files of subscriptions and events: values as written, batches of any size, errors with a place."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from watchword.tables import Events, TableError, read_json, read_subscriptions, read_words

ROWS = [("s1", "greece crisis"), ("s2", 'say "hello", world'), ("s3", "two\nlines"), ("s4", "ελλάδα 🎈")]


def put(path: Path, content: str | bytes) -> str:
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return str(path)


def as_csv(rows: list[tuple[object, ...]], header: tuple[str, ...], delimiter: str = ",") -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter).writerows([header, *rows])
    return out.getvalue()


def as_jsonl(rows: list[tuple[object, ...]], header: tuple[str, ...]) -> str:
    return "".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows)


def put_rows(path: Path, rows: list[tuple[object, ...]], header: tuple[str, ...]) -> str:
    """Write `rows` in the format of the name."""
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        columns = dict(zip(header, map(list, zip(*rows, strict=True)), strict=True))
        pq.write_table(pa.table(columns), path, row_group_size=3)
        return str(path)
    if name.endswith(".jsonl"):
        return put(path, as_jsonl(rows, header))
    return put(path, as_csv(rows, header, "\t" if name.endswith(".tsv") else ","))


def subscriptions(path: str, **columns: str) -> list[tuple[object, str]]:
    table = read_subscriptions(path, **columns).table
    assert table.column_names == ["id", "subscription"]
    return list(zip(table["id"].to_pylist(), table["subscription"].to_pylist(), strict=True))


def events(path: str, **options: object) -> list[tuple[object, str]]:
    with Events(path, **options) as source:
        batches = list(source)
    assert all(0 < len(batch.events) <= options.get("size", 10_000) for batch in batches)
    return [pair for b in batches for pair in zip(b.ids.to_pylist(), b.events.to_pylist(), strict=True)]


def refused(path: str, *words: str, **columns: str) -> None:
    for read in (read_subscriptions, lambda *a, **k: events(*a)):
        with pytest.raises(TableError) as caught:
            read(path, **columns)
        for word in (path, *words):
            assert word in str(caught.value)


NAMES = ["a.csv", "a.tsv", "a.jsonl", "a.parquet", "a.csv.gz", "a.tsv.gz", "a.jsonl.gz", "A.CSV"]


@pytest.mark.parametrize("name", NAMES)
def test_every_kind_gives_the_same_subscriptions_and_events(tmp_path: Path, name: str) -> None:
    path = put_rows(tmp_path / name, ROWS, ("id", "text"))
    assert subscriptions(path) == ROWS
    assert events(path, event_id="id") == ROWS
    assert events(path, size=3) == [(i, text) for i, (_, text) in enumerate(ROWS, 1)]


VALUE = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=9), size=st.integers(1, 4))
@example(rows=[("a\r", "\r\n"), ("\n", '"')], size=1)
@pytest.mark.parametrize("name", ["a.csv", "a.tsv.gz", "a.jsonl", "a.parquet"])
def test_values_come_back_as_written(tmp_path: Path, name: str, rows: list[tuple[str, str]], size: int) -> None:
    quoted = csv.QUOTE_ALL
    path = tmp_path / name
    if name.startswith(("a.csv", "a.tsv")):
        out = io.StringIO()
        csv.writer(out, delimiter="\t" if "tsv" in name else ",", quoting=quoted).writerows([("k", "text"), *rows])
        given_path = put(path, out.getvalue())
    else:
        given_path = put_rows(path, rows, ("k", "text"))
    assert events(given_path, event_id="k", size=size) == rows
    assert [text for _, text in subscriptions(given_path, id="k")] == [text for _, text in rows]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    lines=st.lists(st.sampled_from(["", "a", " ", "β b", "c\rd", "\x0b", "x" * 30]), max_size=12),
    end=st.sampled_from(["\n", "\r\n"]),
    closed=st.booleans(),
    mark=st.sampled_from(["", "\ufeff"]),
    size=st.integers(1, 5),
    read=st.sampled_from([1, 3, 1 << 20]),
)
def test_lines_are_those_of_an_editor(
    tmp_path: Path,
    lines: list[str],
    end: str,
    closed: bool,
    mark: str,
    size: int,
    read: int,
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("watchword.tables.sources._READ", max(read, 3))
        text = mark + end.join(lines) + (end if closed and lines else "")
        expected = [(i, line) for i, line in enumerate(lines, 1) if line.strip()]
        for name in ("a.txt", "a.txt.gz", "noname"):
            path = put(tmp_path / name, text)
            assert subscriptions(path) == expected
            assert events(path, size=size) == expected


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["1", "20", "-3", "0"], [1, 20, -3, 0]),
        (["1", "007"], ["1", "007"]),
        (["1", "+2"], ["1", "+2"]),
        (["1", "-0"], ["1", "-0"]),
        (["1", "1.0"], ["1", "1.0"]),
        (["1", " 2"], ["1", " 2"]),
        (["1", "x"], ["1", "x"]),
        (["9" * 30, "1"], ["9" * 30, "1"]),
        (["true", "NA"], ["true", "NA"]),
    ],
)
def test_ids_in_csv_lose_nothing(tmp_path: Path, written: list[str], read: list[object]) -> None:
    path = put_rows(tmp_path / "a.csv", [(id, "x") for id in written], ("id", "subscription"))
    assert [id for id, _ in subscriptions(path)] == read
    assert [id for id, _ in events(path, text="subscription", event_id="id")] == written


def test_typed_ids_keep_their_type(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.parquet"):
        for rows in ([(7, "x"), (8, "y")], [("7", "x"), ("8", "y")]):
            path = put_rows(tmp_path / name, rows, ("id", "subscription"))
            assert subscriptions(path) == rows
            assert events(path, text="subscription", event_id="id", size=1) == rows


def test_parquet_types_of_text_and_number(tmp_path: Path) -> None:
    path = str(tmp_path / "a.parquet")
    table = pa.table(
        {
            "id": pa.array([1, 2], pa.uint8()),
            "text": pa.array(["x", "y"], pa.large_string()),
            "tag": pa.array(["p", "q"]).dictionary_encode(),
            "when": pa.array([0, 1], pa.timestamp("s")),
        }
    )
    pq.write_table(table, path)
    assert subscriptions(path) == [(1, "x"), (2, "y")]
    assert subscriptions(path, id="tag") == [("p", "x"), ("q", "y")]
    with pytest.raises(TableError, match="'when' holds timestamp"):
        events(path, text="when")


def test_columns_are_guessed(tmp_path: Path) -> None:
    def csv_of(*header: str) -> str:
        return put_rows(tmp_path / "a.csv", [tuple(f"{name}!" for name in header)], header)

    assert events(csv_of("body", "title", "text")) == [(1, "text!")]
    assert events(csv_of("body", "title")) == [(1, "title!")]
    assert events(csv_of("only")) == [(1, "only!")]
    assert events(put(tmp_path / "b.csv", "n,words\n1,x y\n")) == [(1, "x y")]
    assert subscriptions(csv_of("text", "id", "query")) == [("id!", "query!")]
    assert subscriptions(csv_of("id", "rule")) == [("id!", "rule!")]
    assert subscriptions(csv_of("rule")) == [(1, "rule!")]
    assert subscriptions(csv_of("name", "rule", "note"), id="name", subscription="note") == [("name!", "note!")]


def test_missing_columns_list_those_there(tmp_path: Path) -> None:
    for name in ("a.csv", "a.jsonl", "a.parquet"):
        path = put_rows(tmp_path / name, [("x", "y", "z")], ("k", "u", "v"))
        refused(path, "'k', 'u', 'v'")
        for column in ({"text": "w"}, {"event_id": "w"}):
            with pytest.raises(TableError, match="no column 'w'; there are 'k', 'u', 'v'"):
                events(path, **column)
        with pytest.raises(TableError, match="--subscription"):
            read_subscriptions(path, id="k")
        with pytest.raises(TableError, match="--id"):
            read_subscriptions(path, subscription="u")
    lines = put(tmp_path / "a.txt", "x\n")
    with pytest.raises(TableError, match="plain lines have no columns: leave out --id"):
        read_subscriptions(lines, id="k")
    with pytest.raises(TableError, match="leave out --text"):
        events(lines, text="k")
    doubled = put(tmp_path / "b.csv", "id,text,text\n1,a,b\n")
    refused(doubled, "two columns are named 'text'")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ('{"id": 1, "text": "a"}\n\n{oops\n', ["line 3", "not JSON"]),
        ('{"id": 1, "text": "a"}\n[1]\n', ["line 2", "a list"]),
        ('{"id": 1, "text": "a"}\n{"id": 2, "txt": 1}\n', ["line 2", "no key 'text'", "'id', 'txt'"]),
        ('{"id": 1, "text": "a"}\n{"id": 2, "text": 5}\n', ["line 2", "text"]),
        ('{"id": 1, "text": 5}\n', ["line 1", "text"]),
        ('{"id": 1, "text": "a"}\n{"id": 2, "text": "\\ud800"}\n', ["line 2", "'text'"]),
        ('{"id": 1, "text": "a"}\n' + "[" * 100_000 + "\n", ["line 2", "not JSON"]),
    ],
)
def test_bad_json_lines_are_named(tmp_path: Path, content: str, words: list[str]) -> None:
    refused(put(tmp_path / "a.jsonl", content), *words)


@pytest.mark.parametrize(
    ("id", "words"),
    [
        ('"x"', ["line 2", "is text"]),
        ("1.5", ["line 2", "fraction"]),
        ("true", ["line 2", "true"]),
        ("null", ["line 2", "missing"]),
        ("9223372036854775808", ["line 2", "'id'"]),
    ],
)
@pytest.mark.parametrize("size", [1, 10])
def test_odd_ids_are_named(tmp_path: Path, id: str, words: list[str], size: int) -> None:
    path = put(tmp_path / "a.jsonl", f'{{"id": 1, "text": "a"}}\n{{"id": {id}, "text": "b"}}\n')
    for read in (
        lambda: read_subscriptions(path),
        lambda: events(path, event_id="id", size=size),
    ):
        with pytest.raises(TableError) as caught:
            read()
        for word in words:
            assert word in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv", b"id,text\n1,a\n2,b,c\n", ["row 2", "Expected 2 columns, got 3"]),
        ("a.csv", b"id,text\n1,a\n2\n", ["row 2", "Expected 2 columns, got 1"]),
        ("a.csv", b"id,text\n1,a\n2,\xff\n", ["row 2", "UTF-8"]),
        ("a.csv", b'id,text\n1,a\n2,"b\n3,c\n4,d\n', ["row 2", "never closed"]),
        ("a.csv.gz", b'id,text\n1,a\n2,"b\n3,c\n', ["row 2", "never closed"]),
        ("a.csv", b"", ["Empty"]),
        ("a.txt", b"fine\nna\xffy\n", ["line 2", "byte 3", "UTF-8"]),
        ("a.jsonl", b'{"id": 1, "text": "a"}\n"\xff"\n', ["line 2", "UTF-8"]),
        ("a.parquet", b"not parquet at all", ["Parquet"]),
    ],
)
def test_bad_bytes_are_named(tmp_path: Path, name: str, content: bytes, words: list[str]) -> None:
    refused(put(tmp_path / name, content), *words)


@pytest.mark.parametrize("name", ["a.csv.gz", "a.txt.gz", "a.jsonl.gz"])
def test_all_members_of_a_gzip_file_are_read(tmp_path: Path, name: str) -> None:
    texts = [f"text {n}" for n in range(1000)]
    lines = [json.dumps({"id": n, "text": text}) if "json" in name else text for n, text in enumerate(texts)]
    if "csv" in name:
        lines = ["id,text", *(f"{n},{text}" for n, text in enumerate(texts))]
    data = "".join(f"{line}\n" for line in lines).encode()
    cuts = [0, 1, 2000, 2001, len(data)]
    members = [gzip.compress(data[start:stop]) for start, stop in itertools.pairwise(cuts)]
    (tmp_path / name).write_bytes(b"".join(members))
    assert read_subscriptions(str(tmp_path / name)).table["subscription"].to_pylist() == texts


@pytest.mark.parametrize("name", ["a.csv.gz", "a.txt.gz", "a.jsonl.gz"])
def test_damaged_compression_is_named(tmp_path: Path, name: str) -> None:
    whole = gzip.compress(b'{"id": 1, "text": "a"}\n' if "json" in name else b"id,text\n1,a\n")
    for content in (whole[:-9], b"plain text"):
        (tmp_path / name).write_bytes(content)
        refused(str(tmp_path / name))


def test_paths_that_cannot_be_read(tmp_path: Path) -> None:
    for name in ("a.csv", "a.txt", "a.jsonl", "a.parquet", "a.csv.gz"):
        refused(str(tmp_path / name), "no such file")
        (tmp_path / name).mkdir()
        refused(str(tmp_path / name))
    with pytest.raises(TableError, match="gunzip"):
        read_subscriptions("a.parquet.gz")


def test_members_of_a_gzip_file_are_joined(tmp_path: Path) -> None:
    for name in ("a.csv.gz", "a.txt.gz"):
        (tmp_path / name).write_bytes(gzip.compress(b"text\na b\n") + gzip.compress(b"c d\n"))
    assert [text for _, text in events(str(tmp_path / "a.csv.gz"))] == ["a b", "c d"]
    assert [text for _, text in events(str(tmp_path / "a.txt.gz"))] == ["text", "a b", "c d"]


def test_events_without_text_are_counted_and_keep_their_number(tmp_path: Path) -> None:
    rows = [(1, "a"), (2, None), (3, "c")]
    for name in ("a.jsonl", "a.parquet"):
        path = put_rows(tmp_path / name, rows, ("id", "text"))
        with Events(path) as source:
            assert [(b.numbers.to_pylist(), b.events.to_pylist()) for b in source] == [([1, 3], ["a", "c"])]
        assert source.without_text == 1
        with pytest.raises(TableError, match=r"(line|row) 2: the subscription is missing"):
            read_subscriptions(path)


@pytest.mark.parametrize("name", NAMES)
def test_progress_reaches_the_total(tmp_path: Path, name: str) -> None:
    path = put_rows(tmp_path / name, ROWS * 50, ("id", "text"))
    with Events(path, size=10) as source:
        reached = [source.position() for _ in source]
        assert source.position() == source.total
    assert reached == sorted(reached) and len(reached) == 20


def test_empty_tables(tmp_path: Path) -> None:
    empty = {"a.csv": "id,text\n", "a.jsonl": "\n", "a.txt": ""}
    for name, content in empty.items():
        path = put(tmp_path / name, content)
        assert subscriptions(path) == []
        assert events(path) == []


def test_words(tmp_path: Path) -> None:
    assert read_words(put(tmp_path / "stop.txt", "the\n\n  of \r\nκαι")) == ["the", "of", "και"]


OBJECTS = [{"name": "a", "sports": True, "n": 1.5}, {"name": "b", "sports": False, "n": None}]


@pytest.mark.parametrize("kind", ["columns", "json"])
@pytest.mark.parametrize("name", ["o.jsonl", "o.csv", "o.parquet", "o.csv.gz"])
def test_whole_rows_are_objects(tmp_path: Path, name: str, kind: str) -> None:
    rows = [tuple(one.values()) for one in OBJECTS]
    path = put_rows(tmp_path / name, rows, tuple(OBJECTS[0]))
    with Events(path, event_id="name", objects=kind) as source:
        (batch,) = source
    found = batch.events.to_pylist()
    assert [json.loads(one) if isinstance(one, str) else one for one in found] == OBJECTS
    assert isinstance(found[0], str) == (name == "o.jsonl" and kind == "json")
    assert (batch.ids.to_pylist(), batch.numbers.to_pylist()) == (["a", "b"], [1, 2])


def test_lines_that_are_no_objects(tmp_path: Path) -> None:
    for line, words in [("[1]", "line 2: not a JSON object"), ('{"a": "x"}', "lines 1 to 2: its keys")]:
        path = put(tmp_path / "o.jsonl", f'{{"a": 1}}\n{line}\n')
        with Events(path, objects="columns") as source, pytest.raises(TableError, match=words):
            list(source)
    path = put(tmp_path / "o.txt", "110\n001\n")
    with Events(path, objects="columns") as source:
        assert [one for batch in source for one in batch.events.to_pylist()] == ["110", "001"]


def test_a_value_in_json(tmp_path: Path) -> None:
    assert read_json(put(tmp_path / "a.json", '["x",\n "y"]')) == ["x", "y"]
    for content, words in [(b"[1,\n", "line 2: not JSON"), (b'"\xff"', "UTF-8"), (b"[" * 100_000, "deep")]:
        with pytest.raises(TableError, match=words):
            read_json(put(tmp_path / "b.json", content))
    with pytest.raises(TableError, match="no such file"):
        read_json(str(tmp_path / "absent.json"))
