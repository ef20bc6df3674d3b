"""``watchword check`` lists every row that is no subscription, and no other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from tests.contract.languages import KEYWORDS, PATHS, PATTERNS, PREDICATES, PROPERTIES
from watchword.cli import app, checking

GOOD = {
    "keywords": ["greece", "greece AND NOT imf OR crisis"],
    "patterns": ["greece", "cri?is*imf"],
    "predicates": ["a = 1", "a > 2 AND b = 'x'"],
    "properties": ["a=1", "a=0 b=1"],
    "paths": ["//a", "/a/b[@x='1']"],
}
OPTIONS = {"properties": ["--properties", "names.txt"]}
DESCRIBED = (KEYWORDS, PATTERNS, PREDICATES, PROPERTIES, PATHS)
BAD = {language.name: [text for text in language.bad_subscriptions if type(text) is str] for language in DESCRIBED}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def lines(result: Result) -> list[str]:
    """Return the findings without the carets below them."""
    return [line for line in result.stdout.splitlines() if not line.startswith("  ")]


@pytest.mark.parametrize("language", GOOD)
def test_all_bad_rows_of_every_language(language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(checking, "BLOCK", 4)
    Path("names.txt").write_text("a\nb\n")
    bad = [text for text in BAD[language] if language != "properties" or "b=1" not in text]
    texts = [*GOOD[language], *(text for pair in zip(bad, GOOD[language] * len(bad), strict=False) for text in pair)]
    Path("s.jsonl").write_text(
        "".join(json.dumps({"id": f"s{n}", "subscription": text}) + "\n" for n, text in enumerate(texts, 1))
    )
    found = run("check", "s.jsonl", "--language", language, *OPTIONS.get(language, []))
    assert found.exit_code == 1
    expected = [f"s.jsonl: line {n}, id s{n}: " for n, text in enumerate(texts, 1) if text in bad]
    assert [line[: len(start)] for line, start in zip(lines(found), expected, strict=True)] == expected
    assert found.stderr == f"{len(texts)} subscriptions, {len(bad)} of them bad\n"


def test_a_file_without_faults_passes(tmp_path: Path) -> None:
    (tmp_path / "s.txt").write_text("greece\n\ncrisis OR imf\n")
    passed = run("check", tmp_path / "s.txt")
    assert (passed.exit_code, passed.stdout, passed.stderr) == (0, "", "2 subscriptions, none of them bad\n")
    (tmp_path / "one.txt").write_text("greece\n")
    assert run("check", tmp_path / "one.txt").stderr.startswith("1 subscription, none")


def test_the_caret_stands_under_the_fault(tmp_path: Path) -> None:
    (tmp_path / "s.csv").write_text("id,subscription\ns7,greece AND (crisis\n")
    assert run("check", tmp_path / "s.csv").stdout == (
        f"{tmp_path}/s.csv: row 1, id s7: this parenthesis is never closed; add the closing )\n"
        "  greece AND (crisis\n"
        "             ^\n"
    )


def test_rows_that_are_no_pairs_of_id_and_text(tmp_path: Path) -> None:
    """What the reader of the file refuses is listed with the rest, under the numbers that the rows have in the file."""
    (tmp_path / "s.csv").write_text('id,subscription\na,greece\nb,greece, imf\na,crisis\nc\nd,(\ne,"imf, greece"\n')
    said = lines(run("check", tmp_path / "s.csv"))
    assert [line.removeprefix(f"{tmp_path}/s.csv: ")[:12] for line in said] == [
        "row 2: it ha",
        "row 3, id a:",
        "row 4: it ha",
        "row 5, id d:",
    ]
    assert "3 values" in said[0] and "that of row 1" in said[1] and "1 value," in said[2]


def test_lines_that_are_no_records(tmp_path: Path) -> None:
    rows = [
        '{"id": 1, "query": "a"}',
        "nope",
        '{"id": "x", "query": "b"}',
        '{"id": 2}',
        '{"id": 3, "query": null}',
        "7",
    ]
    (tmp_path / "s.jsonl").write_text("\n".join(rows))
    found = run("check", tmp_path / "s.jsonl")
    reasons = ["not JSON", "the id is text; a number is needed", "no key 'query'", "is missing", "not a JSON object"]
    assert found.exit_code == 1 and found.stderr.startswith("6 subscriptions, 5 of them bad")
    for number, (line, reason) in enumerate(zip(lines(found), reasons, strict=True), 2):
        assert f"line {number}: " in line and reason in line


def test_options_and_dialects_decide_what_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "s.txt"
    file.write_text("greece and imf\n")
    assert run("check", file).exit_code == 1
    assert run("check", file, "--literal-operators").exit_code == 0
    file.write_text('{"a": ["x"]}\n{"a": 5}\n{"a": [{"prefix": "x"}]}\n')
    found = run("check", file, "--language", "predicates", "--dialect", "eventbridge")
    assert found.exit_code == 1 and len(lines(found)) == 1 and "line 2: " in found.stdout


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    assert run("check", tmp_path / "none.csv").exit_code == 2
    assert run("check", tmp_path).exit_code == 2
    assert run("check", tmp_path / "none.csv", "--ignore-case").exit_code == 2
