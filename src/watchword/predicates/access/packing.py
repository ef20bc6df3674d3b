"""Rows into a base: how often atoms are expected, which fields become partners, and the blocks."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np

from watchword.arrays import Bools, Float64, Int32, Int64, UInt64, concatenated, offsets_of
from watchword.errors import WatchwordError
from watchword.kernels.child_table import EMPTY, new_table, roomy_table
from watchword.kernels.predicates import choice, nodes
from watchword.kernels.predicates import packing as kernels
from watchword.kernels.predicates.layout import MORE, OUTSIDE, Atoms, Base
from watchword.predicates.access.eager import first_lazy, placed
from watchword.sets.rows import Rows, joined

PRIOR = 200.0
"""How many observed events weigh as much as the guess that is made without any."""

WIDTH = 64
"""How many fields may be partners: the fields that have points in the most rows."""

COMBINATIONS = 4096
"""How many sets of fields are looked at to find partners: the sets that the most rows have."""

GRID = 8
"""How many places a grid may have for each pair in it."""

Partners = tuple[Int64, Bools]
"""For each field its number among the at most `WIDTH` candidates, -1 for none; and which pairs of candidates are
partners: ``is_partner[first, second]``."""

_KIND = 60  # of an access key: its kind stands above this bit


class Seen(NamedTuple):
    """Counted events: how many listed each point, a sample of their labels with fields, and their number."""

    points: Int32
    fields: Int32
    positions: Int64
    events: int


def chances_of(atoms: Atoms, seen: Seen) -> Float64:
    """Return the share of events in which each atom is expected to hold.

    Without events every point of a field is as likely as the others, and a span as likely as it is long.
    """
    fields, modes = atoms.fields, atoms.modes
    spans = modes > 0
    points = np.bincount(fields[~spans], minlength=int(fields.max(initial=0)) + 1) + 1.0
    guess = np.where(spans, (atoms.highs - atoms.lows + 1).clip(0) / float(1 << 56), 1.0 / points[fields])
    guess[modes == OUTSIDE] = 1.0
    met = np.zeros(len(fields))
    met[: len(seen.points)] = seen.points[: len(met)]
    met[spans] = _inside(atoms, np.flatnonzero(spans), seen) * seen.events
    return np.asarray((met + PRIOR * np.minimum(guess, 1.0)) / (seen.events + PRIOR)).clip(1e-9, 1.0)


def chances_by_demand(atoms: Atoms, chances: Float64, parts: list[tuple[Rows, Int32]], of_texts: Bools) -> Float64:
    """Return chances for rows that are packed before any event came: a word that many rows ask for is expected in many
    texts. `of_texts` says which fields are read from texts; values of other fields are taken as equally likely.

    Of ``body MATCHES 'the'`` in nine rows and ``body MATCHES 'imf'`` in one, 'imf' is the better key.
    """
    if not of_texts.any():
        return chances
    asked = np.bincount(concatenated([rows.atoms for rows, _ in parts], np.int32) >> 1, minlength=len(chances)) + 1.0
    fields = atoms.fields
    is_point = (atoms.modes == 0) & of_texts[fields]
    means = np.bincount(fields, asked * is_point) / np.bincount(fields, is_point).clip(1)
    return np.where(is_point, (chances * asked / means[fields].clip(1.0)).clip(1e-9, 1.0), chances)


def _inside(atoms: Atoms, spans: Int64, seen: Seen) -> Float64:
    """Return for each span the share of the sampled labels of its field at which it holds."""
    order = np.lexsort((seen.positions, seen.fields))
    fields, positions = seen.fields[order], seen.positions[order]
    kinds, lows, highs = atoms.kinds[spans], atoms.lows[spans], atoms.highs[spans]
    by_field = np.argsort(kinds >> 2, kind="stable")
    shares = np.zeros(len(spans))
    for field in np.unique(fields[fields >= 0]).tolist():
        own = by_field[slice(*np.searchsorted((kinds >> 2)[by_field], [field, field + 1]))]
        sample = positions[slice(*np.searchsorted(fields, [field, field + 1]))]
        inside = np.searchsorted(sample, highs[own], "right") - np.searchsorted(sample, lows[own], "left")
        share = inside.clip(0) / len(sample)
        shares[own] = np.where(kinds[own] & 3 == OUTSIDE, 1 - share, share)
    return shares


def pack(atoms: Atoms, chances: Float64, parts: list[tuple[Rows, Int32]]) -> tuple[Base, int]:
    """Pack rows into a base; return it and the number of its rows."""
    if not any(len(payloads) for _, payloads in parts):
        return empty_base(), 0
    (offsets, given), payloads = joined(parts)
    rows, literals = len(payloads), given.copy()
    longest = int(np.diff(offsets).max())
    if longest >= MORE:
        raise WatchwordError(f"a clause of {longest} predicates is more than an index holds; at most {MORE - 1}")
    kinds, firsts, seconds = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
    partners = _partners(offsets, literals, atoms, chances)
    choice.choose(offsets, literals, tuple(atoms), chances, partners, kinds, firsts, seconds)
    sizes = np.empty(rows, np.int32)
    looks = np.zeros(int(atoms.fields.max()) + 1)
    kernels.expect_looks(offsets, literals, atoms.kinds, chances, (kinds, firsts, seconds), looks)
    places, eager = placed(atoms, looks)
    lazy = first_lazy(atoms, eager)
    kernels.leave_keys_out(offsets, literals, chances, kinds, firsts, seconds, places, lazy, sizes)
    keys, nodes_of = _numbered(kinds, firsts, seconds)
    order = np.lexsort((sizes, keys))
    few = len(atoms.kinds) < 1 << 15
    kind = np.uint16 if few else np.int32
    none = np.empty(0, np.int32)
    write = partial(kernels.write_blocks, offsets, literals, payloads, order, keys, sizes, 2 if few else 1)
    blocks, count = write(np.empty(0, np.int64), none.view(kind), none)
    if count > np.iinfo(np.int32).max:
        raise WatchwordError(f"{rows} subscriptions are more than one index holds; use several")
    starts, words = np.empty(blocks, np.int64), np.empty(count, np.int32)
    write(starts, words.view(kind), words)
    return _keyed(keys[order], starts, nodes_of, partners, atoms, (places, eager, words.view(kind))), rows


def empty_base() -> Base:
    """Return a base without rows."""
    none = np.empty(0, np.int32)
    return Base(
        none, *new_table(), np.zeros(1, np.int32), np.empty(0, np.int64), none, none, *nodes.new_nodes(),
        np.empty(0, np.uint64),
        np.full(1, -1, np.int32), none, none, np.empty(0, np.uint16),
    )  # fmt: skip


def _partners(offsets: Int64, literals: Int32, atoms: Atoms, chances: Float64) -> Partners:
    """Say which pairs of fields, the lower number first, have rows kept under pairs of their points."""
    points = literals[(literals & 1 == 0)] >> 1
    points = points[atoms.modes[points] == 0]
    if not len(points):
        return np.empty(0, np.int64), np.zeros((0, 0), np.bool_)
    fields = atoms.fields[points]
    counts = np.bincount(fields)
    width = min(WIDTH, int(np.count_nonzero(counts)))
    chosen = np.sort(np.argsort(-counts, kind="stable")[:width])
    narrow = np.full(int(atoms.fields.max()) + 1, -1, np.int64)
    narrow[chosen] = np.arange(width)
    sets = np.empty(len(offsets) - 1, np.uint64)
    choice.point_fields(offsets, literals, atoms.kinds, narrow, sets)
    distinct, weights = _heaviest(sets)
    shares = np.bincount(fields, weights=chances[points])[chosen] / np.maximum(counts[chosen], 1)
    return narrow, choice.partners(distinct, weights.astype(np.float64), shares)


def _heaviest(sets: UInt64) -> tuple[UInt64, Int64]:
    distinct, weights = np.unique(sets, return_counts=True)
    if len(distinct) > COMBINATIONS:
        kept = np.argpartition(-weights, COMBINATIONS)[:COMBINATIONS]
        distinct, weights = distinct[kept], weights[kept]
    return distinct, weights


def _numbered(kinds: Int64, firsts: Int64, seconds: Int64) -> tuple[Int64, Int64]:
    """Return access keys as numbers, and the owner and prefix of each node."""
    keys = kinds << _KIND
    keys[kinds == choice.POINT] |= firsts[kinds == choice.POINT]
    pairs = kinds == choice.PAIR
    keys[pairs] |= firsts[pairs] << 30 | seconds[pairs]
    spans = np.flatnonzero(kinds == choice.NODE)
    owners, inverse = np.unique(np.stack([firsts[spans], seconds[spans]], 1), axis=0, return_inverse=True)
    keys[spans] |= inverse.reshape(-1)
    return keys, owners


def _keyed(
    keys: Int64, starts: Int64, nodes_of: Int64, partners: Partners, atoms: Atoms, arena: tuple[Int32, Int32, Any]
) -> Base:
    """Return a base whose tables lead from the access keys, sorted, to the blocks, which begin at `starts`."""
    own = keys[np.concatenate([[True], keys[1:] != keys[:-1]])]
    kinds, rest = own >> _KIND, own & (1 << _KIND) - 1
    point_blocks = np.full(len(atoms.kinds), -1, np.int32)
    point_blocks[rest[kinds == choice.POINT]] = starts[kinds == choice.POINT]
    pairs = kinds == choice.PAIR
    table: Any = _pair_tables(rest[pairs], starts[pairs], partners, atoms.fields, atoms.modes)
    node_table = nodes.roomy_nodes(*nodes.new_nodes(), len(nodes_of))
    levels = np.zeros(int((nodes_of[:, 0] >> 8).max(initial=-1)) + 1, np.uint64)
    kernels.put_nodes(*node_table, nodes_of, starts[kinds == choice.NODE], levels)
    always = starts[kinds == choice.ALWAYS]
    first = np.array([always[0] if len(always) else -1], np.int32)
    return Base(point_blocks, *table, *node_table, levels, first, *arena)  # type: ignore[call-arg]


def _pair_tables(pairs: Int64, starts: Int64, known: Partners, fields: Int32, modes: Int32) -> tuple[Any, ...]:
    """Return the tables from pairs to blocks: a hash table, the partners of each field, ranks of points, and grids."""
    narrow, is_partner = known
    width = len(narrow)
    ones, twos = (np.flatnonzero(narrow >= 0)[found] for found in np.nonzero(is_partner))
    offsets = offsets_of(np.bincount(ones, minlength=width)).astype(np.int32)
    points = np.flatnonzero(modes == 0)
    points = points[np.argsort(fields[points], kind="stable")]
    counts = np.bincount(fields[points], minlength=max(width, 1))
    ranks = np.full(len(fields), -1, np.int32)
    ranks[points] = np.arange(len(points)) - offsets_of(counts)[fields[points]]
    partners = np.full((len(ones), 3), -1, np.int64)
    partners[:, 0], partners[:, 2] = twos, counts[twos]
    first, second = pairs >> 30, pairs & (1 << 30) - 1
    owners = np.searchsorted(ones * width + twos, fields[first].astype(np.int64) * width + fields[second])
    keys = np.bincount(owners, minlength=len(ones))
    dense = counts[ones] * counts[twos] <= GRID * keys
    begins = offsets_of(np.where(dense, counts[ones] * counts[twos], 0))
    partners[dense, 1] = begins[:-1][dense]
    grid = np.full(begins[-1], -1, np.int32)
    in_grid = dense[owners] if len(owners) else np.zeros(0, np.bool_)
    at = begins[owners] + ranks[first].astype(np.int64) * partners[owners, 2] + ranks[second]
    grid[at[in_grid]] = starts[in_grid]
    table = roomy_table(*new_table(), int(np.count_nonzero(~in_grid)))
    kernels.put_pairs(*table, pairs[~in_grid], starts[~in_grid])
    return *table, offsets, partners.reshape(-1), ranks, grid


def keys_of(base: Base, fields: Int32) -> Int64:
    """Return for each block its first and second point (-1 for none), and the position where it begins."""
    points = np.flatnonzero(base.point_blocks >= 0)
    found = [_keys(points, -1, base.point_blocks[points])]
    taken = np.flatnonzero(base.pair_keys != EMPTY)
    pairs = base.pair_keys[taken]
    found.append(_keys(pairs >> 32, pairs & 0xFFFFFFFF, base.pair_blocks[taken]))
    found += _grid_keys(base, fields[: len(base.ranks)])
    found.append(_keys(-1, -1, base.node_blocks[base.node_blocks >= 0]))
    found.append(_keys(-1, -1, base.always[base.always >= 0]))
    return np.concatenate(found)


def _keys(firsts: Any, seconds: Any, starts: Any) -> Int64:
    keys = np.empty((len(starts), 3), np.int64)
    keys[:, 0], keys[:, 1], keys[:, 2] = firsts, seconds, starts
    return keys


def _grid_keys(base: Base, fields: Int32) -> list[Int64]:
    ranked = np.flatnonzero(base.ranks >= 0)
    ranked = ranked[np.lexsort((base.ranks[ranked], fields[ranked]))]
    borders = np.searchsorted(fields[ranked], np.arange(len(base.partner_offsets)))
    found = []
    for field in range(len(base.partner_offsets) - 1):
        for partner, begin, width in base.partners.reshape(-1, 3)[
            base.partner_offsets[field] : base.partner_offsets[field + 1]
        ].tolist():
            if begin >= 0:
                own = ranked[borders[field] : borders[field + 1]]
                others = (
                    ranked[borders[partner] : borders[partner + 1]]
                    if partner + 1 < len(borders)
                    else ranked[borders[partner] :]
                )
                cells = base.grid[begin : begin + len(own) * width]
                at = np.flatnonzero(cells >= 0)
                found.append(_keys(own[at // width], others[at % width], cells[at]))
    return found
