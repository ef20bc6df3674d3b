"""Matching texts by the positions of all their words: linear in text and candidates, whatever they are.

The automaton finds which words occur, each noted once (`seen`, an `int_set`). A word that was noted before brought its
suffixes with it, so a visit ends there, and noting takes time in the text and the distinct words only. Of the
`candidates`, one with a word that was not noted is out. If no word came twice, the noted positions decide about what is
left. Else the positions of its words are gathered from the visited states, and `gaps.fits` decides.

The patterns ``song?blue`` and ``pie*tea``, and the text "pie, tea and a song": the automaton notes pie (ends at 3), tea
(8) and song (19). The key of the first pattern, song, is there, but blue was not noted: it is out. The second has both
words; each came once, and tea begins at 5, behind the end of pie: it matches. Had tea come twice, the positions 3 and
8, 12 would be gathered, and put together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from watchword.arrays import Int32, Int64
from watchword.kernels.int_set import set_capacity, set_has, set_slot
from watchword.kernels.intrinsics import prefetch
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.patterns.keyed.candidates import ROOM, candidates
from watchword.kernels.patterns.keyed.fingerprints import begin_text, new_marks
from watchword.kernels.patterns.keyed.key_store import MOST_WORDS, WORDS, KeyBlocks
from watchword.kernels.sequences.automaton import MOST_ENDINGS, walk
from watchword.kernels.sequences.gaps import ANY, BEGIN, LEAST, LENGTH, MOST, STOP, fits
from watchword.kernels.tombstones import drop_dead

_AHEAD = 8


class Visits(NamedTuple):
    """The states that the automaton reached in a text where words end, and the positions of these ends."""

    states: Int32
    positions: Int32
    endings: Int32
    """Those of the automaton."""


class Found(NamedTuple):
    """The words of a text, and the positions at which they end.

    ``groups[slot]`` is the number, from 1 on, of the word that has a slot in the set `seen`, or 0. The positions of
    word `g` are ``ends[0, stops[g - 1]:stops[g]]``, from 0 for the first; the other rows of `ends` are for `gaps.fits`.
    """

    seen: Int32
    groups: Int32
    stops: Int64
    ends: Int64


@kernel
def match(data, text_offsets, automaton, store, dead, first, used, offsets, payloads):
    """Match texts from `first` on, as `watchword.index.hits.Step` asks. Operations: candidates of the keys found.

    `automaton` is that of the words of the `KeyStore`, known by their heads.
    """
    marks, waiting = new_marks(), np.empty(64, np.int64)
    operations = 0
    for text in range(first, len(text_offsets) - 1):
        begin_text(marks)
        fill, work, waiting = _match_text(
            data, text_offsets[text], text_offsets[text + 1], automaton, store, marks, payloads, used, waiting
        )
        if fill < 0:
            return text, used, operations
        operations += work
        used = drop_dead(dead, payloads, used, fill)
        offsets[text + 1] = used
    return len(text_offsets) - 1, used, operations


@kernel
def _match_text(data, begin, stop, automaton, store, marks, payloads, used, waiting):
    """Append the payloads of the patterns that a text holds; returns the new fill, -1 if there is no room.

    Also returns how many candidates there were, and the longer `waiting`.
    """
    arena, limits = store.arena, store.limits
    states, positions = np.empty(stop - begin + 1, np.int32), np.empty(stop - begin + 1, np.int32)
    visits, length = walk(data, begin, stop, automaton, states, positions)
    visited = Visits(states[:visits], positions[:visits], automaton.endings)
    most = min(limits[WORDS], visits * automaton.limits[MOST_ENDINGS])
    seen = np.full(set_capacity(most), -1, np.int32)
    noted = np.empty((3, most), np.int32)
    groups = np.zeros(len(seen), np.int32)
    count = _note(visited, store.heads, seen, noted)
    is_once, count = count > 0, abs(count) - 1
    blocks = KeyBlocks(store.heads, arena, store.guard_levels)
    while True:
        fill, pending, work = candidates(data, begin, stop, blocks, marks, noted[0], count, payloads, used, waiting)
        if pending >= 0:
            break
        waiting = np.empty(2 * (work + ROOM), np.int64)
    pending = _only_seen(waiting, pending, arena, seen)
    if fill < 0 or fill + pending > len(payloads):
        return np.int64(-1), work, waiting
    if pending and is_once:
        for k in range(count):
            groups[noted[1, k]] = k
        fill = _check_once(waiting, pending, arena, seen, groups, noted[2], length, payloads, fill)
    elif pending:
        stops = np.empty(count + 2, np.int64)
        total = _number(waiting, pending, arena, visited, seen, groups, stops)
        found = Found(seen, groups, stops, np.empty((3, total), np.int64))
        _gather(visited, found)
        sequence = np.empty((5, limits[MOST_WORDS] + 1), np.int64)
        fill = _check(waiting, pending, arena, found, length, sequence, payloads, fill)
    return fill, work, waiting


@leaf
def _note(visited, heads, seen, noted):
    """Note the words that end in the visited states, once each, with their slots and positions.

    Returns how many they are, plus one, and negative if one of them was met again: it has other positions, too, and so
    have words that are a suffix of it.
    """
    states, positions, endings = visited.states, visited.positions, visited.endings
    mask, visits = len(seen) - 1, len(states)
    count = 0
    sign = 1
    for visit in range(visits):
        state = np.int64(states[visit])
        if visit + _AHEAD < visits:
            prefetch(endings, 2 * np.int64(states[visit + _AHEAD]))
        while state > 0:
            word = endings[2 * state]
            if word >= 0:
                slot = set_slot(seen, mask, word)
                if seen[slot] == word:
                    sign = -1
                    break
                prefetch(heads, np.int64(word))
                seen[slot] = word
                noted[0, count] = word
                noted[1, count] = slot
                noted[2, count] = positions[visit]
                count += 1
            state = np.int64(endings[2 * state + 1])
    return sign * (count + 1)


@leaf
def _only_seen(waiting, pending, arena, seen):
    """Keep the patterns of which all words were noted; returns how many they are."""
    kept = 0
    for i in range(pending):
        body = waiting[i]
        holds = True
        for k in range(arena[body + 1]):
            if not set_has(seen, len(seen) - 1, arena[body + 3 + 3 * k]):
                holds = False
                break
        waiting[kept] = body
        kept += holds
    return kept


@leaf
def _check_once(waiting, pending, arena, seen, ranks, ends, length, payloads, fill):
    """As `_check`, where every word has one position: the word with a slot in `seen` ends at ``ends[ranks[slot]]``."""
    mask = len(seen) - 1
    for i in range(pending):
        at = waiting[i] + 2
        end = np.int64(0)
        holds = True
        for k in range(arena[at - 1]):
            least, is_open = np.int64(arena[at]) >> 1, arena[at] & 1 == 1 or k == 0
            own_end = np.int64(ends[ranks[set_slot(seen, mask, arena[at + 1])]])
            space = own_end - arena[at + 2] - end
            holds = space == least or (space > least and is_open)
            if not holds:
                break
            end = own_end
            at += 3
        payloads[fill] = arena[waiting[i]]
        fill += holds and end + (arena[at] >> 1) <= length
    return fill


@leaf
def _number(waiting, pending, arena, visited, seen, groups, stops):
    """Number the words of the waiting patterns and count their positions; returns how many there are in all.

    Afterwards the positions of word `g` are to lie from ``stops[g]`` on (see `Found`).
    """
    endings = visited.endings
    mask = len(seen) - 1
    numbered = 0
    for i in range(pending):
        at = waiting[i]
        for k in range(arena[at + 1]):
            slot = set_slot(seen, mask, arena[at + 3 + 3 * k])
            if groups[slot] == 0:
                numbered += 1
                groups[slot] = numbered
    stops[: numbered + 2] = 0
    for visit in range(len(visited.states)):
        ending = np.int64(visited.states[visit])
        while ending > 0:
            if endings[2 * ending] >= 0:
                group = groups[set_slot(seen, mask, endings[2 * ending])]
                stops[group] += group > 0
            ending = np.int64(endings[2 * ending + 1])
    total = np.int64(0)
    for group in range(1, numbered + 2):
        total, stops[group] = total + stops[group], total
    return total


@leaf
def _gather(visited, found):
    """Write the positions of the numbered words; afterwards word `g` has those up to ``stops[g]``."""
    endings, seen, groups, stops = visited.endings, found.seen, found.groups, found.stops
    mask = len(seen) - 1
    for visit in range(len(visited.states)):
        ending = np.int64(visited.states[visit])
        while ending > 0:
            if endings[2 * ending] >= 0:
                group = groups[set_slot(seen, mask, endings[2 * ending])]
                if group:
                    found.ends[0, stops[group]] = visited.positions[visit]
                    stops[group] += 1
            ending = np.int64(endings[2 * ending + 1])


@leaf
def _check(waiting, pending, arena, found, length, sequence, payloads, fill):
    """Append the payloads of the waiting patterns that fit into a text of so many characters; returns the new fill."""
    seen, groups, stops = found.seen, found.groups, found.stops
    mask = len(seen) - 1
    for i in range(pending):
        at = waiting[i]
        count = np.int64(arena[at + 1])
        for k in range(count + 1):
            gap = np.int64(arena[at + 2 + 3 * k])
            sequence[LEAST, k] = gap >> 1
            sequence[MOST, k] = ANY if gap & 1 or k == 0 or k == count else gap >> 1
            if k < count:
                group = groups[set_slot(seen, mask, arena[at + 3 + 3 * k])]
                sequence[BEGIN, k] = stops[group - 1] if group > 1 else 0
                sequence[STOP, k] = stops[group]
                sequence[LENGTH, k] = arena[at + 4 + 3 * k]
        payloads[fill] = arena[at]
        fill += fits(count, sequence, found.ends, length)
    return fill
