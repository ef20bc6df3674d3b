from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.patterns.structures import duel, filled, found, int32, matching, patterns_of, reopened, strings
from watchword.patterns.nfa import Nfa

# Prefixes are shared, whatever they are made of; what the patterns have in common later is not.
SHARED_PREFIXES = """\
9 b
  10 l
    11 u
      12 e accept [2]
1 s ×3
  2 o ×3
    6 ? ×2 accept [3]
      7 b
        8 e accept [1]
    3 *
      4 b
        5 e accept [0]"""


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("alphabet", ["a", "ab", "abé東"])
def test_duel(seed, alphabet):
    duel(Nfa, seed, alphabet)


def test_prefixes_are_shared():
    automaton = filled(Nfa(), "so*be", "so?be", "blue", "so?")
    assert automaton.draw() == SHARED_PREFIXES
    stats = automaton.stats()
    assert (stats["nodes"], stats["shared_states"], stats["postings"]) == (12, 3, 4)


def test_questions_stand_before_their_star_and_literals_are_escaped():
    assert filled(Nfa(), "a*?b", "a?*b").draw() == "1 a ×2\n  2 ? ×2\n    3 * ×2\n      4 b ×2 accept [0, 1]"
    assert filled(Nfa(), "\\*\\?").draw() == "1 \\*\n  2 \\? accept [0]"
    assert filled(Nfa(), " \n").draw() == "1 ' '\n  2 '\\n' accept [0]"


def test_the_publication_of_section_3_3_2():
    automaton = filled(Nfa(), "song?blue", "pie*tea", "berry", "applepie", "blueberrypie")
    assert matching(automaton, "welikeapplepieandtea") == [1, 3]


def test_deleting_leaves_what_others_share():
    automaton = filled(Nfa(), "so*be", "so?be", "blue", "so?")
    before = automaton.draw()
    automaton.add(patterns_of(["so*bet", "so?"]), int32([4, 5]))
    for pattern, payload in [("so*bet", 4), ("so?", 5)]:
        automaton.remove(patterns_of([pattern]), payload)
    assert automaton.draw() == before
    for pattern, payload in [("so*be", 1), ("so", 0), ("so?", 2), ("so??", 3)]:
        with pytest.raises(KeyError):
            automaton.remove(patterns_of([pattern]), payload)
    assert automaton.draw() == before


def test_removing_everything_leaves_the_initial_state_and_reuses_its_room():
    automaton, generator = Nfa(), random.Random(5)
    patterns = ["*".join("".join(generator.choices("ab?", k=5)) + "a" for _ in range(2)) for _ in range(200)]
    sizes = set()
    for _ in range(3):
        automaton.add(patterns_of(patterns), int32(range(200)))
        sizes.add(tuple(len(array) for array in automaton.arrays().values()))
        for payload in generator.sample(range(200), 200):
            automaton.remove(patterns_of([patterns[payload]]), payload)
        assert automaton.draw() == ""
        stats = automaton.stats()
        assert (stats["nodes"], stats["shared_states"], stats["postings"]) == (0, 0, 0)
    assert len(sizes) == 1


def test_many_active_states_hits_and_loops():
    """More of each than there is room for at first."""
    automaton = Nfa()
    patterns = [f"a{'?' * n}b" for n in range(700)] + [f"{chr(1000 + n)}*b" for n in range(700)]
    automaton.add(patterns_of(patterns), int32(range(1400)))
    text = "".join(chr(1000 + n) for n in range(700))
    hits = automaton.match(strings("a" * 800 + "b", text + "b", "b" + text))
    assert found(hits) == [[*range(700)], [*range(700, 1400)], []]


def test_a_long_text_and_many_stars_take_time_in_proportion():
    automaton = filled(Nfa(), "*".join(["ab"] * 40) + "*c", "?".join("a" * 20) + "c*x")
    work = []
    for size in (20_000, 40_000):
        hits = automaton.match(strings("ab" * size, "ab" * size + "c"))
        assert found(hits) == [[], [0]]
        work.append(hits.operations)
    assert 1.98 < work[1] / work[0] < 2.02


def test_threads_match_alike_and_a_snapshot_too():
    generator = random.Random(3)
    patterns = ["*".join("".join(generator.choices("abc", k=3)) for _ in range(2)) for _ in range(50)]
    automaton = filled(Nfa(), *patterns)
    batches = [strings(*("".join(generator.choices("abc", k=20)) for _ in range(40))) for _ in range(16)]
    alone = [found(automaton.match(batch)) for batch in batches]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda batch: found(automaton.match(batch)), batches))
    assert together == alone
    assert found(reopened(automaton, Nfa).match(batches[0])) == alone[0]
