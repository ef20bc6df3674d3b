"""The naive engine by itself: a life of adding and removing beside a dict and regular expressions."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests import oracle
from tests.patterns.structures import found, int32, patterns_of, reopened
from watchword.patterns.naive import Naive
from watchword.strings import from_texts


def pattern(random_: random.Random) -> str:
    pieces = random_.choices(["a", "b", "aa", "ba", "é", "?", "?", "*", "*", "\\*"], k=random_.randrange(8))
    return "".join([*pieces, random_.choice("ab"), random_.choice(["", "", "*", "?", "??"])])


def text(random_: random.Random) -> str:
    return "".join(random_.choices("aaabbé*", k=random_.randrange(18)))


@pytest.mark.parametrize("seed", range(4))
def test_duel(seed: int) -> None:
    random_ = random.Random(seed)
    structure, model, fresh = Naive(), {}, iter(range(10**6))
    for _ in range(40):
        if random_.random() < 0.5:
            more = {next(fresh): pattern(random_) for _ in range(random_.choice([1, 1, 30]))}
            structure.add(patterns_of(more.values()), int32(list(more)))
            model |= more
        for payload in random_.sample(sorted(model), random_.randrange(len(model) + 1) // 2):
            structure.remove(patterns_of([model.pop(payload)]), payload)
        if random_.random() < 0.2:
            structure = reopened(structure, Naive)
        if random_.random() < 0.2 and model:
            moved = dict(zip(sorted(model), range(len(model)), strict=True))
            table = np.full(max(model) + 1, -1, np.int32)
            table[list(moved)] = list(moved.values())
            structure.renumber(table)
            model = {moved[payload]: text for payload, text in model.items()}
            fresh = iter(range(len(model), 10**6))
        texts = [text(random_) for _ in range(random_.randrange(5))]
        expected = [sorted(p for p in model if oracle.matches_pattern(model[p], text)) for text in texts]
        assert found(structure.match(from_texts(texts))) == expected
    for payload, left in model.items():
        structure.remove(patterns_of([left]), payload)
    assert structure.stats() == Naive().stats() == {"bytes": 0, "postings": 0}
    assert all(len(array) <= 3 for array in structure.arrays().values())


def test_more_answers_than_the_buffer_holds() -> None:
    structure = Naive()
    structure.add(patterns_of(["a*b"] * 3000), int32(range(3000)))
    hits = structure.match(from_texts(["ab", "ba", "a b"]))
    assert found(hits) == [list(range(3000)), [], list(range(3000))]
    assert hits.operations >= 9000


def test_only_what_is_there_can_be_removed() -> None:
    structure = Naive()
    structure.add(patterns_of(["a*b", "c"]), int32([3, 4]))
    for wanted, payload in (("a*b", 4), ("a?b", 3), ("c", 7), ("c", -1)):
        with pytest.raises(KeyError):
            structure.remove(patterns_of([wanted]), payload)
    assert found(structure.match(from_texts(["abc"]))) == [[3, 4]]
    structure.remove(patterns_of(["c"]), 4)
    with pytest.raises(KeyError):
        structure.remove(patterns_of(["c"]), 4)
    assert found(structure.match(from_texts(["abc"]))) == [[3]]


def test_figures_count_what_is_stored() -> None:
    structure = Naive()
    structure.add(patterns_of(["song?blue", "pie"]), int32([0, 1]))
    assert structure.stats() == {"bytes": 11 + 2 * 16 + 3 * 16, "postings": 3}
    structure.remove(patterns_of(["song?blue"]), 0)
    assert structure.stats() == {"bytes": 3 + 16 + 16, "postings": 1}
