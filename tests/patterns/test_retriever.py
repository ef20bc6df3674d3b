from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.patterns.structures import (
    RETRIEVERS,
    duel,
    filled,
    found,
    int32,
    matching,
    patterns_of,
    regex,
    reopened,
    strings,
)
from watchword.patterns.retriever import MultiRetriever, Retriever

DFA_1 = ("song?blue", "pie*tea", "berry")

# Figure 1, with the figure's numbers as far as the text gives them: "berry" shares state 5 with "blue".
FIGURE_1_BEFORE = """\
5 b ×2
  15 e
    16 r
      17 r
        18 y accept [berry]
  6 l
    7 u
      8 e accept [song?blue]
9 p
  10 i
    11 e half [pie*tea]
1 s
  2 o
    3 n
      4 g half [song?blue]
12 t
  13 e
    14 a accept [pie*tea]"""

# DFA 2: "applepie" adds the states 19 to 23 and ends in state 11; "blueberrypie" adds none. The text calls its
# half-accept states 18 and 4, but state 4 ends "song"; "blue" ends in state 8.
FIGURE_1_AFTER = """\
19 a
  20 p
    21 p
      22 l
        23 e half [applepie]
5 b ×4
  15 e ×2
    16 r ×2
      17 r ×2
        18 y ×2 accept [berry] half [blueberrypie]
  6 l ×2
    7 u ×2
      8 e ×2 accept [song?blue] half [blueberrypie]
9 p ×3
  10 i ×3
    11 e ×3 accept [applepie, blueberrypie] half [pie*tea]
1 s
  2 o
    3 n
      4 g half [song?blue]
12 t
  13 e
    14 a accept [pie*tea]"""


def drawn(automaton: Retriever) -> str:
    return automaton.draw([*DFA_1, "applepie", "blueberrypie"].__getitem__)


@pytest.fixture(params=RETRIEVERS.values(), ids=RETRIEVERS)
def rule(request: pytest.FixtureRequest) -> Callable[..., Retriever]:
    return request.param


@pytest.fixture(params=["beginnings", "records"])
def multi(request: pytest.FixtureRequest) -> Callable[..., Retriever]:
    return partial(MultiRetriever, recombination=request.param)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("alphabet", ["a", "ab", "abé東"])
def test_duel(rule, seed, alphabet):
    duel(rule, seed, alphabet)


@pytest.mark.parametrize("seed", range(3))
def test_duel_with_words_of_one_character(rule, seed):
    duel(rule, seed, "ab", min_word_len=1, min_split_score=0)


def test_figure_1_before_inserting(rule):
    assert drawn(filled(rule(), *DFA_1)) == FIGURE_1_BEFORE


def test_figure_1_after_inserting(multi):
    automaton = filled(multi(), *DFA_1, "applepie", "blueberrypie")
    assert drawn(automaton) == FIGURE_1_AFTER
    stats = automaton.stats()
    assert (stats["automaton_states"], stats["postings"], stats["words_per_subscription"]) == (23, 10, 2.0)
    assert stats["shared_states"] == 11


def test_delete_turns_dfa_2_back_into_dfa_1(multi):
    automaton = filled(multi(), *DFA_1, "applepie")
    automaton.remove(patterns_of(["applepie"]), 3)
    assert drawn(automaton) == FIGURE_1_BEFORE
    automaton.add(patterns_of(["applepie", "blueberrypie"]), int32([3, 4]))
    assert drawn(automaton) == FIGURE_1_AFTER  # the freed states are taken again, in the same order
    automaton.remove(patterns_of(["applepie"]), 3)
    assert "applepie" not in drawn(automaton)
    assert automaton.stats()["automaton_states"] == 18
    automaton.remove(patterns_of(["blueberrypie"]), 4)
    assert drawn(automaton) == FIGURE_1_BEFORE


def test_nodes_are_the_states_and_the_beginnings(multi):
    """Beginnings: a wait and a beginning for each of song, blue, pie, tea and berry; the first wait is shared."""
    stats = filled(multi(), *DFA_1).stats()
    beginnings = 8 if "records" not in str(multi) else 0
    assert (stats["automaton_states"], stats["beginnings"], stats["nodes"]) == (18, beginnings, 18 + beginnings)


def test_the_publication_of_section_3_3_2(rule):
    automaton = filled(rule(), *DFA_1, "applepie", "blueberrypie")
    assert matching(automaton, "welikeapplepieandtea") == [1, 3]


def test_examples_of_section_2_1(rule):
    automaton = filled(rule(), "aaa", "a?b", "b*b", "bb")
    assert matching(automaton, "aabcbaaabc") == [0, 1, 2]


def test_a_subscription_is_deleted_as_it_was_split(multi):
    automaton = filled(multi(), "pie", "apple")
    assert automaton.split("applepie") == ["apple", "pie"]
    automaton.add(patterns_of(["applepie", "applepi"]), int32([2, 3]))
    assert automaton.split("applepie") == ["applepie"]  # "applepi" is a path now, and a cut gains too little
    assert matching(automaton, "applepie") == [0, 1, 2, 3]
    automaton.remove(patterns_of(["applepie"]), 2)
    expected = filled(multi(), "pie", "apple")
    expected.add(patterns_of(["applepi"]), int32([3]))
    assert automaton.draw() == expected.draw()
    assert matching(automaton, "applepie") == [0, 1, 3]


# What the pseudo-code of MATCH gets wrong; each needs one consistent choice of positions.
@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("ab*cd", "abcd", True),  # a star may be empty: >=, not >
        ("ab*?cd", "abcd", False),
        ("ab*?cd", "ab.cd", True),
        ("ab?cd*ef", "cd.ef", False),  # the last pair fits, the first word is missing: not yet a match
        ("ab?cd*ef", "ef ab.cd", False),
        ("ab?cd*ef", "ab cd ef", True),
        ("ab?cd?ef", "ab.cd..cd.ef", False),  # cd must be the same one on both sides
        ("ab?cd?ef", "ab.cd..ab.cd.ef", True),
        ("ab*cd?ef", "cd.ef..ab.cd..cd.ef", True),  # the nearest cd, not the first or the last
        ("ab?cd*ef", "cd.ab..cd.ab.cd..ef", True),
        ("aa?aa", "aaaa", False),  # words of one instance do not overlap
        ("aa?aa", "aaaaa", True),
        ("aba*aba", "ababa", False),
        ("aba*aba", "abaaba", True),
        ("??ab", "xab", False),
        ("??ab", "xyab", True),
        ("??ab", "ab.ab", True),
        ("ab??", "abx", False),
        ("ab??", "abxy", True),
        ("?ab*cd?", "ab ab cd", False),
        ("?ab*cd?", "ab cd xab cd ", True),
        ("a*a*a*a", "aaa", False),
        ("a*a*a*a", "aaaa", True),
        ("a?é*東", "axé東", True),
        ("東?東", "東é東", True),
        ("\\*\\?", "a*?", True),
        ("\\*\\?", "ab", False),
    ],
)
def test_one_consistent_choice_of_positions(rule, pattern, text, expected):
    assert bool(regex(pattern).search(text)) == expected
    assert matching(filled(rule(min_word_len=1, min_split_score=0), "ab", pattern), text).count(1) == expected


PARTS = st.sampled_from(["a", "a", "b", "ab", "aab", "é", "?", "*"])
PATTERN = st.lists(PARTS, min_size=1, max_size=9).map("".join).filter(lambda text: text.strip("?*"))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(st.lists(PATTERN, min_size=1, max_size=8), st.text("abé", max_size=14), st.sampled_from([*RETRIEVERS.values()]))
def test_any_pattern_as_re_has_it(patterns, text, splitting):
    automaton = filled(splitting(min_word_len=1, min_split_score=0), *patterns)
    assert matching(automaton, text) == [n for n, pattern in enumerate(patterns) if regex(pattern).search(text)]


def test_removing_everything_leaves_the_initial_state_and_reuses_its_room(rule):
    automaton, generator = rule(), random.Random(5)
    patterns = [
        "*".join("".join(generator.choices("abc", k=generator.randint(1, 8))) for _ in range(3)) for _ in range(200)
    ]
    sizes = set()
    for _ in range(3):
        automaton.add(patterns_of(patterns), int32(range(200)))
        sizes.add(tuple(len(array) for array in automaton.arrays().values()))
        for payload in generator.sample(range(200), 200):
            automaton.remove(patterns_of([patterns[payload]]), payload)
        assert automaton.draw() == ""
        stats = automaton.stats()
        assert all(stats[name] == 0 for name in ("nodes", "shared_states", "postings", "words_per_subscription"))
    assert len(sizes) == 1


POOL = ("ab", "abc", "bcd", "dead", "cab", "ace", "e")


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_many_subscriptions_of_few_strings(rule, seed):
    """Beginnings are shared, words wait for many others, and one is deleted from among its like."""
    generator = random.Random(seed)
    gaps = ["*", "?", "??", "*?", "", ""]
    patterns = ["".join(generator.choice(POOL) + generator.choice(gaps) for _ in range(4)) for _ in range(300)]
    patterns += [pattern + "cab" for pattern in patterns[:100]] + patterns[:50] + ["?" + p for p in patterns[:50]]
    automaton = filled(rule(min_word_len=1 + seed % 2, min_split_score=seed % 3), *patterns)
    texts = ["".join(generator.choice([*POOL, "x"]) for _ in range(size)) for size in (3, 10, 10, 20, 20, 60)]
    live = dict(enumerate(patterns))
    for share in (0.5, 0.9, 0):
        asked = {payload: regex(pattern) for payload, pattern in live.items()}
        expected = [[payload for payload, asking in asked.items() if asking.search(text)] for text in texts]
        assert found(automaton.match(strings(*texts))) == expected
        assert any(expected)
        for payload in generator.sample(sorted(live), int(share * len(live))):
            automaton.remove(patterns_of([live.pop(payload)]), payload)


@pytest.mark.parametrize("seed", range(4))
def test_many_open_stars(rule, seed):
    """More words are waited for at once than are looked through one by one."""
    generator = random.Random(seed)
    words = ["".join(pair) for pair in product("abcdefgh", repeat=2)]
    patterns = []
    for _ in range(400):
        chosen = generator.choices(words, k=generator.randint(2, 4))
        patterns.append(chosen[0] + "".join(generator.choice(["*", "*", "*?", "?"]) + word for word in chosen[1:]))
    automaton = filled(rule(), *patterns)
    for payload in range(0, 400, 3):
        automaton.remove(patterns_of([patterns[payload]]), payload)
    live = {payload: regex(pattern) for payload, pattern in enumerate(patterns) if payload % 3}
    texts = ["".join(generator.choices("abcdefgh", k=size)) for size in (20, 60, 100, 200)]
    expected = [[payload for payload, asking in live.items() if asking.search(text)] for text in texts]
    assert found(automaton.match(strings(*texts))) == expected
    assert len(expected[-1]) > 20


def test_a_word_of_one_character_right_behind_the_first(multi):
    """Whatever comes then, and also if nothing does."""
    automaton = filled(multi(min_word_len=1, min_split_score=0), "x*ab", "y*c")
    assert automaton.split("abc") == ["ab", "c"]
    automaton.add(patterns_of(["abc"]), int32([2]))
    for behind in ["", *"abcdefghijklmnopqrstuvwxyz"]:
        assert matching(automaton, "abc" + behind) == [2]


def test_a_beginning_with_many_distances(rule):
    """More words are due at once than there is room for at first."""
    patterns = ["ab" + "?" * gap + "cd" for gap in range(400)]
    automaton = filled(rule(), *patterns)
    text = "ab" * 150 + "." * 200 + "cd"
    assert matching(automaton, text) == [n for n, pattern in enumerate(patterns) if regex(pattern).search(text)]
    assert len(matching(automaton, text)) == 100


def test_an_unknown_pattern_is_a_key_error_and_changes_nothing(rule):
    automaton = filled(rule(), *DFA_1, "applepie", "blueberrypie")
    before = drawn(automaton)
    wrong = [("applepi", 3), ("pplepie", 3), ("apple?pie", 3), ("apple*pie", 3), ("?applepie", 3), ("applepie?", 3)]
    wrong += [("applepie", 4), ("applepie", 5), ("applepie", -1), ("pie?tea", 1), ("tea", 1), ("pie*tea*x", 1)]
    for pattern, payload in wrong:
        with pytest.raises(KeyError):
            automaton.remove(patterns_of([pattern]), payload)
    assert drawn(automaton) == before


def test_renumbering_and_reopening(multi):
    automaton = filled(multi(), *DFA_1, "applepie")
    automaton.remove(patterns_of(["berry"]), 2)
    automaton.renumber(int32([0, 1, -1, 2]))
    copy = reopened(automaton, multi)
    copy.remove(patterns_of(["applepie"]), 2)
    assert matching(copy, "applepie tea song blue") == [0, 1]
    assert matching(automaton, "applepie tea song blue") == [0, 1, 2]
    with pytest.raises(KeyError):
        copy.remove(patterns_of(["applepie"]), 2)


def test_more_hits_and_notes_than_there_is_room_for(rule):
    automaton = rule()
    patterns = [f"{chr(1000 + n)}*b" for n in range(1500)] + ["a"] * 1500
    automaton.add(patterns_of(patterns), int32(range(3000)))
    text = "".join(chr(1000 + n) for n in range(1500))
    hits = automaton.match(strings("a", text + "b", text, "b" + text + "a"))
    assert found(hits) == [[*range(1500, 3000)], [*range(1500)], [], [*range(1500, 3000)]]


@pytest.mark.slow
def test_a_long_text_and_many_stars_take_time_in_proportion(rule):
    """The states visited double with the text; the answer comes at all, with no choice tried twice."""
    automaton = filled(rule(), "*".join(["ab"] * 300) + "*c", "?".join("a" * 60) + "c*x", "ab*" * 200 + "ba?x")
    assert matching(automaton, "ab" * 300) == []
    work = []
    recorded = "word_records.words" in automaton.arrays()  # then room goes with the text times the words
    for size in (1_000, 2_000) if recorded else (50_000, 100_000):
        hits = automaton.match(strings("ab" * size, "ab" * size + "c"))
        assert found(hits) == [[], [0]]
        work.append(hits.operations)
    assert 1.99 < work[1] / work[0] < 2.01


def test_long_words_and_wide_gaps(rule):
    automaton = filled(rule(), "a" * 500 + "?" * 700 + "b" * 400, "?" * 3000 + "ab", "ab" + "?" * 3000)
    text = "a" * 501 + "." * 699 + "b" * 400
    assert matching(automaton, text) == [0]
    assert matching(automaton, text[1:]) == []
    assert matching(automaton, "." * 3000 + "ab") == [1]
    assert matching(automaton, "." * 2999 + "ab" + "." * 3000) == [2]


def test_lone_surrogates_are_characters():
    automaton = filled(MultiRetriever(), "\ud800?b")
    assert matching(automaton, "x\ud800éb") == [0]


def test_threads_match_alike(rule):
    generator = random.Random(3)
    patterns = ["*".join("".join(generator.choices("abc", k=3)) for _ in range(2)) for _ in range(50)]
    automaton = filled(rule(), *patterns)
    batches = [strings(*("".join(generator.choices("abc", k=20)) for _ in range(40))) for _ in range(16)]
    alone = [found(automaton.match(batch)) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda batch: found(automaton.match(batch)), batches))
    assert together == alone
