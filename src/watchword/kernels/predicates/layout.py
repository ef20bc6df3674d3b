"""How `auto` for predicates keeps its rows: the packed base, the delta beside it, and what holds in an event.

A *literal* is an atom or its negation, ``atom << 1 | negated``. A row is a conjunction of literals with a payload; it
is kept under one *access key*, which the event must have for the row to be looked at:

    a point           ``name = 'RBS'``              of the points that the event lists
    a pair of points  ``name = 'RBS'`` and ``city = 'Oslo'``, of two fields that are partners
    a node            an interval of labels that holds the row's span, see `nodes`
    always            nothing: rows of negations only

A row under a point or a pair leaves those out; one under a node is checked for its span again, as a node is wider.

Layout of the base: `point_blocks`, `pair_blocks` or `grid`, `node_blocks` and `always` say at which word of `arena` a
key's block begins, -1 for none. A block has groups of rows with as many literals left; a group is

    a word             literals left; `MORE` if another group follows; `LAZILY` if some are compared when asked for;
                       ``rows << ROWS_AT``
    literals           first literal × rows, second literal × rows …; two in a word while there are few atoms, else one
    payloads           a word × rows

so that all that is read of a group lies side by side, literals first: of many groups no more is read than the first of
each row. The rows {1, 4, ¬6} as 10, {1, 4} as 11 and {1, 5} as 12, all under the point 1, with two literals in a word,
of seven atoms whose places are their numbers::

    1 literal × 2 rows + MORE   4|5   11   12      2 literals × 1 row   4|13   10

In the arena atoms have *places* for numbers: points come first, then the spans of each *eager* field side by side, then
all other spans. A literal is the place of its atom, or for its negation that place behind all places: of five atoms,
the one with the place 2 is 2, its negation 7. Atoms that came after the base was packed have places behind all that.

Where most pairs of two partner fields are keys, their blocks stand in a grid, a row for each point of the lower field
(`ranks` counts the points of a field) and a column for each of the other; elsewhere in a hash table (`pair_keys`).

What holds in the event is written to `hold` first, and taken back after it: a byte for each literal, 0 or 1, or `LAZY`
for a span, which is compared with the event's labels when it is asked for. The spans of an eager field are all compared
at once, when an event stands elsewhere than the one before (see `Eager`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Int16, Int32, Int64, UInt8, UInt64
from watchword.kernels.handles import array_at, arrays_at
from watchword.kernels.jit import inline, kernel

LAZY = 2
NONE, SEVERAL = -1, -2
VALUES_AT, VALUES, POINTS_AT, POINTS, RANK = range(5)
MARKS = 5
OUTSIDE = 2

MORE = 1 << 14
LAZILY = 1 << 15
ROWS_AT = 16
ROWS = (1 << 15) - 1
"""The most rows that a group has."""

EAGER_WORDS = 6


class Base(NamedTuple):
    """The packed rows. `partners` has three words each: a field, where its grid begins (-1 for none), its width.

    `places` has the place of each atom, `eager` three words for each eager field: its number, the place of its first
    span, and the place behind its last.
    """

    point_blocks: Int32
    pair_keys: Int64
    pair_blocks: Int32
    partner_offsets: Int32
    partners: Int64
    ranks: Int32
    grid: Int32
    node_keys: Int64
    node_blocks: Int32
    levels: UInt64
    always: Int32
    places: Int32
    eager: Int32
    arena: Any

    @property
    def words(self) -> Int32:
        """Return the arena by whole words."""
        return self.arena.view(np.int32)  # type: ignore[no-any-return]

    @property
    def tables(self) -> tuple[Any, ...]:
        """Return what matching reads, but for the arena by its literals."""
        return (*self[:-3], self.words)


class Delta(NamedTuple):
    """Rows that came since, in linked lists by access key: a record is ``next payload count literal × count``."""

    point_heads: Int32
    node_keys: Int64
    node_heads: Int32
    levels: UInt64
    always: Int32
    pool: Int32


class Atoms(NamedTuple):
    """What every atom of an index is, by its number: ``field << 2 | mode`` (0 a point, 1 a span that wants a label
    inside, 2 one that wants a label outside), and the two ends of its span."""

    kinds: Int32
    spans: Int64

    @property
    def fields(self) -> Int32:
        """Return the field of each."""
        return self.kinds >> 2

    @property
    def modes(self) -> Int32:
        """Return the mode of each."""
        return self.kinds & 3

    @property
    def lows(self) -> Int64:
        """Return where each span begins."""
        return self.spans[0::2].copy()

    @property
    def highs(self) -> Int64:
        """Return where each span ends."""
        return self.spans[1::2].copy()

    def copied(self) -> Atoms:
        """Return them as they are now, for work that goes on while atoms are added."""
        return Atoms(self.kinds.copy(), self.spans.copy())


class Eager(NamedTuple):
    """Fields whose spans are compared all at once, by small numbers.

    Where some span of a field begins or ends its labels are cut: a label is *number* `r` if `r` of the cuts are not
    above it, and a span holds from the number of its lower end to that of its upper; not so if it is flipped, as those
    that want a label outside are. With ``value > 20`` (labels [201, 399]) alone, the cuts are 201 and 400, and it holds
    from 1 to 1.

    `fields` has six words for each: the field, where its cuts begin, how many there are, where its ends begin, the
    first place of its spans, and how many there are.
    """

    fields: Int64
    cuts: Int64
    lows: Int16
    highs: Int16
    flips: UInt8


class Scratch(NamedTuple):
    """What one thread writes, empty between events; the place of each atom, and the atom of each place.

    `numbers` has that of each eager field's label, `NONE` or `SEVERAL`. `marks` has five words for a field: where its
    values begin, how many there are; where its points begin, how many there are; and the rank of its only point, `NONE`
    or `SEVERAL`.
    """

    hold: UInt8
    numbers: Int32
    places: Int32
    by_place: Int32
    marks: Int32


class State(NamedTuple):
    """All that matching reads: `Base.tables`, `Eager`, `Delta`, `Dead`, `Atoms`, counts, `Scratch` and the arena."""

    point_blocks: Int32
    pair_keys: Int64
    pair_blocks: Int32
    partner_offsets: Int32
    partners: Int64
    ranks: Int32
    grid: Int32
    node_keys: Int64
    node_blocks: Int32
    levels: UInt64
    always: Int32
    words: Int32
    eager: Int64
    cuts: Int64
    lows: Int16
    highs: Int16
    flips: UInt8
    point_heads: Int32
    new_node_keys: Int64
    new_node_heads: Int32
    new_levels: UInt64
    new_always: Int32
    pool: Int32
    dead_slots: UInt8
    dead_clauses: UInt8
    kinds: Int32
    spans: Int64
    seen: Int32
    hold: UInt8
    numbers: Int32
    places: Int32
    by_place: Int32
    marks: Int32
    arena: Any


_SHORT, _INT, _LONG, _BYTE, _WORD = np.int16, np.int32, np.int64, np.uint8, np.uint64
STATE_KINDS = (
    *(_INT, _LONG, _INT, _INT, _LONG, _INT, _INT, _LONG, _INT, _WORD, _INT, _INT),  # of the base
    *(_LONG, _LONG, _SHORT, _SHORT, _BYTE),  # of eager spans
    *(_INT, _LONG, _INT, _WORD, _INT, _INT),  # of the delta
    *(_BYTE, _BYTE),  # of tombstones
    *(_INT, _LONG, _INT),  # of atoms, and of counts
    *(_BYTE, _INT, _INT, _INT, _INT),  # of scratch
)
"""The types of the arrays of a `State` but for its arena, in their order."""

_FLAT = STATE_KINDS[:-1]


@kernel
def state_at(handles, arena):
    """Return the state of which all but the arena, which is of one of two types, are given by handles."""
    marks = array_at(handles, len(_FLAT), np.int32)
    rest = marks.reshape((len(marks) // MARKS, MARKS)), arena
    return State(*(arrays_at(handles, 0, _FLAT) + rest))


@inline
def negations(s):
    """Return how far behind the place of an atom of the base that of its negation is; also how many atoms it has."""
    return len(s.by_place) - len(s.places)
