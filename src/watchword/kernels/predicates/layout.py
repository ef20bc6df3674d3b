"""How `auto` for predicates stores its rows: the packed base, the delta, and the table of literals true in an event.

A *literal* is an atom or its negation, ``atom << 1 | negated``. A row is a conjunction of literals with a payload; it
is stored under one *access key*, and read only for events that have this key:

    a point           ``name = 'RBS'``, one of the points that the event lists
    a pair of points  ``name = 'RBS'`` and ``city = 'Oslo'``, of two fields that are partners
    a node            an interval of labels that contains the row's span, see `nodes`
    always            none: rows of negations only, read for every event

A row under a point or a pair stores its other literals only; a row under a node also stores its span, as the node is
wider.

Layout of the base: `point_blocks`, `pair_blocks` or `grid`, `node_blocks` and `always` say at which word of `arena` a
key's block begins, -1 for none. A block has groups of rows with the same number of stored literals; a group is

    a word             number of literals; `MORE` if another group follows; `LAZILY` if some literals are lazy spans;
                       ``rows << ROWS_AT``
    literals           first literal × rows, second literal × rows …; two in a word while there are few atoms, else one
    payloads           a word × rows

so that a group is read front to back, literals first: of many groups only the first literal of each row is read. The
rows {1, 4, ¬6} as 10, {1, 4} as 11 and {1, 5} as 12, all under the point 1, with two literals in a word, of seven atoms
whose places are their numbers::

    1 literal × 2 rows + MORE   4|5   11   12      2 literals × 1 row   4|13   10

In the arena atoms are numbered by *places*: first all points, then the spans of each *eager* field side by side, then
all other spans. A positive literal is the place of its atom, a negative one that place plus the number of atoms: of
five atoms, the one with the place 2 is the literal 2, its negation 7. Atoms added after packing have the places from
there on.

If most pairs of two partner fields are keys, their blocks are in a grid, a row for each point of the lower field
(`ranks` numbers the points of a field) and a column for each of the other; else in a hash table (`pair_keys`).

Before an event is matched, `hold` gets a byte for each literal: 1 if it holds, 0 if not, `LAZY` for a span that is
compared with the event's labels only when it is read. After the event the points are cleared. The spans of an eager
field are compared all at once, and only if the event's value lies between other breakpoints than that of the event
before (see `Eager`).
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
PLACE, FIELD, BLOCK, POINT_RANK = range(4)
POINT_WORDS = 4
OUTSIDE = 2

MORE = 1 << 14
LAZILY = 1 << 15
ROWS_AT = 16
ROWS = (1 << 15) - 1
"""The most rows in a group."""

EAGER_WORDS = 6


class Base(NamedTuple):
    """The packed rows. `partners` has three words each: a field, the start of its grid (-1 for none), the grid's width.

    `places` has the place of each atom, `eager` three words for each eager field: its number, the first place of its
    spans, and the place after their last.
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
        """Return the arena as int32 words."""
        return self.arena.view(np.int32)  # type: ignore[no-any-return]

    @property
    def tables(self) -> tuple[Any, ...]:
        """Return the arrays that matching reads, with the arena as words."""
        return (*self[:-3], self.words)


class Delta(NamedTuple):
    """Rows added after packing, in linked lists by access key: a record is ``next payload count literal × count``."""

    point_heads: Int32
    node_keys: Int64
    node_heads: Int32
    levels: UInt64
    always: Int32
    pool: Int32


class Atoms(NamedTuple):
    """Kind and span of each atom, by its number. The kind is ``field << 2 | mode``: mode 0 is a point, 1 a span that
    holds for a label inside, 2 a span that holds for a label outside."""

    kinds: Int32
    spans: Int64

    @property
    def fields(self) -> Int32:
        """Return the field of each atom."""
        return self.kinds >> 2

    @property
    def modes(self) -> Int32:
        """Return the mode of each atom."""
        return self.kinds & 3

    @property
    def lows(self) -> Int64:
        """Return the lower end of each span."""
        return self.spans[0::2].copy()

    @property
    def highs(self) -> Int64:
        """Return the upper end of each span."""
        return self.spans[1::2].copy()

    def copied(self) -> Atoms:
        """Return a copy, for packing in the background while atoms are added."""
        return Atoms(self.kinds.copy(), self.spans.copy())


class Eager(NamedTuple):
    """The eager fields: their spans are compared all at once, by int16 numbers.

    The ends of a field's spans cut its labels into intervals. The *number* of a label is the count of cuts not above
    it, and a span holds for the numbers from `low` to `high`, or, if it is flipped (it wants a label outside), for all
    others. With ``value > 20`` (labels [201, 399]) alone, the cuts are 201 and 400, and it holds for the number 1.

    `fields` has six words for each: the field, the start and number of its cuts, the start of its spans in `lows` and
    `highs`, and the first place and number of its spans.
    """

    fields: Int64
    cuts: Int64
    lows: Int16
    highs: Int16
    flips: UInt8


class Scratch(NamedTuple):
    """The arrays that one thread writes, cleared between events; the place of each atom, and the atom of each place.

    `numbers` has the number of each eager field's label, or `NONE` or `SEVERAL`. `marks` has five words for a field:
    start and count of its values, start and count of its points, and the rank of its only point, or `NONE` or
    `SEVERAL`. `points` has four words for an atom, side by side since an event asks for all of them: its place, its
    field, its block (-1 for none) and its rank (`NONE` if it came after the base was packed).
    """

    hold: UInt8
    numbers: Int32
    places: Int32
    by_place: Int32
    points: Int32
    marks: Int32


class State(NamedTuple):
    """All arrays of matching: `Base.tables`, `Eager`, `Delta`, `Dead`, `Atoms`, counts, the entries and programs of
    clauses (`kernels.sets.clauses`), `Scratch` and the arena."""

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
    entries: Int32
    program: Int32
    hold: UInt8
    numbers: Int32
    places: Int32
    by_place: Int32
    points: Int32
    marks: Int32
    arena: Any


_SHORT, _INT, _LONG, _BYTE, _WORD = np.int16, np.int32, np.int64, np.uint8, np.uint64
STATE_KINDS = (
    *(_INT, _LONG, _INT, _INT, _LONG, _INT, _INT, _LONG, _INT, _WORD, _INT, _INT),  # of the base
    *(_LONG, _LONG, _SHORT, _SHORT, _BYTE),  # of eager spans
    *(_INT, _LONG, _INT, _WORD, _INT, _INT),  # of the delta
    *(_BYTE, _BYTE),  # of tombstones
    *(_INT, _LONG, _INT),  # of atoms, and of counts
    *(_INT, _INT),  # of clauses
    *(_BYTE, _INT, _INT, _INT, _INT, _INT),  # of scratch
)
"""The types of the arrays of a `State`, in their order, without the arena."""

_FLAT = STATE_KINDS[:-1]


@kernel
def state_at(handles, arena):
    """Return the `State` of the arrays behind `handles` and of `arena`, which is uint16 or int32."""
    marks = array_at(handles, len(_FLAT), np.int32)
    rest = marks.reshape((len(marks) // MARKS, MARKS)), arena
    return State(*(arrays_at(handles, 0, _FLAT) + rest))


@inline
def negations(s):
    """Return the number of atoms in the base: an atom's negation is stored that many places after it."""
    return len(s.by_place) - len(s.places)
