"""Families of words: what one word of a subscription with wildcards or edits stands for.

``ferr*``, ``f?rry`` and ``h*bour`` are the words of that form (`?` is one character, `*` any number of them),
``ferry~1`` the words within one edit: a character inserted, deleted or replaced, or two neighbours swapped. A family is
an atom like a term, with a *name* that no text can contain: `MARK` and how it is written. Which families a word has is
looked up once for each distinct word of events (`kernels.text.families`), and remembered (`FamilyCache`).

Words are folded runs of a text, before they are stemmed, of at most 1,024 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from watchword.arrays import Arrays, Int32, reserve
from watchword.kernels.text import families as kernels
from watchword.kernels.text.families import FamilyArrays, Known, Scratch
from watchword.locks import ForkSafe
from watchword.parts import Part
from watchword.strings import Strings
from watchword.text.vocabulary import Vocabulary

MARK = "\0"
"""The first character of a family's name."""

MOST_EDITS = 2
LONGEST = kernels.MOST_CHARACTERS
"""The characters of the longest word with edits."""

_SIGNS = {"*": kernels.RUN, "?": kernels.ONE}
_EDITS = re.compile(r"(.+)~([12])", re.DOTALL)


def is_family(name: str) -> bool:
    """Return whether a name is that of a family."""
    return name[:1] == MARK


def written(name: str) -> str:
    """Return a family as a subscription writes it.

    >>> written(MARK + "ferr*"), written(MARK + "ferr?"), written(MARK + "ferry~1")
    ('ferr*', 'ferr?~0', 'ferry~1')
    """
    form = name[1:]
    return form + "~0" * ("?" in (form[0], form[-1]))


def _parsed(name: str) -> tuple[str, int]:
    """Return the form of a family, and its edits."""
    found = _EDITS.fullmatch(name, 1)
    return (name[1:], 0) if found is None else (found[1], int(found[2]))


def has_word(name: str, word: str) -> bool:
    """Return whether a family has a word, in plain Python.

    >>> has_word(MARK + "f?rr*", "ferries"), has_word(MARK + "ferry~1", "frery"), has_word(MARK + "ferry~1", "fry")
    (True, True, False)
    """
    if len(word) > kernels.LONGEST_WORD or len(word.encode("utf-8", "surrogatepass")) > kernels.LONGEST_WORD:
        return False
    form, edits = _parsed(name)
    return _distance(form, word, edits) <= edits if edits else _expression(form).fullmatch(word) is not None


def sample_word(name: str) -> str:
    """Return a word of a family.

    >>> sample_word(MARK + "f?rr*"), sample_word(MARK + "ferry~1")
    ('fxrr', 'ferry')
    """
    form, edits = _parsed(name)
    return form if edits else form.replace("*", "").replace("?", "x")


@lru_cache(256)
def _expression(form: str) -> re.Pattern[str]:
    signs = {"*": ".*", "?": "."}
    return re.compile("".join(signs.get(char) or re.escape(char) for char in form), re.DOTALL)


def _distance(form: str, word: str, most: int) -> int:
    """Return the edits between two words, a swapped pair of neighbours being one; any number above `most` if more."""
    if abs(len(form) - len(word)) > most:
        return most + 1
    before: list[int] = []
    above = list(range(len(word) + 1))
    for i, char in enumerate(form, 1):
        row = [i]
        for j, other in enumerate(word, 1):
            best = min(above[j] + 1, row[-1] + 1, above[j - 1] + (char != other))
            if i > 1 and j > 1 and char == word[j - 2] and form[i - 2] == other:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, above = above, row
    return above[-1]


class Families(Part):
    """The families that the subscriptions of an index ask for; they stay until the index is rebuilt."""

    def __init__(self) -> None:
        self.packed = FamilyArrays(
            np.empty(16 * kernels.RECORD, np.int32),
            np.empty(256, np.int32),
            np.zeros(1024, np.uint32),
            np.empty(512, np.int32),
            np.zeros(kernels.KINDS * (kernels.LONGEST_KEY + 1), np.uint8),
            np.zeros(kernels.EDITS + 1, np.int64),
        )
        self._known: set[int] | None = None
        self.count = 0
        """How many families there are; an attribute, for every text that is matched alone asks."""

    def __len__(self) -> int:
        return self.count

    @property
    def atoms(self) -> Int32:
        """Return the atom of each family."""
        return self.packed.records[: kernels.RECORD * len(self) : kernels.RECORD]

    def add(self, atom: int, name: str) -> bool:
        """Take in a family under the number of its atom; returns False if it was there."""
        if self._known is None:
            self._known = set(self.atoms.tolist())
        if atom in self._known:
            return False
        form, edits = _parsed(name)
        codes = np.array([_SIGNS.get(char, ord(char)) if not edits else ord(char) for char in form], np.int32)
        while not kernels.add_family(atom, codes, edits, self.packed):
            self._grow(len(codes))
        self._known.add(atom)
        self.count += 1
        return True

    def _grow(self, size: int) -> None:
        records, codes, table, postings, lengths, counts = self.packed
        if 8 * (counts[kernels.KEYS] + kernels.MOST_KEYS) > 3 * len(table):
            table = np.zeros(2 * len(table), np.uint32)
            kernels.fill_table(table, self.packed.table)
        self.packed = FamilyArrays(
            reserve(records, kernels.RECORD * (len(self) + 1)),
            reserve(codes, int(counts[kernels.CODES]) + size),
            table,
            reserve(postings, 2 * (int(counts[kernels.POSTINGS]) + kernels.MOST_KEYS)),
            lengths,
            counts,
        )

    @property
    def bytes(self) -> int:
        """Return the memory in use."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> Arrays:
        """Return the state for a snapshot; nothing where there are no families."""
        if not len(self):
            return {}
        records, codes, table, postings, lengths, counts = self.packed
        return {
            "records": records[: kernels.RECORD * len(self)],
            "codes": codes[: int(counts[kernels.CODES])],
            "table": table,
            "postings": postings[: 2 * int(counts[kernels.POSTINGS])],
            "lengths": lengths,
            "counts": counts,
        }

    def restore(self, arrays: Arrays) -> None:
        """Take over what `arrays` returned."""
        if arrays:
            self.packed = FamilyArrays(**arrays)
            self.count = int(self.packed.counts[kernels.FAMILIES])
            self._known = None


class Found(NamedTuple):
    """The families of the terms of events: of terms by their numbers in `terms`, if they are asked for `by_number`, and
    of all other words in `others`, by the numbers `words`, which are in the order of the terms."""

    by_number: bool
    words: Int32
    terms: Known
    others: Known
    atoms: Int32

    def taken(self, places: npt.NDArray[Any]) -> Found:
        """Return the families of some of the other words."""
        return self._replace(words=self.words[places])


class _Memory:
    """The families of the terms that subscriptions ask for, and of other words of events."""

    def __init__(self) -> None:
        self.words = Vocabulary()
        self.terms, self.others = _with_room(_NOTHING, 1), _with_room(_NOTHING, 1)
        self.settled = 0, 0
        """How many terms there were, and how many families, when all terms were compared with all families."""
        self.atoms, self.fill = np.empty(1024, np.int32), np.zeros(1, np.int64)
        self.scratch = Scratch(
            np.empty(kernels.LONGEST_WORD, np.int32),
            np.empty(3 * kernels.STRIDE, np.int32),
            np.zeros(1, np.int64),
        )

    def learn(self, numbers: Int32, vocabulary: Vocabulary, known: Known, families: Families) -> None:
        """Look up the families of words that may have more of them than are known; -1 is no word."""
        compared = reserve(self.scratch.compared, len(families) + 1, 0)
        self.scratch = self.scratch._replace(compared=compared)
        (_, data, offsets), done = vocabulary.known, 0
        while True:
            lists = known, self.atoms, self.fill, self.scratch
            done = kernels.learn(numbers, data, offsets, families.packed, *lists, done)
            if done == len(numbers):
                return
            needed = int(self.fill[0]) + int(known.spans[2 * numbers[done] + 1]) + len(families)
            self.atoms = reserve(self.atoms, needed)


_NOTHING = Known(np.empty(0, np.int32), np.empty(0, np.int32))


def _with_room(known: Known, size: int) -> Known:
    """Return the same families with room for `size` words."""
    if size <= len(known.since):
        return known
    since = reserve(known.since, size, 0)
    return Known(since, reserve(known.spans, 2 * len(since), 0))


WORDS, ATOMS = 1 << 19, 1 << 24
"""At how many words, and at how many families of all of them, the cache is emptied: texts bring new words without
end."""


class FamilyCache:
    """Finds the families of words, and remembers them. Several threads may ask at once, also a thread inside itself."""

    def __init__(self, families: Families, vocabulary: Vocabulary) -> None:
        self._families, self._vocabulary = families, vocabulary
        self._guard = ForkSafe()
        self._memory = _Memory()
        self._asked = False

    def find(self, words: Strings) -> Found:
        """Return the families of words, all of them as other words."""
        return self._safely(lambda memory: self._find(words, memory))

    def find_among(self, numbers: Int32, unknown: Strings) -> Found:
        """Return the families of terms by their numbers, -1 for each of the unknown ones, which are given as words."""
        return self._safely(lambda memory: self._find_among(numbers, unknown, memory))

    def _safely(self, find: Callable[[_Memory], Found]) -> Found:
        with self._guard.lock:
            if self._guard.was_cut:
                self._guard.was_cut = self._asked = False
                self._memory = _Memory()
            if self._asked:  # a finalizer asks while this thread is asked
                return find(_Memory())
            if len(self._memory.words) > WORDS or self._memory.fill[0] > ATOMS:
                self._memory = _Memory()
            self._asked = True
            try:
                return find(self._memory)
            finally:
                self._asked = False

    def _find(self, words: Strings, memory: _Memory) -> Found:
        numbers = memory.words.intern(words)
        memory.others = _with_room(memory.others, len(memory.words))
        memory.learn(numbers, memory.words, memory.others, self._families)
        return Found(False, numbers, memory.terms, memory.others, memory.atoms)

    def _find_among(self, numbers: Int32, unknown: Strings, memory: _Memory) -> Found:
        memory.terms = _with_room(memory.terms, len(self._vocabulary))
        terms = self._vocabulary
        sizes = len(terms), len(self._families)
        if memory.settled != sizes and len(numbers) > len(terms):
            memory.learn(np.arange(len(terms), dtype=np.int32), terms, memory.terms, self._families)
            memory.settled = sizes
        elif memory.settled != sizes:
            memory.learn(numbers, terms, memory.terms, self._families)
        return self._find(unknown, memory)._replace(by_number=True)
