"""Subscriptions with KIND OF and CONTAINS: against plain Python."""

from __future__ import annotations

import re

import pytest

from watchword import PredicateIndex
from watchword.errors import OptionError
from watchword.papers.workloads.kinds import KindWorkload
from watchword.papers.workloads.predicates import NOTES_SIGNS, PredicateWorkload

TEXT = re.compile(r"a(\d) = (\d+) AND topic KIND OF '([\d.]+)' AND tags CONTAINS '(g\d+)'")


def satisfies(event: dict, text: str) -> bool:
    found = TEXT.fullmatch(text)
    assert found
    name, value, topic, tag = found.groups()
    below = event["topic"] == topic or event["topic"].startswith(f"{topic}.")
    return event[f"a{name}"] == int(value) and below and tag in event["tags"]


def test_an_index_finds_what_plain_python_does() -> None:
    workload = KindWorkload(300, attributes=3, values=3, equalities=1, levels=2, fan=3, tags=5, held=2, seed=7)
    table, events = workload.subscription_table(), workload.event_table(40)
    index = PredicateIndex(table, hierarchies=workload.hierarchies)
    texts = table["subscription"].to_pylist()
    expected = [[key for key, text in enumerate(texts) if satisfies(event, text)] for event in events.to_pylist()]
    assert [index.match(event) for event in events.to_pylist()] == expected and sum(map(len, expected)) > 20
    found = index.match_many(events)
    assert found.num_rows == sum(map(len, expected))


def test_an_event_has_a_leaf_and_different_tags() -> None:
    workload = KindWorkload(0, levels=2, fan=2, tags=4, held=4, seed=1)
    assert workload.topics == ["0", "1", "0.0", "0.1", "1.0", "1.1"] and workload.subscription_table().num_rows == 0
    for event in workload.event_table(20).to_pylist():
        assert event["topic"] in workload.topics[2:] and sorted(event["tags"]) == ["g0", "g1", "g2", "g3"]
    assert workload.event_table(0).schema.equals(workload.event_table(1).schema)


@pytest.mark.parametrize(
    "wrong", [{"subscriptions": -1}, {"equalities": 5}, {"held": 0}, {"held": 51}, {"fan": 0}, {"levels": 0}]
)
def test_what_cannot_be_drawn_is_refused(wrong: dict) -> None:
    with pytest.raises(OptionError):
        KindWorkload(**{"subscriptions": 1} | wrong)


def test_the_notes_have_three_operators() -> None:
    drawn = PredicateWorkload(2_000, predicates=4, equalities=1, seed=1, signs=NOTES_SIGNS).subscription_table()
    signs = {sign for text in drawn["subscription"].to_pylist() for sign in re.findall(r"a\d+ (\S+) ", text)}
    assert signs == {"=", "<", ">"}
    with pytest.raises(OptionError, match="signs"):
        PredicateWorkload(1, signs=("<", "="))
