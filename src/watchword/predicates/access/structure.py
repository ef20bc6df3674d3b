"""`AccessRows`: rows of literals, each under the access key that the fewest events have, in layers.

`layers.layered` has the life cycle, `kernels.predicates.layout` the layout with an example. A row {name = 'RBS', value
> 20} lies under the point ``name = 'RBS'``; an event that lists that point looks at it, and compares its value with 20.
An event that names another share never comes near.

Tried instead: a table of points only (an event of 16 attributes looked at 4,800 of 100,000 rows of three equalities,
with pairs at 230); spans cut into pieces that cover them exactly, listed like points (a rule with a range was kept
eight times); which spans of a field hold read off a table, a row for each place of a label, and scattered over the
atoms (comparing all of them side by side needs no table). With 1,000,000 rows of two equalities and two
comparisons did not help: blocks asked for from memory 6 or 24 before they are read in place of 12, four lines of each
in place of three (one is slower by a fifth), four rows tested in one step of the loop (4 %), all literals of a row read
at once in place of the first, then those of the rows that are left (4 %; with four equalities it took 13.9 in place of
9.8 µs).
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

import numpy as np

from watchword.arrays import Arrays, Float64, Int32, Int64, reserve
from watchword.index.hits import Hits, collect
from watchword.kernels.handles import Handles
from watchword.kernels.predicates import delta as delta_kernels
from watchword.kernels.predicates import match as kernels
from watchword.kernels.predicates import nodes
from watchword.kernels.predicates import packing as packing_kernels
from watchword.kernels.predicates.layout import (
    BLOCK,
    EAGER_WORDS,
    FIELD,
    LAZY,
    MARKS,
    NONE,
    PLACE,
    POINT_RANK,
    POINT_WORDS,
    RANK,
    STATE_KINDS,
    Base,
    Delta,
    Eager,
    Scratch,
)
from watchword.kernels.predicates.place import NO_ROOM, match_read, match_text
from watchword.kernels.tombstones import FIRST_CLAUSE, NOBODY, Dead
from watchword.layers.layered import Layered
from watchword.layers.tombstones import Tombstones
from watchword.predicates.access.drawing import drawn
from watchword.predicates.access.eager import Places, eager_spans, placed
from watchword.predicates.access.packing import Seen, chances_by_demand, chances_of, keys_of, pack
from watchword.predicates.events.held import Held
from watchword.predicates.fields import Fields
from watchword.sets.clauses import ClauseTable
from watchword.sets.rows import Rows, written
from watchword.sets.structure import SetStructure

SAMPLE = 4096
"""How many labels of events are remembered, to learn how often spans hold."""

OBSERVED = 1 << 20
"""Events after which the counts are left as they are."""

POINT_GUESS, SPAN_GUESS = 0.01, 0.3
"""In how many of all events a new point, and a new span, is guessed to hold."""

_NO_SEEN = (np.empty(0, np.int32),)

FEW = 8.0
"""How many spans of a field an event is guessed to ask for, while there are so few rows that none are packed."""

LEARNED = 4096
"""Number of events after which repacking a base pays, if it was packed before the first event."""


class AccessBase:
    """An immutable packed set of rows."""

    def __init__(self, packed: Base, count: int, fields: Fields, events: int) -> None:
        self.packed, self.count, self._fields = packed, count, fields
        self.tables = packed.tables
        self.events = events
        """Number of events that were counted (the first `OBSERVED`) before it was packed."""
        self._present: Tombstones | None = None

    def __len__(self) -> int:
        return self.count

    def has(self, row: Int32, payload: int) -> bool:
        """Return whether the base has a row with this payload; a payload belongs to one row at a time."""
        if self._present is None:
            _, payloads = self.rows(NOBODY)
            self._present = _bitmaps(payloads)
        return payload in self._present

    def rows(self, dead: Dead) -> tuple[Rows, Int32]:
        """Return the rows that are not dead, and their payloads."""
        keys = keys_of(self.packed, self._fields.atoms.fields)
        by_place = np.argsort(self.packed.places)
        return written(partial(packing_kernels.unpack, self.packed.arena, self.packed.words, keys, by_place, dead))

    def renumber(self, payloads: Int32) -> None:
        """Replace payloads, in place."""
        packing_kernels.renumber(self.packed.words, 4 // self.packed.arena.itemsize, payloads)
        self._present = None


class AccessDelta:
    """Rows added since the base was packed. `records` says where a payload's record lies in the pool."""

    def __init__(self) -> None:
        none = np.empty(0, np.int32)
        self.lists = Delta(none, *nodes.new_nodes(), np.empty(0, np.uint64), np.full(1, -1, np.int32), none)
        self.mark = 0
        self.came = 0
        self.records: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self.records)

    @property
    def bytes(self) -> int:
        """Return the bytes in use."""
        return 4 * (self.mark + len(self.lists.point_heads)) if self.mark else 0

    def reserve(self, atoms: int, fields: int, rows: int, literals: int) -> None:
        """Make room for `atoms` atoms and `fields` fields in all, and for `rows` more rows with `literals` literals."""
        heads, node_keys, node_heads, levels, always, pool = self.lists
        end, nodes_needed = self.mark + 3 * rows + literals, self.came + rows
        has_room = len(heads) >= atoms and len(levels) >= fields and len(pool) >= end
        if has_room and nodes.has_room(node_heads, nodes_needed):  # nearly always: the lists stay what they are
            return
        node_keys, node_heads = nodes.roomy_nodes(node_keys, node_heads, nodes_needed)
        self.lists = Delta(
            reserve(heads, atoms, -1), node_keys, node_heads, reserve(levels, fields, 0), always,
            reserve(pool, end),
        )  # fmt: skip

    def mark_of(self, payload: int) -> int | None:
        """Return the position of a payload's record in the pool, None if there is none."""
        return self.records.get(payload)

    def remove(self, row: Int32, payload: int) -> None:
        """Remove the row of a payload: its record stays in the pool, marked by -1."""
        self.lists.pool[self.records.pop(payload) + 1] = -1

    def rows(self, since: int = 0) -> Callable[[], tuple[Rows, Int32]]:
        """Return a function that returns the live rows added since the mark `since`, read from a copy of the pool."""
        pool = self.lists.pool[: self.mark].copy()
        return partial(written, partial(delta_kernels.live_rows, pool, since, self.mark))


class Workspace:
    """The scratch arrays of one matching thread, and the handles that pass all arrays to the kernels."""

    def __init__(self, fields: Fields, eager: Eager, base_places: Int32, base: Base) -> None:
        self.fields, self.eager = len(fields.all), eager
        half = len(base_places)
        places = np.arange(half, half + fields.count, dtype=np.int32)
        places[:half] = base_places
        hold, by_place = np.zeros(half + fields.count, np.uint8), np.empty(half + fields.count, np.int32)
        by_place[places], by_place[half : 2 * half] = np.arange(fields.count), -1
        hold[places[fields.atoms.modes > 0]] = LAZY
        for first, count in eager.fields.reshape(-1, EAGER_WORDS)[:, 4:].tolist():
            hold[first : first + count] = 0
        hold[half : 2 * half] = np.where(hold[:half] == LAZY, LAZY, 1)
        marks = np.zeros((self.fields, MARKS), np.int32)
        marks[:, RANK] = NONE
        numbers = np.full(len(eager.fields) // EAGER_WORDS, NONE, np.int32)
        points = np.full((fields.count, POINT_WORDS), -1, np.int32)
        points[:, PLACE], points[:, FIELD] = places, fields.atoms.fields
        points[: len(base.point_blocks), BLOCK], points[: len(base.ranks), POINT_RANK] = base.point_blocks, base.ranks
        self.scratch = Scratch(hold, numbers, places, by_place, points.reshape(-1), marks.reshape(-1))
        self.handles = Handles(*STATE_KINDS)
        self.payloads = np.empty(1024, np.int32)


class AccessRows(Layered[Rows, Int32, Any], SetStructure):
    """Rows of literals under access keys."""

    operation = "blocks read"
    reads_repeats: ClassVar[bool] = True
    takes_negations: ClassVar[bool] = True
    delta_rows: ClassVar[int] = 1024
    background_rows: ClassVar[int] = 100_000

    base: AccessBase
    delta: AccessDelta

    def __init__(self) -> None:
        self.fields, self.clauses = Fields(), ClauseTable()
        self.events = 0
        self._seen = (np.zeros(16, np.int32),)
        self._sample = np.full(SAMPLE, -1, np.int32), np.zeros(SAMPLE, np.int64)
        self._sampled = 0
        self._spreads = 0
        self._spare: list[Workspace] = []
        self._eager: tuple[int, Eager, Int32] | None = None
        self._hits_per_event = 16
        self._chances: Float64 = np.empty(0)
        """How often each atom is expected to hold; the first `_guessed` are set, the rest is spare room."""
        self._guessed = 0
        super().__init__()

    # changes

    def packer(self) -> Callable[[list[tuple[Rows, Int32]]], AccessBase]:
        """Return a function that packs rows by the chances and atoms of this moment."""
        self._chances = self._expected()
        self._guessed = len(self._chances)
        fields, chances, events = self.fields, self._chances, self.events
        atoms = fields.atoms.copied()
        of_texts = np.array([field.reader is not None and field.reader.about == "texts" for field in fields.all], bool)

        def packed(parts: list[tuple[Rows, Int32]]) -> AccessBase:
            expected = chances if events else chances_by_demand(atoms, chances, parts, of_texts)
            return AccessBase(*pack(atoms, expected, parts), fields, events)

        return packed

    def new_delta(self) -> AccessDelta:
        """Return a delta without rows."""
        return AccessDelta()

    def put(self, rows: Rows, payloads: Int32) -> None:
        """Put rows into the delta."""
        if len(rows) == 0:
            return
        delta, atoms = self.delta, self.fields.atoms
        if self._guessed < len(atoms.kinds):
            self._guess_chances()
        delta.reserve(len(atoms.kinds), len(self.fields.all), len(rows), len(rows.atoms))
        records = np.empty(len(rows), np.int64)
        lists, partners = tuple(delta.lists), delta_kernels.NO_PARTNERS
        delta.mark = delta_kernels.add_rows(
            *rows, payloads, tuple(atoms), self._chances, partners, lists, delta.mark, records
        )
        delta.records.update(zip(payloads.tolist(), records.tolist(), strict=True))
        delta.came += len(rows)

    def add(self, rows: Rows, payloads: Int32) -> None:
        """Add rows; if labels were spread since the last call, older rows are first packed again by the new ones."""
        self._follow_labels()
        super().add(rows, payloads)

    def is_stale(self) -> bool:
        """Return whether more than ``LEARNED + 2 * base.events`` events have been counted."""
        return self.events > LEARNED + 2 * self.base.events

    def _follow_labels(self) -> None:
        if self.fields.spreads == self._spreads:
            return
        self._spreads = self.fields.spreads
        self._forget_packing()
        self._install(self.packer()([self.base.rows(self.tombstones.dead), self.delta.rows()()]))

    def _guess_chances(self) -> None:
        """Guess how often the atoms hold that were added since the last packing; the next packing counts events."""
        kinds, guessed = self.fields.atoms.kinds, self._guessed
        self._chances, self._guessed = reserve(self._chances, len(kinds)), len(kinds)
        for atom, kind in enumerate(kinds[guessed:].tolist(), guessed):
            self._chances[atom] = SPAN_GUESS if kind & 3 else POINT_GUESS

    def _expected(self) -> Float64:
        fields, positions = self._sample
        kept = min(self._sampled, SAMPLE)
        return chances_of(
            self.fields.atoms,
            Seen(self.points_seen, fields[:kept], positions[:kept], min(self.events, OBSERVED)),
        )

    def _install(self, base: AccessBase) -> None:
        self._eager = None
        self._spare.clear()
        super()._install(base)

    # matching

    def match(self, events: Held) -> Hits:
        """Read the blocks and lists of each event's access keys."""
        space = self._borrowed()
        step: Any = partial(kernels.match, tuple(events), self._state(space), self.base.packed.arena)
        hits = collect(len(events), step, self._hits_per_event)
        self._spare.append(space)
        if self.events < OBSERVED:
            self.events += len(events)
            self._remember(events)
        if len(events) > 256:
            self._hits_per_event = len(hits.payloads) // len(events) + 16
        return hits

    def match_one(self, points: list[int], fields: list[int], positions: list[int]) -> tuple[Int32, int]:
        """Match one event, given by points and by fields with labels. Returns payloads and operations."""
        event = array("i", points).tobytes(), array("i", fields).tobytes(), array("q", positions).tobytes()
        return self._match_by(kernels.match_one, *event)

    def match_text(self, text: bytes, handles: Int64) -> tuple[Int32, int]:
        """As `match_one`, for a JSON text, which `kernels.predicates.place` reads into the arrays behind the handles.
        The operations are below 0, `NOT_TAKEN` or at most `LEFT`, where it is not matched."""
        return self._match_by(match_text, text, handles)

    def match_read(self, handles: Int64) -> tuple[Int32, int]:
        """Match the text that was read last into the arrays behind the handles."""
        return self._match_by(match_read, handles)

    def _match_by(self, kernel: Callable[..., tuple[int, int]], *event: Any) -> tuple[Int32, int]:
        space = self._borrowed()
        state, arena = self._state(space), self.base.packed.arena
        count, work = kernel(*event, state, arena, space.payloads)
        while count == NO_ROOM:
            space.payloads = np.empty(4 * len(space.payloads), np.int32)
            count, work = kernel(*event, state, arena, space.payloads)
        payloads = space.payloads[: max(count, 0)].copy()
        self._spare.append(space)
        if count < 0:
            return payloads, count
        if self.events < OBSERVED:
            self.events += 1
        return payloads, work

    @property
    def points_seen(self) -> Int32:
        """Return the number of counted events that listed each point."""
        return self._seen[0]

    def _state(self, space: Workspace) -> Int64:
        """Return the handles of all arrays that the kernels read, and of one thread's scratch arrays."""
        atoms, seen = self.fields.atoms, _NO_SEEN
        if self.events < OBSERVED:
            if len(self._seen[0]) < len(atoms.kinds):
                self._seen = (reserve(self._seen[0], len(atoms.kinds), 0),)
            seen = self._seen
        return space.handles.of(
            *(self.base.tables, space.eager, self.delta.lists, self.tombstones.dead, atoms, seen),
            *(self.clauses.programs, space.scratch),
        )

    def _eager_spans(self) -> tuple[Eager, Int32]:
        """Return the eager spans, which are read off tables, and the places of the atoms that existed when the base was
        packed, or at the first match if the base is empty; racing threads make the same."""
        made = self._eager
        if made is None or made[0] != self.fields.spreads:
            atoms, fields, base = self.fields.atoms, len(self.fields.all), self.base.packed
            places = Places(base.places, base.eager) if len(base.arena) else placed(atoms, np.full(fields, FEW))
            made = self._eager = self.fields.spreads, eager_spans(atoms, places), places.places
            self._spare.clear()
        return made[1:]

    def _borrowed(self) -> Workspace:
        """Return a workspace with room for all atoms and fields, which no other thread uses."""
        eager, places = self._eager_spans()
        try:
            space = self._spare.pop()
        except IndexError:
            space = None
        if space is None or len(space.scratch.places) < self.fields.count or space.fields < len(self.fields.all):
            space = Workspace(self.fields, eager, places, self.base.packed)
        return space

    def _remember(self, events: Held) -> None:
        """Put at most 512 labels of a batch into the sample; batches of fewer than 32 events are skipped."""
        count = len(events.fields)
        if not count or len(events) < 32:
            return
        step = max(1, count // 256)
        fields, positions = events.fields[::step][:512], events.positions[::step][:512]
        at = (self._sampled + np.arange(len(fields))) % SAMPLE
        self._sample[0][at], self._sample[1][at] = fields, positions
        self._sampled += len(fields)

    # figures, snapshots

    def stats(self) -> Mapping[str, float]:
        """Return rows as ``postings``; keys by kind, rows in the ``delta``, ``tombstones`` and ``bytes``."""
        base = self.base.packed
        return {
            "postings": len(self),
            "points": int(np.count_nonzero(base.point_blocks >= 0)),
            "pairs": int(np.count_nonzero(base.pair_blocks >= 0) + np.count_nonzero(base.grid >= 0)),
            "nodes_of_spans": int(np.count_nonzero(base.node_blocks >= 0)),
            "partners": len(base.partners) // 3,
            "delta": len(self.delta),
            "tombstones": len(self.tombstones),
            "bytes": sum(table.nbytes for table in base) + self.delta.bytes,
        }

    def draw(self, name: Callable[[int], str] = str) -> str:
        """Return an indented drawing of the base: a line per access key, below it its rows."""
        return drawn(self.base.packed, self.fields.atoms.fields, self.tombstones.dead, name, written)

    def arrays(self) -> Arrays:
        """Return the base, which holds all rows by now, and the points and labels counted in events."""
        counts = np.array([len(self.base), self.events, self._sampled], np.int64)
        learned = {"seen": self.points_seen.copy(), "fields": self._sample[0].copy(), "labels": self._sample[1].copy()}
        return self.base.packed._asdict() | learned | {"counts": counts}

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        count, self.events, self._sampled = (int(value) for value in arrays["counts"])
        self._seen = (arrays["seen"],)
        self._sample = arrays["fields"], arrays["labels"]
        self._install(AccessBase(Base(*(arrays[name] for name in Base._fields)), count, self.fields, self.events))


def _bitmaps(payloads: Int32) -> Tombstones:
    """Return payloads as a set."""
    found = Tombstones()
    slots, clauses = payloads[payloads < FIRST_CLAUSE], payloads[payloads >= FIRST_CLAUSE] - FIRST_CLAUSE
    found.dead = Dead(*(_bits(numbers) for numbers in (slots, clauses)))
    return found


def _bits(numbers: Int32) -> Any:
    flags = np.zeros(int(numbers.max(initial=-1)) + 1, np.uint8)
    flags[numbers] = 1
    return np.packbits(flags, bitorder="little")
