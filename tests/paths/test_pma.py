"""The automata of Silvasti, Sippu and Soisalon-Soininen, `pma` and `pma2`: against plain Python, by their bounds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import judge
from tests.paths.judge import END
from tests.paths.structures import EVERY, duel, followed, holding, judged, limits_of, paths_of, steps_of
from watchword.arrays import Int32, offsets_of
from watchword.kernels.sequences.gaps import ANY
from watchword.paths.pma.gaps import GapRows
from watchword.paths.pma.output import output_tables
from watchword.paths.pma.pma import OutputPass, Pma
from watchword.paths.pma.pma2 import BlockPass, Pma2
from watchword.paths.pma.tabled import TabledPaths
from watchword.paths.rows import Walk

NAMES = {"*": 0, "a": 1, "b": 2, "c": 3, "d": 4, "x": 5, "b[@x]": -1}
METHODS = [Pma, Pma2]

both = pytest.mark.parametrize("method", METHODS)


def walk_of(document: str) -> list[int]:
    """Return the moves of a document such as ``a(b c(b))``; `x` is a name that no path has."""
    moves = []
    for character in document:
        if character in "abcdx":
            moves += [NAMES[character] if character != "x" else 0, END]
        elif character == "(":
            moves.pop()
        elif character == ")":
            moves.append(END)
        elif character == "!":
            moves.insert(len(moves) - 1, -1)
    return moves


def found(method: type[TabledPaths], path: str, document: str, limit: int = EVERY) -> list[int]:
    """Return the elements in which a path is found."""
    made = holding(method(), {0: steps_of(path, NAMES)})
    return [element for _, _, element in followed(made.start(limits_of(limit), elements=True), walk_of(document))]


@both
def test_the_bytes_of_an_index_are_those_of_all_its_arrays(method: type[TabledPaths]) -> None:
    made = holding(method(), {number: steps_of("//a/b//c", NAMES)[: 1 + number % 3] for number in range(30)})
    tables = made.tables()._asdict()
    automaton = tables.pop("automaton")
    held = [*automaton, *tables.values()]
    assert len(tables) == 14
    assert made.stats()["bytes"] == made._store.bytes + sum(array.nbytes for array in held)


@both
@pytest.mark.parametrize(
    ("path", "document", "elements"),
    [
        ("/a", "a(a)", [1]),
        ("//a", "a(a)", [1, 2]),
        ("/a/b", "a(b c(b) b)", [2, 5]),
        ("//a//b", "a(x(b))", [3]),  # the version check of section 5, read literally, would lose this
        ("//a//b", "a(x(a) b)", [4]),  # what Lemma 3 deletes is put back
        ("//a//b", "a(a(b))", [3]),  # two ways, one occurrence
        ("//a/*/b//c", "a(x(b(x(b(c)))))", [6]),
        ("//a/*", "a(x a(c))", [2, 3, 4]),
        ("/*/*", "a(b(c) d)", [2, 4]),
        ("//*", "a(b x)", [1, 2, 3]),
        ("//*//*", "a(b x)", [2, 3]),
        ("/a//*/b", "a(b(b) x(b))", [3, 5]),
        ("//a/b/*/c//*/d/*/*", "x(a(b(x(c(x(d(x(x(x)))))))))", [9]),
        ("//b[@x]/c", "b(c b!(c(c)))", [4]),
        ("//a//b[@x]//c", "b!(a(b(c) b!(x(c))))", [7]),
        ("/b[@x]", "b!(b!)", [1]),
    ],
)
def test_an_occurrence_is_found_where_it_ends(
    method: type[TabledPaths], path: str, document: str, elements: list[int]
) -> None:
    assert found(method, path, document) == elements
    assert found(method, path, document, 1) == elements[:1]


@pytest.mark.slow
@both
@given(st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_random_paths_and_documents(method: type[TabledPaths], draw: random.Random) -> None:
    duel(method(), draw)


@both
def test_many_documents_in_pieces(method: type[TabledPaths]) -> None:
    for seed in range(30):
        duel(method(), random.Random(seed))


@both
def test_paths_come_and_go(method: type[TabledPaths]) -> None:
    draw = random.Random(11)
    made, rows = method(), dict[int, list[int]]()
    for turn in range(60):
        payload = draw.choice([payload for payload in range(40) if payload not in rows])
        rows[payload] = judge.random_path(draw, 3)
        made.add(paths_of([rows[payload]]), np.array([payload], np.int32))
        while len(rows) > 8 or (rows and draw.random() < 0.3):
            gone = draw.choice(list(rows))
            made.remove(paths_of([rows.pop(gone)]), gone)
        moves = judge.random_document(draw, 3, elements=30)
        assert followed(made.start(limits_of(EVERY), elements=True), moves) == judged(rows, moves), turn
    other = method()
    other.restore(made.arrays())
    moves = judge.random_document(draw, 3, elements=100)
    assert followed(other.start(limits_of(EVERY), elements=True), moves) == judged(rows, moves)


@both
def test_a_run_keeps_the_paths_with_which_it_began(method: type[TabledPaths]) -> None:
    made, moves = holding(method(), {3: steps_of("//a", NAMES)}), walk_of("a(a)")
    run = made.start(limits_of(EVERY), elements=True)
    assert followed(run, moves) == [(3, 0, 1), (3, 0, 2)]
    made.remove(paths_of([steps_of("//a", NAMES)]), 3)
    assert followed(run, moves) == [(3, 0, 1), (3, 0, 2)]
    assert followed(made.start(limits_of(EVERY), elements=True), moves) == []


@both
def test_what_is_not_there_cannot_be_removed(method: type[TabledPaths]) -> None:
    path, other = (paths_of([steps_of(text, NAMES)]) for text in ("/a/b", "/a//b"))
    made = method()
    made.add(path, np.array([7], np.int32))
    for wrong, payload in ((path, 6), (other, 7), (path, -1)):
        with pytest.raises(KeyError):
            made.remove(wrong, payload)
    made.remove(path, 7)
    with pytest.raises(KeyError):
        made.remove(path, 7)
    assert made.stats()["keywords"] == 0


@both
def test_payloads_are_renumbered(method: type[TabledPaths]) -> None:
    made = holding(method(), {0: steps_of("/a", NAMES), 1: steps_of("//b", NAMES), 9: steps_of("//c", NAMES)})
    made.stats()
    made.renumber(np.array([5, 0], np.int32))
    occurrences = followed(made.start(limits_of(EVERY), elements=True), walk_of("a(b c)"))
    assert occurrences == [(0, 0, 2), (5, 0, 1), (9, 0, 3)]


@both
def test_match_finds_each_path_once_in_a_document(method: type[TabledPaths]) -> None:
    made = holding(method(), {4: steps_of("//a", NAMES), 6: steps_of("/a/b", NAMES)})
    moves = np.array(walk_of("a(a)") + walk_of("b") + walk_of("a(b b(a))"), np.int32)
    hits = made.match(Walk(moves, 3))
    assert hits.offsets.tolist() == [0, 1, 1, 3]
    assert sorted(hits.payloads.tolist()) == [4, 4, 6]
    assert method().match(Walk(moves, 3)).offsets.tolist() == [0, 0, 0, 0]
    assert made.match(Walk(moves[:0], 0)).offsets.tolist() == [0]


@both
def test_figures_count_states_and_keywords(method: type[TabledPaths]) -> None:
    made = holding(method(), {0: steps_of("//a/b//c", NAMES), 1: steps_of("/a/b/*", NAMES)})
    stats = made.stats()
    assert (stats["states"], stats["keywords"]) == (stats["nodes"], stats["postings"]) == (4, 4)
    assert made.bytes == stats["bytes"] > 0
    assert method.operation.startswith("output tuples touched")


@both
def test_threads_may_begin_at_once(method: type[TabledPaths]) -> None:
    draw = random.Random(5)
    rows = {payload: judge.random_path(draw, 3) for payload in range(20)}
    made, moves = holding(method(), rows), judge.random_document(draw, 3, elements=60)
    with ThreadPoolExecutor(4) as pool:
        runs = [pool.submit(lambda: followed(made.start(limits_of(EVERY), elements=True), moves)) for _ in range(8)]
    expected = judged(rows, moves)
    assert all(run.result() == expected for run in runs)


@both
def test_a_deep_document_needs_what_its_depth_needs(method: type[TabledPaths]) -> None:
    depth = 3000
    made = holding(
        method(), {0: steps_of("//a//b", NAMES), 1: steps_of("/a/a/*/a", NAMES), 2: steps_of("//a/*/a", NAMES)}
    )
    run = made.start(limits_of(EVERY), elements=True)
    assert isinstance(run, BlockPass | OutputPass)
    for document in range(2):
        occurrences = followed(run, [1] * depth + [2] + [END] * (depth + 1))
        expected = [(0, 0, depth + 1), (1, 0, 4), *((2, 0, element) for element in range(3, depth + 1))]
        assert occurrences == expected, document
    assert run.waiting <= 2 * depth


@both
def test_tuples_are_used_again(method: type[TabledPaths]) -> None:
    made = holding(method(), {payload: steps_of("//a/*/b//c/*", NAMES) for payload in range(50)})
    run = made.start(limits_of(EVERY), elements=True)
    assert isinstance(run, BlockPass | OutputPass)
    moves = walk_of("a(x(b(x(c(x)))))")
    run.feed(np.array(moves, np.int32))
    waiting = run.waiting
    for _ in range(200):
        run.feed(np.array(moves, np.int32))
    assert run.waiting == waiting


Row = list[tuple[list[int], int, int]]
"""Keywords with the least and the most elements before each."""


def gap_rows_of(rows: Sequence[Row]) -> GapRows:
    keywords = [keyword for row in rows for keyword in row]
    return GapRows(
        offsets_of([len(row) for row in rows]),
        offsets_of([len(word) for word, _, _ in keywords]),
        np.array([label for word, _, _ in keywords for label in word], np.int32),
        np.array([least for _, least, _ in keywords], np.int32),
        np.array([most for _, _, most in keywords], np.int32),
    )


def prefixes_at(row: Row, chain: Sequence[set[int]]) -> list[bool]:
    """Say of each keyword of a row whether it, and all before it, can be put on a chain so that it ends at its end."""
    reached, said = {0}, []
    for word, least, most in row:
        fitting = set()
        for end in range(len(chain) + 1):
            begin = end - len(word)
            gaps = [begin - before for before in reached]
            near = any(gap >= least and (most == ANY or gap <= most) for gap in gaps)
            if near and all(label in chain[begin + k] for k, label in enumerate(word)):
                fitting.add(end)
        reached = fitting
        said.append(len(chain) in reached)
    return said


def run_of(method: type[TabledPaths], rows: Sequence[Row], limits: Int32) -> Any:
    tables = output_tables(gap_rows_of(rows), np.arange(len(rows), dtype=np.int32))
    return method().start_on(tables, limits, elements=True)


def random_row(draw: random.Random, labels: int, bounds: Sequence[tuple[int, int]]) -> Row:
    row: Row = []
    for _ in range(draw.randint(1, 4)):
        least, most = draw.choice(bounds)
        word = [draw.randint(1, labels) for _ in range(draw.randint(1, 3))]
        row.append(([-draw.randint(1, 2)] if draw.random() < 0.1 else word, least, most))
    if draw.random() < 0.3:
        row.append(([], *draw.choice([(least, most) for least, most in bounds if least > 0])))
    return row


@pytest.mark.slow
@both
def test_gaps_of_any_bounds(method: type[TabledPaths]) -> None:
    bounds = [(0, 0), (1, 1), (0, ANY), (2, ANY), (0, 2), (1, 4), (2, 3)]
    for seed in range(80):
        draw = random.Random(seed)
        labels = draw.choice([1, 2, 3])
        rows = [random_row(draw, labels, bounds) for _ in range(draw.randint(1, 8))]
        moves = [move for _ in range(2) for move in judge.random_document(draw, labels, elements=40, deep=0.7)]
        ends: list[list[tuple[int, int]]] = [[] for _ in rows]
        for document, element, chain in judge.chains(moves):
            for payload, row in enumerate(rows):
                if prefixes_at(row, chain)[-1]:
                    ends[payload].append((document, element))
        for limit in (1, 2, EVERY):
            expected = [(payload, *end) for payload in range(len(rows)) for end in judge.limited(ends[payload], limit)]
            assert followed(run_of(method, rows, limits_of(limit)), moves, draw) == sorted(expected), (seed, limit)


def occurrences_of_prefixes(rows: Sequence[Row], moves: Sequence[int]) -> int:
    return sum(sum(prefixes_at(row, chain)) for _, _, chain in judge.chains(moves) for row in rows)


@both
def test_exact_gaps_touch_a_tuple_for_each_occurrence_of_a_prefix(method: type[TabledPaths]) -> None:
    """Lemma 2, where Lemma 3 has nothing to delete."""
    for seed in range(40):
        draw = random.Random(seed)
        rows = [random_row(draw, 2, [(0, 0), (1, 1), (2, 2)]) for _ in range(6)]
        for row in rows[:3]:
            row[0] = (row[0][0], 0, ANY)
        moves = judge.random_document(draw, 2, elements=60, deep=0.6)
        run = run_of(method, rows, limits_of(EVERY))
        followed(run, moves)
        assert run.touched == occurrences_of_prefixes(rows, moves), seed


@pytest.mark.slow
@both
def test_no_more_tuples_are_touched_than_prefixes_occur(method: type[TabledPaths]) -> None:
    """Lemma 2 and Theorem 2: touched tuples are bounded by occurrences of prefixes, searches by depth, K and n."""
    for seed in range(60):
        draw = random.Random(seed)
        rows = [random_row(draw, 2, [(0, 0), (1, 1), (0, ANY), (1, ANY)]) for _ in range(6)]
        moves = judge.random_document(draw, 2, elements=60, deep=0.7)
        run = run_of(method, rows, limits_of(EVERY))
        followed(run, moves)
        assert run.touched <= occurrences_of_prefixes(rows, moves), seed
        assert run.searches <= most_searches(method, rows, moves), seed


def most_searches(method: type[TabledPaths], rows: Sequence[Row], moves: Sequence[int]) -> int:
    """Return K·n for PMA, and maxdepth·K·n for PMA2, where each block is searched once for each kind of gap.

    K is taken over all states, so over prefixes of keywords: their suffixes that are keywords, the empty one among
    them, and the state itself. The paper takes it over keywords, but a state in the middle of one has suffixes, too.
    """
    words = {tuple(word) for row in rows for word, _, _ in row if not word or word[0] > 0} | {()}
    states = {word[:size] for word in words for size in range(len(word) + 1)}
    most = 1 + max(sum(state[len(state) - len(tail) :] == tail for tail in words) for state in states)
    n = sum(move >= 0 for move in moves) + sum(move < 0 and move != END for move in moves)
    depth = max(len(chain) for _, _, chain in judge.chains(moves))
    kinds = len({(least, gap) for row in rows for _, least, gap in row})
    return most * n * (1 if method is Pma else depth * kinds)


def test_lemma_3_leaves_one_tuple_of_a_path_on_a_way_down() -> None:
    rows = [[([1], 0, ANY), ([1], 0, ANY), ([1], 0, ANY)]]
    moves = [1] * 50 + [END] * 50
    run = run_of(Pma, rows, limits_of(EVERY))
    assert len(followed(run, moves)) == 48
    assert run.touched == 50
    assert run.waiting == 1


def test_pma_changes_its_output_where_no_prefix_occurs() -> None:
    """Not as Theorem 2 has it: what must end at depth 1 is deleted at each child of the root, and put back."""
    paths, children = 30, 20
    rows: list[Row] = [[([name], 0, 0), ([1], 0, ANY)] for name in range(2, 2 + paths)]  # /x2//y to /x31//y
    moves = [0] + [0, END] * children + [END]
    assert occurrences_of_prefixes(rows, moves) == 0
    run = run_of(Pma, rows, limits_of(EVERY))
    assert followed(run, moves) == []
    assert (run.touched, run.changes) == (0, 2 * paths * children)
    assert run.end() == 2 * paths * children
    other = run_of(Pma2, rows, limits_of(EVERY))
    assert followed(other, moves) == [] and other.end() == 0


@both
def test_a_run_that_has_ended_is_used_again_until_paths_change(method: type[TabledPaths]) -> None:
    made, moves = holding(method(), {0: steps_of("//a//b", NAMES), 1: steps_of("/a", NAMES)}), walk_of("a(x(b))")
    expected = [(0, 0, 3), (1, 0, 1)]
    run = made.start(limits_of(EVERY), elements=True)
    assert followed(run, moves) == expected and run.end() > 0
    for limit in (1, EVERY, 1):
        again = made.start(limits_of(limit), elements=True)
        assert again.progress.counters is run.progress.counters
        assert followed(again, moves) == expected and followed(again, walk_of("a(b b)"))[-1] == (1, 0, 1)
        again.end()
    beside = [made.start(limits_of(EVERY), elements=True) for _ in range(2)]
    assert beside[0].progress.counters is not beside[1].progress.counters
    beside[0].feed(np.array(moves[:2], np.int32))
    beside[0].end()  # in the middle of a document: what it kept is not used again
    assert followed(made.start(limits_of(EVERY), elements=True), moves) == expected
    made.remove(paths_of([steps_of("/a", NAMES)]), 1)
    beside[1].end()
    assert followed(made.start(limits_of(EVERY), elements=True), moves) == [(0, 0, 3)]
