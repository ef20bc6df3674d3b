"""Dumps of percolator indexes: every form, what is not taken and why, hostile files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from watchword import PredicateIndex
from watchword.errors import OptionError
from watchword.predicates import from_percolator
from watchword.predicates.dialects.elasticsearch import dumps

FERRY = {"match": {"title": "ferry"}}
STORM = {"bool": {"filter": [{"match_phrase": {"title": "storm surge"}}, {"range": {"price": {"lt": 5}}}]}}
TEXTS = {"a": "title MATCHES 'ferry'", "b": "title MATCHES '\"storm surge\"' AND price < 5"}
MAPPING = {"alerts": {"mappings": {"properties": {"rule": {"type": "percolator"}, "title": {"type": "text"}}}}}
HITS = [
    {"_index": "i", "_id": id, "_source": {"query": one, "owner": "ada"}} for id, one in (("a", FERRY), ("b", STORM))
]


def lines(*values: Any) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


@pytest.mark.parametrize(
    "text",
    [
        lines(*HITS),
        lines({"took": 3, "hits": {"total": 2, "hits": HITS}}),
        lines({"hits": {"hits": HITS[:1]}}, {"hits": {"hits": HITS[1:]}}),
        json.dumps({"hits": {"hits": HITS}}, indent=1),
        json.dumps(HITS, indent=1),
        lines({"_id": "a", "query": FERRY}, {"_id": "b", "query": STORM}),
        lines({"index": {"_index": "i", "_id": "a"}}, {"query": FERRY}, {"index": {"_id": "b"}}, {"query": STORM}),
        lines({"_id": "a", "_source": {"alert": FERRY, "note": {"x": 1}}}, {"_id": "b", "_source": {"alert": STORM}}),
        lines(
            {"_id": "a", "_source": {"query": json.dumps(FERRY)}}, {"_id": "b", "_source": {"query": json.dumps(STORM)}}
        ),
        "\n" + lines(HITS[0]) + "  \n" + lines(HITS[1]),
    ],
    ids=[
        "hits",
        "answer",
        "pages",
        "answer over lines",
        "list",
        "documents",
        "bulk",
        "other field",
        "texts",
        "empty lines",
    ],
)
def test_every_form_of_a_dump_is_taken(text: str, tmp_path: Path) -> None:
    for name, write in (("dump.ndjson", str.encode), ("dump.ndjson.gz", lambda text: gzip.compress(text.encode()))):
        (tmp_path / name).write_bytes(write(text))
        taken = from_percolator(tmp_path / name)
        assert taken.subscriptions == TEXTS and not taken.refused
        rules = dumps.read_dump(str(tmp_path / name))
        assert rules is not None and [(rule.id, json.loads(rule.text)) for rule in rules] == [
            ("a", FERRY),
            ("b", STORM),
        ]


def test_hits_may_be_given_one_by_one() -> None:
    assert from_percolator(iter(HITS)).subscriptions == TEXTS
    assert from_percolator(lines(*HITS).splitlines()).subscriptions == TEXTS
    assert from_percolator({"hits": {"hits": HITS}}).subscriptions == TEXTS


def test_what_is_not_taken_is_listed_with_the_reason() -> None:
    taken = from_percolator(
        [
            HITS[0],
            {"_id": "r", "_source": {"query": {"bool": {"must": [{"regexp": {"title": "x"}}]}}}},
            {"_id": "a", "_source": {"query": STORM}},
            {"_id": "none", "_source": {"owner": "ada"}},
            {"_id": "two", "_source": {"query": FERRY, "other": STORM}},
            {"_id": "bare"},
            {"_id": "odd", "_source": 5},
            '{"_id": "broken"',
            "[]",
            "5",
            HITS[1],
        ]
    )
    assert taken.subscriptions == TEXTS
    assert [(one.id, one.place) for one in taken.refused] == [
        ("r", "hit 2"), ("a", "hit 3"), ("none", "hit 4"), ("two", "hit 5"), ("bare", "hit 6"), ("odd", "hit 7"),
        ("line 8", "line 8"), ("line 10", "line 10"),
    ]  # fmt: skip
    reasons = [one.reason for one in taken.refused]
    for reason, part in zip(
        reasons,
        ["bool.must[0].regexp: regular", "its id is that of hit 1", "none of its fields", "several of its fields hold",
         "none of its fields", "_source is no object", "no JSON", "an object is expected"],
        strict=True,
    ):  # fmt: skip
        assert part in reason, reason


def test_the_field_of_the_queries_is_that_of_the_mapping() -> None:
    hit = {"_id": "a", "_source": {"rule": FERRY, "query": STORM}}
    assert from_percolator([hit], mapping=MAPPING).subscriptions == {"a": TEXTS["a"]}
    assert from_percolator([hit], field="query").subscriptions == {"a": TEXTS["b"]}
    assert from_percolator([{"_id": "a", "_source": {"x": {"y": FERRY}}}], field="x.y").subscriptions == {
        "a": TEXTS["a"]
    }
    assert "no query in its field z" in from_percolator([hit], field="z").refused[0].reason
    with pytest.raises(OptionError, match="several percolator fields: p, q"):
        from_percolator([hit], mapping={"p": "percolator", "q": "percolator"})


def test_the_options_of_the_mapping_come_with_the_subscriptions() -> None:
    mapping = {"title": {"type": "text", "analyzer": "english"}, "code": {"type": "text", "analyzer": "whitespace"}}
    taken = from_percolator(
        [{"_id": "a", "query": {"match": {"title": "ferries"}}}, {"_id": "b", "query": {"match": {"code": "x"}}}],
        mapping=mapping,
    )
    index = PredicateIndex(taken.subscriptions, **taken.options)
    assert index.match({"title": "A ferry"}) == ["a"]
    assert taken.refused[0].id == "b" and "code: the analyzer 'whitespace'" in taken.refused[0].reason


def test_other_files_are_no_dumps(tmp_path: Path) -> None:
    for name, text in (
        ("rules.json", json.dumps({"night": FERRY})),
        ("rules.json", json.dumps({"night": FERRY}, indent=1)),
        ("rules.jsonl", lines({"id": "a", "query": FERRY})),
        ("rules.csv", "id,query\na,b\n"),
        ("empty.ndjson", ""),
        ("broken.ndjson", "{\n"),
    ):
        (tmp_path / name).write_text(text)
        assert dumps.read_dump(str(tmp_path / name)) is None, name
    assert dumps.read_dump(str(tmp_path)) is None and dumps.read_dump("-") is None


def test_queries_may_stand_on_lines_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "queries.ndjson").write_text(lines(FERRY, STORM))
    assert from_percolator(tmp_path / "queries.ndjson").subscriptions == {"1": TEXTS["a"], "2": TEXTS["b"]}


def test_a_line_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dumps, "LONGEST_LINE", 1 << 20)
    (tmp_path / "long.ndjson").write_text(lines(HITS[0]) + lines({"_id": "x" * (1 << 20)}))
    (tmp_path / "long.json").write_text("{\n" + " " * (1 << 20) + "}")
    for name, place in (("long.ndjson", "line 2"), ("long.json", "line 1")):
        with pytest.raises(OptionError, match=f"{place}: more than 1 MiB; write a hit on each line"):
            from_percolator(tmp_path / name)
