"""Matching texts by the places of their words: linear in text and candidates, whatever they are.

The automaton finds which words occur, each noted once (`seen`, a `termset`). A word that was noted before brought its
suffixes with it, so a visit ends there, and noting takes time in the text and the distinct words only. Of the
`candidates`, one with a word that was not noted is out. If no word came twice, the noted places decide about what is
left. Else the places of its words are gathered from the visited states, and `gaps.fits` decides.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.int_set import set_capacity, set_has, set_slot
from watchword.kernels.jit import kernel, leaf
from watchword.kernels.memory import prefetch
from watchword.kernels.patterns.keyed.candidates import ROOM, candidates
from watchword.kernels.patterns.keyed.grams import PRINT_BITS
from watchword.kernels.sequences.automaton import walk
from watchword.kernels.sequences.gaps import ANY, BEGIN, LEAST, LENGTH, MOST, STOP, fits
from watchword.kernels.tombstones import drop_dead

_AHEAD = 8


@kernel
def match_places(first, last, used, data, offsets, automaton, packed, limits, dead, ends, payloads):
    """Match texts from `first` up to `last`, as far as there is room (the protocol of `collect`).

    `automaton` are classes, moves, cells and endings; `packed` are heads, arena and the levels of prints; `limits` are
    the most words of a pattern, how many words there are, the most that end at one place, dense states, and classes.
    """
    marks, waiting = np.zeros(1 << PRINT_BITS, np.uint8), np.empty(64, np.int64)
    operations = 0
    for text in range(first, last):
        fill, work, waiting = _match_text(
            data, offsets[text], offsets[text + 1], automaton, packed, limits, marks, payloads, used, waiting
        )
        if fill < 0:
            return text, used, operations
        operations += work
        used = drop_dead(dead, payloads, used, fill)
        ends[text] = used
    return last, used, operations


@kernel
def _match_text(data, begin, stop, automaton, packed, limits, marks, payloads, used, waiting):
    """Append the payloads of the patterns that a text holds; returns the new fill, -1 if there is no room.

    Also returns how many candidates there were, and the longer `waiting`.
    """
    heads, arena, probes = packed
    classes, moves, cells, endings = automaton
    states, places = np.empty(stop - begin + 1, np.int32), np.empty(stop - begin + 1, np.int32)
    visits, length = walk(data, begin, stop, classes, moves, cells, limits[3], limits[4], states, places)
    most = min(limits[1], visits * limits[2])
    seen = np.full(set_capacity(most), -1, np.int32)
    noted = np.empty((3, most), np.int32)
    ranks = np.zeros(len(seen), np.int32)
    count = _note(states, places, visits, endings, heads, seen, noted)
    is_once, count = count > 0, abs(count) - 1
    marks[:] = 0
    while True:
        fill, pending, work = candidates(
            noted[0], count, heads, arena, data, begin, stop, probes, marks, 1, False, payloads, used, waiting
        )
        if pending >= 0:
            break
        waiting = np.empty(2 * (work + ROOM), np.int64)
    pending = _only_seen(waiting, pending, arena, seen)
    if fill < 0 or fill + pending > len(payloads):
        return np.int64(-1), work, waiting
    if pending and is_once:
        for k in range(count):
            ranks[noted[1, k]] = k
        fill = _settle_once(waiting, pending, arena, seen, ranks, noted, length, payloads, fill)
    elif pending:
        begins = np.empty(count + 2, np.int64)
        total = _count(waiting, pending, arena, states, visits, endings, seen, ranks, begins)
        gathered = np.empty((3, total), np.int64)
        _gather(states, places, visits, endings, seen, ranks, begins, gathered)
        sequence = np.empty((5, limits[0] + 1), np.int64)
        fill = _settle(waiting, pending, arena, seen, ranks, begins, gathered, length, sequence, payloads, fill)
    return fill, work, waiting


@leaf
def _note(states, places, visits, endings, heads, seen, notes):
    """Note the words that end in the visited states, once each, with their slots and places.

    Returns how many they are, plus one, and negative if one of them was met again: it has other places, too, and so
    have words that are a suffix of it.
    """
    mask = len(seen) - 1
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
                notes[0, count] = word
                notes[1, count] = slot
                notes[2, count] = places[visit]
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
def _settle_once(waiting, pending, arena, seen, ranks, noted, length, payloads, fill):
    """As `_settle`, where every word has one place."""
    mask = len(seen) - 1
    for i in range(pending):
        at = waiting[i] + 2
        end = np.int64(0)
        holds = True
        for k in range(arena[at - 1]):
            least, is_open = np.int64(arena[at]) >> 1, arena[at] & 1 == 1 or k == 0
            place = np.int64(noted[2, ranks[set_slot(seen, mask, arena[at + 1])]])
            space = place - arena[at + 2] - end
            holds = space == least or (space > least and is_open)
            if not holds:
                break
            end = place
            at += 3
        payloads[fill] = arena[waiting[i]]
        fill += holds and end + (arena[at] >> 1) <= length
    return fill


@leaf
def _count(waiting, pending, arena, states, visits, endings, seen, groups, begins):
    """Number the words of the waiting patterns and count their places; returns how many there are in all.

    ``groups[slot]`` is the number, from 1 on, of the word that has a slot in `seen`; the places of word `g` are to lie
    from ``begins[g]`` on.
    """
    mask = len(seen) - 1
    numbered = 0
    for i in range(pending):
        at = waiting[i]
        for k in range(arena[at + 1]):
            slot = set_slot(seen, mask, arena[at + 3 + 3 * k])
            if groups[slot] == 0:
                numbered += 1
                groups[slot] = numbered
    begins[: numbered + 2] = 0
    for visit in range(visits):
        ending = np.int64(states[visit])
        while ending > 0:
            if endings[2 * ending] >= 0:
                group = groups[set_slot(seen, mask, endings[2 * ending])]
                begins[group] += group > 0
            ending = np.int64(endings[2 * ending + 1])
    total = np.int64(0)
    for group in range(1, numbered + 2):
        total, begins[group] = total + begins[group], total
    return total


@leaf
def _gather(states, places, visits, endings, seen, groups, begins, gathered):
    """Write the places of the numbered words; afterwards word `g` has those up to ``begins[g]``."""
    mask = len(seen) - 1
    for visit in range(visits):
        ending = np.int64(states[visit])
        while ending > 0:
            if endings[2 * ending] >= 0:
                group = groups[set_slot(seen, mask, endings[2 * ending])]
                if group:
                    gathered[0, begins[group]] = places[visit]
                    begins[group] += 1
            ending = np.int64(endings[2 * ending + 1])


@leaf
def _settle(waiting, pending, arena, seen, groups, stops, gathered, length, sequence, payloads, fill):
    """Append the payloads of the waiting patterns that fit; returns the new fill."""
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
        fill += fits(count, sequence, gathered, length)
    return fill
