"""Patterns under their rarest word: how they are laid out, found and put together.

A pattern is stored once, in the *block* of its rarest word (its key). `arena` (int32) holds the blocks one after
another; that of word `w` lies between ``starts[w]`` and ``starts[w + 1]``, and is empty where `w` is nobody's key.

    block    S  payload × S  entries
             S patterns are nothing but the word: they match wherever it occurs.
    entry    payload  n  gap word  gap word  …  gap
             n words in the pattern's order, the key among them, with a gap before each and one behind the last; a gap
             is twice its least length, plus one where a `*` stands in it.

Matching a text: the automaton finds which words occur, each noted once (`seen`, a `termset`). A word that was noted
before brought its suffixes with it, so a visit ends there, and noting takes time in the text and the distinct words
only. Blocks of the noted words give candidates; one whose words were not all noted is out. For what is left, and only
then, the places of its words are gathered from the visited states, and `gaps.fits` decides.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.automaton import step
from watchword.kernels.gaps import ANY, fits
from watchword.kernels.jit import inline, kernel
from watchword.kernels.memory import prefetch
from watchword.kernels.termset import set_capacity, set_has, set_slot
from watchword.kernels.tombstones import drop_dead, is_dead


@kernel
def match(
    first,
    used,
    data,
    offsets,
    cells,
    fails,
    words,
    links,
    roots,
    starts,
    arena,
    chars,
    limits,
    dead,
    ends,
    payloads,
):
    """Match texts from `first` on (the protocol of `collect`). Operations: candidates looked at.

    `limits` are the most words of a pattern, and the most words that end at one place.
    """
    size = np.int64(0)
    for text in range(first, len(offsets) - 1):
        size = max(size, offsets[text + 1] - offsets[text])
    most = min(len(starts) - 1, size * limits[1])
    seen = np.full(set_capacity(most), -1, np.int32)
    mask = len(seen) - 1
    noted = np.empty(most, np.int32)
    slots = np.empty(most, np.int32)
    states = np.empty(size, np.int32)
    places = np.empty(size, np.int64)
    groups = np.zeros(len(seen), np.int32)
    begins = np.empty(most + 2, np.int64)
    gathered = np.empty((3, 64), np.int64)
    scratch = np.empty((5, limits[0] + 1), np.int64)
    waiting = np.empty(64, np.int64)
    operations = 0
    for text in range(first, len(offsets) - 1):
        visits, count, length = _scan(
            data,
            offsets[text],
            offsets[text + 1],
            cells,
            fails,
            words,
            links,
            roots,
            starts,
            states,
            places,
            seen,
            noted,
            slots,
        )
        for k in range(count):
            prefetch(arena, np.int64(starts[noted[k]]))
        fill = used
        pending = 0
        for k in range(count):
            word = noted[k]
            at, stop = np.int64(starts[word]), np.int64(starts[word + 1])
            if at == stop:
                continue
            singles = np.int64(arena[at])
            if fill + singles > len(payloads):
                fill = np.int64(-1)
                break
            for i in range(singles):
                payloads[fill + i] = arena[at + 1 + i]
            fill += singles
            operations += singles
            at += 1 + singles
            while at < stop:
                operations += 1
                if _all_seen(arena, at, word, seen, mask):
                    if pending == len(waiting):
                        waiting = _longer(waiting)
                    waiting[pending] = at
                    pending += 1
                at += 3 + 2 * arena[at + 1]
        if fill >= 0 and fill + pending > len(payloads):
            fill = np.int64(-1)
        if pending and fill >= 0:
            total = _count(waiting, pending, arena, states, visits, words, links, seen, groups, begins)
            if total > gathered.shape[1]:
                gathered = np.empty((3, 2 * total), np.int64)
            _gather(states, places, visits, words, links, seen, groups, begins, gathered[0])
            fill = _settle(
                waiting, pending, arena, chars, seen, groups, begins, gathered, length, scratch, payloads, fill
            )
            for k in range(count):
                groups[slots[k]] = 0
        for k in range(count):
            seen[slots[k]] = -1
        if fill < 0:
            return text, used, operations
        used = drop_dead(dead, payloads, used, fill) if len(dead) else fill
        ends[text] = used
    return len(offsets) - 1, used, operations


@inline
def _scan(data, at, end, cells, fails, words, links, roots, starts, states, places, seen, noted, slots):
    """Walk the automaton over a text: note its words, and the states where words end with their places.

    Returns how many of both there are, and the text's length in characters.
    """
    mask = len(seen) - 1
    visits = 0
    count = 0
    place = 0
    state = np.int64(0)
    while at < end:
        byte = data[at]
        at += 1
        place += (byte & 0xC0) != 0x80
        state = step(cells, fails, roots, state, np.int64(byte))
        if cells[2 * state + 1] & 1:
            states[visits] = state
            places[visits] = place
            visits += 1
            ending = state if words[state] >= 0 else np.int64(links[state])
            while ending > 0:
                word = words[ending]
                slot = set_slot(seen, mask, word)
                if seen[slot] == word:
                    break
                prefetch(starts, np.int64(word))
                seen[slot] = word
                noted[count] = word
                slots[count] = slot
                count += 1
                ending = np.int64(links[ending])
        if cells[2 * state] < 0:
            state = np.int64(~cells[2 * state])
    return visits, count, place


@inline
def _all_seen(arena, at, key, seen, mask):
    """Say whether all words of an entry were noted; its key was."""
    for k in range(at + 3, at + 3 + 2 * arena[at + 1], 2):
        if arena[k] != key and not set_has(seen, mask, arena[k]):
            return False
    return True


@kernel
def _longer(array):
    longer = np.empty(2 * len(array), np.int64)
    longer[: len(array)] = array
    return longer


@kernel
def _count(waiting, pending, arena, states, visits, words, links, seen, groups, begins):
    """Number the words of the waiting entries and count their places; returns how many there are in all.

    ``groups[slot]`` is the number, from 1 on, of the word that has a slot in `seen`; the places of word `g` are to lie
    from ``begins[g]`` on.
    """
    mask = len(seen) - 1
    numbered = 0
    for i in range(pending):
        at = waiting[i]
        for k in range(arena[at + 1]):
            slot = set_slot(seen, mask, arena[at + 3 + 2 * k])
            if groups[slot] == 0:
                numbered += 1
                groups[slot] = numbered
    begins[: numbered + 2] = 0
    for visit in range(visits):
        ending = np.int64(states[visit])
        while ending > 0:
            if words[ending] >= 0:
                group = groups[set_slot(seen, mask, words[ending])]
                begins[group] += group > 0
            ending = np.int64(links[ending])
    total = np.int64(0)
    for group in range(1, numbered + 2):
        total, begins[group] = total + begins[group], total
    return total


@kernel
def _gather(states, places, visits, words, links, seen, groups, begins, ends):
    """Write the places of the numbered words; afterwards word `g` has those up to ``begins[g]``."""
    mask = len(seen) - 1
    for visit in range(visits):
        ending = np.int64(states[visit])
        while ending > 0:
            if words[ending] >= 0:
                group = groups[set_slot(seen, mask, words[ending])]
                if group:
                    ends[begins[group]] = places[visit]
                    begins[group] += 1
            ending = np.int64(links[ending])


@kernel
def _settle(waiting, pending, arena, chars, seen, groups, stops, gathered, length, scratch, payloads, fill):
    """Append the payloads of the waiting entries that fit; returns the new fill."""
    mask = len(seen) - 1
    for i in range(pending):
        at = waiting[i]
        count = np.int64(arena[at + 1])
        for k in range(count + 1):
            gap = arena[at + 2 + 2 * k]
            scratch[3, k] = gap >> 1
            scratch[4, k] = ANY if gap & 1 or k == 0 or k == count else gap >> 1
            if k < count:
                word = arena[at + 3 + 2 * k]
                group = groups[set_slot(seen, mask, word)]
                scratch[0, k] = stops[group - 1] if group > 1 else 0
                scratch[1, k] = stops[group]
                scratch[2, k] = chars[word]
        payloads[fill] = arena[at]
        fill += fits(
            count,
            scratch[0],
            scratch[1],
            scratch[2],
            scratch[3],
            scratch[4],
            gathered[0],
            length,
            gathered[1],
            gathered[2],
        )
    return fill


# Packing


@kernel
def choose_keys(offsets, numbers, bits, keys):
    """Set each pattern's key to the word with the most bits, the first of several."""
    for row in range(len(offsets) - 1):
        best = numbers[offsets[row]]
        for j in range(offsets[row] + 1, offsets[row + 1]):
            if bits[numbers[j]] > bits[best]:
                best = numbers[j]
        keys[row] = best


@inline
def _is_single(offsets, gaps, row):
    first = offsets[row]
    return offsets[row + 1] - first == 1 and gaps[first + row] == 0 and gaps[first + row + 1] == 0


@kernel
def measure(offsets, gaps, keys, starts):
    """Set `starts` for blocks of the patterns; returns the size of the arena, which may be too large."""
    starts[:] = 0
    for row in range(len(keys)):
        words = offsets[row + 1] - offsets[row]
        if starts[keys[row] + 1] == 0:
            starts[keys[row] + 1] = 1
        starts[keys[row] + 1] += 1 if _is_single(offsets, gaps, row) else 3 + 2 * words
    total = np.int64(0)
    for word in range(1, len(starts)):
        total += starts[word]
        starts[word] = total
    return total


@kernel
def pack(offsets, numbers, gaps, payloads, keys, starts, arena):
    """Write the blocks: first the single words, then the entries, both in the order given."""
    fills = np.zeros(len(starts), np.int32)
    arena[:] = 0
    for row in range(len(keys)):
        if _is_single(offsets, gaps, row):
            block = starts[keys[row]]
            arena[block] += 1
            arena[block + arena[block]] = payloads[row]
    for row in range(len(keys)):
        if _is_single(offsets, gaps, row):
            continue
        key = keys[row]
        at = starts[key] + 1 + arena[starts[key]] + fills[key]
        arena[at] = payloads[row]
        words = offsets[row + 1] - offsets[row]
        arena[at + 1] = words
        for k in range(words + 1):
            arena[at + 2 + 2 * k] = gaps[offsets[row] + row + k]
            if k < words:
                arena[at + 3 + 2 * k] = numbers[offsets[row] + k]
        fills[key] += 3 + 2 * words


@kernel
def unpack(starts, arena, dead, offsets, numbers, gaps, payloads):
    """Write the patterns back as they were given to `pack`, without the dead; returns how many and their words.

    With empty outputs it only counts.
    """
    rows = words = 0
    is_written = len(payloads) > 0
    for key in range(len(starts) - 1):
        at, stop = np.int64(starts[key]), np.int64(starts[key + 1])
        if at == stop:
            continue
        singles = at + 1 + arena[at]
        at += 1
        while at < stop:
            is_single = at < singles
            count = 1 if is_single else np.int64(arena[at + 1])
            if not is_dead(dead, arena[at]):
                if is_written:
                    payloads[rows] = arena[at]
                    for k in range(count + 1):
                        gaps[words + rows + k] = 0 if is_single else arena[at + 2 + 2 * k]
                        if k < count:
                            numbers[words + k] = key if is_single else arena[at + 3 + 2 * k]
                    offsets[rows + 1] = words + count
                rows += 1
                words += count
            at += 1 if is_single else 3 + 2 * count
    return rows, words


@kernel
def has_pattern(starts, arena, keys, numbers, gaps, payload):
    """Say whether the block of one of `keys` has this pattern with this payload."""
    for key in keys:
        at, stop = np.int64(starts[key]), np.int64(starts[key + 1])
        if at == stop:
            continue
        singles = at + 1 + arena[at]
        at += 1
        while at < stop:
            if at < singles:
                if arena[at] == payload and len(numbers) == 1 and gaps[0] == 0 and gaps[1] == 0:
                    return True
                at += 1
                continue
            count = np.int64(arena[at + 1])
            same = arena[at] == payload and count == len(numbers)
            k = 0
            while same and k <= count:
                same = arena[at + 2 + 2 * k] == gaps[k] and (k == count or arena[at + 3 + 2 * k] == numbers[k])
                k += 1
            if same:
                return True
            at += 3 + 2 * count
    return False


@kernel
def renumber(starts, arena, payloads):
    """Replace every payload `p` by ``payloads[p]``."""
    for key in range(len(starts) - 1):
        at, stop = np.int64(starts[key]), np.int64(starts[key + 1])
        if at == stop:
            continue
        singles = at + 1 + arena[at]
        at += 1
        while at < stop:
            arena[at] = payloads[arena[at]]
            at += 1 if at < singles else 3 + 2 * np.int64(arena[at + 1])


@kernel
def spell(blob, ends, numbers, cuts, data):
    """Write word ``numbers[j]`` as ``data[cuts[j]:cuts[j + 1]]``."""
    for j in range(len(numbers)):
        start = ends[numbers[j]] - (cuts[j + 1] - cuts[j])
        for k in range(cuts[j + 1] - cuts[j]):
            data[cuts[j] + k] = blob[start + k]
