"""Pairs of bytes that tell of most places that no gram is there: chosen so that every key has one, and never in the way
of a match."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tests.patterns.structures import found, int32, patterns_of, regex, strings
from watchword.kernels.patterns.keyed.pair_choice import PAIRS, choose_pairs
from watchword.kernels.tombstones import NOBODY
from watchword.patterns.keyed.packing import LEARNED, PatternBase, pack

WORDS = ["the", "morning", "news", "are", "on", "and", "nobody", "listens", "to", "them", "any", "more"]


def address(generator: random.Random) -> str:
    """Return a key of four to twenty bytes, most with a dot, none with two letters of plain words behind each other."""
    name = "".join(generator.choices("xqzkj0123é", k=generator.randint(2, 13)))
    return name + generator.choice([".io", ".com", "/ads/", "", ""]) if len(name) > 3 else name + ".q" + name[0]


def plain(generator: random.Random, words: int) -> str:
    return " ".join(generator.choices(WORDS, k=words))


def learned(patterns: list[str], generator: random.Random) -> PatternBase:
    """Return a base that has seen enough plain texts to choose by them."""
    base = pack(patterns_of(patterns), int32(range(len(patterns))))
    text = plain(generator, 3000)
    base.match(strings(*[text] * (LEARNED // len(text) + 1)))
    return base


@pytest.mark.parametrize("seed", range(6))
def test_patterns_are_found_wherever_they_stand(seed):
    generator = random.Random(seed)
    keys = list(dict.fromkeys(address(generator) for _ in range(300)))
    patterns = [*keys, *(f"{key}*{generator.choice(['the', 'are', 'on'])}?" for key in generator.sample(keys, 60))]
    base = learned(patterns, generator)
    assert len(base.packed.pairs) == PAIRS
    texts = [*keys, *("".join(generator.sample(keys, 3)) for _ in range(100))]
    texts += [generator.choice(WORDS)[:2] + key + generator.choice(["", "?", " and"]) for key in keys]
    texts += [f"{plain(generator, 4)} {generator.choice(keys)} {plain(generator, 3)}" for _ in range(100)]
    texts += [key[generator.randint(0, 1) : len(key) - generator.randint(0, 1)] for key in keys]
    expected = [[row for row, pattern in enumerate(patterns) if regex(pattern).search(text)] for text in texts]
    assert found(base.match(strings(*texts))) == expected
    assert found(PatternBase.from_arrays(base.arrays()).match(strings(*texts))) == expected
    assert [sorted(found_in(base, text)) for text in texts] == expected


def found_in(base: PatternBase, text: str) -> list[int]:
    answer = base.match_one(text.encode(), NOBODY)
    return answer[0].tolist() if answer is not None else found(base.match(strings(text)))[0]


def test_there_are_none_where_texts_are_full_of_them():
    generator = random.Random(1)
    text = " ".join(WORDS)
    patterns = [text, *dict.fromkeys(text[at : at + 4] for at in range(len(text) - 3))]
    base = learned(patterns, generator)
    assert len(base.packed.pairs) == 0
    assert found(base.match(strings("the m", text))) == [[1, 2], list(range(len(patterns)))]


@pytest.mark.parametrize("seed", range(3))
def test_every_key_has_one_that_was_chosen(seed):
    generator = random.Random(seed)
    keys = list(dict.fromkeys(address(generator).replace("é", "e") for _ in range(200)))
    heads = pack(patterns_of(keys), int32(range(len(keys)))).packed.heads
    frequency = np.random.default_rng(seed).integers(0, 50, PAIRS)
    wanted = np.zeros(PAIRS, np.uint8)
    assert choose_pairs(heads, heads.view(np.uint8), frequency, int(frequency.sum()), wanted)
    chosen = {int(pair).to_bytes(2, "little") for pair in np.flatnonzero(wanted)}
    for key in map(str.encode, keys):
        first = 4 if len(key) >= 8 else 2  # of a gram of eight bytes the fifth and sixth, of four the third and fourth
        places = range(first, len(key) - (2 if len(key) >= 8 else 0) - 1)
        assert any(key[at : at + 2] in chosen for at in places), key
    total = int(frequency[wanted > 0].sum())
    assert not choose_pairs(heads, heads.view(np.uint8), frequency, total - 1, np.zeros(PAIRS, np.uint8))
