"""The command line with Sigma rules: folders, files, archives, rules that cannot be said, log sources, keywords."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path

import pytest

from tests.cli.test_cli import done, fails, pairs_of, run

SIGMA = ["--language", "predicates", "--dialect", "sigma"]
RULES = {
    "shell.yml": "title: Shell\nid: 5d1e\ndetection:\n  a: {Image|endswith: '\\cmd.exe'}\n  condition: a\n",
    "sub/words.yaml": "title: Words\ndetection: {k: [evil, wicked], condition: k}\n",
    "sub/regex.yml": "title: Regex\nid: 77aa\nlevel: low\ndetection:\n  a: {Image|re: x+}\n  condition: a\n",
    "sub/two.yml": (
        "title: One\nlogsource: {category: dns}\ndetection: {a: {b: 1}, condition: a}\n---\n"
        "title: Two\ndetection: {a: {b: 2}, condition: a}\n"
    ),
    "readme.txt": "no rule",
}
EVENTS = [
    {"Image": "C:\\CMD.exe", "EventID": 1},
    {"Message": "an EVIL thing", "b": "1"},
    {"b": 1, "EventID": 22},
    {"b": 2},
]
FOUND = {(1, "5d1e"), (2, "words"), (2, "two"), (3, "two"), (4, "two-2")}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    for name, text in RULES.items():
        (tmp_path / "rules" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "rules" / name).write_text(text)
    return tmp_path / "rules"


@pytest.fixture
def events(tmp_path: Path) -> Path:
    file = tmp_path / "events.jsonl"
    file.write_text("".join(json.dumps(event) + "\n" for event in EVENTS))
    return file


FLAGS = [*SIGMA, "--text-attributes", "Message", "--format", "jsonl"]


def test_a_folder_of_rules_is_matched(rules: Path, events: Path, tmp_path: Path) -> None:
    fails("match", rules, events, *FLAGS, says=["regex.yml", "rule 'Regex', line 5", "regular expressions"])
    skipping = run("match", rules, events, *FLAGS, "--on-error", "skip")
    assert skipping.exit_code == 1 and pairs_of(skipping) == FOUND
    assert "left out: " in skipping.stderr and "regex.yml: rule 'Regex', line 5: |re" in skipping.stderr
    (rules / "sub" / "regex.yml").unlink()
    assert pairs_of(done("match", rules, events, *FLAGS)) == FOUND
    assert pairs_of(done("match", rules / "shell.yml", events, *FLAGS)) == {(1, "5d1e")}
    with tarfile.open(tmp_path / "rules.tar.gz", "w:gz") as archive:
        archive.add(rules, "rules")
    assert pairs_of(done("match", tmp_path / "rules.tar.gz", events, *FLAGS)) == FOUND


def test_a_rule_that_the_index_refuses_is_left_out(rules: Path, events: Path) -> None:
    found = run("match", rules, events, *SIGMA, "--format", "jsonl", "--on-error", "skip")
    assert found.exit_code == 1 and pairs_of(found) == FOUND - {(2, "words")}
    assert "words.yaml: HAS without an attribute" in found.stderr


def test_rules_are_checked_built_and_explained(rules: Path, events: Path, tmp_path: Path) -> None:
    checked = run("check", rules, *SIGMA, "--text-attributes", "Message")
    assert checked.exit_code == 1 and "regex.yml, id 77aa: rule 'Regex', line 5" in checked.stdout
    assert "5 subscriptions, 1 of them bad" in checked.stderr
    built = run("index", "build", rules, tmp_path / "built", *FLAGS[:-2], "--on-error", "skip")
    assert built.exit_code == 1 and "4 subscriptions" in built.stderr
    assert pairs_of(done("match", tmp_path / "built", events, "--format", "jsonl")) == FOUND
    why = done("explain", rules, json.dumps(EVENTS[0]), "5d1e", *SIGMA)
    assert why.stdout.startswith("match: Image ENDS WITH")


def test_log_sources_come_from_a_file(rules: Path, events: Path, tmp_path: Path) -> None:
    (rules / "sub" / "regex.yml").unlink()
    for name, text in {"s.json": '{"category: dns": "EventID = 22"}', "s.yml": "'category: dns': EventID = 22"}.items():
        (tmp_path / name).write_text(text)
        found = pairs_of(done("match", rules, events, *FLAGS, "--log-sources", tmp_path / name))
        assert found == FOUND - {(2, "two")}
    (tmp_path / "bad.yml").write_text("dns: EventID = 22")
    fails("match", rules, events, *FLAGS, "--log-sources", tmp_path / "bad.yml", says=["log source 'dns'"])
    eventbridge = ["--language", "predicates", "--dialect", "eventbridge"]
    patterns = tmp_path / "patterns.txt"
    patterns.write_text('{"b": [1]}\n')
    fails("match", patterns, events, *eventbridge, "--log-sources", tmp_path / "s.yml", says=["--dialect sigma"])


def test_what_is_no_folder_of_rules_is_named(tmp_path: Path, events: Path) -> None:
    (tmp_path / "none").mkdir()
    fails("match", tmp_path / "none", events, *SIGMA, says=["no file ends in .yml or .yaml"])
    (tmp_path / "x.tar").write_text("no archive")
    fails("match", tmp_path / "x.tar", events, *SIGMA, says=["x.tar: no archive"])
    (tmp_path / "x.yml").write_bytes(b"\xff")
    fails("match", tmp_path / "x.yml", events, *SIGMA, says=["x.yml: not UTF-8"])
