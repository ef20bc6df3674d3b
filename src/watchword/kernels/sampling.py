"""Seeded draws from a discrete distribution, and the sets of Algorithm 7 made of them.

The distribution over ``n`` numbers is an alias table (Vose 1991): column `i` holds ``cut[i]`` in [0, 1] and
``alias[i]``; a draw picks a column, then keeps its number with probability ``cut[i]`` or takes the alias.
The invariant is ``(cut[i] + sum of 1 - cut[j] over alias[j] == i) / n == weights[i] / sum(weights)``, and a
number of weight 0 is never drawn. Building costs O(n), a draw O(1): one random number, one column.

The generator is a counter (SplitMix64): every row has its own start, mixed from the seed and the row's
number, so that a row does not depend on how many rows are made.
"""

from __future__ import annotations

import numpy as np

from watchword.kernels.jit import kernel

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S27, _S30, _S31, _S11 = np.uint64(27), np.uint64(30), np.uint64(31), np.uint64(11)
_UNIT = 1.0 / (1 << 53)
_PATIENCE = 256
"""Repeats in a row after which a draw walks over the numbers that are left, rather than try again."""


@kernel
def _mixed(state):
    """Scramble a counter into 64 random bits."""
    state = (state ^ (state >> _S30)) * _MIX_1
    state = (state ^ (state >> _S27)) * _MIX_2
    return state ^ (state >> _S31)


@kernel
def _unit(state):
    """Return a float in [0, 1) for a counter."""
    return (_mixed(state) >> _S11) * _UNIT


@kernel
def _start(seed, row):
    """Return the counter at which the stream of `row` begins."""
    return _mixed(_mixed(seed) + _mixed(np.uint64(row) * _GAMMA + _GAMMA))


@kernel
def alias_table(weights):
    """Return ``(cut, alias)`` for non-negative `weights` with a positive sum."""
    n = len(weights)
    cut = weights * (n / weights.sum())
    alias = np.arange(n).astype(np.int32)
    # One array holds two stacks of columns: those below 1 grow from the left, the others from the right.
    stack = np.empty(n, np.int32)
    small, large = 0, n
    for i in range(n):
        if cut[i] < 1.0:
            stack[small] = i
            small += 1
        else:
            large -= 1
            stack[large] = i
    while small > 0 and large < n:
        low, high = stack[small - 1], stack[large]
        small -= 1
        alias[low] = high
        cut[high] -= 1.0 - cut[low]
        if cut[high] < 1.0:
            large += 1
            stack[small] = high
            small += 1
    # What is left is 1 but for rounding; a number of weight 0 must not gain by that.
    heaviest = np.argmax(weights)
    for i in range(small):
        cut[stack[i]] = 1.0 if weights[stack[i]] > 0.0 else 0.0
        alias[stack[i]] = heaviest
    for i in range(large, n):
        cut[stack[i]] = 1.0
    return cut, alias


@kernel
def _pick(cut, alias, uniform):
    """Return the number that `uniform` in [0, 1) stands for: it chooses the column, and is the coin too."""
    scaled = uniform * len(cut)
    column = np.int64(scaled)
    return np.int32(column) if scaled - column < cut[column] else alias[column]


@kernel
def draw(cut, alias, count, seed):
    """Return `count` independent draws; the i-th depends on `seed` and `i` alone."""
    drawn = np.empty(count, np.int32)
    for i in range(count):
        drawn[i] = _pick(cut, alias, _unit(_start(seed, i)))
    return drawn


@kernel
def _pick_left(weights, seen, row, uniform):
    """Draw among the numbers that `row` does not have yet, by one walk over the weights."""
    left = 0.0
    for i in range(len(weights)):
        if seen[i] != row:
            left += weights[i]
    target, last = uniform * left, -1
    for i in range(len(weights)):
        if seen[i] != row and weights[i] > 0.0:
            last = i
            target -= weights[i]
            if target < 0.0:
                break
    return np.int32(last)


@kernel
def draw_sets(weights, cut, alias, offsets, seed, terms):
    """Fill `terms`, row by row as `offsets` cuts it, with draws that are distinct within the row.

    A repeat is drawn again, as in Algorithm 7. Where a row already has nearly all the weight, that could
    take forever: after some patience the draw is made among what is left, which has the same distribution.
    No row may be longer than there are positive weights.
    """
    seen = np.full(len(weights), -1, np.int32)
    for row in range(len(offsets) - 1):
        state = _start(seed, row)
        for at in range(offsets[row], offsets[row + 1]):
            tries = 0
            while True:
                state += _GAMMA
                if tries < _PATIENCE:
                    term = _pick(cut, alias, _unit(state))
                else:
                    term = _pick_left(weights, seen, row, _unit(state))
                if seen[term] != row:
                    break
                tries += 1
            seen[term] = row
            terms[at] = term


@kernel
def _digits(number):
    """Return how many decimal digits `number` has."""
    count = 1
    while number >= 10:
        number //= 10
        count += 1
    return count


@kernel
def text_offsets(offsets, terms):
    """Return where each row's text starts, if term 17 is written ``t17`` and a space stands between terms."""
    starts = np.empty(len(offsets), np.int64)
    starts[0] = used = 0
    for row in range(len(offsets) - 1):
        for at in range(offsets[row], offsets[row + 1]):
            used += _digits(terms[at]) + 2
        if offsets[row + 1] > offsets[row]:
            used -= 1
        starts[row + 1] = used
    return starts


@kernel
def write_texts(offsets, terms, starts, data):
    """Write every row's text into `data`, ASCII, each from its place in `starts`."""
    for row in range(len(offsets) - 1):
        end = starts[row]
        for at in range(offsets[row], offsets[row + 1]):
            if at > offsets[row]:
                data[end] = 32
                end += 1
            data[end] = 116
            number = terms[at]
            end += 1 + _digits(number)
            place = end
            while True:
                place -= 1
                data[place] = 48 + number % 10
                number //= 10
                if number == 0:
                    break
