"""Paths through Spark: columns of documents, bad documents, streams, and the running system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Observation, SparkSession

from tests.spark.data import found
from watchword.dead_letters import read_letters
from watchword.errors import OptionError, PipelineError
from watchword.home import Home
from watchword.spark import VersionLog, build, match, match_stream, update
from watchword.spark.pipeline import Pipeline, Progress
from watchword.spark.sources import Source
from watchword.store import Request

PATHS = {"s1": "//a", "s2": "/b/c", "s3": "//c[@x='é']", "s4": "//d"}
DOCUMENTS = ['<a><c x="é"/></a>', "<b><c/></b>", None, "<e/>", "<b>\n <c></b>", "", "<d><a/></d>"]
BAD = {4: "mismatched tag (line 2, column 7)", 5: "it is empty"}
PAIRS = [(0, "s1"), (0, "s3"), (1, "s2"), (6, "s1"), (6, "s4")]
STRINGS: list[tuple[int, Any]] = list(enumerate(DOCUMENTS))
BINARIES = [(n, None if text is None else text.encode("utf-16" if n < 4 else "utf-8")) for n, text in STRINGS]


@pytest.fixture(scope="module")
def index(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = str(tmp_path_factory.mktemp("paths") / "index")
    build(spark.createDataFrame([*PATHS.items()], "id string, subscription string"), path, language="paths", shards=2)
    return path


@pytest.mark.parametrize(("rows", "kind"), [(STRINGS, "string"), (BINARIES, "binary")])
def test_bad_documents_by_on_error(spark: SparkSession, index: str, rows: list[Any], kind: str) -> None:
    events = spark.createDataFrame(rows, f"n int, text {kind}")
    counts = Observation(f"paths-{kind}")
    kept = match(events, index, on_error="keep", explain=True, metrics=counts).collect()
    assert sorted((row["n"], row["subscription"]) for row in kept if row["error"] is None) == PAIRS
    assert all(row["explanation"].startswith("match: ") for row in kept if row["error"] is None)
    refused = {row["n"]: row["error"] for row in kept if row["error"] is not None}
    assert refused.keys() == BAD.keys() and all(said in refused[n] for n, said in BAD.items())
    assert (counts.get["events"], counts.get["errors"]) == (len(rows), len(BAD))
    assert found(match(events, index, on_error="skip", mode="partitioned")) == PAIRS


def test_what_is_wrong_is_said_before_a_task(spark: SparkSession, index: str, tmp_path: Path) -> None:
    events = spark.createDataFrame(STRINGS, "n int, text string")
    with pytest.raises(PipelineError, match="type int cannot be matched by paths"):
        match(events, index, column="n")
    asked = spark.createDataFrame([("s1", "//x:a")], "id string, subscription string")
    with pytest.raises(OptionError, match="namespaces"):
        build(asked, tmp_path / "a", language="paths", namespaces=["x"])
    build(asked, tmp_path / "b", language="paths", namespaces={"x": "http://x.example/"})
    with pytest.raises(PipelineError, match="'s2'"):
        update(tmp_path / "b", spark.createDataFrame([("s2", "//a[1]")], "id string, subscription string"))
    named = spark.createDataFrame([(1, '<y:a xmlns:y="http://x.example/"/>'), (2, "<a/>")], "n int, text string")
    assert found(match(named, tmp_path / "b")) == [(1, "s1")]


def test_stream(spark: SparkSession, index: str, tmp_path: Path) -> None:
    spark.createDataFrame(BINARIES, "n int, text binary").write.parquet(str(tmp_path / "events"))
    stream = spark.readStream.schema("n int, text binary").parquet(str(tmp_path / "events"))
    pairs: list[Any] = []

    def sink(hits: DataFrame, batch: int) -> None:
        pairs.extend(found(hits))

    writer = match_stream(stream, index, sink, log=VersionLog(tmp_path / "log"), on_error="skip")
    query = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    assert sorted(pairs) == PAIRS


def test_the_running_system(spark: SparkSession, tmp_path: Path) -> None:
    home = Home.make(tmp_path / "home")
    with home.store() as store:
        store.add_subscriber("ada")
        store.subscribe_many(Request("ada", text, key, "paths") for key, text in PATHS.items())
    lines, files = tmp_path / "lines", tmp_path / "files"
    lines.mkdir()
    files.mkdir()
    (lines / "a.jsonl").write_text("\n".join(json.dumps({"id": str(n), "text": text}) for n, text in STRINGS[:5]))
    (files / "a.xml").write_bytes('<?xml version="1.0" encoding="utf-16"?><c x="é"/>'.encode("utf-16"))
    (files / "name.xml").write_bytes(b"<a/>")
    (files / "no.xml").write_bytes(b"<a>")
    (files / "notes.txt").write_bytes(b"<a/>")
    done: list[Progress] = []
    for name, folder in [("lines", lines), ("files", files)]:
        source = Source.folder(str(folder))
        Pipeline(spark, home, source, run=name, report=done.append).run(once=True)
    with home.store() as store:
        inbox = store.inbox("ada")
    reasons = {d.item.identity.split("/")[-1]: sorted(r.subscription for r in d.reasons) for d in inbox}
    assert reasons == {"0": ["s1", "s3"], "1": ["s2"], "a.xml": ["s3"], "name.xml": ["s1"]}
    assert {d.item.title for d in inbox} == {"", "a.xml", "name.xml"}
    assert [step.items for step in done] == [5, 3]
    assert [step.aside for step in done] == [2, 1]  # of the lines, a null is an empty text
    letters = [[letter for _, letter in read_letters(home.run(name).dead_letters)] for name in ("lines", "files")]
    assert BAD[4] in "".join(letter.reason for letter in letters[0])
    assert [(Path(letter.position).name, letter.reason.partition(" (")[0]) for letter in letters[1]] == [
        ("no.xml", "it ends before its root element does")]  # fmt: skip
    (files / "rows.jsonl").write_text("{}")
    with pytest.raises(PipelineError, match="several kinds of file"):
        Source.folder(str(files))


def test_files_with_several_documents_and_items_of_feeds(spark: SparkSession, tmp_path: Path) -> None:
    home = Home.make(tmp_path / "home")
    with home.store() as store:
        store.add_subscriber("ada")
        asked = {"s1": "/a", "s2": "/item/category[text()='R & D <x>']"}
        store.subscribe_many(Request("ada", text, key, "paths") for key, text in asked.items())
    files, feed = tmp_path / "files", tmp_path / "feed.xml"
    files.mkdir()
    (files / "all.xml").write_bytes(b"<a/><b/>\n<?xml version='1.0'?><a> <?xml version='1.0'?><a><b/></a>")
    (files / "none.xml").write_bytes(b" ")
    items = "".join(
        f"<item><guid>{n}</guid><title>A &lt;b&gt; {n}</title><category>{name}</category></item>"
        for n, name in enumerate(["R &amp; D &lt;x&gt;", "sport"])
    )
    feed.write_text(f"<rss version='2.0'><channel><title>t</title>{items}</channel></rss>", encoding="utf-8")
    done: list[Progress] = []
    for name, source in [
        ("files", Source.folder(str(files), stream=True)),
        ("feeds", Source.feeds([str(feed)])),
    ]:
        Pipeline(spark, home, source, run=name, report=done.append).run(once=True)
    with home.store() as store:
        inbox = store.inbox("ada")
    found = {(d.item.identity.split("/")[-1], r.subscription) for d in inbox for r in d.reasons}
    assert {pair for pair in found if pair[1] == "s1"} == {("all.xml#1", "s1"), ("all.xml#4", "s1")}
    assert [d.item.title for d in inbox if any(r.subscription == "s2" for r in d.reasons)] == ["A <b> 0"]
    assert [(step.items, step.aside) for step in done] == [(5, 2), (2, 0)]
    letters = [letter for _, letter in read_letters(home.run("files").dead_letters)]
    assert sorted(letter.position.split("/")[-1] for letter in letters) == ["all.xml#3", "none.xml#1"]


def test_only_xml_files_hold_several_documents(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("{}")
    with pytest.raises(PipelineError, match="only XML files hold documents"):
        Source.folder(str(tmp_path), stream=True)
