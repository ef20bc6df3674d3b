"""The command line with queries of Lucene and Elasticsearch: files, dumps, mappings, settings, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import done, fails, pairs_of, run

LUCENE = ["--language", "predicates", "--dialect", "lucene"]
ELASTIC = ["--language", "predicates", "--dialect", "elasticsearch"]
EVENTS = [
    {"title": "Night ferries", "price": 7, "tag": "Sea"},
    {"title": "A storm", "price": 3, "tag": "land"},
]
MAPPING = {
    "mappings": {
        "properties": {
            "title": {"type": "text", "analyzer": "english"},
            "tag": {"type": "keyword", "normalizer": "lowercase"},
            "price": {"type": "double"},
            "alert": {"type": "percolator"},
        }
    }
}
HITS = [
    {"_id": "ferry", "_source": {"alert": {"match": {"title": "ferry"}}, "query": {"match_all": {}}}},
    {
        "_id": "sea",
        "_source": {"alert": {"bool": {"filter": [{"term": {"tag": "SEA"}}, {"range": {"price": {"gt": 5}}}]}}},
    },
    {"_id": "regex", "_source": {"alert": {"regexp": {"tag": "s.*"}}}},
    {"_id": "broken", "_source": {}},
]


@pytest.fixture
def events(tmp_path: Path) -> Path:
    file = tmp_path / "events.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    return file


@pytest.fixture
def mapping(tmp_path: Path) -> Path:
    file = tmp_path / "mapping.json"
    file.write_text(json.dumps({"alerts": MAPPING}))
    return file


def test_a_dump_is_matched_with_its_mapping(tmp_path: Path, events: Path, mapping: Path) -> None:
    dump = tmp_path / "dump.ndjson"
    dump.write_text("".join(json.dumps(hit) + "\n" for hit in HITS))
    flags = [*ELASTIC, "--mapping", mapping, "--format", "jsonl"]
    fails("match", dump, events, *flags, says=["dump.ndjson", "line 3", "regexp: regular expressions", "wildcard"])
    found = run("match", dump, events, *flags, "--on-error", "skip")
    assert found.exit_code == 1 and pairs_of(found) == {(1, "ferry"), (1, "sea")}
    assert "left out: " in found.stderr and "line 4: there is no query in its field alert" in found.stderr
    listed = run("check", dump, *ELASTIC, "--mapping", mapping)
    assert listed.exit_code == 1 and "line 3, id regex: regexp: regular expressions" in listed.stdout
    assert "4 subscriptions, 2 of them bad" in listed.stderr
    built = run("index", "build", dump, tmp_path / "built", *flags[:-2], "--on-error", "skip")
    assert built.exit_code == 1 and pairs_of(
        done("match", tmp_path / "built", events, "--format", "jsonl")
    ) == pairs_of(found)
    why = done("explain", dump, json.dumps(EVENTS[0]), "ferry", *ELASTIC, "--mapping", mapping)
    assert why.stdout.startswith("match: title MATCHES 'ferri'")


def test_queries_of_elasticsearch_come_from_any_file(tmp_path: Path, events: Path) -> None:
    rules = tmp_path / "rules.jsonl"
    rules.write_text('{"id": "r", "query": {"match": {"title": "storm"}}}\n')
    assert pairs_of(done("match", rules, events, *ELASTIC, "--format", "jsonl")) == {(2, "r")}
    named = tmp_path / "rules.json"
    named.write_text('{"all": {"match_all": {}}, "storm": {"match": {"title": "storm"}}}')
    assert pairs_of(done("match", named, events, *ELASTIC, "--format", "jsonl")) == {
        (1, "all"),
        (2, "all"),
        (2, "storm"),
    }


def test_queries_of_lucene(tmp_path: Path, events: Path, mapping: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("+night +ferr*\ntitle:storm AND price:[1 TO 3]\ntag:sea^2 OR title:fog\n")
    flags = [*LUCENE, "--format", "jsonl", "--dialect-set", "drop=boost", "--mapping", mapping]
    assert pairs_of(done("match", rules, events, *flags)) == {(1, 1), (2, 2), (1, 3)}
    fails("match", rules, events, *flags[:4], "--text-attributes", "title", says=["line 3", "^ weighs"])
    (tmp_path / "and.txt").write_text("night storm\n")
    both = [*LUCENE, "--format", "jsonl", "--dialect-set", "default_field=title"]
    assert pairs_of(done("match", tmp_path / "and.txt", events, *both)) == {(1, 1), (2, 1)}
    assert (
        pairs_of(done("match", tmp_path / "and.txt", events, *both, "--dialect-set", "default_operator=AND")) == set()
    )


def test_now_is_given(tmp_path: Path) -> None:
    (tmp_path / "q.txt").write_text('{"range": {"at": {"gte": "now-1d"}}}\n')
    (tmp_path / "e.jsonl").write_text('{"at": "2026-01-01"}\n{"at": "2025-12-01"}\n')
    flags = [*ELASTIC, "--format", "jsonl", "--dialect-set", "now=2026-01-02"]
    assert pairs_of(done("match", tmp_path / "q.txt", tmp_path / "e.jsonl", *flags)) == {(1, 1)}


def test_options_of_another_dialect_are_refused(tmp_path: Path, events: Path, mapping: Path) -> None:
    rules = tmp_path / "rules.txt"
    rules.write_text("ferry\n")
    fails("match", rules, events, "--mapping", mapping, says=["--mapping", "--dialect elasticsearch or lucene"])
    fails("match", rules, events, "--dialect-set", "drop=boost", says=["--dialect-set", "elasticsearch or lucene"])
    fails("match", rules, events, *LUCENE, "--dialect-set", "field=x", says=["default_operator, default_field"])
    fails("match", rules, events, *LUCENE, "--dialect-set", "drop=x", says=["only 'boost'"])
    fails("match", rules, events, *LUCENE, "--log-sources", mapping, says=["--dialect sigma"])
    (tmp_path / "bad.json").write_text("{")
    fails(
        "match", rules, events, *LUCENE, "--mapping", tmp_path / "bad.json", says=["bad.json: the mapping is no JSON"]
    )
    fails("match", rules, events, *LUCENE, "--mapping", tmp_path / "none.json", says=["none.json"])
    fails("match", tmp_path, events, *ELASTIC, says=[tmp_path])


def test_somebody_subscribes_by_a_query(tmp_path: Path) -> None:
    home = ["--home", tmp_path / "home"]
    done("init", *home)
    done("subscribe", "ada", "+title:ferry -title:sport", *LUCENE, *home)
    fails("subscribe", "ada", "a^2", *LUCENE, *home, says=["weighs"])
    done("subscribe", "ada", "title:ferry^2", *LUCENE, *home, "--dialect-set", "drop=boost")
