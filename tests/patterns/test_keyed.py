from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from tests.patterns.structures import duel, filled, found, int32, matching, patterns_of, regex, strings
from watchword.kernels.patterns.keyed.grams import CROWDED, EMPTY
from watchword.patterns.keyed import Keyed
from watchword.patterns.packing import LEARNED, Base, pack


class Eager(Keyed):
    """Packs nearly everything at once, so that the base is tested more than the delta."""

    delta_rows = 2


class Background(Keyed):
    """Packs in a thread, whatever the size."""

    delta_rows = 8
    background_rows = 0


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("alphabet", ["a", "ab", "abé東"])
@pytest.mark.parametrize("make", [Keyed, Eager, Background])
def test_duel(make, alphabet, seed):
    duel(make, seed, alphabet)


def test_the_publication_of_section_3_3_2():
    for make in (Keyed, Eager):
        index = filled(make(), "song?blue", "pie*tea", "berry", "applepie", "blueberrypie")
        assert matching(index, "welikeapplepieandtea") == [1, 3]


def test_words_within_words():
    index = Eager()
    patterns = ["she", "he", "hers", "e", "she*s", "h?r", "ers?", "?she"]
    index.add(patterns_of(patterns), int32(range(len(patterns))))
    assert matching(index, "ushers") == [0, 1, 2, 3, 4, 5, 7]
    assert matching(index, "shersx") == [0, 1, 2, 3, 4, 5, 6]


def test_all_bytes_and_many_children():
    patterns = [chr(code) + chr(other) for code in range(0x3F, 0x800, 37) for other in range(0x40, 0x2000, 301)]
    index = Eager()
    index.add(patterns_of(patterns), int32(range(len(patterns))))
    text = "".join(patterns[::5])
    expected = [number for number, pattern in enumerate(patterns) if regex(pattern).search(text)]
    assert matching(index, text) == expected


@pytest.mark.parametrize("size", [3, 8, 300])
def test_random_words_against_re(size):
    generator = random.Random(size)
    words = ["".join(generator.choices("abcd", k=generator.randint(1, size))) for _ in range(400)]
    patterns = [generator.choice(["{}", "{}*{}", "{}?{}", "?{}*{}?", "{}??{}*{}"]) for _ in range(3_000)]
    patterns = [shape.replace("{}", "%s") % tuple(generator.choices(words, k=shape.count("{}"))) for shape in patterns]
    index = Eager()
    index.add(patterns_of(patterns), int32(range(3_000)))
    texts = ["".join(generator.choices("abcd", k=length)) + generator.choice(words) for length in (0, 5, 50, 120)]
    asked = [regex(pattern) for pattern in patterns]
    expected = [[number for number, expression in enumerate(asked) if expression.search(text)] for text in texts]
    assert found(index.match(strings(*texts))) == expected


def test_changes_while_packing_are_kept():
    generator = random.Random(7)
    index, expected = Background(), {}
    for payload in range(2_000):
        pattern = "".join(generator.choices("ab?*", k=5)) + "a"
        index.add(patterns_of([pattern]), int32([payload]))
        expected[payload] = pattern
        if generator.random() < 0.4:
            gone = generator.choice(list(expected))
            index.remove(patterns_of([expected.pop(gone)]), gone)
            if generator.random() < 0.3:  # the same payload again, as when a subscription is replaced
                expected[gone] = "b" + pattern
                index.add(patterns_of([expected[gone]]), int32([gone]))
        if payload % 97 == 0:
            time.sleep(0.002)
        if payload % 50 == 0:
            text = "".join(generator.choices("ab", k=12))
            wanted = sorted(number for number, pattern in expected.items() if regex(pattern).search(text))
            assert matching(index, text) == wanted
    assert len(index) == len(expected)


def test_several_threads_match_at_once():
    generator = random.Random(3)
    patterns = ["".join(generator.choices("abc?*", k=6)) + "a" for _ in range(500)]
    index = Eager()
    index.add(patterns_of(patterns), int32(range(500)))
    texts = strings(*("".join(generator.choices("abc", k=40)) for _ in range(200)))
    expected = found(index.match(texts))
    with ThreadPoolExecutor(4) as threads:
        assert all(found(hits) == expected for hits in threads.map(index.match, [texts] * 8))


def test_hits_that_outgrow_the_buffer():
    index = Eager()
    patterns = ["a"] * 3_000 + ["a*a"] * 3_000
    index.add(patterns_of(patterns), int32(range(6_000)))
    assert matching(index, "aa") == list(range(6_000))
    assert [len(ids) for ids in found(index.match(strings("a", "b", "aba", "aa")))] == [3_000, 0, 6_000, 6_000]


def test_more_patterns_under_a_key_than_have_prints():
    index = Eager()
    patterns = ["aaaa*bbbb"] * 33_000 + ["aaaa", "bbbb*aaaa"]
    index.add(patterns_of(patterns), int32(range(33_002)))
    texts = strings("aaaabbbb", "aaaa", "bbbbaaaa", "xaaaax" * 3 + "bbbb")
    assert [len(ids) for ids in found(index.match(texts))] == [33_001, 1, 2, 33_001]


def test_words_do_not_reach_from_one_text_into_the_next():
    index = filled(Eager(), "songblue", "blue", "song", "ue", "e", "songblue?")
    texts = ["xsong", "blue", "", "songblu", "e", "songblue", "s", "ongblues"]
    assert found(index.match(strings(*texts))) == [[2], [1, 3, 4], [], [2], [4], [0, 1, 2, 3, 4], [], [1, 3, 4]]


def test_by_places_only():
    """Every gram is taken for a crowded one, so that each text which may match at all asks for the automaton."""
    for seed in range(6):
        generator = random.Random(seed)
        patterns = [random_pattern(generator) for _ in range(300)]
        base = pack(patterns_of(patterns), int32(range(300)))
        size, table = base.bytes, base.packed.table.copy()
        taken = table[::2] != EMPTY
        table[::2][taken] = table[::2][taken] & np.uint64(0xFFFF) | np.uint64(CROWDED << 16)
        placed = Base(base.packed._replace(table=table))
        texts = ["".join(generator.choices("abcé", k=generator.randint(0, 30))) for _ in range(40)]
        expected = [[row for row, pattern in enumerate(patterns) if regex(pattern).search(text)] for text in texts]
        assert found(placed.match(strings(*texts))) == expected == found(base.match(strings(*texts)))
        assert placed.bytes > size


def random_pattern(generator: random.Random) -> str:
    return "".join(generator.choices("abcé?*", k=generator.randint(0, 9))) + generator.choice("abcé")


@pytest.mark.parametrize("share", ["aaaa", "aaaaaaaa", "a" * 70])
def test_keys_that_share_every_gram(share):
    patterns = [f"{share}{tail}" for tail in ("", "b", "bb", "ba", "bab", "*b", "?b", "b*b")]
    patterns += [share + "a" * more for more in range(1, 40)]
    index = filled(Eager(), *patterns)
    texts = ["a" * size + "b" * (size % 3) + "ab" for size in (3, 4, 7, 8, 9, 15, 69, 70, 71, 120)]
    expected = [[row for row, pattern in enumerate(patterns) if regex(pattern).search(text)] for text in texts]
    assert found(index.match(strings(*texts))) == expected


def test_patterns_that_take_long_to_look_for():
    """Each is nearly there at every place, which is too much to try out one by one."""
    patterns = ["aaaa" + "*aaaa" * stars + "?" * stars + "b" for stars in range(60)] + ["aaaa" + "?aaaa" * 10]
    index = filled(Eager(), *patterns)
    texts = ["a" * 300, "a" * 300 + "b", "aaaa" * 20 + "b" * 3 + "a" * 60]
    expected = [[row for row, pattern in enumerate(patterns) if piece_by_piece(pattern, text)] for text in texts]
    assert found(index.match(strings(*texts))) == expected
    assert [len(rows) for rows in expected] == [1, 61, 17]


def piece_by_piece(pattern: str, text: str) -> bool:
    """Say whether a text holds a pattern; `re` would take forever to say no."""
    at = 0
    for piece in pattern.split("*"):
        instance = regex(piece).search(text, at)
        if instance is None:
            return False
        at = instance.end()
    return True


def test_grams_are_chosen_by_the_texts_seen():
    generator = random.Random(5)
    words = ["".join(generator.choices("abcdefgh", k=generator.randint(4, 14))) for _ in range(300)]
    index = filled(Eager(), *words)
    index.merge()
    before = index.arrays()["table"].copy()
    texts = [" ".join(generator.choices(words, k=30)) for _ in range(40)]
    expected = [[row for row, word in enumerate(words) if word in text] for text in texts]
    size = sum(map(len, texts))
    for _ in range(LEARNED // size + 2):
        assert found(index.match(strings(*texts))) == expected
    after = index.arrays()["table"]
    heads = [sorted((table[::2] >> np.uint64(16)).tolist()) for table in (before, after)]
    assert heads[0] == heads[1] and before.tolist() != after.tolist()


def test_figures():
    index = Eager()
    index.add(patterns_of(["she", "he", "hers", "she*he"]), int32(range(4)))
    stats = index.stats()
    assert (stats["nodes"], stats["postings"]) == (3, 4)
    index.remove(patterns_of(["he"]), 1)
    assert (index.stats()["postings"], index.stats()["tombstones"]) == (3, 1)
    index.merge()
    assert (index.stats()["nodes"], index.stats()["tombstones"]) == (3, 0)
