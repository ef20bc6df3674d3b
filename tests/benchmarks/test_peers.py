"""The peers are given the same rules: each notation is judged by its own rules. None of them is built or run here."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pyarrow as pa
import pytest

from benchmarks.peers import notation
from benchmarks.peers.__main__ import agreed, per_event
from benchmarks.peers.notation import write_events, write_rules
from benchmarks.peers.rivals import PEERS
from tests import predicate_oracle
from tests.predicates.dialects import aws_judge
from watchword.predicates.dialects.eventbridge import from_eventbridge
from watchword.workloads.predicates import shared_attribute_rules


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


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
    patterns, expressions, events = (read(tmp_path / name) for name in ("patterns", "expressions", "events"))
    assert [rule["id"] for rule in patterns] == [rule["id"] for rule in expressions] == list(range(200))
    assert [as_subscription(rule["expression"]) for rule in expressions] == texts
    assert [from_eventbridge(rule["pattern"]) for rule in patterns] == texts
    for event in events:
        for rule, text in zip(patterns, texts, strict=True):
            assert aws_judge.answers(rule["pattern"], event) is predicate_oracle.matches(text, event)


def test_matchers_have_to_agree() -> None:
    pairs = pa.table({"event": [0, 0, 2], "subscription": [7, 3, 5]})
    ids = per_event(pairs, 3)
    assert ids == [[3, 7], [], [5]] and agreed({"one": ids, "other": ids}) == 3
    with pytest.raises(SystemExit, match=r"other and one .* event 1"):
        agreed({"one": ids, "other": [[3, 7], [1], [5]]})
    with pytest.raises(SystemExit, match="nothing"):
        agreed({})


def test_a_peer_without_its_tools_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert [peer.missing() for peer in PEERS] == [["mvn", "java"], ["cargo"]]
