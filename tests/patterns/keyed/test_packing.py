"""The packed base by itself: texts against `re`, by search and by the automaton; and back to rows."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
import pytest

from tests.patterns.structures import found, int32, patterns_of, regex, strings
from watchword.arrays import reserve
from watchword.kernels.patterns.keyed.grams import CROWDED, EMPTY
from watchword.kernels.tombstones import NOBODY, Dead
from watchword.patterns.keyed.packing import LEARNED, PatternBase, by_automaton, pack

# "song" is rarer than "blue", whose e stands in other words as well; "berry" is known by four of its bytes. Four
# patterns are nothing but their key, and one has no other word than its key to guard it.
DRAWN = """\
song gram song
  song?blue guard blue [0]
tea gram tea
  pie*tea guard pie [1]
berry gram berr [2, 5]
  ?berry guard berry [3]
applepie gram applepie [4]
\\*or\\? gram \\*or\\? [6]"""


def packed(patterns: Iterable[str]) -> PatternBase:
    """Return patterns under the payloads 0, 1, 2…"""
    patterns = list(patterns)
    return pack(patterns_of(patterns), int32(range(len(patterns))))


def matching(base: PatternBase, text: str) -> list[int]:
    return found(base.match(strings(text)))[0]


def dead(*payloads: int) -> Dead:
    slots = reserve(np.zeros(0, np.uint8), max(payloads) // 8 + 1, 0)
    for payload in payloads:
        slots[payload >> 3] |= 1 << (payload & 7)
    return NOBODY._replace(slots=slots)


def rows(base: PatternBase, gone: Dead = NOBODY) -> dict[int, list[list[int]]]:
    """Return the words and gaps of a base by payload, as `patterns_of` would have them."""
    patterns, payloads = base.rows(gone)
    return {payload: one_row(patterns, row) for row, payload in enumerate(payloads.tolist())}


def one_row(patterns, row):
    first, stop = patterns.offsets[row : row + 2].tolist()
    data = patterns.data[patterns.word_offsets[first] : patterns.word_offsets[stop]]
    sizes = np.diff(patterns.word_offsets[first : stop + 1])
    columns = data, sizes, patterns.chars[first:stop], patterns.gaps[first + row : stop + row + 1]
    return [column.tolist() for column in columns]


def test_words_within_words():
    base = packed(["she", "he", "hers", "e", "she*s", "h?r", "ers?", "?she"])
    assert matching(base, "ushers") == [0, 1, 2, 3, 4, 5, 7]
    assert matching(base, "shersx") == [0, 1, 2, 3, 4, 5, 6]


def test_all_bytes_and_many_children():
    patterns = [chr(code) + chr(other) for code in range(0x3F, 0x800, 37) for other in range(0x40, 0x2000, 301)]
    text = "".join(patterns[::5])
    expected = [number for number, pattern in enumerate(patterns) if regex(pattern).search(text)]
    assert matching(packed(patterns), text) == expected


@pytest.mark.slow
@pytest.mark.parametrize("size", [3, 8, 300])
def test_random_words_against_re(size):
    generator = random.Random(size)
    words = ["".join(generator.choices("abcd", k=generator.randint(1, size))) for _ in range(400)]
    patterns = [generator.choice(["{}", "{}*{}", "{}?{}", "?{}*{}?", "{}??{}*{}"]) for _ in range(3_000)]
    patterns = [shape.replace("{}", "%s") % tuple(generator.choices(words, k=shape.count("{}"))) for shape in patterns]
    texts = ["".join(generator.choices("abcd", k=length)) + generator.choice(words) for length in (0, 5, 50, 120)]
    asked = [regex(pattern) for pattern in patterns]
    expected = [[number for number, expression in enumerate(asked) if expression.search(text)] for text in texts]
    assert found(packed(patterns).match(strings(*texts))) == expected


def test_hits_that_outgrow_the_buffer():
    base = packed(["a"] * 3_000 + ["a*a"] * 3_000)
    assert matching(base, "aa") == list(range(6_000))
    assert [len(ids) for ids in found(base.match(strings("a", "b", "aba", "aa")))] == [3_000, 0, 6_000, 6_000]


def test_more_patterns_under_a_key_than_have_fingerprints():
    base = packed(["aaaa*bbbb"] * 33_000 + ["aaaa", "bbbb*aaaa"])
    texts = strings("aaaabbbb", "aaaa", "bbbbaaaa", "xaaaax" * 3 + "bbbb")
    assert [len(ids) for ids in found(base.match(texts))] == [33_001, 1, 2, 33_001]


def test_words_do_not_reach_from_one_text_into_the_next():
    base = packed(["songblue", "blue", "song", "ue", "e", "songblue?"])
    texts = ["xsong", "blue", "", "songblu", "e", "songblue", "s", "ongblues"]
    assert found(base.match(strings(*texts))) == [[2], [1, 3, 4], [], [2], [4], [0, 1, 2, 3, 4], [], [1, 3, 4]]


def test_by_the_automaton_only():
    """Every gram is taken for a crowded one, so that each text which may match at all asks for the automaton."""
    for seed in range(6):
        generator = random.Random(seed)
        patterns = [random_pattern(generator) for _ in range(300)]
        base = packed(patterns)
        size, placed = base.bytes, crowded(base)
        texts = ["".join(generator.choices("abcé", k=generator.randint(0, 30))) for _ in range(40)]
        expected = [[row for row, pattern in enumerate(patterns) if regex(pattern).search(text)] for text in texts]
        assert found(placed.match(strings(*texts))) == expected == found(base.match(strings(*texts)))
        assert placed.bytes > size


def crowded(base: PatternBase) -> PatternBase:
    table = base.packed.table.copy()
    taken = table[::2] != EMPTY
    table[::2][taken] = table[::2][taken] & np.uint64(0xFFFF) | np.uint64(CROWDED << 16)
    return PatternBase(base.packed._replace(table=table))


def random_pattern(generator: random.Random) -> str:
    return "".join(generator.choices("abcé?*", k=generator.randint(0, 9))) + generator.choice("abcé")


@pytest.mark.parametrize("share", ["aaaa", "aaaaaaaa", "a" * 70])
def test_keys_that_share_every_gram(share):
    patterns = [f"{share}{tail}" for tail in ("", "b", "bb", "ba", "bab", "*b", "?b", "b*b")]
    patterns += [share + "a" * more for more in range(1, 40)]
    base = packed(patterns)
    texts = ["a" * size + "b" * (size % 3) + "ab" for size in (3, 4, 7, 8, 9, 15, 69, 70, 71, 120)]
    expected = [[row for row, pattern in enumerate(patterns) if regex(pattern).search(text)] for text in texts]
    assert found(base.match(strings(*texts))) == expected


def test_patterns_that_take_long_to_look_for():
    """Each is nearly there at every position, which is too much to try out one by one."""
    patterns = ["aaaa" + "*aaaa" * stars + "?" * stars + "b" for stars in range(60)] + ["aaaa" + "?aaaa" * 10]
    base = packed(patterns)
    texts = ["a" * 300, "a" * 300 + "b", "aaaa" * 20 + "b" * 3 + "a" * 60]
    expected = [[row for row, pattern in enumerate(patterns) if piece_by_piece(pattern, text)] for text in texts]
    assert found(base.match(strings(*texts))) == expected
    assert [len(rows) for rows in expected] == [1, 61, 17]


def test_the_automaton_takes_over_after_two_undecided_texts_in_a_row(monkeypatch):
    """Two in a row make it take one text more, three in a row three more; after a text in between it is one again."""
    base = crowded(packed(["greenhouse"]))
    stretches = noted_stretches(monkeypatch)
    hard, easy = "greenhouse", "nothing"
    for texts, expected in [
        ([easy, hard, easy, easy, hard, easy], [(1, 2), (4, 5)]),
        ([easy, hard, hard, easy, easy, easy], [(1, 2), (2, 4)]),
        ([easy] + [hard] * 9, [(1, 2), (2, 4), (4, 8), (8, 10)]),
        ([easy, hard, hard, easy, easy, easy, hard, easy, easy], [(1, 2), (2, 4), (6, 7)]),
    ]:
        stretches.clear()
        base.match(strings(*texts))
        assert stretches == expected, texts


def test_words_one_character_apart_that_nearly_stand_everywhere_are_left_to_the_automaton(monkeypatch):
    """The quick search would look at forty words for each byte of the text."""
    base = packed(["aaaa" + "?aaaa" * 40 + "?b"])
    stretches = noted_stretches(monkeypatch)
    assert found(base.match(strings("nothing", "b" + "a" * 3000, "a" * 205 + "b"))) == [[], [], [0]]
    assert stretches == [(1, 2)]


def noted_stretches(monkeypatch) -> list[tuple[int, int]]:
    """Return a list that gets the first text and the end of every stretch which the automaton matches from now on."""
    stretches: list[tuple[int, int]] = []
    match = by_automaton.match

    def noted(data, offsets, automaton, store, dead, first, *found):
        stretches.append((first, len(offsets) - 1))
        return match(data, offsets, automaton, store, dead, first, *found)

    monkeypatch.setattr(by_automaton, "match", noted)
    return stretches


def piece_by_piece(pattern: str, text: str) -> bool:
    """Say whether a text holds a pattern; `re` would take forever to say no."""
    at = 0
    for piece in pattern.split("*"):
        instance = regex(piece).search(text, at)
        if instance is None:
            return False
        at = instance.end()
    return True


@pytest.mark.parametrize("at_a_time", ["many", "one"])
def test_grams_are_chosen_by_the_texts_seen(at_a_time):
    generator = random.Random(5)
    words = ["".join(generator.choices("abcdefgh", k=generator.randint(4, 14))) for _ in range(300)]
    base = packed(words)
    before = base.arrays()["table"].copy()
    texts = [" ".join(generator.choices(words, k=30)) for _ in range(40)]
    expected = [[row for row, word in enumerate(words) if word in text] for text in texts]
    size = sum(map(len, texts))
    for _ in range(LEARNED // size + 2):
        if at_a_time == "many":
            assert found(base.match(strings(*texts))) == expected
        else:
            assert [sorted(base.match_one(text.encode(), NOBODY)[0].tolist()) for text in texts] == expected
    after = base.arrays()["table"]
    heads = [sorted((table[::2] >> np.uint64(16)).tolist()) for table in (before, after)]
    assert heads[0] == heads[1] and before.tolist() != after.tolist()


@pytest.mark.parametrize("seed", range(4))
def test_a_base_gives_back_what_was_packed(seed):
    generator = random.Random(seed)
    patterns = [random_pattern(generator) for _ in range(200)]
    base = packed(patterns)
    expected = {row: one_row(patterns_of([pattern]), 0) for row, pattern in enumerate(patterns)}
    assert rows(base) == expected
    gone = generator.sample(range(200), 60)
    assert rows(base, dead(*gone)) == {row: expected[row] for row in expected if row not in gone}
    assert rows(pack(*base.rows(NOBODY))) == expected


@pytest.mark.parametrize("seed", range(4))
def test_the_dead_are_not_found(seed):
    generator = random.Random(seed)
    base = packed(random_pattern(generator) for _ in range(200))
    gone = generator.sample(range(200), 60)
    texts = strings(*("".join(generator.choices("abcé", k=30)) for _ in range(40)))
    expected = [[row for row in rows if row not in gone] for rows in found(base.match(texts))]
    assert found(base.match(texts, dead(*gone))) == expected
    assert any(expected)


def test_a_pattern_is_there_under_its_payload_only():
    patterns = ["song?blue", "pie*tea", "berry", "?berry", "berry?", "pie*pie"]
    base = packed(patterns)
    for row, pattern in enumerate(patterns):
        assert [base.has(patterns_of([pattern]), payload) for payload in range(-1, 8)].index(True) == row + 1
        assert sum(base.has(patterns_of([other]), row) for other in [*patterns, "song*blue", "pie", "tea*pie"]) == 1


def test_renumbering_and_saving():
    base = pack(patterns_of(["song?blue", "pie*tea", "berry", "tea"]), int32([0, 1, 2, 9]))
    base.renumber(int32([5, 0, 1]))  # the last one stays
    for same in (base, PatternBase.from_arrays({name: array.copy() for name, array in base.arrays().items()})):
        assert matching(same, "song blue, berry, pie, tea") == [0, 1, 5, 9]
        assert [same.has(patterns_of(["pie*tea"]), payload) for payload in (0, 1, 2)] == [True, False, False]
        assert same.has(patterns_of(["tea"]), 9) and not same.has(patterns_of(["tea"]), 3)
        assert (len(same), same.words) == (4, 5)


def test_nothing_packed_matches_nothing():
    base = packed([])
    assert (len(base), base.words, base.draw(), rows(base)) == (0, 0, "", {})
    assert not base.has(patterns_of(["a"]), 0)
    assert found(base.match(strings("a", ""))) == [[], []]
    assert found(packed(["a"]).match(strings())) == []


def test_drawing():
    names = ["song?blue", "pie*tea", "berry", "?berry", "applepie", "berry", "\\*or\\?"]
    base = packed(names)
    assert base.draw() == DRAWN
    assert "berry gram berr [two, five]" in base.draw(["", "", "two", "", "", "five", ""].__getitem__).splitlines()


@pytest.mark.slow
def test_drawing_of_many():
    crowded = packed(["z" * size for size in range(8, 60)]).draw().splitlines()
    assert (
        len(crowded) == 52 and crowded[0] == "zzzzzzzz gram zzzzzzzz [0]" and crowded[-1].endswith("gram crowded [51]")
    )
    many = packed(["aaaa*bbbb"] * 33_000).draw().splitlines()
    assert len(many) == 33_001 and many[1].strip() == "aaaa*bbbb [0]"
