"""The gap machinery: a table of examples, and a search that tries everything."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.kernels.sequences.gaps import ANY, BEGIN, LEAST, LENGTH, MOST, STOP, fits

gap = st.tuples(st.integers(0, 3), st.one_of(st.just(None), st.integers(0, 3)))
OPEN = (0, None)
NONE = (0, 0)


def does_fit(places: list[list[int]], lengths: list[int], gaps: list[tuple[int, int | None]], limit: int) -> bool:
    """Ask `fits`: where each keyword ends, how long it is, and the least and the most places in each gap."""
    count = len(places)
    stops = np.cumsum([len(ends) for ends in places])
    sequence = np.zeros((5, count + 1), np.int64)
    sequence[BEGIN, 1:], sequence[STOP, :count], sequence[LENGTH, :count] = stops, stops, lengths
    sequence[LEAST] = [least for least, _ in gaps]
    sequence[MOST] = [ANY if most is None else most for _, most in gaps]
    ends = np.zeros((3, stops[-1]), np.int64)
    ends[0] = np.concatenate(places)
    return bool(fits(count, sequence, ends, limit))


def tried(places: list[list[int]], lengths: list[int], gaps: list[tuple[int, int | None]], limit: int) -> bool:
    """Try every choice of an occurrence for each keyword."""
    for choice in product(*places):
        edge, holds = 0, True
        for end, length, (least, most) in zip([*choice, limit], [*lengths, 0], gaps, strict=True):
            space = end - length - edge
            holds = holds and space >= least and (most is None or space <= most)
            edge = end
        if holds:
            return True
    return False


EXAMPLES = [
    # what is asked, where the keywords end, how long they are, their gaps, how long the line is, the answer
    ("a keyword anywhere", [[5]], [2], [OPEN, OPEN], 9, True),
    ("a keyword that is nowhere", [[]], [2], [OPEN, OPEN], 9, False),
    ("the second keyword is nowhere", [[2], []], [2, 2], [OPEN, OPEN, OPEN], 9, False),
    ("a keyword that is the whole line", [[1]], [1], [NONE, NONE], 1, True),
    ("at the start of the line", [[2, 7]], [2], [NONE, OPEN], 9, True),
    ("one place behind the start", [[3, 7]], [2], [NONE, OPEN], 9, False),
    ("at the end of the line, not the first occurrence", [[2, 9]], [2], [OPEN, NONE], 9, True),
    ("one place before the end", [[2, 8]], [2], [OPEN, NONE], 9, False),
    ("no room behind the last keyword", [[9]], [2], [OPEN, (1, None)], 9, False),
    ("exactly the room before the first", [[4]], [1], [(3, None), OPEN], 9, True),
    ("a place too little before the first", [[4]], [1], [(4, None), OPEN], 9, False),
    ("one place between, from the first occurrence", [[2], [5]], [2, 2], [OPEN, (1, 1), OPEN], 9, True),
    ("one place between, from a later occurrence", [[2, 6], [9]], [2, 2], [OPEN, (1, 1), OPEN], 9, True),
    ("keywords in the wrong order", [[5], [3]], [1, 1], [OPEN, OPEN, OPEN], 9, False),
    ("keywords that overlap", [[4], [5]], [2, 2], [OPEN, OPEN, OPEN], 9, False),
    ("keywords that touch", [[4], [6]], [2, 2], [OPEN, OPEN, OPEN], 9, True),
    ("one keyword twice, and it occurs once", [[1], [1]], [1, 1], [OPEN, OPEN, OPEN], 9, False),
    ("one keyword twice, and it occurs twice", [[1, 2], [1, 2]], [1, 1], [OPEN, OPEN, OPEN], 9, True),
    ("one or two places, from a later occurrence", [[2, 5], [8]], [2, 1], [OPEN, (1, 2), OPEN], 9, True),
    ("the middle must come late", [[1], [3, 5], [8]], [1, 1, 1], [OPEN, (0, 3), (0, 2), OPEN], 9, True),
    ("no middle is near to both", [[1], [3, 5], [8]], [1, 1, 1], [OPEN, (0, 2), (0, 2), OPEN], 9, False),
    ("two segments, and room between them", [[1, 6], [2, 7], [5]], [1, 1, 1], [OPEN, NONE, (2, None), OPEN], 9, True),
    ("two segments, a place too near", [[1, 6], [2, 7], [4]], [1, 1, 1], [OPEN, NONE, (2, None), OPEN], 9, False),
]


@pytest.mark.parametrize(
    ("places", "lengths", "gaps", "limit", "answer"), [row[1:] for row in EXAMPLES], ids=[row[0] for row in EXAMPLES]
)
def test_example(places, lengths, gaps, limit, answer) -> None:
    assert does_fit(places, lengths, gaps, limit) == answer
    assert tried(places, lengths, gaps, limit) == answer


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_fits_exactly_where_some_choice_does(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    limit = data.draw(st.integers(1, 14))
    lengths = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    drawn = data.draw(st.lists(gap, min_size=count + 1, max_size=count + 1))
    gaps = [(least, None if more is None else least + more) for least, more in drawn]
    places = [
        sorted(data.draw(st.sets(st.integers(length, max(length, limit)), min_size=1, max_size=6)))
        for length in lengths
    ]
    assert does_fit(places, lengths, gaps, limit) == tried(places, lengths, gaps, limit)
