"""Covering, for every language: whatever is claimed of two subscriptions is true of every event that is tried."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.contract.cases import Case
from watchword.index.covering import Covering

BOOLEAN = ["({0}) AND ({1})", "({0}) OR ({1})", "({1}) AND NOT ({0})", "({0}) OR NOT ({1})"]
BOOLEAN += ["NOT (NOT ({0}) OR NOT ({1}))", "(({0}) AND ({1})) OR (({0}) AND NOT ({1}))"]
JOINED = {"keywords": BOOLEAN, "predicates": BOOLEAN, "patterns": ["{1}{0}", "{0}?{1}", "{0}*{1}"], "paths": ["{0}/*"]}


@pytest.mark.slow
def test_what_is_claimed_of_two_subscriptions_is_true_of_every_event(reader: Case) -> None:
    index, draw = reader.index(), random.Random(24)
    texts, events = reader.texts(80), reader.events(40)
    claimed: Counter[Covering] = Counter()
    for _ in range(200):
        a, b = draw.sample(texts, 2)
        if draw.random() < 0.6 and "/@" not in a:
            b = draw.choice(JOINED.get(index.language, ["{0}"])).format(a, b)
        found = index.compare_texts(a, b)
        assert index.compare_texts(b, a) is found.mirrored
        claimed[found] += 1
        if found in (Covering.NEITHER, Covering.UNKNOWN):
            continue
        for event in draw.sample(events, 20):
            held = reader.expected({"a": a, "b": b}, event)
            assert not (found and "b" in held and "a" not in held), (a, b, event)
            assert not (found.mirrored and "a" in held and "b" not in held), (a, b, event)
    assert claimed[Covering.EQUAL] + claimed[Covering.COVERS] + claimed[Covering.COVERED] > 20
    assert claimed[Covering.NEITHER] > 20 and claimed[Covering.UNKNOWN] < 60
