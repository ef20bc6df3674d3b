"""Lucene is given the same searches and the same terms; a judge in plain Python takes its place here."""

from __future__ import annotations

import json
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import given

from benchmarks.harness import Report
from benchmarks.peers import texts
from benchmarks.peers.characters import character_lines
from benchmarks.peers.rivals import Peer
from benchmarks.peers.searches import Search, booleans, conjunction, generated
from benchmarks.peers.setting import Scale, Setting
from tests import oracle
from tests.benchmarks import lucene_judge
from tests.strategies import keyword_texts

QUERIES = ("what's new in the u.s.", "not or and", "greece crisis", "Straße", "café x²", "greece greece")


def test_a_word_of_several_terms_is_a_phrase_in_both() -> None:
    search = conjunction(QUERIES[0])
    assert search.lucene() == '+"what s" +new +in +the +"u s"'
    assert search.watchword() == '"what s" new in the "u s"'
    assert [conjunction(query).lucene() for query in QUERIES[1:]] == [
        "+not +or +and",
        "+greece +crisis",
        "+strasse",
        "+café +x2",
        "+greece",
    ]


def test_both_notations_of_a_search_say_the_same() -> None:
    queries, posts = generated(60, 20, seed=7)
    searches = booleans([conjunction(query) for query in queries], 300, seed=7)
    cut = list(map(oracle.terms, posts))
    answered = set()
    for search in searches:
        assert search.either or search.without or any(len(atom) > 1 for atom in search.required)
        for post in cut:
            found = lucene_judge.answers(search.lucene(), post)
            assert found is oracle.matches(search.watchword(), post, literal_operators=True)
            answered.add((found, bool(search.either), bool(search.without)))
    assert len(answered) == 8, "every form both matches and does not"
    assert any(len(atom) > 1 for search in searches for atom in search.required)


def test_a_search_that_contradicts_itself_finds_nothing_in_both() -> None:
    search = Search((("a",), ("b",)), without=(("a",),))
    assert not lucene_judge.answers(search.lucene(), ["a", "b"])
    assert not oracle.matches(search.watchword(), "a b")


def test_generated_texts_are_the_same_every_time_and_hard_to_read() -> None:
    queries, posts = generated(20, 30, seed=5)
    assert generated(20, 30, seed=5) == (queries, posts)
    words = " ".join(posts)
    assert not words.isascii() and "\N{SOFT HYPHEN}" in words and "T1" in words
    assert {term for post in posts for term in oracle.terms(post)} <= {f"t{number}" for number in range(500)}


@cache
def characters() -> tuple[dict[int, str], dict[int, str]]:
    """Read the lines as the harness does: what characters are, and what they become."""
    kinds: dict[int, str] = {}
    folds: dict[int, str] = {}
    for line in character_lines():
        kind, first, *rest = line.split()
        if kind == "fold":
            folds[int(first, 16)] = "".join(chr(int(code, 16)) for code in rest)
        else:
            (last,) = rest
            kinds.update(dict.fromkeys(range(int(first, 16), int(last, 16) + 1), kind))
    return kinds, folds


def terms(text: str) -> list[str]:
    """Fold and cut as the harness does."""
    kinds, folds = characters()
    found, inside = [""], False
    for char in unicodedata.normalize("NFC", text.translate(folds)):
        inside = kinds.get(ord(char)) == "word" or (inside and kinds.get(ord(char)) == "mark")
        found += [] if inside or not found[-1] else [""]
        found[-1] += char if inside else ""
    return [term for term in found if term]


@given(keyword_texts)
def test_the_file_of_characters_cuts_and_folds_as_watchword_does(text: str) -> None:
    assert terms(text) == oracle.terms(text)


@pytest.mark.slow
def test_every_character_is_in_the_file_as_it_is_in_terms() -> None:
    for first in (*range(0, 0xD800, 0x400), *range(0xE000, 0x20000, 0x400)):
        text = " ".join(f"a{chr(code)}b" for code in range(first, first + 0x400))
        assert terms(text) == oracle.terms(text), hex(first)


class Judge(Peer):
    """Lucene Monitor's place: it reads the files that the harness reads, and may lose queries."""

    lost: ClassVar[list[int]] = []

    def missing(self) -> list[str]:
        return []

    def make(self) -> None:
        """Nothing is built."""

    def command(self) -> list[str]:
        return []

    def run(self, rules: Path, events: Path, seconds: float, matches: Path, *more: str) -> dict[str, Any]:
        _, batch, passes, weights = more
        queries, lines = (path.read_text(encoding="utf-8").splitlines() for path in (rules, events))
        kept = [(at, query) for at, query in enumerate(queries) if at not in self.lost]
        found = [[at for at, query in kept if lucene_judge.answers(query, terms(line))] for line in lines]
        matches.write_text("".join(f"{json.dumps(ids)}\n" for ids in found), encoding="utf-8")
        rate = float(batch) + float(passes) + (1000 if weights == "frequencies" else 0)
        figures = {
            "build_seconds": 3.0,
            "build_cpu_seconds": 2.0,
            "register_cpu_seconds": 1.5,
            "bytes_per_rule": 1928.0,
        }
        return figures | {"events_per_second": rate, "events_per_cpu_second": 2 * rate}


@pytest.fixture
def setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Setting:
    monkeypatch.setattr(texts, "LUCENE_MONITOR", Judge("Lucene Monitor", "0", "nowhere"))
    return Setting(Scale(1, 1, 30, 12, 25, 6, 0.1), tmp_path)


@pytest.mark.slow
def test_sections_of_texts_compare_all_ways_and_print_one_table(setting: Setting) -> None:
    report = Report("a title", {})
    texts.compare_text(report, setting)
    texts.compare_booleans(report, setting)
    text, boolean = report.content["tables"]
    names = [row["matcher"] for row in text["rows"]]
    assert names[:2] == ["Watchword, one at a time", "Watchword, all at a time"] and len(names) == 10
    assert names[2] == "Lucene Monitor, one at a time"
    assert names[-1] == "Lucene Monitor, told frequencies, multipass, 512 at a time"
    assert [row["× fastest peer (CPU)"] for row in text["rows"]][-1] == 1.0
    assert text["rows"][2]["events/s"] == 1.0 and text["rows"][2]["of it registering"] == 1.5
    assert text["title"] == "text: 12 generated posts against 30 queries"
    assert text["notes"].startswith("10 ways agree on all ") and text["notes"].endswith(" pairs of 12 events.")
    assert " 0 pairs" not in text["notes"] + boolean["notes"]
    assert len(boolean["rows"]) == 6 and boolean["notes"].startswith("6 ways agree")
    assert boolean["title"].startswith("booleans: 6 generated posts against 25 searches")


def test_a_peer_that_loses_pairs_ends_the_run(setting: Setting, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "lost", list(range(30)))
    with pytest.raises(SystemExit, match="Lucene Monitor, one at a time and Watchword, one at a time find different"):
        texts.compare_text(Report("a title", {}), setting)


def test_without_the_data_few_texts_are_generated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WATCHWORD_DATA", str(tmp_path / "nowhere"))
    given = Setting(Scale(1, 1, None, 10_000, 1, 1, 0.1), tmp_path)
    found = texts.workload(Report("a title", {}), given)
    assert found.kind == "generated" and len(found.queries) == len(found.posts) == texts.FEW
    assert "set WATCHWORD_DATA" in capsys.readouterr().out
