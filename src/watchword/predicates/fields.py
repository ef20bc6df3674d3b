"""Fields: what the predicates of an index know about one attribute read in one way, and how a value is placed.

Two kinds of atom. A *point* is listed for every value that satisfies it: ``name = 'RBS'``, an IN, a KIND OF. A *span*
is an interval of the values in their order, and is listed nowhere: ``value > 20`` is kept as two ends, which are
compared with the label of a value (`zones`). So a value is placed by one look-up for its points and one search among
the breakpoints of its field, however many predicates there are.

An attribute that is not read value by value has a `reader` (`readers`), which finds its points.

A snapshot keeps what the atoms are, the names of the fields, and for each field a run of bytes (`watchword.runs`) with
its constants (`constants`) or the arrays of its reader. A run is looked at when the field is first asked for: by an
event that has the attribute, or by a new subscription about it. Constants of one kind become a `dict` and lists if
there are few; many are searched where they lie.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from watchword.arrays import NO_BYTES, Arrays, UInt8, concatenated, offsets_of, prefixed, reserve, under
from watchword.kernels.predicates.layout import Atoms
from watchword.locks import ForkSafe
from watchword.parts import Part
from watchword.predicates.constants import Constants
from watchword.predicates.points import Points, listed_points, restored_points
from watchword.predicates.predicate import Path, Predicate, ReadBy
from watchword.predicates.readers.doors import BUILT_IN, Doors
from watchword.predicates.readers.reader import ALONE, AttributeReader, Surroundings
from watchword.predicates.values import OTHER, VIEWS, Key, View
from watchword.predicates.zones import EVERYWHERE, LISTED, Span, Zone, breakpoints
from watchword.runs import pack, unpack

FEW_BREAKS = 1024
"""How many breakpoints of a snapshot become lists when a field is first asked for; searching more where they lie takes
two microseconds longer."""

MANY = 64
"""More predicates than this, defined at once, have their breakpoints spread evenly before."""


_WAKING = ForkSafe()
"""Held while a field wakes: threads that match may ask for it at once, and readers take over their arrays once."""


class Field:
    """One attribute, read in one way."""

    def __init__(self, number: int, path: Path, view: ReadBy, reader: AttributeReader | None, saved: UInt8 = NO_BYTES):
        self.number, self.path, self.view, self.reader = number, path, view, reader
        self.key: Callable[[Any], Key | None] = VIEWS[view] if isinstance(view, View) else VIEWS[View.PLAIN]
        """Returns what a value is compared as."""
        self.points: list[Points] = []
        """By kind and value, the points that it satisfies."""
        self.zones: list[Zone] = []
        self.has_spans = False
        self.changes = 0
        self._saved = saved
        self._constants: dict[int, Constants] = {}
        self.is_asleep = len(saved) > 0
        if not self.is_asleep and reader is None:
            self.points, self.zones = _empty()

    def wake(self) -> None:
        """Take over the run of a snapshot."""
        if self.is_asleep:
            with _WAKING.lock:
                if self.is_asleep:
                    self._take_over(unpack(self._saved))
                    self.is_asleep = False

    def _take_over(self, arrays: Arrays) -> None:
        if self.reader is not None:
            self.reader.restore(arrays)
        else:
            points, zones = _empty()
            for kind in {int(name.partition(".")[0]) for name in arrays}:
                saved = self._constants[kind] = Constants.restored(kind, under(str(kind), arrays))
                points[kind] = restored_points(saved)
                zones[kind].restore(saved.breaks, saved.labels, listed=len(saved.labels) <= FEW_BREAKS)
            self.points, self.zones = points, zones

    def constants(self, kind: int) -> Constants:
        """Return points and breakpoints of one kind of value as arrays: the snapshot's own, if nothing has changed."""
        if self.changes == 0 and kind in self._constants:
            return self._constants[kind]
        zone = self.zones[kind]
        zone.wake()
        return Constants.of(kind, listed_points(self.points[kind]), zone.breaks, zone.labels)

    def add_point(self, atom: int, constants: Sequence[Key]) -> None:
        """Make an atom a point of constants."""
        self.changes += 1
        for kind, value in dict.fromkeys(constants):
            self.points[kind].setdefault(value, []).append(atom)

    @property
    def bytes(self) -> int:
        """Return the bytes of the reader."""
        if self.reader is None:
            return 0
        return len(self._saved) if self.is_asleep else self.reader.bytes

    def saved(self) -> UInt8:
        """Return the run for a snapshot."""
        if self.is_asleep:
            return self._saved
        if self.reader is not None:
            return pack(self.reader.arrays())
        found: Arrays = {}
        for kind in range(OTHER + 1):
            constants = self.constants(kind)
            if len(constants.atoms) or len(constants.labels):
                found |= prefixed(str(kind), constants.arrays())
        return pack(found)


def _empty() -> tuple[list[Points], list[Zone]]:
    return [{} for _ in range(OTHER + 1)], [Zone(kind) for kind in range(OTHER + 1)]


class Fields(Part):
    """All fields of an index, and the definition of each atom."""

    def __init__(self, surroundings: Surroundings = ALONE, doors: Doors = BUILT_IN) -> None:
        self._surroundings, self._doors = surroundings, doors
        self.by_name: dict[tuple[Path, ReadBy], Field] = {}
        self.all: list[Field] = []
        self.count = 0
        self.spreads = 0
        self.shape = 0
        """Grows when there is a new field, or a first span in one."""
        self._kinds = np.empty(16, np.int32)
        self._spans = np.empty(32, np.int64)
        self._atoms: Atoms | None = None

    @property
    def atoms(self) -> Atoms:
        """Return the definitions of the atoms, in arrays."""
        found = self._atoms
        if found is None:
            found = self._atoms = Atoms(self._kinds[: self.count], self._spans[: 2 * self.count])
        return found

    def field(self, path: Path, view: ReadBy) -> Field:
        """Return a field; it is made if there is none."""
        found = self.by_name.get((path, view))
        if found is None:
            found = self._add(path, view)
        found.wake()
        return found

    def paths(self, field: Field) -> Sequence[Path]:
        """Return the attributes that a field reads: its own, or, without one, those of the option `text`."""
        return [field.path] if field.path else self._surroundings.reading.text

    def _add(self, path: Path, view: ReadBy, saved: UInt8 = NO_BYTES) -> Field:
        reader = None if isinstance(view, View) else view(path, self._surroundings)
        found = self.by_name[path, view] = Field(len(self.all), path, view, reader, saved)
        self.all.append(found)
        self.shape += 1
        return found

    # what atoms are

    def define(self, predicates: Sequence[Predicate]) -> None:
        """Define the next atoms as these predicates."""
        first, self.count = self.count, self.count + len(predicates)
        self._kinds, self._spans = reserve(self._kinds, self.count), reserve(self._spans, 2 * self.count)
        self._atoms = None
        if len(predicates) > MANY:
            self._spread_for(predicates)
        read: defaultdict[Field, list[int]] = defaultdict(list)
        for atom, predicate in enumerate(predicates, first):
            field = self.field(predicate.attribute, predicate.view)
            if field.reader is not None:
                self._set(atom, field, LISTED)
                read[field].append(atom)
            elif is_point(predicate):
                self._set(atom, field, LISTED)
                field.add_point(atom, predicate.constants)
            else:
                self._set(atom, field, self._span(field, predicate))
        for field, atoms in read.items():
            if field.reader is not None:
                field.reader.define(atoms, [predicates[atom - first] for atom in atoms])

    def _span(self, field: Field, predicate: Predicate) -> Span:
        """Return the span of a predicate; where a breakpoint finds no room, the others of its zone are moved."""
        self.shape += not field.has_spans
        field.has_spans = True
        field.changes += 1
        if not predicate.constants:
            return EVERYWHERE
        zone: Zone = field.zones[predicate.constants[0][0]]
        span = zone.span(predicate)
        if span is None:
            self._spread(field, zone, breakpoints(predicate))
            span = zone.span(predicate)
            assert span is not None
        return span

    def _spread(self, field: Field, zone: Zone, values: list[Any]) -> None:
        before = dict(zip(zone.breaks, zone.labels, strict=True))
        zone.spread(values)
        self.spreads += 1
        after = [label for value, label in zip(zone.breaks, zone.labels, strict=True) if value in before]
        own = np.flatnonzero(self._kinds[: self.count] >> 2 == field.number)
        lows, highs = self._spans[2 * own], self._spans[2 * own + 1]
        inside = (zone.first <= lows) & (lows <= zone.last)
        own, lows, highs = own[inside], lows[inside], highs[inside]
        labels = list(before.values())
        self._spans[2 * own] = zone.moved(lows, labels, after, 1)
        self._spans[2 * own + 1] = zone.moved(highs, labels, after, -1)

    def _spread_for(self, predicates: Sequence[Predicate]) -> None:
        """Give the breakpoints of many predicates labels at once, where there were none before."""
        values: dict[tuple[Path, ReadBy, int], list[Any]] = {}
        for predicate in predicates:
            if isinstance(predicate.view, View) and predicate.constants and not is_point(predicate):
                owner = predicate.attribute, predicate.view, predicate.constants[0][0]
                values.setdefault(owner, []).extend(breakpoints(predicate))
        for (path, view, kind), found in values.items():
            zone = self.field(path, view).zones[kind]
            if zone.is_empty:
                zone.spread(found)

    def _set(self, atom: int, field: Field, span: Span) -> None:
        self._kinds[atom] = field.number << 2 | span.mode
        self._spans[2 * atom : 2 * atom + 2] = span.low, span.high

    # snapshots

    def prepare(self) -> None:
        """Prepare the readers."""
        for reader in self._awake_readers():
            reader.prepare()

    def condense(self) -> None:
        """Bring the readers into the form that is saved."""
        for reader in self._awake_readers():
            reader.condense()

    def _awake_readers(self) -> list[AttributeReader]:
        return [field.reader for field in self.all if field.reader is not None and not field.is_asleep]

    def arrays(self) -> Arrays:
        """Return the definitions of the atoms, the names of the fields, and their runs."""
        names = json.dumps([[field.path, field.view.name, field.has_spans] for field in self.all]).encode()
        runs = [field.saved() for field in self.all]
        return {
            **self.atoms._asdict(),
            "names": np.frombuffer(names, np.uint8),
            "runs": concatenated(runs, np.uint8),
            "borders": offsets_of([len(run) for run in runs]),
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned; the fields sleep until they are asked for."""
        self._kinds, self._spans = arrays["kinds"], arrays["spans"]
        self.count, self._atoms = len(self._kinds), None
        self.by_name, self.all = {}, []
        borders = arrays["borders"].tolist()
        for row, (path, name, has_spans) in enumerate(json.loads(arrays["names"].tobytes())):
            view: ReadBy = View[name] if name in View.__members__ else self._doors.by_name[name]
            field = self._add(tuple(path), view, arrays["runs"][borders[row] : borders[row + 1]])
            field.has_spans = has_spans

    @property
    def bytes(self) -> int:
        """Return the bytes of the atoms' arrays and of the readers."""
        return 20 * self.count + sum(field.bytes for field in self.all)


def is_point(predicate: Predicate) -> bool:
    """Say whether an atom is listed for the values that satisfy it."""
    return predicate.operator in ("=", "IN")
