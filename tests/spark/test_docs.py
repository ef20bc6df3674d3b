"""The Spark examples of README, guide and cookbook run as printed, but for their folders."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

ROOT = Path(__file__).parents[2]


def blocks(page: str) -> list[str]:
    found = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL)
    return [block for block in found if not block.startswith(">>>")]


@pytest.fixture
def names(spark: SparkSession) -> dict[str, Any]:
    return {
        "spark": spark,
        "subscriptions": spark.createDataFrame([("a", "ferry"), ("b", "storm")], "id string, subscription string"),
        "changes": spark.createDataFrame([("a", None), ("c", "ferry OR bread")], "id string, subscription string"),
        "rules": spark.createDataFrame([("r", "name = 'RBS' AND value > 20")], "id string, subscription string"),
        "alerts": spark.createDataFrame(
            [("f", "MATCHES 'ferry storm' AND priority <= 3"), ("x", "story MATCHES PATH '//b'")],
            "id string, subscription string",
        ),
        "items": spark.createDataFrame(
            [(1, "Ferry", "storm", b"<a/>", 2), (2, "storm", "ferry", b"<a><b/></a>", 4)],
            "id int, title string, body string, story binary, priority int",
        ),
        "paths": spark.createDataFrame([("p", "//x:p")], "id string, subscription string"),
        "trades": spark.createDataFrame(
            [(1, "RBS", 25, ["a"]), (2, "RBS", 15, [])], "id int, name string, value int, tags array<string>"
        ),
        "payloads": spark.createDataFrame([(7, '{"name": "RBS", "value": 21}')], "n int, payload string"),
        "posts": spark.createDataFrame(
            [(1, "a storm", '{"name": "RBS", "value": 21}'), (2, "bread", None)], "n int, text string, payload string"
        ),
        "events": spark.createDataFrame([(1, "the ferry"), (2, "a storm")], "n int, text string"),
    }


def pairs(hits: Any) -> list[tuple[int, str]]:
    return sorted((row["n"], row["subscription"]) for row in hits.collect())


def test_the_readme(names: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (block,) = blocks("README.md")
    exec(block, names)
    assert pairs(names["hits"]) == [(1, "a"), (2, "b")]


def test_the_cookbook(spark: SparkSession, tmp_path: Path) -> None:
    (block,) = blocks("docs/cookbook.md")
    names: dict[str, Any] = {"spark": spark}
    exec(block.replace("/shared", str(tmp_path)), names)
    assert names["found"] == [(1, "big"), (3, "big"), (3, "rbs")]
    assert "# (1, 'big'), (3, 'big'), (3, 'rbs')" in block


def test_the_guide(names: dict[str, Any], tmp_path: Path) -> None:
    spark = names["spark"]
    notebook, documents, objects, texts, several, stream, feeds = (
        block.replace("/shared", str(tmp_path))
        .replace("/var/spool/feeds", str(tmp_path / "spool"))
        .replace('"feeds.opml"', repr(str(ROOT / "examples" / "feeds" / "feeds.opml")))
        for block in blocks("docs/spark.md")
        if "local_session(" not in block  # the tests have a session
    )
    exec(notebook, names)
    assert pairs(names["hits"]) == [(1, "a"), (2, "b")]  # planned before the update
    (tmp_path / "docs").mkdir()
    for name, text in {"a.xml": '<p xmlns="http://www.w3.org/1999/xhtml"/>', "b.xml": "<p/>", "c.xml": "<p>"}.items():
        (tmp_path / "docs" / name).write_text(text, encoding="utf-8")
    exec(documents, names)
    found = {row["path"][-5:]: (row["subscription"], bool(row["error"])) for row in names["hits"].collect()}
    assert found == {"a.xml": ("p", False), "c.xml": (None, True)}
    exec(objects, names)
    assert pairs(names["hits"]) == [(7, "r")]
    exec(texts, names)
    why = {(row["id"], row["subscription"]): row["explanation"] for row in names["hits"].collect()}
    assert set(why) == {(1, "f"), (2, "x")} and "(body at 0)" in why[1, "f"]
    exec(several, names)
    found = sorted((row["n"], row["subscription"], row["language"]) for row in names["hits"].collect())
    assert found == [(1, "b", "keywords"), (1, "r", "predicates"), (2, "c", "keywords")]
    exec(feeds, names)
    exec(stream.replace(".start()", ".trigger(availableNow=True).start()"), names)
    names["query"].awaitTermination()
    written = spark.read.parquet(str(tmp_path / "matches"))
    assert written.count() > 0
    assert {row["subscription"] for row in written.select("subscription").collect()} <= {"b", "c"}
