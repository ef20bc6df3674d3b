"""Patterns and the texts they occur in: the synthetic workload of REtriever.

Implements the generator of Wang and Jacobsen 2004, section 4.1, with the parameters of Table 4 and the fixed
values of Table 5. A *string* is `sub_str_len` letters. A subscription is `num_sub_str` strings with its `*` and `?`
between them, `num_overlap_str` of them out of a pool of `num_overlap`. A publication is instances of `num_match`
subscriptions with other letters in between.

>>> drawn = generate(Parameters(num_subscription=3, num_publication=1, seed=1))
>>> drawn.subscriptions.column_names, len(drawn.subscriptions["subscription"][0].as_py())
(['id', 'subscription'], 14)
>>> len(drawn.publications), drawn.matches.shape
(1, (1, 3))

What the paper leaves open is decided here:

- Where operators stand is the parameter `placement`, never at an end. *Independent*, the default: each between two
  strings drawn by itself, so that places may coincide. *Apart*: each takes a place of its own between two strings;
  when there are more operators than places, every place gets its first before any gets its second, and so on.
  *Anywhere*: each between two letters, drawn by itself. With 3 strings, a `*` and a `?` that stand apart every phrase
  has four letters, and none is worth a cut; the paper measured different times for its ways to cut.
- Overlaps at a *general* position are any of the strings; as *prefix* the first ones, as *suffix* the last.
  Pools and subscriptions may repeat a string, and two subscriptions may be equal.
- `?` becomes a letter, `*` a run of 0 to ``2 * sub_str_len`` letters, all lengths alike. Two or three strings of
  letters stand between one instance and the next. Three instances of the default are then 71 letters on
  average, 55 to 87 at the extremes.
- The subscriptions of one publication are different ones. Others may match it by chance.

Layout: all subscriptions are equally long, a matrix of bytes with one in each row. Everything is drawn by whole
matrices; one seed gives one result, and subscriptions do not depend on the publications asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from watchword.arrays import Int64
from watchword.errors import OptionError

OverlapPosition = Literal["general", "prefix", "suffix"]
Placement = Literal["independent", "apart", "anywhere"]
Bytes = npt.NDArray[np.uint8]

ENGLISH = (
    *(8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2.0, 6.1, 7.0, 0.15, 0.77, 4.0, 2.4),  # a to m
    *(6.7, 7.5, 1.9, 0.095, 6.0, 6.3, 9.1, 2.8, 0.98, 2.4, 0.15, 2.0, 0.074),  # n to z
)
"""How often each letter, a to z, occurs in English prose, in percent."""
LETTERS = {"uniform": None, "English": ENGLISH}
"""The proportions of letters that experiments compare."""

_STAR, _QUESTION, _EXTRA = ord("*"), ord("?"), ord(" ")
_FIRST_LETTER = ord("a")
_EXTRA_STRINGS = (2, 3)


@dataclass(frozen=True)
class Parameters:
    """Table 4, with the values of Table 5 and of the paper's first experiment where nothing else is said.

    `num_overlap` left out is a fiftieth of the subscriptions. `letters` are the proportions of the letters a, b,
    c and so on: 26 equal ones if left out, `ENGLISH` for prose.
    """

    num_subscription: int = 10_000
    num_publication: int = 100
    num_overlap: int | None = None
    num_star: int = 1
    num_question: int = 1
    num_overlap_str: int = 1
    num_match: int = 3
    num_sub_str: int = 3
    sub_str_len: int = 4
    overlap_pos: OverlapPosition = "general"
    placement: Placement = "independent"
    letters: tuple[float, ...] | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if self.num_subscription < 1 or self.num_publication < 0 or self.pool_size < 1:
            raise OptionError("a workload needs a subscription, an overlap string, and no negative number of texts")
        if self.num_sub_str < 1 or self.sub_str_len < 1:
            raise OptionError("a subscription needs a string, and a string needs a letter")
        if not 0 <= self.num_overlap_str <= self.num_sub_str:
            raise OptionError(f"{self.num_overlap_str} of {self.num_sub_str} strings cannot be overlaps")
        if not 1 <= self.num_match <= self.num_subscription:
            raise OptionError(f"cannot draw {self.num_match} different ones of {self.num_subscription} subscriptions")
        if min(self.num_star, self.num_question) < 0:
            raise OptionError("there cannot be fewer operators than none")
        if self.placement not in get_args(Placement):
            raise OptionError(f"placement is 'independent', 'apart' or 'anywhere', not {self.placement!r}")
        if self.num_operators and self.num_places == 0:
            raise OptionError("operators stand between strings, or anywhere between letters: they need two of these")
        if self.overlap_pos not in get_args(OverlapPosition):
            raise OptionError(f"overlap_pos is 'general', 'prefix' or 'suffix', not {self.overlap_pos!r}")
        if self.letters is not None and not _are_proportions(self.letters):
            raise OptionError("letters are proportions of a, b, c and so on: 1 to 26, 0 or more, not all 0")

    @property
    def pool_size(self) -> int:
        """The number of overlap strings to draw from."""
        return max(1, self.num_subscription // 50) if self.num_overlap is None else self.num_overlap

    @property
    def num_operators(self) -> int:
        """The number of wildcards in a subscription."""
        return self.num_star + self.num_question

    @property
    def num_places(self) -> int:
        """The number of places where an operator may stand."""
        return (self.num_sub_str * self.sub_str_len if self.placement == "anywhere" else self.num_sub_str) - 1

    @property
    def length(self) -> int:
        """The number of characters of a subscription."""
        return self.num_sub_str * self.sub_str_len + self.num_operators


@dataclass(frozen=True, eq=False)
class Workload:
    """A drawn workload: publication `i` holds an instance of each subscription whose id is in ``matches[i]``."""

    subscriptions: pa.Table
    publications: pa.LargeStringArray
    matches: Int64


def generate(parameters: Parameters) -> Workload:
    """Return subscriptions (`id`, int64 from 0, and `subscription`) and publications."""
    patterns = _subscriptions(parameters, np.random.default_rng([parameters.seed, 0]))
    offsets = np.arange(len(patterns) + 1) * parameters.length
    table = pa.table({"id": np.arange(len(patterns)), "subscription": _texts(offsets, patterns)})
    rng = np.random.default_rng([parameters.seed, 1])
    matches = _different(rng, parameters)
    return Workload(table, _publications(parameters, patterns[matches], rng), matches)


def _are_proportions(letters: tuple[float, ...]) -> bool:
    return 1 <= len(letters) <= 26 and all(letter >= 0 for letter in letters) and 0 < sum(letters) < np.inf


def _subscriptions(parameters: Parameters, rng: np.random.Generator) -> Bytes:
    """Return the matrix of subscriptions."""
    count, letters = parameters.num_subscription, parameters.num_sub_str * parameters.sub_str_len
    drawn = _strings(parameters, rng)
    places = _places(parameters, rng)
    # A letter moves right by the operators before it, an operator by the letters and operators before it.
    shift = np.stack([np.count_nonzero(places < letter, axis=1) for letter in range(letters)], axis=1)
    order = np.argsort(places, axis=1, kind="stable")
    operator = np.take_along_axis(places, order, axis=1) + 1 + np.arange(places.shape[1])
    kinds = np.repeat(np.array([_STAR, _QUESTION], np.uint8), [parameters.num_star, parameters.num_question])
    patterns = np.empty((count, parameters.length), np.uint8)
    row = np.arange(count)[:, np.newaxis]
    patterns[row, np.arange(letters) + shift] = drawn.reshape(count, -1)
    patterns[row, operator] = kinds[order]
    return patterns


def _strings(parameters: Parameters, rng: np.random.Generator) -> Bytes:
    """Return the strings of every subscription, overlaps put in their places."""
    count, strings, length = parameters.num_subscription, parameters.num_sub_str, parameters.sub_str_len
    overlaps = parameters.num_overlap_str
    pool = _letters(parameters, rng, parameters.pool_size * length).reshape(-1, length)
    drawn = _letters(parameters, rng, count * strings * length).reshape(count, strings, length)
    chosen = pool[rng.integers(len(pool), size=(count, overlaps))]
    if parameters.overlap_pos == "general":
        where = _permutations(rng, count, strings)[:, :overlaps]
        drawn[np.arange(count)[:, np.newaxis], where] = chosen
    else:
        first = 0 if parameters.overlap_pos == "prefix" else strings - overlaps
        drawn[:, first : first + overlaps] = chosen
    return drawn


def _places(parameters: Parameters, rng: np.random.Generator) -> Int64:
    """Return behind which letter each operator stands: a column for each operator, stars first."""
    count, operators, inner = parameters.num_subscription, parameters.num_operators, parameters.num_places
    if not operators:
        return np.empty((count, 0), np.int64)
    if parameters.placement != "apart":
        places = rng.integers(inner, size=(count, operators))
    else:  # dealt like cards: by a random order of the operators, to a random order of the places, round by round
        deal = _permutations(rng, count, operators) % inner
        places = np.take_along_axis(_permutations(rng, count, inner), deal, axis=1)
    return places if parameters.placement == "anywhere" else (places + 1) * parameters.sub_str_len - 1


def _different(rng: np.random.Generator, parameters: Parameters) -> Int64:
    """Return for each publication the rows of `num_match` different subscriptions."""
    count, known = parameters.num_publication, parameters.num_subscription
    wanted = parameters.num_match
    if wanted**2 > known:  # drawn freely, most rows would repeat a subscription
        return np.array([rng.choice(known, wanted, replace=False) for _ in range(count)], np.int64).reshape(-1, wanted)
    drawn = rng.integers(known, size=(count, wanted))
    while len(again := np.flatnonzero((np.diff(np.sort(drawn, axis=1), axis=1) == 0).any(axis=1))):
        drawn[again] = rng.integers(known, size=(len(again), wanted))
    return drawn


def _publications(parameters: Parameters, chosen: Bytes, rng: np.random.Generator) -> pa.LargeStringArray:
    """Return the texts of the subscriptions ``chosen[publication, match]``, each character of a pattern a cell.

    A cell is repeated once for each letter that it stands for; cells of wildcards and extra strings then get random
    letters.
    """
    texts, matches, _ = chosen.shape
    cells = np.concatenate([chosen, np.full((texts, matches, 1), _EXTRA, np.uint8)], axis=2)
    repeats = np.ones(cells.shape, np.int64)
    stars = cells == _STAR
    repeats[stars] = rng.integers(2 * parameters.sub_str_len, endpoint=True, size=np.count_nonzero(stars))
    low, high = _EXTRA_STRINGS
    repeats[:, :, -1] = rng.integers(low, high, endpoint=True, size=(texts, matches)) * parameters.sub_str_len
    repeats[:, -1, -1] = 0
    data = np.repeat(cells.ravel(), repeats.ravel())
    free = np.flatnonzero(data < _FIRST_LETTER)
    data[free] = _letters(parameters, rng, len(free))
    return _texts(np.concatenate([[0], np.cumsum(repeats.sum(axis=(1, 2)))]), data)


def _letters(parameters: Parameters, rng: np.random.Generator, count: int) -> Bytes:
    if parameters.letters is None:
        return rng.integers(_FIRST_LETTER, _FIRST_LETTER + 26, size=count, dtype=np.uint8)
    shares = np.cumsum(parameters.letters)
    drawn = np.searchsorted(shares, rng.random(count) * shares[-1], side="right")
    # Rounding may lift the largest draw to the whole sum, past the last letter that can be drawn.
    last = int(np.flatnonzero(parameters.letters)[-1])
    return np.asarray(drawn.clip(max=last) + _FIRST_LETTER, np.uint8)


def _permutations(rng: np.random.Generator, rows: int, size: int) -> Int64:
    """Return `rows` random orders of the numbers below `size`."""
    return np.argsort(rng.random((rows, size)), axis=1)


def _texts(offsets: Int64, data: Bytes) -> pa.LargeStringArray:
    buffers = [None, pa.py_buffer(offsets.astype(np.int64)), pa.py_buffer(np.ascontiguousarray(data))]
    return pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
