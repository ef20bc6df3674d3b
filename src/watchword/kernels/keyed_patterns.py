"""Patterns under their rarest word: how a text finds them.

A pattern is stored once, in the *block* of its rarest word, its key. Most candidates are not even looked at: each has a
*probe*, the rarest of its other words (the key, if it has none), and the *print* of the probe, `PRINT_BITS` of a hash,
stands in a small array that stays in the cache.

    heads    uint16. Every word has a head, and is known by where its head begins: where its block begins (two numbers,
             the low half first); E, the number of its patterns that are more than the word, with `SINGLES` added if
             others are not, or `MANY` where E is no less; and the prints of those E, none if they are many.
    arena    int32, the blocks.  block   S  E  payload × S  body × E  bodies
             S patterns are nothing but the word, and match wherever it occurs. A body is told by its distance.
                                 body    payload  n  gap word length  gap word length  …  gap
             n words in the pattern's order, the key among them, with a gap before each and one behind the last; a gap
             is twice its least length, plus one where a `*` stands in it; lengths are in characters.

Matching a text: the automaton finds which words occur, each noted once (`seen`, a `termset`, and `marks`, a bitmap of
prints). A word that was noted before brought its suffixes with it, so a visit ends there, and noting takes time in the
text and the distinct words only. A candidate whose probe is not marked is out, and so is one with a word that was not
noted. If no word came twice, the noted places decide about what is left. Else the places of its words are gathered from
the visited states, and `gaps.fits` decides.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.automaton import walk
from watchword.kernels.gaps import ANY, BEGIN, LEAST, LENGTH, MOST, STOP, fits
from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import prefetch
from watchword.kernels.termset import set_capacity, set_has, set_slot
from watchword.kernels.tombstones import drop_dead

PRINT_BITS = 14
SINGLES, MANY = 0x8000, 0x7FFF

_BYTES, _TEXTS = 1 << 15, 512  # of short texts taken together
_AHEAD = 8


@inline
def print_of(word):
    """Return the print of a word."""
    return ((np.int64(word) * 2654435769) >> 13) & ((1 << PRINT_BITS) - 1)


@inline
def block_of(heads, word):
    """Return where the block of a word begins."""
    return np.int64(heads[word]) | np.int64(heads[word + 1]) << 16


@kernel
def match(first, used, data, offsets, classes, moves, cells, endings, heads, arena, limits, dead, ends, payloads):
    """Match texts from `first` on (the protocol of `collect`). Operations: candidates looked at.

    `limits` are the most words of a pattern, the most words that end at one place, how many dense states and classes
    of bytes the automaton has, and how many words. Texts are taken together as long as they are short.
    """
    longest = np.int64(0)
    for text in range(first, len(offsets) - 1):
        longest = max(longest, offsets[text + 1] - offsets[text])
    most = min(limits[4], longest * limits[1])
    sets = np.full((2, set_capacity(most)), -1, np.int32)
    notes = np.empty((2, 3, most), np.int32)
    marks = np.zeros(1 << (PRINT_BITS - 6), np.uint64)
    ranks = np.zeros(sets.shape[1], np.int32)
    states = np.empty(max(longest, _BYTES) + 1, np.int32)
    places = np.empty(max(longest, _BYTES) + 1, np.int32)
    counts = np.empty(_TEXTS, np.int64)
    lengths = np.empty(_TEXTS, np.int64)
    begins = np.empty(most + 2, np.int64)
    gathered = np.empty((3, 64), np.int64)
    sequence = np.empty((5, limits[0] + 1), np.int64)
    waiting = np.empty(64, np.int64)
    operations = 0
    coming = 0
    start = last = first
    for text in range(first, len(offsets) - 1):
        side = text & 1
        if text == last:
            start = text
            last += 1
            while last < len(offsets) - 1 and last - start < _TEXTS and offsets[last + 1] - offsets[start] <= _BYTES:
                last += 1
            walk(
                data, offsets, start, last, classes, moves, cells, limits[2], limits[3], states, places, counts, lengths
            )
            coming = _note(states, places, 0, counts[0], endings, heads, sets[side], notes[side])
        begin = offsets[text] - offsets[start]
        stop = begin + counts[text - start]
        length = lengths[text - start]
        seen, noted, count = sets[side], notes[side], abs(coming) - 1
        is_once = coming > 0
        if text + 1 < last:  # its heads are on their way while this text is looked at
            after = offsets[text + 1] - offsets[start]
            until = after + counts[text + 1 - start]
            coming = _note(states, places, after, until, endings, heads, sets[1 - side], notes[1 - side])
        if count:
            fill, pending, work, waiting = _candidates(noted, count, heads, arena, marks, payloads, used, waiting)
            operations += work
            pending = _only_seen(waiting, pending, arena, seen)
            if fill >= 0 and fill + pending > len(payloads):
                fill = np.int64(-1)
            if pending and fill >= 0 and is_once:
                for k in range(count):
                    ranks[noted[1, k]] = k
                fill = _settle_once(waiting, pending, arena, seen, ranks, noted, length, payloads, fill)
            elif pending and fill >= 0:
                for k in range(count):
                    ranks[noted[1, k]] = 0
                total = _count(waiting, pending, arena, states, begin, stop, endings, seen, ranks, begins)
                if total > gathered.shape[1]:
                    gathered = np.empty((3, 2 * total), np.int64)
                _gather(states, places, begin, stop, endings, seen, ranks, begins, gathered)
                fill = _settle(waiting, pending, arena, seen, ranks, begins, gathered, length, sequence, payloads, fill)
            for k in range(count):
                seen[noted[1, k]] = -1
            if fill < 0:
                return text, used, operations
            used = drop_dead(dead, payloads, used, fill) if len(dead) else fill
        ends[text] = used
    return len(offsets) - 1, used, operations


@kernel
def _note(states, places, begin, stop, endings, heads, seen, notes):
    """Note the words that end in the visited states, once each, with their slots and places.

    Returns how many they are, plus one, and negative if one of them was met again: it has other places, too, and so
    have words that are a suffix of it.
    """
    mask = len(seen) - 1
    count = 0
    sign = 1
    for visit in range(begin, stop):
        state = np.int64(states[visit])
        if visit + _AHEAD < stop:
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


@kernel
def _candidates(noted, count, heads, arena, marks, payloads, fill, waiting):
    """Append the payloads of single words, and let wait the bodies of patterns whose probe is marked.

    Returns the new fill, -1 if there is no room, how many wait, how many were looked at, and the longer `waiting`.
    """
    for k in range(count):
        mark = print_of(noted[0, k])
        marks[mark >> 6] |= np.uint64(1) << np.uint64(mark & 63)
    pending = 0
    work = 0
    for k in range(count):
        head = np.int64(noted[0, k])
        tail = np.int64(heads[head + 2])
        others = tail & MANY
        work += others
        if others < MANY:
            for i in range(others):
                mark = np.int64(heads[head + 3 + i])
                if (marks[mark >> 6] >> np.uint64(mark & 63)) & np.uint64(1):
                    waiting = _room(waiting, pending + 1)
                    waiting[pending] = head << 16 | i
                    pending += 1
        if tail & SINGLES:
            block = block_of(heads, head)
            singles = np.int64(arena[block])
            work += singles
            if fill + singles > len(payloads):
                fill = np.int64(-1)
                break
            for i in range(singles):
                payloads[fill + i] = arena[block + 2 + i]
            fill += singles
    for i in range(pending):  # from the place among the prints to the body
        block = block_of(heads, waiting[i] >> 16)
        waiting[i] = waiting[i] & 0xFFFF | block << 16
        prefetch(arena, block)
    for i in range(pending):
        block = waiting[i] >> 16
        waiting[i] = block + arena[block + 2 + arena[block] + (waiting[i] & 0xFFFF)]
        prefetch(arena, waiting[i])
    for k in range(count):
        marks[print_of(noted[0, k]) >> 6] = 0
        head = np.int64(noted[0, k])
        if heads[head + 2] & MANY == MANY and fill >= 0:
            block = block_of(heads, head)
            others = np.int64(arena[block + 1])
            work += others - MANY
            waiting = _room(waiting, pending + others)
            for i in range(others):
                waiting[pending + i] = block + arena[block + 2 + arena[block] + i]
            pending += others
    return fill, pending, work, waiting


@inline
def _room(array, size):
    if size <= len(array):
        return array
    longer = np.empty(2 * size, np.int64)
    longer[: len(array)] = array
    return longer


@kernel
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


@kernel
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


@kernel
def _count(waiting, pending, arena, states, begin, stop, endings, seen, groups, begins):
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
    for visit in range(begin, stop):
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


@kernel
def _gather(states, places, begin, stop, endings, seen, groups, begins, gathered):
    """Write the places of the numbered words; afterwards word `g` has those up to ``begins[g]``."""
    mask = len(seen) - 1
    for visit in range(begin, stop):
        ending = np.int64(states[visit])
        while ending > 0:
            if endings[2 * ending] >= 0:
                group = groups[set_slot(seen, mask, endings[2 * ending])]
                if group:
                    gathered[0, begins[group]] = places[visit]
                    begins[group] += 1
            ending = np.int64(endings[2 * ending + 1])


@kernel
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
