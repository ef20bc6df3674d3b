from __future__ import annotations

import random

import pytest

from tests.patterns.structures import RETRIEVERS, filled, int32, patterns_of
from watchword.errors import OptionError
from watchword.patterns.retriever import MultiRetriever, Retriever, SingleRetriever
from watchword.patterns.split import Splitting

DFA_1 = ("song?blue", "pie*tea", "berry")


def dfa_1(splitting: str, **options: int) -> Retriever:
    return filled(RETRIEVERS[f"{splitting}-beginnings"](**options), *DFA_1)


def test_scores_on_dfa_1():
    """The two scores that section 3.1.1 gives; "apple" shares nothing, as the DELETE example says."""
    automaton = dfa_1("none")
    assert automaton.score("blueberrypie") == 4
    assert automaton.score("berrypie") == 5
    assert automaton.score("applepie") == automaton.score("apple") == 0
    assert automaton.score("") == 0


def test_a_score_stops_at_the_first_missing_transition():
    """Printed, GETSCORE would go on, and find the "e" of "be" behind the missing "x"."""
    assert dfa_1("none").score("bxe") == 1


@pytest.mark.parametrize(
    ("splitting", "phrase", "words"),
    [
        ("none", "applepie", ["applepie"]),
        ("single", "applepie", ["apple", "pie"]),
        ("multi", "applepie", ["apple", "pie"]),
        ("none", "blueberrypie", ["blueberrypie"]),
        ("single", "blueberrypie", ["blue", "berrypie"]),
        ("multi", "blueberrypie", ["blue", "berry", "pie"]),
    ],
)
def test_published_split_points(splitting, phrase, words):
    assert dfa_1(splitting).split(phrase) == words


def test_a_split_must_gain_more_than_the_least_score():
    """ "applepie" in one piece shares nothing, in two pieces three states."""
    for splitting in ("single", "multi"):
        assert dfa_1(splitting, min_split_score=2).split("applepie") == ["apple", "pie"]
        assert dfa_1(splitting, min_split_score=3).split("applepie") == ["applepie"]


def test_words_have_their_least_length():
    for splitting in ("single", "multi"):
        assert dfa_1(splitting, min_word_len=3).split("applepie") == ["apple", "pie"]
        assert dfa_1(splitting, min_word_len=4).split("applepie") == ["applepie"]
        assert dfa_1(splitting).split("pie") == ["pie"]
        assert dfa_1(splitting).split("") == [""]


def test_single_split_takes_the_maximum_not_the_first_that_gains():
    """Printed, a later and better place would have to gain the least score once more."""
    automaton = filled(SingleRetriever(), "cdef", "defgh")
    assert [automaton.score(word) for word in ("xycdefgh", "cdefgh", "defgh")] == [0, 4, 5]
    assert automaton.split("xycdefgh") == ["xyc", "defgh"]


def test_words_are_cut_between_characters():
    automaton = filled(MultiRetriever(), "東京*都é", "ありがとう")
    assert automaton.split("ありがとう東京") == ["ありがとう東京"]  # two states are not more than the least gain
    automaton = filled(MultiRetriever(min_split_score=1), "東京*都é", "ありがとう")
    assert automaton.split("ありがとう東京都é") == ["ありがとう", "東京", "都é"]


def _best(score, phrase, least, gain):
    """Return score and words of MULTIPLESPLIT by plain recursion over the last cut."""
    whole = (score(phrase), [phrase])
    found = whole
    for cut in range(least, len(phrase) - least + 1):
        total, words = _best(score, phrase[:cut], least, gain)
        total += score(phrase[cut:])
        if total > (found[0] if found is not whole else whole[0] + gain):
            found = (total, [*words, phrase[cut:]])
    return found


@pytest.mark.parametrize("least", [1, 2, 3])
@pytest.mark.parametrize("gain", [0, 1, 2])
def test_splits_are_those_of_the_recurrence(least, gain):
    generator = random.Random(10 * least + gain)
    options = {"min_word_len": least, "min_split_score": gain}
    single, multi = SingleRetriever(**options), MultiRetriever(**options)
    several = 0
    for payload in range(60):
        phrase = "".join(generator.choices("abc", k=generator.randint(1, 9)))
        words = _best(multi.score, phrase, least, gain)[1]
        assert multi.split(phrase) == words
        several += len(words) > 2
        cuts = {c: single.score(phrase[:c]) + single.score(phrase[c:]) for c in range(least, len(phrase) - least + 1)}
        cut = max(cuts, key=cuts.__getitem__, default=0)
        gains = cuts and cuts[cut] > single.score(phrase) + gain
        assert single.split(phrase) == ([phrase[:cut], phrase[cut:]] if gains else [phrase])
        for automaton in (single, multi):
            automaton.add(patterns_of([phrase]), int32([payload]))
    assert several or gain == 2 or least == 3


@pytest.mark.parametrize(
    "options",
    [
        {"rule": "double"},
        {"min_word_len": 0},
        {"min_word_len": 1.5},
        {"min_word_len": True},
        {"min_split_score": -1},
        {"min_split_score": "2"},
        {"min_split_score": 2**31},
    ],
)
def test_bad_options(options):
    with pytest.raises(OptionError):
        Splitting(**options)


def test_a_hostile_phrase_stays_in_one_piece():
    automaton = filled(MultiRetriever(), "abab", "cdcd")
    assert automaton.split("ababcdcd" * 512) == ["abab", "cdcd"] * 512
    assert automaton.split("ababcdcd" * 512 + "a") == ["ababcdcd" * 512 + "a"]
