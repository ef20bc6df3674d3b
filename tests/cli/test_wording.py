"""Errors of the command line name its flags, and limits without a flag are set by --set."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_cli import done, fails, run, save
from watchword.cli.wording import in_flags


@pytest.mark.parametrize(
    ("library", "shell"),
    [
        ('with cjk="bigrams" one character is found', "with --cjk bigrams one character is found"),
        ("make the index with namespaces={…} for {uri}name", "make the index with --namespaces FILE for {uri}name"),
        ("stop_words must be a collection of words", "--stop-words must be a collection of words"),
        ("its elements are 9 deep; raise max_depth to read it",
         "its elements are 9 deep; raise it with --set max_depth=NUMBER to read it"),
        ("more than max_steps=256 steps\n  a max_steps=256 stemmer=x",
         "more than 256 steps; --set max_steps=NUMBER sets this limit\n  a max_steps=256 stemmer=x"),
        ("max_length must be an integer", "--set max_length must be an integer"),
        ("no column 'x' in the table", "no column 'x' in the table"),
    ],
)  # fmt: skip
def test_what_the_library_says(library: str, shell: str) -> None:
    assert in_flags(library) == shell


def test_a_refused_subscription_and_a_limit(tmp_path: Path) -> None:
    lines = save(tmp_path / "s.txt", {"text": ["a or b"]})
    events = save(tmp_path / "e.txt", {"text": ["a c d"]})
    fails("match", lines, events, says=["line 1", "--literal-operators reads all of them as words"])
    many = save(tmp_path / "m.txt", {"text": ["a AND (b OR c) AND (d OR e)"]})
    limit = "more than 3 clauses"
    fails("match", many, events, "--set", "max_clauses=3", says=[limit, "--set max_clauses=NUMBER"])
    assert limit in run("check", many, "--set", "max_clauses=3").stdout
    assert "1 pair" in done("match", many, events, "--set", "max_clauses=4").stderr
    fails("match", many, events, "--language", "properties", says=["--properties is missing", "--properties FILE"])


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("max_clauses", "--set max_clauses: expected NAME=VALUE, such as max_clauses=1000"),
        ("max_clauses=x", "--set max_clauses must be an integer of at least 1, not 'x'"),
        ("max_claws=5", "--set max_claws: keywords have no such option; they have "),
        ("max_steps=5", "--set max_steps: keywords have no such option: leave it out, or give --language paths"),
    ],
)
def test_what_cannot_be_set(tmp_path: Path, setting: str, says: str) -> None:
    lines = save(tmp_path / "s.txt", {"text": ["a"]})
    fails("match", lines, lines, "--set", setting, says=[says])


def test_a_setting_is_chosen_for_a_home(tmp_path: Path) -> None:
    home = ["--home", tmp_path / "home"]
    assert "max terms 2" in done("init", *home, "--set", "max_terms=2").stderr
    fails("subscribe", "ada", "a b c", *home, says=["more than 2 terms"])


def test_where_and_why_together(tmp_path: Path) -> None:
    """A row for each place has the reason of its pair; an event without places has none."""
    patterns = save(tmp_path / "p.txt", {"text": ["t?a", "pie*tea"]})
    events = save(tmp_path / "e.txt", {"text": ["no", "pie and tea"]})
    flags = ["--occurrences", "--explain", "--format", "csv"]
    found = done("match", patterns, events, "--language", "patterns", *flags).stdout.splitlines()
    assert [line.split(",", 5)[:4] for line in found] == [
        ["event", "start", "end", "subscription"],
        ["2", "8", "11", "1"],
        ["2", "0", "11", "2"],
    ]
    assert all("match: " in line for line in found[1:]) and "'pie' at 0" in found[2]
    paths = save(tmp_path / "paths.txt", {"text": ["//a"]})
    document = tmp_path / "d.xml"
    document.write_text("<r><a/><a/></r>", encoding="utf-8")
    found = done("match", paths, document, "--language", "paths", *flags).stdout.splitlines()
    assert [line.split(",")[1:3] for line in found[1:]] == [["2", "1"], ["3", "1"]] and found[1].count("match: ") == 1
    fails(
        "match", paths, document, "--language", "paths", "--stream", *flags, says=["--explain", "give each as a file"]
    )
