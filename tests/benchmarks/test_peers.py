"""The peers are given the same rules: each notation is judged by its own rules. None of them is built or run here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks.harness import Report
from benchmarks.peers import notation, rivals
from benchmarks.peers.agreeing import agreed, per_event
from benchmarks.peers.comparing import as_row, beside_fastest
from benchmarks.peers.notation import write_events, write_rules
from benchmarks.peers.rivals import LUCENE_MONITOR, PEERS, java_home
from benchmarks.peers.setting import SCALES, Setting
from tests import predicate_oracle
from tests.predicates.dialects import aws_judge
from watchword.papers.workloads.predicates import shared_attribute_rules
from watchword.predicates.dialects.eventbridge import from_eventbridge


def as_subscription(expression: str) -> str:
    text = expression.replace(" and ", " AND ")
    return re.sub(r"(a\d+) >= (\d+) AND \1 <= (\d+)", r"\1 BETWEEN \2 AND \3", text)


@pytest.mark.parametrize("ranges", [False, True])
def test_all_notations_say_the_same(ranges: bool, tmp_path: Path) -> None:
    rules = shared_attribute_rules(200, values=3, attributes=4, ranges=ranges, seed=5)
    write_rules(rules, notation.event_ruler, tmp_path / "patterns")
    write_rules(rules, notation.a_tree, tmp_path / "expressions")
    write_events(rules, 20, tmp_path / "events")
    texts = rules.subscription_table()["subscription"].to_pylist()
    lines = {name: (tmp_path / name).read_text().splitlines() for name in ("patterns", "expressions", "events")}
    patterns, events = (list(map(json.loads, lines[name])) for name in ("patterns", "events"))
    assert list(map(as_subscription, lines["expressions"])) == texts and len(texts) == 200
    assert list(map(from_eventbridge, patterns)) == texts
    for event in events:
        for pattern, text in zip(patterns, texts, strict=True):
            assert aws_judge.answers(pattern, event) is predicate_oracle.matches(text, event)


def test_matchers_have_to_agree() -> None:
    pairs = pa.table({"event": [0, 0, 2], "subscription": [7, 3, 5]})
    ids = per_event(pairs, 3)
    assert ids == [[3, 7], [], [5]] and agreed({"one": ids, "other": ids}) == (3, 3)
    with pytest.raises(SystemExit, match=r"other and one .* event 1; .* the former has 1, only the latter none"):
        agreed({"one": ids, "other": [[3, 7], [1], [5]]})
    with pytest.raises(SystemExit, match="other answers 2 events, one 3"):
        agreed({"one": ids, "other": ids[:2]})


def test_rows_stand_beside_the_fastest_peer() -> None:
    rows = [
        as_row(name, (0.5, 0.4), (1.0, rate), 10.0) for name, rate in (("own", 900.0), ("slow", 3.0), ("fast", 300.0))
    ]
    found = beside_fastest(rows, ["slow", "fast"])
    assert [row["× fastest peer (CPU)"] for row in found] == [3.0, 0.01, 1.0]
    assert beside_fastest(rows, []) == rows


def test_a_peer_without_its_tools_is_named_in_one_line_and_left_out(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(rivals, "JVMS", tmp_path)
    report, given = Report("a title", {}), Setting(SCALES["small"], tmp_path)
    capsys.readouterr()
    assert given.ready(report, *PEERS) == given.ready(report, LUCENE_MONITOR) == []
    assert capsys.readouterr().out.splitlines() == [
        "event-ruler is left out: there is no mvn and no Java 17 or newer",
        "a-tree is left out: there is no cargo",
        "Lucene Monitor is left out: there is no mvn and no Java 21 or newer",
    ]


def test_the_first_java_that_is_new_enough_and_has_a_compiler_is_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, version, programs in (
        ("a", "17.0.15", ["javac"]),
        ("b", "25.0.3", []),
        ("c", "21", ["javac"]),
        ("d", "25.0.3", ["javac"]),
    ):
        (tmp_path / name / "bin").mkdir(parents=True)
        (tmp_path / name / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
        for program in programs:
            (tmp_path / name / "bin" / program).touch()
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(rivals, "JVMS", tmp_path)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "d"))
    assert java_home(17) == tmp_path / "d"
    monkeypatch.delenv("JAVA_HOME")
    assert [java_home(version) for version in (17, 21, 26)] == [tmp_path / "a", tmp_path / "c", None]
