"""The pipeline archives what it reads: once, whatever is repeated, also where nobody subscribes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from watchword.archive import Archive, item_of
from watchword.errors import ArchiveError
from watchword.home import Home
from watchword.items import Item
from watchword.spark import archiving
from watchword.spark.pipeline import Pipeline, Progress
from watchword.spark.sources import Source, _as_items


def lines(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def test_what_a_run_reads_is_archived_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Items of a table, documents and feeds, in slices, with a full disk at the first attempt."""
    home, done = Home.make(tmp_path / "home"), list[Progress]()
    rows = [{"id": f"t{number}", "text": "a ferry", "value": number} for number in range(9)]
    lines(tmp_path / "in", "a.jsonl", [*rows, {"id": "", "text": "no id"}, rows[0]])
    write, calls = Archive.write, list[str]()

    def fail_second(self: Archive, key: str, *given: object) -> int:
        calls.append(key)
        if len(calls) == 2:
            raise ArchiveError("No space left on device", path=self.folder)
        return write(self, key, *given)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(Archive, "write", fail_second)
        patch.setattr(archiving, "SLICE", 40)
        patch.setattr(archiving.slices, "__defaults__", (40,))
        table = Pipeline(spark, home, Source.folder(str(tmp_path / "in")), report=done.append)
        with pytest.raises(ArchiveError, match="No space left"):
            table.run(once=True)
        assert not done and 0 < len(home.archive().newest()) < 9  # the first slice
        Pipeline(spark, home, Source.folder(str(tmp_path / "in")), report=done.append).run(once=True)
    (step,) = done
    assert (step.items, step.aside, step.pairs) == (11, 1, 0)
    archived = [item_of(row) for row in home.archive().newest().to_pylist()]
    assert archived == [Item(str(row["id"]), text="a ferry", row=json.dumps(row)) for row in rows]

    frame = spark.createDataFrame([("d.xml", b"<a>ferry</a>", "d")], "path string, content binary, title string")
    documents = Source("binaryFile", text="content", id="path")
    Pipeline(spark, home, documents, run="xml", report=done.append)._batch(_as_items(frame, documents, True), 0)
    feeds = Source.feeds([str(Path(__file__).parents[2] / "examples" / "feeds" / "feeds.opml")])
    Pipeline(spark, home, feeds, run="feeds", report=done.append).run(once=True)
    document, *posts = [item_of(row) for row in home.archive().newest().to_pylist()[9:]]
    assert (document.identity, document.title, document.text) == ("d.xml", "d", "<a>ferry</a>")
    assert len(posts) == done[-1].items > 0 and any(item.published for item in posts)
    assert all(item.feed and item.link and item.row is None for item in posts)


def test_a_language_that_somebody_chooses_while_a_batch_is_archived_has_its_items(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A back-fill that read the archive before would not have them either."""
    home, done = Home.make(tmp_path / "home"), list[Progress]()
    lines(tmp_path / "in", "a.jsonl", [{"id": "1", "text": "a ferry"}])
    write = Archive.write

    def subscribing(self: Archive, *given: object) -> int:
        with home.store() as store:
            store.add_subscriber("ada")
            store.subscribe("ada", "f?rry", language="patterns")
        return write(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Archive, "write", subscribing)
    Pipeline(spark, home, Source.folder(str(tmp_path / "in")), report=done.append).run(once=True)
    with home.store() as store:
        assert [delivery.item.identity for delivery in store.inbox("ada")] == ["1"]
