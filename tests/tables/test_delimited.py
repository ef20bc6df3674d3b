"""Files with commas, semicolons or tabs between their values, by name or from standard input."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from watchword.tables import Events, TableError, read_subscriptions
from watchword.tables.delimited import DELIMITERS, delimiter_of

ROWS = [("s1", "greece, crisis"), ("s2", 'say "hello"; world'), ("s3", "two\nlines"), ("s4", "a\tb")]


def written(rows: list[tuple[str, ...]], delimiter: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter).writerows(rows)
    return out.getvalue()


@pytest.mark.parametrize("delimiter", DELIMITERS)
def test_what_stands_between_values_is_recognised(tmp_path: Path, delimiter: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"\xef\xbb\xbf" + written([("id", "subscription"), *ROWS], delimiter).encode())
    found = read_subscriptions(str(path)).table
    assert list(zip(found["id"].to_pylist(), found["subscription"].to_pylist(), strict=True)) == ROWS
    with Events(str(path), text="subscription", event_id="id") as events:
        assert [text for batch in events for text in batch.events.to_pylist()] == [text for _, text in ROWS]


@pytest.mark.parametrize(
    ("sample", "expected"),
    [
        (b"", ","),
        (b"text\n", ","),
        (b"text\na; b\n", ","),  # one column
        (b"id,text\n1,a;b\n", ","),
        (b"id,text;2\n1,a\n", ","),  # the header has both, the rows have commas
        (b"id;text, long\n1;a\n2;b, c\n", ";"),
        (b"a;b;c,d\n1;2;3\n", ";"),
        (b"id,text\n1,a,b\n", ","),  # a row that is wrong either way
        (b"id\ttext, or title\n1\ta\n", "\t"),
        (b'"a;b;c",d\n"1;2;3",4\n', ","),
        (b"id;text\r\n1;a\r\n", ";"),
        (b"\xff;\xfe\n1;2\n", ";"),
    ],
)
def test_doubtful_headers(sample: bytes, expected: str) -> None:
    assert delimiter_of(sample) == expected


def test_a_row_that_the_sample_cuts_does_not_count() -> None:
    whole = b"id;text, long\n1;a\n2;c, d\n"
    assert {delimiter_of(whole[:end], whole=False) for end in range(19, len(whole))} == {";"}


@given(
    st.lists(
        st.tuples(st.text("ab;,\t\"\n '", max_size=8), st.text("ab;,\t\"\n '", max_size=8)), min_size=1, max_size=6
    ),
    st.sampled_from(DELIMITERS),
)
def test_plain_headers_decide(rows: list[tuple[str, str]], delimiter: str) -> None:
    assert delimiter_of(written([("id", "text"), *rows], delimiter).encode()) == delimiter


class Pipe(io.RawIOBase):
    """Bytes that come in pieces, as through a pipe."""

    def __init__(self, data: bytes, piece: int) -> None:
        self._data, self._piece = data, piece

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        piece = self._data[: min(self._piece, len(buffer))]
        self._data = self._data[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


CONTENTS = {
    "csv": written([("id", "text"), *ROWS], ";").encode(),
    "tsv": written([("id", "text"), *ROWS], "\t").encode(),
    "jsonl": b'\n{"id": "s1", "text": "greece, crisis"}\n\n{"id": "s2", "text": "b"}\n',
    "lines": b"greece\n\ncrisis",
}


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
@pytest.mark.parametrize("kind", CONTENTS)
def test_standard_input_of_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, piece: int) -> None:
    """It gives what a file with the same bytes gives, however the bytes come."""
    path = tmp_path / f"a.{kind}"
    path.write_bytes(CONTENTS[kind])
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Pipe(CONTENTS[kind], piece), 64)))
    names = {} if kind == "lines" else {"text": "text", "event_id": "id"}
    with Events("-", **names, kind=kind) as piped, Events(str(path), **names, kind=kind) as file:
        found, expected = ([(b.ids.to_pylist(), b.events.to_pylist()) for b in source] for source in (piped, file))
    assert [[value for batch in batches for value in batch[0]] for batches in (found, expected)] == [
        [id for id, _ in ROWS] if kind in ("csv", "tsv") else ["s1", "s2"] if kind == "jsonl" else [1, 3]
    ] * 2
    assert [text for _, texts in found for text in texts] == [text for _, texts in expected for text in texts]


def test_parquet_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    pq.write_table(pa.table({"text": ["a", "b"]}), out)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(out.getvalue())))
    with Events("-", kind="parquet") as events:
        assert [text for batch in events for text in batch.events.to_pylist()] == ["a", "b"]


def test_mistakes_in_standard_input_are_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, content, words in [
        ("csv", b"id,text\n1,a\n2,b,c\n", "standard input: row 2: "),
        ("csv", b'id,text\n1,"a\n', "standard input: row 1: a quote is opened"),
        ("jsonl", b'{"text": "a"}\nb\n', "standard input: line 2: not JSON"),
        ("parquet", b"PAR", "standard input: "),
    ]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with pytest.raises(TableError, match=words), Events("-", text="text", kind=kind) as events:
            list(events)


def test_objects_of_a_file_with_semicolons(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name;value\nRBS;15\nABN;\n")
    with Events(str(tmp_path / "a.csv"), objects="json") as events:
        assert [row for b in events for row in b.events.to_pylist()] == [
            {"name": "RBS", "value": 15},
            {"name": "ABN", "value": None},
        ]
