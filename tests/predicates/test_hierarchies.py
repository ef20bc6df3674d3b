"""Hierarchies: child to parents, in a DAG; values that are paths; topic-based publish/subscribe."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from tests.contract.cases import found
from watchword import OptionError, PredicateIndex
from watchword.predicates.hierarchies import checked
from watchword.predicates.readers.nodes import Hierarchy

DAG = {"village": ["local"], "local": ["politics", "region"], "region": ["place"], "national": ["politics"]}


def test_topic_based_publish_subscribe() -> None:
    """Figure 1.3 of the thesis: National lies below Politics, so its subscriber hears of event 1; not Economy's."""
    topics = {"topic": {"National": "Politics", "International": "Politics"}}
    index = PredicateIndex({"s1": "topic KIND OF 'Politics'", "s2": "topic KIND OF 'Economy'"}, hierarchies=topics)
    assert index.match({"topic": "National"}) == ["s1"]
    assert index.match({"topic": "Politics"}) == ["s1"]
    assert index.match({"topic": "Economy"}) == ["s2"]
    assert index.match({"topic": ["Economy", "International"]}) == ["s1", "s2"]


def test_topics_that_are_paths() -> None:
    index = PredicateIndex({"s1": "topic KIND OF 'Politics'", "s2": "topic KIND OF 'Politics/National'"})
    assert index.match({"topic": "Politics/National/Budget"}) == ["s1", "s2"]
    assert index.match({"topic": "Politics/Nation"}) == ["s1"]
    assert index.match({"topic": "Political"}) == index.match({"topic": "x/Politics"}) == []


def test_nodes() -> None:
    hierarchy = Hierarchy(DAG)
    assert set(hierarchy.nodes("village")) == {"village", "local", "politics", "region", "place"}
    assert hierarchy.nodes("place") == ("place",)
    assert hierarchy.nodes("unheard of") == ("unheard of",)
    assert set(hierarchy.nodes("national/x")) == {"national", "national/x", "politics"}
    assert hierarchy.nodes("") == ("",)
    assert hierarchy.nodes("a//b/") == ("a", "a/", "a//b", "a//b/")
    assert len(hierarchy.nodes("village")) == 5, "each once, though politics and place are reached twice"


@pytest.mark.parametrize("method", list(PredicateIndex.methods))
def test_a_node_has_several_parents(method: str) -> None:
    nodes = ["village", "local", "politics", "region", "place", "national", "other"]
    index = PredicateIndex({node: f"t KIND OF '{node}'" for node in nodes}, hierarchies={"t": DAG}, method=method)
    assert index.match({"t": "village"}) == ["village", "local", "politics", "region", "place"]
    assert index.match({"t": "region/x"}) == ["region", "place"]
    assert index.match({"t": ["national", "other"]}) == ["politics", "national", "other"]
    assert index.match({"t": 5}) == index.match({"t": None}) == index.match({"u": "village"}) == []
    column = pa.table({"t": pa.array(["village", None, "national", "village"]).dictionary_encode()})
    assert found(index.match_many(column), 4)[2] == ["national", "politics"]


def test_a_hierarchy_belongs_to_one_attribute() -> None:
    index = PredicateIndex(
        {"t": "t KIND OF 'politics'", "n": "n.t KIND OF 'politics'", "any": "ANY n (t KIND OF 'politics')",
         "deep": "ANY n (ANY m (t KIND OF 'politics'))", "quoted": "\"a b\" KIND OF 'politics'"},
        hierarchies={"n.t": DAG, "n.m.t": DAG, '"a b"': DAG},
    )  # fmt: skip
    assert index.match({"t": "national", "n": [{"t": "other"}]}) == []
    for event in ({"n": [{"t": "national"}]}, {"n": {"t": ["national"]}}):
        assert index.match(event) == ["n", "any"]
        assert found(index.match_many(pa.array([event] * 10)), 10) == [["any", "n"]] * 10
        assert index.explain(event, "any").matched and index.explain(event, "n").matched
    assert index.match({"n": [{"m": [{"t": "national"}]}]}) == ["deep"]
    assert index.explain({"n": [{"m": [{"t": "national"}]}]}, "deep").matched
    assert index.match({"a b": "national"}) == ["quoted"]


def test_equality_knows_no_hierarchy() -> None:
    index = PredicateIndex({"r": "t = 'politics'"}, hierarchies={"t": DAG})
    assert index.match({"t": "national"}) == []


def test_cycles_are_named() -> None:
    with pytest.raises(OptionError, match=r"hierarchies\['t'\] has a cycle: a below b below c below a"):
        PredicateIndex(hierarchies={"t": {"a": "b", "b": "c", "c": "a", "x": "a", "y": "z"}})
    with pytest.raises(OptionError, match="has a cycle: a below a"):
        PredicateIndex(hierarchies={"t": {"a": ["b", "a"]}})


@pytest.mark.slow
def test_a_long_chain() -> None:
    chain = {str(depth): str(depth + 1) for depth in range(3000)}
    index = PredicateIndex({"top": "t KIND OF '3000'"}, hierarchies={"t": chain})
    assert index.match({"t": "0"}) == ["top"]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (5, "must be a mapping of attribute to hierarchy"),
        ({"t": 5}, "must be a mapping of child to parent"),
        ({"t": {"a": 5}}, "parents are a text or a list of texts"),
        ({"t": {"a": [5]}}, "attributes and nodes are texts, not 5"),
        ({"t": {5: "a"}}, "attributes and nodes are texts, not 5"),
        ({5: {}}, "attributes and nodes are texts, not 5"),
        ({"a b": {}}, "'a b' is no attribute as subscriptions write it"),
        ({"in": {}}, 'one named in is written "in"'),
    ],
)
def test_what_is_no_hierarchy(given: Any, says: str) -> None:
    with pytest.raises(OptionError) as refusal:
        PredicateIndex(hierarchies=given)
    assert says in str(refusal.value)


def test_one_form_is_kept() -> None:
    kept = checked("hierarchies", {"a . b": {"x": "y", "z": ("y", "x"), "w": {"x"}}})
    assert kept == {"a.b": {"x": ["y"], "z": ["y", "x"], "w": ["x"]}}
    assert checked("hierarchies", kept) == kept
