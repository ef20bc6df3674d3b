"""The command line with conditions on texts inside of rows: every kind of file, reasons with places, options."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.test_cli import FILES, done, fails, pairs_of, save
from tests.predicate_oracle import matches

TEXT = ("title", "body")
RULES = {
    "words": "MATCHES 'ferry AND storm'",
    "one": "LIKE 'Ferry late'",
    "both": "body MATCHES '\"debt relief\"' AND NOT url MATCHES PATTERN '/sport/*' AND priority <= 3",
    "path": "story MATCHES PATH '//head/title' AND url HAS 'NEWS' IGNORING CASE",
}
EVENTS = [
    {
        "title": "Ferry late",
        "body": "A storm",
        "url": "/news/7",
        "priority": 2,
        "story": "<a><head><title/></head></a>",
    },
    {"title": "Greece", "body": "Debt relief", "url": "/news/8", "priority": 3, "story": "<a/>"},
    {"title": "Greece", "body": "debt relief", "url": "/sport/8", "priority": 1, "story": "no XML"},
]
PAIRS = {
    (place, id) for place, event in enumerate(EVENTS, 1) for id, rule in RULES.items() if matches(rule, event, {}, TEXT)
}
PREDICATES = ["--language", "predicates", "--format", "jsonl"]


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return save(tmp_path / "rules.csv", {"id": [*RULES], "subscription": [*RULES.values()]})


def put(path: Path) -> Path:
    return save(path, {name: [event[name] for event in EVENTS] for name in EVENTS[0]})


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file(tmp_path: Path, rules: Path, name: str) -> None:
    result = done("match", rules, put(tmp_path / name), *PREDICATES, "--text-attributes", "title,body")
    assert pairs_of(result) == PAIRS and len(PAIRS) == 4


def test_reasons_say_which_predicate_and_where(tmp_path: Path, rules: Path) -> None:
    table = pa.Table.from_pylist([{**event, "story": str(event["story"]).encode()} for event in EVENTS])
    pq.write_table(table, tmp_path / "items.parquet")
    both = ["--text-attributes", "title, body"]
    result = done("match", rules, tmp_path / "items.parquet", *PREDICATES, *both, "--explain")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {(row["event"], row["subscription"]) for row in rows} == PAIRS
    why = {(row["event"], row["subscription"]): row["why"] for row in rows}
    assert why[1, "words"] == "match: MATCHES 'ferry' (title at 0) AND MATCHES 'storm' (body at 2)"
    assert why[2, "both"] == (
        "match: body MATCHES '\"debt relief\"' (at 0) AND priority <= 3 AND NOT url MATCHES PATTERN '/sport/*'"
    )
    assert why[1, "path"].endswith("AND url HAS 'news' IGNORING CASE (at 1)")


def test_a_bare_matches_wants_to_know_what_it_reads(tmp_path: Path, rules: Path) -> None:
    fails("match", rules, put(tmp_path / "items.jsonl"), *PREDICATES, says=["rules.csv: row 1", "text"])
    one = save(tmp_path / "one.csv", {"id": ["b"], "subscription": ["MATCHES 'storm'"]})
    assert pairs_of(done("match", one, put(tmp_path / "items.jsonl"), *PREDICATES, "--text-attributes", "body")) == {
        (1, "b")
    }
    payload = save(tmp_path / "in.jsonl", {"payload": [json.dumps(event) for event in EVENTS]})
    ruled = save(tmp_path / "r.csv", {"id": ["b"], "subscription": ["body MATCHES 'storm'"]})
    assert pairs_of(done("match", ruled, payload, *PREDICATES, "--text", "payload")) == {(1, "b")}


def test_options_of_texts_are_kept_by_a_snapshot_and_known_to_explain(tmp_path: Path) -> None:
    ruled = save(tmp_path / "r.csv", {"id": ["b"], "subscription": ["MATCHES 'storms'"]})
    (tmp_path / "reading.json").write_text('{"*": {"stemmer": "english"}}')
    options = ["--language", "predicates", "--text-attributes", "title,body", "--reading", tmp_path / "reading.json"]
    done("index", "build", ruled, tmp_path / "snapshot", *options)
    items = put(tmp_path / "items.jsonl")
    assert pairs_of(done("match", tmp_path / "snapshot", items, "--format", "jsonl")) == {(1, "b")}
    said = done("explain", tmp_path / "snapshot", json.dumps(EVENTS[0]), "b").stdout
    assert said == done("explain", ruled, json.dumps(EVENTS[0]), "b", *options).stdout
    assert said.strip() == "match: MATCHES 'storm' (body at 2)"
    fails(
        "match", tmp_path / "snapshot", items, "--text-attributes", "title,body", says=["--text-attributes was settled"]
    )
    (tmp_path / "reading.json").write_text('{"*": {"stemer": "english"}}')
    fails("index", "build", ruled, tmp_path / "other", *options, says=["no option 'stemer'"])
