"""The command line with paths: files that are documents, streams of documents, columns of documents."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.test_cli import done, fails, run, save
from watchword.tables import documents

PATHS = {"s1": "//a", "s2": "/b/c", "s3": "//c[@x='1']"}
DOCUMENTS = {"1.xml": '<a><c x="1"/></a>', "2.xml": "<b><c/><c/></b>", "3.xml": "<d/>"}
PAIRS = [("1.xml", "s1"), ("1.xml", "s3"), ("2.xml", "s2")]
BAD = "<b>\n <c></b>"
SAID = "mismatched tag (line 2, column 7)"


@pytest.fixture
def paths(tmp_path: Path) -> Path:
    return save(tmp_path / "paths.csv", {"id": [*PATHS], "subscription": [*PATHS.values()]})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the documents, in the current folder."""
    made = tmp_path / "docs"
    made.mkdir()
    for name, text in {**DOCUMENTS, "bad.xml": BAD}.items():
        (made / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(made)
    return made


def rows(text: str) -> list[tuple[Any, ...]]:
    return [tuple(json.loads(line).values()) for line in text.splitlines()]


FLAGS = ["--language", "paths", "--format", "jsonl"]


def test_every_file_is_a_document(folder: Path, paths: Path) -> None:
    found = done("match", "--subscriptions", paths, *DOCUMENTS, *FLAGS).stdout
    again = done("match", paths, *DOCUMENTS, *FLAGS, "--batch", 2).stdout
    assert sorted(rows(found)) == PAIRS == sorted(rows(again))
    shown = done("match", paths, *DOCUMENTS, "--language", "paths", "--explain").stdout
    assert "match: /b/c at element 2, /b/c" in shown


def test_large_and_compressed_documents(folder: Path, paths: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "1.xml.gz").write_bytes(gzip.compress(DOCUMENTS["1.xml"].encode()))
    (folder / "no.xml.gz").write_bytes(b"no gzip")
    (folder / "cut.xml.gz").write_bytes(gzip.compress(BAD.encode())[:-9])
    monkeypatch.setattr(documents, "SMALL", 10)
    names = ["3.xml", "1.xml.gz", "no.xml.gz", "1.xml", "cut.xml.gz", "bad.xml", "1.xml.gz"]
    result = run("match", paths, *names, *FLAGS)
    found = [(name, id) for name in ("1.xml.gz", "1.xml", "1.xml.gz") for id in ("s1", "s3")]
    assert sorted(rows(result.stdout)) == sorted(found) and result.exit_code == 1
    assert "no.xml.gz: damaged or no gzip" in result.stderr and "cut.xml.gz: damaged" in result.stderr


def test_a_document_that_cannot_be_read_is_reported_and_the_others_match(folder: Path, paths: Path) -> None:
    for more in ([], ["--occurrences", "--limit", 1]):
        result = run("match", paths, "1.xml", "bad.xml", "2.xml", *FLAGS, *more)
        assert result.exit_code == 1
        assert sorted((row[0], row[-1]) for row in rows(result.stdout)) == PAIRS
        assert f"bad.xml: it is no well-formed XML: {SAID}\n" in result.stderr and "1 of them" in result.stderr
    fails("match", paths, "1.xml", "bad.xml", *FLAGS, "--on-error", "stop", says=["bad.xml", SAID])
    fails("match", paths, "1.xml", "nowhere.xml", *FLAGS, says=["nowhere.xml: there is no such file"])
    fails("match", paths, folder, *FLAGS, says=["this is a folder"])
    nothing = save(folder / "none.txt", {"": []})
    assert rows(done("match", nothing, "1.xml", *FLAGS).stdout) == []


def test_streams_of_documents(folder: Path, paths: Path) -> None:
    stream = "\n".join([DOCUMENTS["1.xml"], BAD, '<?xml version="1.0"?>', DOCUMENTS["2.xml"]])
    (folder / "all.xml").write_text(stream, encoding="utf-8")
    numbered = [(1, "s1"), (1, "s3"), (3, "s2")]
    for result, label in [
        (run("match", paths, "-", *FLAGS, input=stream), "standard input"),
        (run("match", paths, "all.xml", "--stream", *FLAGS), "all.xml"),
    ]:
        assert rows(result.stdout) == numbered and result.exit_code == 1
        assert f"{label}: document 2: it is no well-formed XML: {SAID}" in result.stderr
    both = run("match", paths, "all.xml", "2.xml", "--stream", *FLAGS, "--occurrences")
    places = [(1, 1, "s1"), (1, 2, "s3"), (3, 2, "s2"), (3, 3, "s2")]
    second = [("2.xml", 1, 2, "s2"), ("2.xml", 1, 3, "s2")]
    assert rows(both.stdout) == [("all.xml", *place) for place in places] + second
    fails("match", paths, "all.xml", "--stream", *FLAGS, "--on-error", "stop", says=["document 2"])
    fails("match", paths, "all.xml", "--stream", *FLAGS, "--explain", says=["--explain"])
    empty = run("match", paths, "-", *FLAGS, input="")
    assert empty.exit_code == 2 and "standard input: it is empty" in empty.stderr


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet", "binary.parquet"])
def test_columns_of_documents(tmp_path: Path, paths: Path, name: str) -> None:
    column = [*DOCUMENTS.values()]
    path = save(tmp_path / name, {"key": [*DOCUMENTS], "text": column})
    if name == "binary.parquet":
        pq.write_table(pa.table({"key": [*DOCUMENTS], "text": [text.encode("utf-16") for text in column]}), path)
    assert sorted(rows(done("match", paths, path, *FLAGS, "--event-id", "key").stdout)) == PAIRS
    bad = save(tmp_path / f"bad-{name}", {"key": ["k1", "k2", "k3"], "text": ["<a/>", BAD, "<a/>"]})
    assert rows(run("match", paths, bad, *FLAGS, "--on-error", "skip").stdout) == [(1, "s1"), (3, "s1")]
    fails("match", paths, bad, *FLAGS, says=[bad, " 2: ", SAID])


def test_several_files_of_rows_are_named(tmp_path: Path) -> None:
    patterns = save(tmp_path / "p.txt", {"": ["te?"]})
    one, two = (save(tmp_path / f"{n}.jsonl", {"text": ["no", "a tea"]}) for n in "ab")
    flags = ["--language", "patterns", "--format", "jsonl"]
    assert rows(done("match", patterns, one, two, *flags).stdout) == [(str(one), 2, 1), (str(two), 2, 1)]
    assert rows(done("match", patterns, one, *flags, "--occurrences").stdout) == [(2, 2, 5, 1)]
    other = save(tmp_path / "c.jsonl", {"text": ["tea"], "key": ["k"]})
    save(one, {"text": ["tea"], "key": [1]})
    result = run("match", patterns, one, other, *flags, "--event-id", "key")
    assert result.exit_code == 2 and f"{other}: its events' ids are string" in result.stderr


def test_options_that_do_not_go_together(folder: Path, paths: Path) -> None:
    table = save(folder / "t.csv", {"text": ["<a/>"]})
    for words, said in [
        (["1.xml", table], "it has rows"),
        (["1.xml", "-"], "give it alone, or --stream"),
        (["1.xml", "--event-id", "key"], "documents have no columns"),
        (["1.xml", "--limit", 3], "give --occurrences too"),
        ([], "give EVENTS"),
    ]:
        fails("match", paths, *words, *FLAGS, says=[said])
    words = save(folder / "words.txt", {"": ["tea"]})
    fails("match", words, table, "--stream", says=["events of keywords are no documents"])
    bits = save(folder / "bits.txt", {"": ["a = 1"]})
    named = ["--language", "properties", "--properties", save(folder / "names.txt", {"": ["a"]})]
    fails("match", bits, table, *named, "--occurrences", says=["properties do not say where; keywords, patterns"])
    fails("match", words, table, "--language", "patterns", "--occurrences", "--limit", 2, says=["--limit"])


def test_snapshots_namespaces_and_reasons(folder: Path, paths: Path) -> None:
    asked = save(folder / "asked.txt", {"": ["//x:a"]})
    (folder / "names.json").write_text('{"x": "http://x.example/"}', encoding="utf-8")
    (folder / "named.xml").write_text('<y:a xmlns:y="http://x.example/"/>', encoding="utf-8")
    done("index", "build", asked, "snapshot", "--language", "paths", "--namespaces", "names.json")
    assert "namespaces" in done("index", "info", "snapshot").stdout
    assert rows(done("match", "snapshot", "named.xml", "--format", "jsonl").stdout) == [("named.xml", 1)]
    assert rows(done("match", asked, "named.xml", *FLAGS).stdout) == []
    for event in ("2.xml", DOCUMENTS["2.xml"]):
        assert "match: /b/c at element 2" in done("explain", paths, event, "s2", "--language", "paths").stdout
    fails("explain", paths, "bad.xml", "s2", "--language", "paths", says=[f"bad.xml: it is no well-formed XML: {SAID}"])
    fails("explain", paths, "nowhere.xml", "s2", "--language", "paths", says=["error: nowhere.xml: No such file"])
    bad = save(folder / "bad.txt", {"": ["//a", "//a[1]"]})
    fails("match", bad, "1.xml", *FLAGS, says=[bad, "line 2", "[@name]"])
