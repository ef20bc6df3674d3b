"""The command line with events that are objects: every kind of file, dialects, options that are data, mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.cli.test_cli import FILES, done, fails, pairs_of, run, save
from tests.predicate_oracle import matches

RULES = {
    "r1": "name = 'RBS' AND value > 20",
    "r2": "NOT (name = 'RBS') OR value BETWEEN 10 AND 15",
    "r3": "open = TRUE AND name STARTS WITH 'R'",
    "r4": "note IS MISSING",
    "r5": "day >= '2026-11-02'",
    "r6": "day STARTS WITH '2026-11-0'",
}
EVENTS = [
    {"name": "RBS", "value": 15, "open": True, "day": "2026-11-01", "note": "a, b"},
    {"name": "RBS", "value": 25, "open": False, "day": "2026-11-02", "note": None},
    {"name": "ACME", "value": None, "open": True, "day": "2026-11-03", "note": 'say "hello"'},
    {"name": "Ελλάδα", "value": 20, "open": None, "day": "2026-12-01", "note": "x"},
]
TAGS = [["a", "b"], []]
PREDICATES = ["--language", "predicates", "--format", "jsonl"]


def expected(events: list[dict], rules: dict[str, str] = RULES, hierarchies: dict | None = None) -> set:
    return {
        (place, id)
        for place, event in enumerate(events, 1)
        for id, rule in rules.items()
        if matches(rule, {name: value for name, value in event.items() if value is not None}, hierarchies)
    }


PAIRS = expected(EVENTS)


def put(path: Path, events: list[dict]) -> Path:
    return save(path, {name: [event[name] for event in events] for name in events[0]})


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    return save(tmp_path / "rules.csv", {"id": [*RULES], "subscription": [*RULES.values()]})


@pytest.fixture
def events(tmp_path: Path) -> Path:
    return put(tmp_path / "events.jsonl", EVENTS)


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file(tmp_path: Path, rules: Path, name: str) -> None:
    found = done("match", rules, put(tmp_path / name, EVENTS), *PREDICATES)
    assert pairs_of(found) == PAIRS
    assert f"4 events, {len(PAIRS)} pairs" in found.stderr


@pytest.mark.parametrize("name", ["e.csv", "e.jsonl", "e.parquet"])
@pytest.mark.parametrize("batch", [1, 3])
def test_ids_and_batches(tmp_path: Path, rules: Path, name: str, batch: int) -> None:
    path = put(tmp_path / name, [{"key": f"k{n}", **event} for n, event in enumerate(EVENTS, 1)])
    found = done("match", rules, path, *PREDICATES, "--event-id", "key", "--batch", batch)
    assert pairs_of(found) == {(f"k{place}", id) for place, id in PAIRS}


def test_standard_input_and_columns_of_objects(tmp_path: Path, rules: Path) -> None:
    lines = [json.dumps(event) for event in EVENTS]
    assert pairs_of(done("match", rules, "-", *PREDICATES, input="\n".join(lines))) == PAIRS
    for name in ("t.csv", "t.parquet", "t.jsonl"):
        path = save(tmp_path / name, {"n": [1, 2, 3, 4], "payload": lines})
        assert pairs_of(done("match", rules, path, *PREDICATES, "--text", "payload")) == PAIRS
    objects = pa.table({"n": [1, 2, 3, 4, 5], "payload": [*EVENTS, None]})
    pq.write_table(objects, tmp_path / "s.parquet")
    found = done("match", rules, tmp_path / "s.parquet", *PREDICATES, "--text", "payload")
    assert pairs_of(found) == PAIRS and "1 more had no text" in found.stderr


def test_nested_values_and_reasons(tmp_path: Path) -> None:
    rules = save(tmp_path / "r.txt", {"": ["ANY orders (price > 5 AND sku = 'x')", "tags = 'a'", "extra.k = 'v'"]})
    orders = [[{"price": 7, "sku": "x"}], [{"price": 7, "sku": "y"}, {"price": 3, "sku": "x"}]]
    events = [{"orders": one, "tags": tags, "extra": {"k": "v"}} for one, tags in zip(orders, TAGS, strict=True)]
    table = pa.table(
        {
            "orders": orders,
            "tags": pa.array(TAGS, pa.list_(pa.string())),
            "extra": pa.array([[("k", "v")]] * 2, pa.map_(pa.string(), pa.string())),
        }
    )
    pq.write_table(table, tmp_path / "e.parquet")
    wanted = {(1, 1), (1, 2), (1, 3), (2, 3)}
    for path in (tmp_path / "e.parquet", put(tmp_path / "e.jsonl", events)):
        assert pairs_of(done("match", rules, path, *PREDICATES)) == wanted
        shown = [json.loads(line) for line in done("match", rules, path, *PREDICATES, "--explain").stdout.splitlines()]
        assert {(row["event"], row["subscription"]) for row in shown} == wanted
        assert all(row["why"].startswith("match: ") for row in shown)


def test_cells_that_are_empty_or_say_so(tmp_path: Path) -> None:
    rules = save(tmp_path / "r.txt", {"": ["delay > 20", "delay IS MISSING", "carrier = 'NA'", "carrier IS MISSING"]})
    path = tmp_path / "flights.csv"
    path.write_text("carrier,delay\nNA,30\nAA,NA\n,25\nBA,\n", encoding="utf-8")
    assert pairs_of(done("match", rules, path, *PREDICATES)) == {(1, 1), (1, 3), (2, 2), (3, 1), (3, 4), (4, 2)}


def test_snapshots_and_explanations(tmp_path: Path, rules: Path, events: Path) -> None:
    built = tmp_path / "snapshot"
    done("index", "build", rules, built, "--language", "predicates")
    assert pairs_of(done("match", built, events, "--format", "jsonl")) == PAIRS
    shown = done("index", "info", built).stdout
    assert "predicates" in shown and "hierarchies" in shown
    event = json.dumps(EVENTS[0])
    for source, flags in ((built, []), (rules, ["--language", "predicates"])):
        assert "value > 20 (met 15)" in done("explain", source, event, "r1", *flags).stdout
        assert done("explain", source, event, "r3", *flags).stdout.startswith("match")
        fails("explain", source, "[]", "r1", *flags, says=["an event is an object"])


def test_hierarchies_come_from_a_file(tmp_path: Path) -> None:
    topics = {"topic": {"national": "politics", "politics": ["news"]}}
    file = tmp_path / "topics.json"
    file.write_text(json.dumps(topics), encoding="utf-8")
    texts = ["topic KIND OF 'politics'", "topic KIND OF 'news'"]
    rules = save(tmp_path / "r.txt", {"": texts})
    said = [{"topic": "national"}, {"topic": "politics/local"}, {"topic": "sports"}]
    events = put(tmp_path / "e.jsonl", said)
    wanted = expected(said, dict(enumerate(texts, 1)), topics)
    assert pairs_of(done("match", rules, events, *PREDICATES, "--hierarchies", file)) == wanted
    done("index", "build", rules, tmp_path / "built", "--language", "predicates", "--hierarchies", file)
    assert pairs_of(done("match", tmp_path / "built", events, "--format", "jsonl")) == wanted
    assert "topic" in done("index", "info", tmp_path / "built").stdout
    fails("match", rules, events, "--hierarchies", file, says=["--hierarchies", "--language predicates"])
    file.write_text('{"topic": {"a": "b",\n "b": }}', encoding="utf-8")
    fails("match", rules, events, *PREDICATES, "--hierarchies", file, says=[file, "line 2", "not JSON"])
    file.write_text('{"topic": {"a": "b", "b": "a"}}', encoding="utf-8")
    fails("match", rules, events, *PREDICATES, "--hierarchies", file, says=["cycle", "a below b below a"])


def test_a_schema_comes_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text('{"attributes": {"name": "text", "value": "number?"}}', encoding="utf-8")
    rules = save(tmp_path / "r.txt", {"": ["name = 'RBS' AND value > 20", "value IS MISSING"]})
    flags = [*PREDICATES, "--schema", file]
    for name in ("e.jsonl", "e.csv", "e.parquet"):
        events = put(tmp_path / name, [{"name": "RBS", "value": 25}, {"name": "x", "value": None}])
        assert pairs_of(done("match", rules, events, *flags)) == {(1, 1), (2, 2)}
        bad = put(tmp_path / f"bad-{name}", [{"name": "RBS", "value": 25}, {"name": None, "value": 5}])
        fails("match", rules, bad, *flags, says=[bad, " 2:", "name"])
    wrong = save(tmp_path / "w.txt", {"": ["name > 5"]})
    fails("match", wrong, tmp_path / "e.csv", *flags, says=[wrong, "line 1"])


PATTERNS = ['{"source": ["aws.ec2"], "detail": {"n": [{"numeric": [">", 5]}]}}', '{"detail": {"state": ["running"]}}']
CLOUD = [
    {"source": "aws.ec2", "detail": {"n": 9, "state": "off"}},
    {"source": "aws.s3", "detail": {"state": "running"}},
]


def test_expressions_of_cesql(tmp_path: Path) -> None:
    sent = [
        {"id": "1", "type": "a.b", "hop": "07"},
        {"id": "2", "type": "c", "hop": 3},
        {"id": "3", "type": "a", "hop": None},
    ]
    events = put(tmp_path / "e.jsonl", sent)
    rules = ["type LIKE 'a%' AND hop > 5", "NOT (hop = 3)", "EXISTS id"]
    flags = [*PREDICATES, "--dialect", "cesql"]
    found = {(1, 1), (1, 2), (1, 3), (2, 3), (3, 3)}
    for file in (
        save(tmp_path / "rules.txt", {"": rules}),
        save(tmp_path / "rules.csv", {"id": [1, 2, 3], "subscription": rules}),
    ):
        assert pairs_of(done("match", file, events, *flags)) == found
    wrong = save(tmp_path / "w.txt", {"": ["type = 'a'", "hop < ttl"]})
    fails("match", wrong, events, *flags, says=[wrong, "line 2", "two attributes"])
    skipped = run("match", wrong, events, *flags, "--on-error", "skip")
    assert skipped.exit_code == 1
    assert pairs_of(skipped) == {(3, 1)}


def test_rules_of_hypermatch(tmp_path: Path) -> None:
    events = put(tmp_path / "e.jsonl", [{"status": "FIRING", "n": 9}, {"status": "ok", "n": None}])
    rules = ['{"status": {"equals": "firing"}, "n": {"gt": 5}}', '{"n": {"exists": false}}']
    flags = [*PREDICATES, "--dialect", "hypermatch"]
    named = tmp_path / "rules.json"
    named.write_text('{"one": %s, "two": %s}' % tuple(rules), encoding="utf-8")  # noqa: UP031
    assert pairs_of(done("match", save(tmp_path / "r.jsonl.txt", {"": rules}), events, *flags)) == {(1, 1), (2, 2)}
    assert pairs_of(done("match", named, events, *flags)) == {(1, "one"), (2, "two")}
    wrong = save(tmp_path / "w.txt", {"": ['{"a": {"glob": "x"}}']})
    fails("match", wrong, events, *flags, says=[wrong, "line 1", "unknown type of pattern", "anyOf"])


def test_rules_of_other_systems(tmp_path: Path) -> None:
    events = put(tmp_path / "e.jsonl", CLOUD)
    lines = save(tmp_path / "patterns.txt", {"": PATTERNS})
    column = save(tmp_path / "patterns.csv", {"id": [1, 2], "subscription": PATTERNS})
    for file in (lines, column):
        assert pairs_of(done("match", file, events, *PREDICATES, "--dialect", "eventbridge")) == {(1, 1), (2, 2)}
        assert pairs_of(done("match", file, events, *PREDICATES, "--dialect", "sns-body")) == {(1, 1), (2, 2)}
    done("index", "build", lines, tmp_path / "built", "--language", "predicates", "--dialect", "eventbridge")
    assert pairs_of(done("match", tmp_path / "built", events, "--format", "jsonl")) == {(1, 1), (2, 2)}
    flags = ["--language", "predicates", "--dialect", "eventbridge"]
    assert done("explain", lines, json.dumps(CLOUD[0]), 1, *flags).stdout.startswith("match: source = 'aws.ec2'")
    fails("match", lines, events, *PREDICATES, "--dialect", "sns", says=[lines, "line 1", "detail", "MessageBody"])
    fails("match", lines, events, "--dialect", "eventbridge", says=["keywords", "--language predicates"])
    fails("match", lines, events, *PREDICATES, "--dialect", "rego", says=["rego", "eventbridge"])
    fails("match", tmp_path / "built", events, "--dialect", "sns", says=["--dialect", "build it again"])


def test_mistakes_are_placed(tmp_path: Path, rules: Path, events: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    for line, reason in [("{", "no JSON"), ("[1]", "an event is an object"), ('{"a": 1, "a": 2}', "twice")]:
        bad.write_text(f'{{"name": "x"}}\n\n{line}\n', encoding="utf-8")
        fails("match", rules, bad, *PREDICATES, says=[bad, "line 3", reason])
    wrong = save(tmp_path / "wrong.txt", {"": ["a = 1", "a == 1"]})
    fails("match", wrong, events, *PREDICATES, says=[wrong, "line 2", "^"])
    twice = tmp_path / "twice.csv"
    twice.write_text("name,name\na,b\n", encoding="utf-8")
    fails("match", rules, twice, *PREDICATES, says=[twice, "two columns are named 'name'"])
    odd = tmp_path / "odd.parquet"
    pq.write_table(pa.table({"name": ["x"], "value": pa.array([5], pa.duration("s"))}), odd)
    fails("match", rules, odd, *PREDICATES, says=[odd, "row 1", "value: a duration[s] is no value"])
    fails("match", rules, events, *PREDICATES, "--text", "payload", says=[events, "'payload'"])


def test_a_column_that_changes_its_kind_far_down(tmp_path: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("watchword.tables.delimited.BLOCK", 1000)
    path = tmp_path / "e.csv"
    path.write_text("name,value\n" + "x,1\n" * 1000 + "x,many\n", encoding="utf-8")
    fails(
        "match",
        rules,
        path,
        *PREDICATES,
        "--output",
        tmp_path / "out.csv",
        says=[path, "row 1001", "JSON lines"],
    )


def test_a_home(tmp_path: Path) -> None:
    home = ["--home", tmp_path / "home"]
    topics = tmp_path / "topics.json"
    topics.write_text('{"topic": {"national": "politics"}}', encoding="utf-8")
    done("init", *home)
    shown = done("init", *home, "--language", "predicates", "--hierarchies", topics).stderr
    assert "predicates: hierarchies of topic" in shown
    done("subscribe", "ada", "feed = 'x' AND title STARTS WITH 'A'", "--language", "predicates", *home)
    flags = ["--language", "predicates", "--dialect", "eventbridge"]
    done("subscribe", "ada", PATTERNS[1], *flags, *home)
    file = save(tmp_path / "patterns.csv", {"id": ["p"], "subscription": PATTERNS[:1]})
    done("subscribe", "ada", "--file", file, *flags, *home)
    listed = done("subscriptions", *home).stdout
    assert "detail.state = 'running'" in listed and "source = 'aws.ec2'" in listed
    for text, reason in [("feed == 'x'", "^"), ("feed =~ 'x'", "=~")]:
        refused = run("subscribe", "ada", text, "--language", "predicates", *home)
        assert refused.exit_code == 2 and reason in refused.stderr


def test_rules_as_objects_and_as_one_file_of_names(tmp_path: Path) -> None:
    """A rule is passed on as it is written: a fraction keeps its digits, a key that comes twice is refused."""
    events = tmp_path / "events.jsonl"
    events.write_text('{"source": "aws.ec2", "n": 0.1}\n{"state": "open"}\n', encoding="utf-8")
    ec2, state = '{"source": ["aws.ec2"], "n": [{"numeric": ["=", 0.10]}]}', '{"state": ["open"]}'
    lines = tmp_path / "rules.jsonl"
    quoted = json.dumps(state)
    lines.write_text(f'{{"id": "a", "pattern": {ec2}}}\n{{"id": "b", "pattern": {quoted}}}\n', encoding="utf-8")
    named = tmp_path / "rules.json"
    named.write_text(f'\ufeff{{ "a" : {ec2}\n, "b":{quoted}}}\n', encoding="utf-8")
    flags = [*PREDICATES, "--dialect", "eventbridge"]
    for file in (lines, named):
        assert pairs_of(done("match", file, events, *flags)) == {(1, "a"), (2, "b")}
        assert "match" in done("explain", file, '{"state": "open"}', "b", *flags[:2], "--dialect", "eventbridge").stdout
    twice = '{"a": {"s": ["x"], "s": ["y"]}, "b": {"t": ["x"]}, "b": {"u": ["x"]}, "c": [1]}'
    named.write_text(twice, encoding="utf-8")
    faults = run("check", named, *flags[:2], "--dialect", "eventbridge").stdout.splitlines()
    assert [line.split(": ")[1] for line in faults] == ["rule 1, id a", "rule 3, id b", "rule 4"]
    fails("match", named, events, *flags, says=["rules.json: rule 4: 'c' is no rule"])
    fails("match", named, events, *flags, "--id", "x", says=["leave out --id and --subscription"])
    for empty, says in [("[]", "one object from names to rules"), ("", "not JSON")]:
        named.write_text(empty, encoding="utf-8")
        fails("match", named, events, *flags, says=[says])
    named.write_text("{}", encoding="utf-8")
    assert "0 pairs" in done("match", named, events, *flags).stderr
