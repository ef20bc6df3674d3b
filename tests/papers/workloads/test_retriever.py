"""Table 4: what is drawn has the counts, the overlaps and the matches that were asked for."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.errors import OptionError
from watchword.papers.workloads.retriever import ENGLISH, Parameters, Workload, generate


def patterns(workload: Workload) -> list[str]:
    return workload.subscriptions["subscription"].to_pylist()


def strings(pattern: str, length: int = 4) -> list[str]:
    letters = re.sub(r"[*?]", "", pattern)
    return [letters[i : i + length] for i in range(0, len(letters), length)]


def expression(pattern: str) -> str:
    return "".join({"?": ".", "*": ".*"}.get(letter, letter) for letter in pattern)


PARAMETERS = st.builds(
    lambda strings, stars, questions, **more: Parameters(
        num_sub_str=strings,
        num_star=stars if strings > 1 else 0,
        num_question=questions if strings > 1 else 0,
        **more,
    ),
    st.integers(1, 5),
    st.integers(0, 4),
    st.integers(0, 4),
    num_subscription=st.integers(4, 60),
    num_publication=st.integers(0, 8),
    num_match=st.integers(1, 4),
    num_overlap_str=st.integers(0, 1),
    sub_str_len=st.integers(1, 5),
    overlap_pos=st.sampled_from(["general", "prefix", "suffix"]),
    placement=st.sampled_from(["independent", "apart", "anywhere"]),
    letters=st.sampled_from([None, ENGLISH, (1.0, 1.0), (0.0, 3.0, 0.0)]),
    seed=st.integers(0, 5),
)


@settings(max_examples=80, deadline=None)
@given(PARAMETERS)
def test_parameters_hold(parameters: Parameters) -> None:
    workload = generate(parameters)
    drawn = patterns(workload)
    assert workload.subscriptions["id"].to_pylist() == list(range(parameters.num_subscription))
    assert len(workload.publications) == parameters.num_publication
    for pattern in drawn:
        assert pattern.count("*") == parameters.num_star and pattern.count("?") == parameters.num_question
        assert len(pattern) == parameters.length
        phrases = re.split(r"[*?]+", pattern)
        assert all(phrases)
        assert len("".join(phrases)) == parameters.num_sub_str * parameters.sub_str_len
        if parameters.placement != "anywhere":
            assert all(len(phrase) % parameters.sub_str_len == 0 for phrase in phrases)
        if parameters.placement == "apart":
            inner = parameters.num_sub_str - 1
            assert len(phrases) - 1 == min(parameters.num_operators, inner)
            together = [len(run) for run in re.findall(r"[*?]+", pattern)]
            assert max(together, default=0) == -(-parameters.num_operators // max(inner, 1))


@settings(max_examples=80, deadline=None)
@given(PARAMETERS)
def test_a_publication_matches_different_subscriptions_that_are_named(parameters: Parameters) -> None:
    workload = generate(parameters)
    drawn = patterns(workload)
    assert workload.matches.shape == (parameters.num_publication, parameters.num_match)
    for text, matches in zip(workload.publications.to_pylist(), workload.matches.tolist(), strict=True):
        assert len(set(matches)) == parameters.num_match
        assert all(re.search(expression(drawn[row]), text) for row in matches)
        least = parameters.length - parameters.num_star
        most = least + parameters.num_star * 2 * parameters.sub_str_len
        between = (parameters.num_match - 1) * parameters.sub_str_len
        assert least * parameters.num_match + 2 * between <= len(text) <= most * parameters.num_match + 3 * between
        assert text.isalpha() and text.islower()


def test_instances_stand_in_the_order_drawn_with_two_or_three_strings_between() -> None:
    workload = generate(Parameters(100, num_publication=200, seed=6))
    drawn, gaps = patterns(workload), set()
    for text, matches in zip(workload.publications.to_pylist(), workload.matches.tolist(), strict=True):
        one, two, three = (expression(drawn[row]) for row in matches)
        found = re.fullmatch(f"{one}(.{{8}}|.{{12}}){two}(.{{8}}|.{{12}}){three}", text)
        assert found
        gaps.update(map(len, found.groups()))
    assert gaps == {8, 12}


def test_the_controlled_publications_have_about_72_letters_and_few_chance_matches() -> None:
    workload = generate(Parameters(num_subscription=2000, num_publication=2000, seed=3))
    lengths = pc.utf8_length(workload.publications).to_numpy()
    assert abs(lengths.mean() - 71) < 1 and lengths.min() >= 55 and lengths.max() <= 87
    compiled = [re.compile(expression(pattern)) for pattern in patterns(workload)]
    texts = workload.publications.to_pylist()[:100]
    assert 300 <= sum(bool(each.search(text)) for text in texts for each in compiled) <= 305


@pytest.mark.parametrize(("position", "columns"), [("prefix", [0, 1]), ("suffix", [3, 4])])
def test_overlaps_at_an_end_come_from_the_pool(position: str, columns: list[int]) -> None:
    parameters = Parameters(5000, num_sub_str=5, num_overlap_str=2, overlap_pos=position, seed=4)  # type: ignore[arg-type]
    split = [strings(pattern) for pattern in patterns(generate(parameters))]
    for column in range(5):
        distinct = len({row[column] for row in split})
        assert distinct == 100 if column in columns else distinct > 4900
    assert len({row[column] for row in split for column in columns}) == 100 == parameters.pool_size


def test_general_overlaps_are_so_many_in_each_subscription_at_any_place() -> None:
    parameters = Parameters(5000, num_sub_str=6, num_overlap_str=3, seed=4)
    split = [strings(pattern) for pattern in patterns(generate(parameters))]
    seen = Counter(string for row in split for string in row)
    pool = {string for string, count in seen.items() if count > 50}
    assert len(pool) == 100
    counts = Counter(sum(string in pool for string in row) for row in split)
    # A string that is no overlap is in the pool by chance once in 4,569 times.
    assert counts[3] > 4950 and set(counts) <= {3, 4, 5}
    shares = np.array([sum(row[column] in pool for row in split) / 5000 for column in range(6)])
    np.testing.assert_allclose(shares, 0.5, atol=0.03)


@pytest.mark.parametrize("overlaps", [0, 3])
def test_none_or_all_of_the_strings_may_be_overlaps(overlaps: int) -> None:
    drawn = generate(Parameters(2000, num_overlap=10, num_overlap_str=overlaps, seed=1))
    distinct = {string for pattern in patterns(drawn) for string in strings(pattern)}
    assert len(distinct) == 10 if overlaps else len(distinct) > 5900


def test_operators_apart_stand_at_every_place_equally_often() -> None:
    drawn = patterns(generate(Parameters(9000, num_sub_str=4, placement="apart", seed=2)))
    pairs = Counter((pattern.index("*") // 4, pattern.index("?") // 4) for pattern in drawn)
    assert set(pairs) == {(a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b}
    assert all(abs(count - 1500) < 200 for count in pairs.values())
    crowded = patterns(generate(Parameters(9000, num_star=1, num_question=2, placement="apart", seed=2)))
    alone = sum(bool(re.search(r"\w\*\w", pattern)) for pattern in crowded) / 9000
    assert abs(alone - 1 / 3) < 0.03


def test_independent_operators_may_stand_together() -> None:
    drawn = patterns(generate(Parameters(9000, num_sub_str=4, seed=2)))
    pairs = Counter(tuple(len(part) for part in re.split(r"[*?]", pattern)) for pattern in drawn)
    assert set(pairs) == {(4, 0, 12), (8, 0, 8), (12, 0, 4), (4, 4, 8), (4, 8, 4), (8, 4, 4)}
    # Three places, drawn twice: together at one of them once in nine times each, otherwise in either order.
    for parts, count in pairs.items():
        assert abs(count - (1000 if 0 in parts else 2000)) < 150
    stars_first = sum("*?" in pattern for pattern in drawn) / sum("*?" in p or "?*" in p for p in drawn)
    assert stars_first == 1  # the same either way: a star and a character


def test_operators_anywhere_stand_between_any_two_letters() -> None:
    drawn = patterns(generate(Parameters(11_000, num_question=0, placement="anywhere", seed=2)))
    places = Counter(pattern.index("*") for pattern in drawn)
    assert set(places) == set(range(1, 12)) and all(abs(count - 1000) < 150 for count in places.values())
    single = Parameters(10, num_sub_str=1, num_overlap_str=0, num_star=2, placement="anywhere")
    assert all(re.fullmatch(r"\w[\w*?]+\w", pattern) for pattern in patterns(generate(single)))


def test_letters_follow_their_proportions() -> None:
    parameters = Parameters(4000, num_publication=4000, num_overlap_str=0, seed=5)
    for letters in (None, ENGLISH, (3.0, 0.0, 1.0)):
        workload = generate(replace(parameters, letters=letters))
        wanted = np.array(letters or [1.0] * 26)
        for texts in (patterns(workload), workload.publications.to_pylist()):
            seen = Counter("".join(texts))
            counts = np.array([seen[chr(ord("a") + i)] for i in range(26)])
            np.testing.assert_allclose(
                counts / counts.sum(), np.pad(wanted / wanted.sum(), (0, 26 - len(wanted))), atol=0.006
            )


def test_the_seed_decides() -> None:
    parameters = Parameters(500, num_publication=50, seed=8)
    one, same, other = generate(parameters), generate(parameters), generate(replace(parameters, seed=9))
    assert one.subscriptions.equals(same.subscriptions) and one.publications.equals(same.publications)
    assert (one.matches == same.matches).all()
    assert not one.subscriptions.equals(other.subscriptions) and not one.publications.equals(other.publications)
    more = generate(replace(parameters, num_publication=60))
    assert more.subscriptions.equals(one.subscriptions)


def test_what_is_drawn_is_valid_arrow_for_the_bulk_path() -> None:
    workload = generate(Parameters(100, num_publication=10))
    assert workload.subscriptions.schema == pa.schema({"id": pa.int64(), "subscription": pa.large_string()})
    assert workload.publications.type == pa.large_string()
    workload.subscriptions.validate(full=True)
    workload.publications.validate(full=True)


def test_every_subscription_may_be_drawn_for_one_publication() -> None:
    workload = generate(Parameters(40, num_publication=3, num_match=40))
    assert [sorted(row) for row in workload.matches.tolist()] == [list(range(40))] * 3


@pytest.mark.parametrize(
    "refused",
    [
        {"num_subscription": 0},
        {"num_publication": -1},
        {"num_overlap": 0},
        {"num_sub_str": 0, "num_overlap_str": 0},
        {"sub_str_len": 0},
        {"num_overlap_str": 4},
        {"num_overlap_str": -1},
        {"num_match": 0},
        {"num_subscription": 5, "num_match": 6},
        {"num_star": -1},
        {"num_sub_str": 1},
        {"num_sub_str": 1, "sub_str_len": 1, "placement": "anywhere"},
        {"placement": "between"},
        {"overlap_pos": "middle"},
        {"letters": ()},
        {"letters": (0.0, 0.0)},
        {"letters": (1.0, -1.0, 2.0)},
        {"letters": (1.0, float("nan"))},
        {"letters": (1.0,) * 27},
    ],
)
def test_what_cannot_be_drawn_is_refused(refused: dict[str, object]) -> None:
    with pytest.raises(OptionError):
        Parameters(**refused)  # type: ignore[arg-type]
