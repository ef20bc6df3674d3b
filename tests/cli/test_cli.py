"""The command line, from outside: what it prints, where, and with which status it ends."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from watchword.cli import app
from watchword.cli.pairs import Pairs
from watchword.dead_letters import Letter, write_letters
from watchword.home import Home
from watchword.index import events as slices
from watchword.index.events import next_size
from watchword.items import Item
from watchword.tables import Batch, Source

SUBSCRIPTIONS = {
    "s1": "greece crisis",
    "s2": "greece AND (imf OR bailout)",
    "s3": "bailout NOT imf",
    "s4": "ελλάδα",
    "s5": "tea",
}
HOLDS = {  # the same subscriptions, decided in plain Python
    "s1": lambda words: {"greece", "crisis"} <= words,
    "s2": lambda words: "greece" in words and bool(words & {"imf", "bailout"}),
    "s3": lambda words: "bailout" in words and "imf" not in words,
    "s4": lambda words: "ελλάδα" in words,
    "s5": lambda words: "tea" in words,
}
TEXTS = [
    "Greece asks for a bailout as the crisis deepens",
    "The IMF, Greece: no crisis",
    "nothing here",
    'Bailout? "Bailout", they said',
    "Ελλάδα and Greece and the IMF",
]
PAIRS = {
    (place, id)
    for place, text in enumerate(TEXTS, 1)
    for id, holds in HOLDS.items()
    if holds({"".join(c for c in word if c.isalnum()).lower() for word in text.split()})
}
COMMAND = [sys.executable, "-m", "watchword"]


def run(*arguments: object, input: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=input)


def done(*arguments: object, input: str | None = None) -> Result:
    result = run(*arguments, input=input)
    assert result.exit_code == 0, result.output
    return result


def fails(*arguments: object, says: Iterable[object] = ()) -> str:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output and result.stdout == ""
    for word in says:
        assert str(word) in result.stderr
    return result.stderr


def save(path: Path, columns: dict[str, list[object]]) -> Path:
    """Write a table in the format of the name."""
    names, rows = list(columns), list(zip(*columns.values(), strict=True))
    kind = path.name.removesuffix(".gz")
    if kind.endswith(".parquet"):
        pq.write_table(pa.table(columns), path)
        return path
    if kind.endswith(".jsonl"):
        text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in rows)
    elif kind.endswith(".txt"):
        text = "".join(f"{row[-1]}\n" for row in rows)
    else:
        out = io.StringIO()
        csv.writer(out, delimiter="\t" if kind.endswith(".tsv") else ",").writerows([names, *rows])
        text = out.getvalue()
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.fixture
def alerts(tmp_path: Path) -> Path:
    return save(tmp_path / "alerts.csv", {"id": [*SUBSCRIPTIONS], "subscription": [*SUBSCRIPTIONS.values()]})


@pytest.fixture
def items(tmp_path: Path) -> Path:
    return save(tmp_path / "items.jsonl", {"key": [f"k{i}" for i in range(1, 6)], "text": TEXTS})


@pytest.fixture
def built(tmp_path: Path, alerts: Path) -> Path:
    done("index", "build", alerts, tmp_path / "snapshot")
    return tmp_path / "snapshot"


def pairs_of(result: Result) -> set[tuple[object, object]]:
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert all(list(row) == ["event", "subscription"] for row in rows)
    assert len({tuple(row.values()) for row in rows}) == len(rows)
    assert [row["event"] for row in rows] == sorted(row["event"] for row in rows)
    return {(row["event"], row["subscription"]) for row in rows}


FILES = ["x.csv", "x.tsv", "x.jsonl", "x.parquet", "x.csv.gz", "x.tsv.gz", "x.jsonl.gz"]


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_on_both_sides(tmp_path: Path, name: str) -> None:
    subscriptions = save(tmp_path / f"s{name}", {"id": [*SUBSCRIPTIONS], "query": [*SUBSCRIPTIONS.values()]})
    events = save(tmp_path / f"e{name}", {"n": [*range(5)], "title": TEXTS})
    result = done("match", subscriptions, events, "--format", "jsonl")
    assert pairs_of(result) == PAIRS
    assert f"5 events, {len(PAIRS)} pairs" in result.stderr


def test_standard_input_may_be_a_table(alerts: Path, tmp_path: Path) -> None:
    expected = {(f"k{place}", id) for place, id in PAIRS}
    for name in ("x.csv", "x.tsv", "x.jsonl"):
        content = save(tmp_path / name, {"key": [f"k{i}" for i in range(1, 6)], "text": TEXTS}).read_text()
        words = ["match", alerts, "-", "--input-format", name[2:], "--event-id", "key", "--format", "jsonl"]
        assert pairs_of(done(*words, input=content)) == expected
    renamed = save(tmp_path / "x.csv", {"text": TEXTS}).rename(tmp_path / "news")
    assert pairs_of(done("match", alerts, renamed, "--input-format", "csv", "--format", "jsonl")) == PAIRS


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.parquet"])
def test_several_columns_are_one_event(tmp_path: Path, name: str) -> None:
    """AND and NOT see all columns; no phrase and no pattern spans two of them."""
    columns: dict[str, list[object]] = {
        "n": [1, 2, 3],
        "title": ["Greece in", "the debt", "calm"],
        "body": ["debt crisis", "crisis of Greece", "nothing"],
    }
    events = save(tmp_path / name, columns)
    subscriptions = save(tmp_path / "s.txt", {"": ["greece crisis", "greece NOT crisis", '"debt crisis"', '"in debt"']})
    words = ["--text", "title", "--text", "body", "--event-id", "n", "--format", "jsonl"]
    found = pairs_of(done("match", subscriptions, events, *words))
    assert {(int(str(n)), id) for n, id in found} == {(1, 1), (2, 1), (1, 3)}
    patterns = save(tmp_path / "p.txt", {"": ["debt*crisis", "in*debt", "debt"]})
    found = pairs_of(done("match", patterns, events, "--language", "patterns", *words))
    assert {(int(str(n)), id) for n, id in found} == {(1, 1), (1, 3), (2, 3)}
    assert "why" in done("match", subscriptions, events, *words[:4], "--explain").stdout
    fails("match", subscriptions, events, "--text", "title", "--text", "none", says=["no column 'none'"])
    places = [("title", 0, 6, 1), ("body", 0, 11, 3), ("body", 5, 11, 1), ("body", 0, 6, 1), ("body", 10, 16, 1)]
    for file, language, rows in [
        (patterns, "patterns", [("body", 0, 11, 1), ("body", 0, 4, 3), ("title", 4, 8, 3)]),
        (subscriptions, "keywords", places),
    ]:
        found = done("match", file, events, "--language", language, *words, "--occurrences").stdout
        assert [tuple(json.loads(line).values())[1:] for line in found.splitlines()] == rows


def test_the_places_of_rules_have_attributes_and_those_of_words_are_limited(tmp_path: Path) -> None:
    items = save(tmp_path / "e.jsonl", {"title": ["Ferry, ferry", "calm"], "price": [3, 4]})
    rules = save(tmp_path / "r.txt", {"": ["title MATCHES 'ferry' AND price < 4", "price > 3"]})
    command = ["match", rules, items, "--language", "predicates", "--occurrences", "--format", "csv"]
    head = "event,attribute,member,start,end,subscription"
    assert done(*command).stdout.splitlines() == [head, "1,title,,0,5,1", "1,title,,7,12,1"]
    assert done(*command, "--limit", 1).stdout.splitlines() == [head, "1,title,,0,5,1"]
    assert "None" not in done(*command[:-2]).stdout
    words = save(tmp_path / "w.txt", {"": ["ferry"]})
    found = done("match", words, items, "--text", "title", "--occurrences", "--limit", 1, "--format", "csv").stdout
    assert found.splitlines() == ["event,start,end,subscription", "1,0,5,1"]


def test_a_column_that_was_guessed_among_several_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("ferry\n")
    (tmp_path / "wide.csv").write_text("id,title,body\n1,Ferry,Bread\n2,Bread,Ferry\n")
    (tmp_path / "narrow.csv").write_text("id,title\n1,Ferry\n")
    words = ["match", str(tmp_path / "s.txt")]
    said = "; only the column 'title' was read: --text names it, or several\n"
    assert CliRunner().invoke(app, [*words, str(tmp_path / "wide.csv")]).stderr.endswith(said)
    for clear in ([str(tmp_path / "narrow.csv")], [str(tmp_path / "wide.csv"), "--text", "title"]):
        assert "only the column" not in CliRunner().invoke(app, [*words, *clear]).stderr


def test_one_column_only_where_an_event_is_one(tmp_path: Path) -> None:
    events = save(tmp_path / "x.csv", {"title": ["a"], "body": ["b"]})
    words = ["--text", "title", "--text", "body"]
    rules = save(tmp_path / "s.txt", {"": ["title=1"]})
    names = ["--properties", save(tmp_path / "names.txt", {"": ["title"]})]
    fails("match", rules, events, "--language", "properties", *names, *words, says=["--text", "one column"])
    save(tmp_path / "s.txt", {"": ["//a"]})
    fails("match", rules, events, "--language", "paths", *words, says=["--text", "one column"])
    lines = save(tmp_path / "l.txt", {"": ["a"]})
    save(tmp_path / "s.txt", {"": ["a"]})
    fails("match", rules, lines, *words, says=["plain lines have no columns"])


def test_rows_whose_columns_are_all_null_are_counted(tmp_path: Path) -> None:
    rows: list[object] = [None, "tea", None]
    events = save(tmp_path / "x.parquet", {"title": rows, "body": [None, None, "tea"]})
    subscriptions = save(tmp_path / "s.txt", {"": ["tea"]})
    result = done("match", subscriptions, events, "--text", "title", "--text", "body", "--format", "jsonl")
    assert pairs_of(result) == {(2, 1), (3, 1)} and "(1 more had no text)" in result.stderr


@pytest.mark.parametrize("name", ["x.txt", "x.txt.gz"])
def test_plain_lines_have_their_numbers_as_ids(tmp_path: Path, name: str) -> None:
    subscriptions = save(tmp_path / f"s{name}", {"": [*SUBSCRIPTIONS.values()]})
    events = save(tmp_path / f"e{name}", {"": TEXTS})
    expected = {(place, int(id[1:])) for place, id in PAIRS}
    assert pairs_of(done("match", subscriptions, events, "--format", "jsonl")) == expected
    assert pairs_of(done("match", subscriptions, "-", "--format", "jsonl", input="\n".join(TEXTS))) == expected


@pytest.mark.parametrize("batch", [1, 2, 5])
def test_batches_change_nothing(alerts: Path, items: Path, batch: int) -> None:
    assert pairs_of(done("match", alerts, items, "--format", "jsonl", "--batch", batch)) == PAIRS


def test_events_that_match_a_great_deal_are_matched_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subscriptions = save(tmp_path / "s.txt", {"": ["tea"] * 30})
    events = save(tmp_path / "e.txt", {"": ["tea"] * 400 + ["coffee"] * 400 + ["tea"] * 5})
    sizes: list[int] = []

    def watched(self: Pairs, source: Source, batch: Batch) -> pa.Table:
        found = match_slice(self, source, batch)
        sizes.append(len(found))
        return found

    match_slice = Pairs._pairs_of
    monkeypatch.setattr(slices, "PAIRS_AT_ONCE", 300)
    monkeypatch.setattr(Pairs, "_pairs_of", watched)
    found = pairs_of(done("match", subscriptions, events, "--format", "jsonl"))
    assert found == {(place, id) for place in [*range(1, 401), *range(801, 806)] for id in range(1, 31)}
    assert max(sizes[1:]) <= 300 and len(sizes) < 80


@pytest.mark.parametrize(
    ("size", "pairs", "most", "expected"),
    [
        (64, 0, 10_000, 256),
        (8_000, 0, 10_000, 10_000),
        (1, 10**9, 10_000, 1),
        (1_000, 10**6, 10_000, 262),
        (64, 0, 5, 5),
    ],
)
def test_the_next_slice(size: int, pairs: int, most: int, expected: int) -> None:
    assert next_size(size, pairs, most) == expected


@pytest.mark.parametrize("method", ["auto", "brute", "count", "trie"])
def test_methods_change_nothing(alerts: Path, items: Path, method: str) -> None:
    assert pairs_of(done("match", alerts, items, "--format", "jsonl", "--method", method)) == PAIRS


def test_event_ids_and_formats(tmp_path: Path, alerts: Path, items: Path) -> None:
    expected = {(f"k{place}", id) for place, id in PAIRS}
    assert pairs_of(done("match", alerts, items, "--event-id", "key", "--format", "jsonl")) == expected
    rows = list(csv.reader(io.StringIO(done("match", alerts, items, "--event-id", "key", "--format", "csv").stdout)))
    assert rows[0] == ["event", "subscription"] and {tuple(row) for row in rows[1:]} == expected
    for name in ("out.parquet", "out.jsonl", "out.csv", "out.csv.gz"):
        result = done("match", alerts, items, "--event-id", "key", "--output", tmp_path / name)
        assert result.stdout == ""
    table = pq.read_table(tmp_path / "out.parquet")
    assert set(zip(*table.to_pydict().values(), strict=True)) == expected
    assert gzip.decompress((tmp_path / "out.csv.gz").read_bytes()) == (tmp_path / "out.csv").read_bytes()
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == len(PAIRS)


def test_integer_ids_stay_integers_and_zeros_stay(tmp_path: Path) -> None:
    events = save(tmp_path / "e.txt", {"": ["tea"]})
    for ids, expected in ([1, 2], 2), (["01", "02"], "02"):
        subscriptions = save(tmp_path / "s.csv", {"id": ids, "subscription": ["coffee", "tea"]})
        assert pairs_of(done("match", subscriptions, events, "--format", "jsonl")) == {(1, expected)}


def test_an_answer_without_matches_has_columns(tmp_path: Path, alerts: Path) -> None:
    for text in ("nothing\n", ""):
        events = tmp_path / "none.txt"
        events.write_text(text)
        assert done("match", alerts, events, "--format", "csv").stdout == "event,subscription\n"
        done("match", alerts, events, "--output", tmp_path / "none.parquet")
        table = pq.read_table(tmp_path / "none.parquet")
        assert table.schema.types == [pa.int64(), pa.string()] and len(table) == 0
        assert done("match", alerts, events).stdout == ""


def test_the_table_shows_some_rows_and_counts_the_rest(alerts: Path, items: Path) -> None:
    whole = done("match", alerts, items).stdout
    assert all(id in whole for _, id in PAIRS) and "more" not in whole
    assert whole == done("match", alerts, items, "--rows", 1000).stdout
    short = done("match", alerts, items, "--rows", 2).stdout
    assert sum(short.count(id) for id in SUBSCRIPTIONS) == 2
    assert f"... and {len(PAIRS) - 2} more" in short


def test_markup_in_values_is_printed_as_it_is(tmp_path: Path) -> None:
    subscriptions = save(tmp_path / "s.csv", {"id": ["[red]x[/red]"], "subscription": ["tea"]})
    events = save(tmp_path / "e.txt", {"": ["tea"]})
    assert "[red]x[/red]" in done("match", subscriptions, events).stdout


def test_explain_gives_a_reason_for_every_pair(alerts: Path, items: Path) -> None:
    result = done("match", alerts, items, "--explain", "--format", "jsonl")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {(row["event"], row["subscription"]) for row in rows} == PAIRS
    assert all(row["why"] for row in rows)
    assert any("bailout" in row["why"] for row in rows if row["subscription"] == "s3")


def test_patterns(tmp_path: Path) -> None:
    patterns = save(tmp_path / "p.txt", {"": ["Gr??ce*crisis", "Bailout\\?", "*"]})
    events = save(tmp_path / "e.txt", {"": TEXTS[:4]})
    found = done("match", patterns, events, "--language", "patterns", "--format", "jsonl")
    assert pairs_of(found) == {(1, 1), (2, 1), (4, 2), (1, 3), (2, 3), (3, 3), (4, 3)}
    done("index", "build", patterns, tmp_path / "built", "--language", "patterns")
    assert pairs_of(done("match", tmp_path / "built", events, "--format", "jsonl")) == pairs_of(found)
    assert "missing 'crisis'" in run("explain", tmp_path / "built", "Greece is calm", "1").output
    wrong = run("match", save(tmp_path / "w.txt", {"": ["a", "b\\"]}), events, "--language", "patterns")
    assert wrong.exit_code == 2 and "line 2" in wrong.output


CASED = ["gr??CE*crisis", "STRASSE", "imf", "no"]
CASED_TEXTS = [*TEXTS[:2], "eine Straße"]
SENSITIVE = {(2, 4)}
INSENSITIVE = {(1, 1), (2, 1), (2, 3), (3, 2), (2, 4)}


@pytest.mark.parametrize(("flags", "expected"), [([], SENSITIVE), (["--ignore-case"], INSENSITIVE)])
@pytest.mark.parametrize("method", ["auto", "retriever-multi"])
def test_case_counts_in_patterns_unless_it_is_ignored(
    tmp_path: Path, flags: list[str], expected: set[tuple[int, int]], method: str
) -> None:
    patterns, events = save(tmp_path / "p.txt", {"": CASED}), save(tmp_path / "e.txt", {"": CASED_TEXTS})
    options = ["--language", "patterns", "--method", method, *flags]
    assert pairs_of(done("match", patterns, events, *options, "--format", "jsonl")) == expected
    done("index", "build", patterns, tmp_path / "built", *options)
    assert pairs_of(done("match", tmp_path / "built", events, "--format", "jsonl")) == expected
    info = done("index", "info", tmp_path / "built").stdout
    assert [line.split()[-1] for line in info.splitlines() if "ignore case" in line] == ["yes" if flags else "no"]
    for source, given in ((patterns, options), (tmp_path / "built", [])):
        why = done("explain", source, "The IMF", 3, *given).stdout
        assert why.startswith("match" if flags else "no match")


def test_an_option_that_the_language_has_not_comes_with_a_remedy(tmp_path: Path, alerts: Path, items: Path) -> None:
    commands = [
        ["match", alerts, items],
        ["index", "build", alerts, tmp_path / "built"],
        ["explain", alerts, "tea", "s5"],
        ["init", "--home", tmp_path / "home"],
    ]
    remedy = ["--ignore-case", "without regard to case anyway", "leave it out", "--language patterns"]
    for command in commands:
        fails(*command, "--ignore-case", says=remedy)
        fails(*command, "--ignore-case", "--language", "keywords", says=remedy)
        fails(*command, "--stemmer", "english", "--language", "patterns", says=["--stemmer", "--language keywords"])
    assert not (tmp_path / "built").exists() and not (tmp_path / "home").exists()
    done("index", "build", alerts, tmp_path / "built")
    fails("match", tmp_path / "built", items, "--ignore-case", says=["--ignore-case", "build it again"])


def test_stemmer_and_stop_words(tmp_path: Path) -> None:
    subscriptions = save(tmp_path / "s.txt", {"": ["the crises"]})
    events = save(tmp_path / "e.txt", {"": ["crisis", "many crises"]})
    assert pairs_of(done("match", subscriptions, events, "--format", "jsonl")) == set()
    stop = save(tmp_path / "stop.txt", {"": ["the"]})
    plain = done("match", subscriptions, events, "--format", "jsonl", "--stop-words", stop)
    assert pairs_of(plain) == {(2, 1)}
    events = save(tmp_path / "e.txt", {"": ["crisis", "a crise"]})
    stemmed = done("match", subscriptions, events, "--format", "jsonl", "--stop-words", stop, "--stemmer", "english")
    assert pairs_of(stemmed) == {(2, 1)}


def test_events_without_text_are_counted(tmp_path: Path, alerts: Path) -> None:
    events = tmp_path / "e.jsonl"
    events.write_text('{"text": "tea"}\n{"text": null}\n{"text": "tea"}\n')
    result = done("match", alerts, events, "--format", "jsonl")
    assert pairs_of(result) == {(1, "s5"), (3, "s5")}
    assert "2 events (1 more had no text), 2 pairs" in result.stderr


def test_a_snapshot_is_built_described_checked_and_matched(built: Path, items: Path, alerts: Path) -> None:
    assert pairs_of(done("match", built, items, "--format", "jsonl")) == PAIRS
    shown = done("index", "info", built).stdout
    assert all(word in shown for word in ("version", "keywords", "auto", "subscriptions", "5", "int64"))
    assert "as they were written" in done("index", "verify", built).stdout
    assert "version 2, 5 subscriptions" in done("index", "build", alerts, built).stderr
    assert "version 3, 5 subscriptions" in done("index", "build", built, built).stderr
    assert pairs_of(done("match", built, items, "--format", "jsonl", "--language", "keywords")) == PAIRS


def test_a_damaged_snapshot_is_noticed(built: Path, items: Path) -> None:
    file = max(built.glob("data-*/*.npy"), key=lambda file: file.stat().st_size)
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    fails("index", "verify", built, says=[file, "altered", "save the index again"])
    file.write_bytes(content[:-1])
    for arguments in (("index", "info", built), ("match", built, items)):
        fails(*arguments, says=[file, "truncated"])


def test_explaining_one_pair(alerts: Path, built: Path, tmp_path: Path) -> None:
    for source in (alerts, built):
        yes = done("explain", source, TEXTS[0], "s1").stdout
        no = done("explain", source, TEXTS[2], "s1").stdout
        assert yes != no and "crisis" in no
        fails("explain", source, "tea", "s9", says=["no subscription 's9'", source])
    lines = save(tmp_path / "s.txt", {"": ["coffee", "tea"]})
    assert done("explain", lines, "green tea", 2).stdout.startswith("match")
    done("index", "build", lines, tmp_path / "numbered")
    assert done("explain", tmp_path / "numbered", "green tea", 1).stdout.startswith("no match")


def test_methods_are_listed() -> None:
    listed = done("methods", "keywords").stdout.split()
    assert listed[0] == "auto" and {"brute", "count", "trie"} <= set(listed)
    assert all(word in done("methods").stdout for word in ("keywords", "auto", "trie"))
    fails("methods", "telepathy", says=["telepathy", "keywords"])


def test_mistakes_in_files_are_placed(tmp_path: Path, alerts: Path, items: Path) -> None:
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"text": "tea"}\n{"text": \n')
    fails("match", alerts, bad, "--format", "table", says=[bad, "line 2", "not JSON"])
    lines = save(tmp_path / "bad.txt", {"": ["tea", "", "greece AND (crisis"]})
    message = fails("match", lines, items, says=[lines, "line 3"])
    assert "^" in message and "greece AND (crisis" in message
    rows = save(tmp_path / "bad.csv", {"id": ["a", "b"], "subscription": ["tea", ""]})
    fails("match", rows, items, says=[rows, "row 2"])
    fails("match", alerts, items, "--text", "txt", says=[items, "'txt'", "'key', 'text'"])
    fails("match", alerts, items, "--id", "nr", says=[alerts, "'nr'", "'id', 'subscription'"])
    fails("match", tmp_path / "absent.csv", items, says=["absent.csv", "no such file"])
    fails("match", alerts, tmp_path, says=[tmp_path, "folder"])
    fails("match", tmp_path, items, says=[tmp_path, "no Watchword snapshot"])


def test_options_that_make_no_sense(tmp_path: Path, alerts: Path, items: Path, built: Path) -> None:
    fails("match", alerts, items, "--method", "magic", says=["magic", "auto"])
    fails("match", alerts, items, "--language", "runes", says=["runes", "keywords"])
    fails("match", alerts, items, "--stemmer", "klingon", says=["klingon"])
    fails("match", alerts, items, "--format", "parquet", says=["--output"])
    fails("match", alerts, items, "--output", tmp_path / "out.xyz", says=["out.xyz", ".parquet"])
    fails("match", alerts, items, "--output", tmp_path / "no" / "out.csv", says=["No such file"])
    fails("match", alerts, items, "--output", tmp_path / "out.csv", "--format", "table", says=["--format"])
    fails("match", alerts, items, "--output", items, says=["overwrite an input"])
    fails("match", built, items, "--method", "brute", says=["--method", "built"])
    fails("match", built, items, "--language", "paths", says=["keywords", "paths"])
    fails("index", "build", alerts, tmp_path, says=[tmp_path, "other files"])
    assert items.read_text() and not (tmp_path / "out.csv").exists()
    assert run("match", alerts).exit_code == 2
    assert run("match", alerts, items, "--batch", 0).exit_code == 2


def commands(group: Any, *before: str) -> Iterator[list[str]]:
    """Yield the words of every command, and of every group of them."""
    yield list(before)
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, *before, name)


@pytest.mark.slow
def test_help_teaches_in_whole_paragraphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """At 80 columns, a line of prose is followed by another only where its first word would not have fitted."""
    monkeypatch.setenv("COLUMNS", "80")
    found = list(commands(typer.main.get_command(app)))
    assert ["index", "build"] in found and ["subscribers", "add"] in found
    for words in found:
        shown = done(*words, "--help").stdout
        head = [line.strip() for line in shown.partition("\u256d")[0].splitlines()]
        assert head[1].startswith(" ".join(["Usage: watchword", *words])) and head[1].count("...") <= 2
        for line, after in pairwise(head):
            if line and after and not line.startswith("watchword"):
                assert len(line) + len(after.split()[0]) >= 77, (words, line, after)
    assert "//article[@section='sport']//photo" in done("subscribe", "--help").stdout


def test_help_loads_nothing_heavy() -> None:
    assert done("--version").stdout.startswith("watchword 0.")
    code = (
        "import sys; from watchword.cli import app; "
        "app(['--help'], standalone_mode=False); "
        "sys.exit(bool({'numba', 'pyarrow', 'numpy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True).returncode == 0


@pytest.mark.slow
def test_results_do_not_wait_for_the_end_of_a_pipe(alerts: Path) -> None:
    command = [*COMMAND, "match", str(alerts), "-", "--format", "jsonl"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin and process.stdout
        for place in (1, 2):
            process.stdin.write(b"green tea\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == {"event": place, "subscription": "s5"}
        process.stdin.close()
        process.wait()
        assert process.returncode == 0


@pytest.mark.slow
def test_ctrl_c_ends_quietly(alerts: Path) -> None:
    command = [*COMMAND, "match", str(alerts), "-", "--format", "jsonl"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # whoever runs in the background ignores it
    with subprocess.Popen(command, **pipes, preexec_fn=heard) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(b"green tea\n")
        process.stdin.flush()
        process.stdout.readline()
        interrupt(process)
        assert process.stderr.read() == b""
        assert process.returncode == 130


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Press Ctrl-C until the process ends; kill it in the end.

    Once is enough nearly always. A signal that comes in the microsecond before the interpreter waits for input is
    handled when there is input, or at the next signal.
    """
    for _ in range(5):
        process.send_signal(signal.SIGINT)
        try:
            process.wait(60)
            return
        except subprocess.TimeoutExpired:
            continue
    process.kill()


@pytest.mark.slow
@pytest.mark.parametrize("format", ["jsonl", "csv", "table"])
def test_a_reader_that_leaves_is_no_error(tmp_path: Path, format: str) -> None:
    subscriptions = save(tmp_path / "s.csv", {"id": [f"{i:0200}" for i in range(50)], "text": ["tea"] * 50})
    events = save(tmp_path / "e.txt", {"": ["tea"] * 1000})  # more than a pipe holds, in every format
    command = [
        *COMMAND,
        "match",
        str(subscriptions),
        str(events),
        "--format",
        format,
        "--rows",
        "1000",
        "--batch",
        "50",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout and process.stderr
        process.stdout.read(100)
        process.stdout.close()
        assert process.stderr.read() == b""
        process.wait()
        assert process.returncode == 141


# The running system, without Spark


def test_dead_letters_of_a_folder_that_is_no_home_are_an_error(tmp_path: Path) -> None:
    for folder in (tmp_path / "missing", tmp_path):
        refused = run("dead-letters", "--home", str(folder))
        assert refused.exit_code == 2 and "watchword init makes one" in refused.stderr and not refused.stdout


def test_a_system_from_init_to_inbox(tmp_path: Path) -> None:
    home = ["--home", str(tmp_path / "home")]
    refused = run("subscribe", "ada", "ferry", *home)
    assert refused.exit_code == 2 and "watchword init" in refused.stderr
    assert run("init", *home).exit_code == 0
    assert run("subscribe", "ada", "ferry NOT storm", "--id", "a1", *home).stdout.strip() == "a1"
    (tmp_path / "more.csv").write_text("id,subscription\nb1,bread\nb2,cake OR tea\n", encoding="utf-8")
    assert "2 subscriptions" in run("subscribe", "bob", "--file", str(tmp_path / "more.csv"), *home).stderr
    bad = run("subscribe", "ada", "ferry AND (", *home)
    assert bad.exit_code == 2 and "never closed" in bad.stderr
    assert run("unsubscribe", "b1", *home).exit_code == 0
    listed = run("subscriptions", *home).stdout
    assert "ferry NOT storm" in listed and "cake OR tea" in listed and "bread" not in listed
    assert "nothing new" in run("inbox", "ada", *home).stdout
    assert run("inbox", "nobody", *home).exit_code == 2
    assert run("unsubscribe", "b1", *home).exit_code == 2


def test_options_of_a_language_are_chosen_once_and_shown(tmp_path: Path) -> None:
    home = ["--home", tmp_path / "home"]
    assert "ignore case" not in done("init", *home).stderr
    assert "patterns: ignore case" in done("init", *home, "--language", "patterns", "--ignore-case").stderr
    stop = save(tmp_path / "stop.txt", {"": ["the", "a"]})
    done("init", *home, "--stop-words", stop, "--stemmer", "english")
    for command in ("init", "subscriptions"):
        shown = done(command, *home).stderr
        assert "patterns: ignore case\n" in shown and "keywords: stemmer english, 2 stop words\n" in shown
    assert run("subscribe", "ada", "the", *home).exit_code == 2  # nothing but a stop word
    done("subscribe", "ada", "the ferries", *home)
    done("init", *home, "--stop-words", stop, "--stemmer", "english")
    refused = fails("init", *home, "--stemmer", "german", says=["keywords", "new store", "watchword init"])
    assert "ferries" not in refused and "stemmer english" in done("init", *home).stderr


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ([], "give a SOURCE"),
        (["feed.xml", "--format", "kafka"], "not both"),
        (["--format", "rate", "--option", "rows"], "NAME=VALUE"),
        (["EMPTY"], "no file that ends in"),
        (["feed.xml", "--stream"], "it is for a folder of XML files"),
        (["--format", "kafka", "--stream"], "it is for a folder of XML files"),
        (["feed.xml", "--sink", "files, kafka"], "sinks are files, inboxes, one or more of them, not kafka"),
        (["feed.xml", "--sink", ","], "sinks are files, inboxes, one or more of them, not none"),
    ],
)
def test_a_source_that_cannot_be(tmp_path: Path, words: list[str], reason: str) -> None:
    home = ["--home", str(tmp_path / "home")]
    run("init", *home)
    (tmp_path / "empty").mkdir()
    words = [str(tmp_path / "empty") if word == "EMPTY" else word for word in words]
    refused = run("run", *words, *home)
    assert refused.exit_code == 2 and reason in refused.stderr


def test_dead_letters_are_shown_and_not_obeyed(tmp_path: Path) -> None:
    home = ("--home", str(tmp_path / "home"))
    run("init", *home)
    assert run("dead-letters", *home).stdout == "0 dead letters\n"
    letters = [Letter("in/a.jsonl", str(number), "its id is empty", "\x1b[2Jferry\u202e") for number in range(1, 30)]
    write_letters(Home(tmp_path / "home").run("main").dead_letters / "batch-3.jsonl", letters, len(letters))
    shown = run("dead-letters", "--limit", 2, *home).stdout
    assert "29 dead letters" in shown and shown.count("its id is empty") == 2
    assert "\x1b" not in shown and "\u202e" not in shown and "ferry" in shown


def test_prune_says_what_it_forgot_and_what_is_left(tmp_path: Path) -> None:
    home = ("--home", str(tmp_path / "home"))
    assert run("prune", *home).exit_code == 2  # no home
    run("init", *home)
    old = Home(tmp_path / "home").run("main").matches / "batch-0-keywords.parquet"
    old.write_bytes(b"x" * 5000)
    os.utime(old, (0, 0))
    Home(tmp_path / "home").archive().write("0", [Item("a", text="ferry")], datetime(2026, 1, 1, tzinfo=UTC))
    said = run("prune", "--compact", "--archive", 100_000, *home)
    assert said.exit_code == 0 and "0 entries of inboxes, 1 file\n" in said.stderr
    assert re.search(r"runs/main/matches +5.0 kB +0 bytes", said.stdout) and "store" in said.stdout
    assert re.search(r"archive +\d+\.\d kB +\d+\.\d kB", said.stdout)
    assert "0 entries of inboxes, 3 files\n" in run("prune", "--archive-bytes", 0, *home).stderr
    assert run("prune", "--read", -1, *home).exit_code == 2


def test_a_run_that_another_process_has_is_refused_before_spark_starts(tmp_path: Path) -> None:
    home = ("--home", str(tmp_path / "home"))
    run("init", *home)
    with Home(tmp_path / "home").run("main").held():
        refused = run("run", "feeds.opml", *home)
    assert refused.exit_code == 2 and f"in the hands of process {os.getpid()}" in refused.stderr
