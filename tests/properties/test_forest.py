"""TreeMatch and RAPIDMatch: the trees, and what the paper says of them."""

from __future__ import annotations

from functools import partial
from itertools import product

import numpy as np
import pytest

from tests.properties.structures import duel, literals
from tests.sets.structures import found, int32, rows_of
from watchword.properties import rapid
from watchword.properties.bits import Bits
from watchword.properties.rapid import Rapid, block_borders, search_trees
from watchword.properties.tree import Tree
from watchword.sets.count import Count


@pytest.mark.parametrize("width", [1, 2, 3, 7, 70])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_against_plain_python(width: int, seed: int) -> None:
    duel(partial(Tree, width), seed, width)


@pytest.mark.parametrize(("width", "c"), [(1, 0), (1, 3), (3, 2), (7, 2), (7, 10), (70, 0), (70, 10)])
def test_rapid_against_plain_python(width: int, c: int) -> None:
    duel(partial(Rapid, width, c), c, width)


def test_blocks_share_out_the_remainder() -> None:
    """k / (t + 1) is not whole in general; with more blocks than properties the last are empty."""
    for width, blocks in product(range(1, 40), range(1, 14)):
        borders = block_borders(width, blocks)
        lengths = np.diff(borders)
        assert (borders[0], borders[-1], len(lengths)) == (0, width, blocks)
        assert lengths.max() - lengths.min() <= 1


def test_figure_1_either_block_without_ones_has_all_matches() -> None:
    """An exactly-5-light event with ones in blocks 1, 2, 4, 6 only: blocks 3 and 5 both will do."""
    event = "100000 010000 000000 110000 000000 000001".replace(" ", "")
    width, ones = len(event), event.count("1")
    assert ones == 5
    texts = [
        "*" * width,
        "1" + "*" * (width - 1),
        "*" * 12 + "000000" + "*" * 18,
        "*" * 35 + "1",
        "*" * 24 + "0" * 11 + "1",
    ]
    serving = [t for t in search_trees(width, 10) if t.least == ones and _is_free(event, t)]
    assert [((t.start + t.depth) % width) // 6 for t in serving] == [2, 4]
    held = [[text for text in texts if _holds_row(text, t)] for t in serving]
    assert held == [texts, texts]


def _is_free(event: str, chosen: rapid.SearchTree) -> bool:
    width = len(event)
    return all(event[(chosen.start + rank) % width] == "0" for rank in range(chosen.depth, width))


def _holds_row(text: str, chosen: rapid.SearchTree) -> bool:
    width = len(text)
    block = [text[(chosen.start + rank) % width] for rank in range(chosen.depth, width)]
    return text.count("1") <= chosen.most and width - text.count("0") >= chosen.least and "1" not in block


def test_a_row_is_in_every_block_set_that_it_fits() -> None:
    """One that wants nothing but a 0 in the first property of six, c = 1: S_0, both blocks of S_1, and S_2."""
    structure = Rapid(6, 1)
    structure.add(rows_of([literals("0*****")]), int32([5]))
    assert structure.stats()["postings"] == 4
    for at in range(1, 6):
        event = np.zeros((1, 6), np.uint8)
        event[0, at] = 1
        assert found(structure.match(Bits.of(event))) == [[5]]


def test_events_beyond_c_use_a_tree_of_those_that_may_have_so_many_ones() -> None:
    """S_(c+1) is not all rows: only those with more than c ones or stars."""
    structure = Rapid(4, 1)
    structure.add(rows_of([literals(text) for text in ("000*", "00**", "1***")]), int32([1, 2, 3]))
    assert structure.draw(tree=3) == "0=0 [2]\n0=1 [3]"
    assert found(structure.match(Bits.of(np.array([[0, 0, 1, 1], [1, 1, 0, 0]], np.uint8)))) == [[2], [3]]


def test_section_3_counting_updates_what_the_tree_never_visits() -> None:
    """N rows with only their last property asked, and an event of zeros.

    The paper counts kN updates; stars always hold and the last property never does, so they are (k-1)N. Our counting
    has no predicate for a star, and updates nothing; the tree visits one leaf.
    """
    width, rows = 10, [literals("*" * 9 + "1")] * 50
    event = Bits.of(np.zeros((1, width), np.uint8))
    one_leaf, counting = Tree(width), Count()
    one_leaf.add(rows_of(rows), int32(range(50)))
    counting.add(rows_of(rows), int32(range(50)))
    assert one_leaf.match(event).operations == 1
    assert counting.match(event.literals()).operations == 0


def test_trees_are_a_list_for_events_without_ones() -> None:
    structure = Rapid(5, 2)
    structure.add(rows_of([literals(text) for text in ("0****", "*0*0*", "1****")]), int32([1, 2, 3]))
    hits = structure.match(Bits.of(np.zeros((1, 5), np.uint8)))
    assert found(hits) == [[1, 2]] and hits.operations == 1
