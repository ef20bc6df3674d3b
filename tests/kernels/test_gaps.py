"""The gap machinery against a search that tries everything."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from watchword.kernels.sequences.gaps import ANY, fits

gap = st.tuples(st.integers(0, 3), st.one_of(st.just(None), st.integers(0, 3)))


def tried(places: list[list[int]], lengths: list[int], gaps: list[tuple[int, int | None]], limit: int) -> bool:
    """Try every choice of an occurrence for each keyword."""
    for choice in product(*places):
        edge, holds = 0, True
        for end, length, (least, more) in zip([*choice, limit], [*lengths, 0], gaps, strict=True):
            space = end - length - edge
            holds = holds and space >= least and (more is None or space <= least + more)
            edge = end
        if holds:
            return True
    return False


@settings(max_examples=600, deadline=None)
@given(data=st.data())
def test_fits_exactly_where_some_choice_does(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 4))
    limit = data.draw(st.integers(1, 14))
    lengths = data.draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    gaps = data.draw(st.lists(gap, min_size=count + 1, max_size=count + 1))
    places = [
        sorted(data.draw(st.sets(st.integers(length, max(length, limit)), min_size=1, max_size=6)))
        for length in lengths
    ]
    stops = np.cumsum([len(ends) for ends in places])
    sequence = np.zeros((5, count + 1), np.int64)
    sequence[0, 1:], sequence[1, :count], sequence[2, :count] = stops, stops, lengths
    sequence[3] = [least for least, _ in gaps]
    sequence[4] = [ANY if more is None else least + more for least, more in gaps]
    ends = np.zeros((3, stops[-1]), np.int64)
    ends[0] = np.concatenate(places)
    assert fits(count, sequence, ends, limit) == tried(places, lengths, gaps, limit)
