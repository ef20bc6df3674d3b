"""Folds text before comparing, in plain Python: NFKC_Casefold, optionally without accents or with CJK in pairs.

`Folding.text` is toNFKC_Casefold of the Unicode Standard (section 3.13, rule R5): every character is replaced by its
NFKC_Casefold mapping, and the whole is brought to Normalization Form C. The mapping unites what differs in case, in
compatibility (``ﬁ`` is ``fi``, ``Ａ`` is ``a``) or in code points that cannot be seen (soft hyphens, joiners, variation
selectors). Python has no table of it; it is the fixed point of NFKC, case folding and the removal of
*default-ignorable* code points, character by character.

`Folding.runs` cuts it: a run is of letters and numbers (Unicode categories L, N) and ``_``, with the marks (M) that
follow them. A mark that follows none of these begins no run.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any, NamedTuple

from watchword.kernels.text.characters import CJK, MARK, SEPARATOR, WORD
from watchword.lazy import lazy

IGNORABLE = (
    (0x00AD, 0x00AD),  # soft hyphen
    (0x034F, 0x034F),  # combining grapheme joiner
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # Hangul fillers
    (0x17B4, 0x17B5),  # Khmer inherent vowels
    (0x180B, 0x180F),  # Mongolian variation selectors, vowel separator
    (0x200B, 0x200F),  # zero width space and joiners, marks of direction
    (0x202A, 0x202E),  # directional embeddings and overrides
    (0x2060, 0x206F),  # word joiner, invisible operators, directional isolates
    (0x3164, 0x3164),  # Hangul filler
    (0xFE00, 0xFE0F),  # variation selectors
    (0xFEFF, 0xFEFF),  # byte order mark
    (0xFFA0, 0xFFA0),  # halfwidth Hangul filler
    (0xFFF0, 0xFFF8),  # reserved
    (0x1BCA0, 0x1BCA3),  # shorthand format controls
    (0x1D173, 0x1D17A),  # musical symbols: beams, ties, slurs
    (0xE0000, 0xE0FFF),  # tags, more variation selectors, reserved
)
"""The property Default_Ignorable_Code_Point, which the standard keeps from version to version."""

_IGNORED = frozenset(chr(code) for first, last in IGNORABLE for code in range(first, last + 1))

_ACCENTS = ((0x0300, 0x036F), (0x1AB0, 0x1AFF), (0x1DC0, 0x1DFF), (0x20D0, 0x20FF), (0xFE20, 0xFE2F))
"""The blocks of combining diacritical marks. Marks that belong to one script (vowel signs, Hebrew points, the voiced
sound mark of kana) are elsewhere, and no accents."""

BARE = str.maketrans("øłđħŧı", "oldhti")
"""Letters whose stroke, or missing dot, is no mark of its own in Unicode."""

CJK_RANGES = (
    (0x1100, 0x11FF),  # Hangul letters
    (0x3005, 0x3007),  # ideographic iteration mark, closing mark, zero
    (0x3021, 0x3029),  # Hangzhou numerals
    (0x3031, 0x303C),  # kana repeat marks, Hangzhou numerals
    (0x3041, 0x30FF),  # hiragana, katakana
    (0x3131, 0x318E),  # Hangul compatibility letters
    (0x31F0, 0x31FF),  # katakana phonetic extensions
    (0x3400, 0x4DBF),  # ideographs
    (0x4E00, 0x9FFF),
    (0xA960, 0xA97F),  # Hangul letters
    (0xAC00, 0xD7FF),  # Hangul syllables, letters
    (0xF900, 0xFAFF),  # compatibility ideographs
    (0x1AFF0, 0x1B16F),  # kana
    (0x20000, 0x3FFFF),  # ideographs
)
"""Where the word characters of Han, hiragana, katakana and Hangul are."""

_MANY_MARKS = 64


def kind_of(char: str) -> int:
    """Return whether a character of a folded text is part of a term: SEPARATOR, WORD, or MARK."""
    category = unicodedata.category(char)[0]
    return WORD if category in "LN" or char == "_" else MARK if category == "M" else SEPARATOR


def nfkc_casefold(char: str) -> str:
    """Return the property NFKC_Casefold of a character.

    >>> nfkc_casefold("Ⅷ"), nfkc_casefold("ẞ"), nfkc_casefold("\N{SOFT HYPHEN}")
    ('viii', 'ss', '')
    """
    folded, before = char, None
    while folded != before:
        before = folded
        folded = unicodedata.normalize("NFKC", folded).casefold()
        if not _IGNORED.isdisjoint(folded):
            folded = "".join([part for part in folded if part not in _IGNORED])
    return folded


class Folding(NamedTuple):
    """The options of an index that decide its terms: how text is folded and cut."""

    fold_accents: bool = False
    cjk: str | None = None

    def text(self, text: str) -> str:
        """Return the folded form of a text.

        >>> Folding().text("Cafe\N{COMBINING ACUTE ACCENT} ﬁn"), Folding(fold_accents=True).text("Łódź Café")
        ('café fin', 'lodz cafe')
        """
        return compose(text.translate(_mappings(self.fold_accents)))

    def char(self, char: str) -> str:
        """Return the folded form of one character."""
        folded = nfkc_casefold(char)
        if self.fold_accents:
            bare = "".join([part for part in unicodedata.normalize("NFD", folded) if not _is_accent(part)])
            folded = unicodedata.normalize("NFC", bare.translate(BARE))
        return folded

    def kind(self, char: str) -> int:
        """Return whether a character of a folded text is part of a term, and whether it is paired."""
        kind = kind_of(char)
        return CJK if kind == WORD and self.cjk is not None and _within(char, CJK_RANGES) else kind

    def runs(self, text: str) -> list[str]:
        """Return the folded runs of a text.

        >>> Folding().runs("x² \N{COMBINING ACUTE ACCENT}y"), Folding(cjk="bigrams").runs("in 東京都に")
        (['x2', 'y'], ['in', '東京', '京都', '都に'])
        """
        if text.isascii():
            return text.lower().translate(_ASCII_SPACES).split()
        kinds = _kinds(self.cjk)
        pieces: list[str] = []
        inside = False
        for char in self.text(text):
            kind = kinds[char]
            inside = kind in (WORD, CJK) or (kind == MARK and inside)
            pieces.append(char if inside else " ")
        runs = [run for run in "".join(pieces).split(" ") if run]
        return runs if self.cjk is None else [run[slice(*span)] for run in runs for span in self._pairs(run)]

    def spans(self, folded: str) -> list[tuple[int, int]]:
        """Return where in a folded text its runs stand.

        >>> Folding(cjk="bigrams").spans("in 東京都に")
        [(0, 2), (3, 5), (4, 6), (5, 7)]
        """
        kinds = _kinds(self.cjk)
        found: list[tuple[int, int]] = []
        start = -1
        for at, char in enumerate(folded):
            kind = kinds[char]
            if start < 0 and kind in (WORD, CJK):
                start = at
            elif start >= 0 and kind == SEPARATOR:
                found.append((start, at))
                start = -1
        if start >= 0:
            found.append((start, len(folded)))
        if self.cjk is None:
            return found
        return [(first + low, first + high) for first, last in found for low, high in self._pairs(folded[first:last])]

    def is_half_a_pair(self, term: str) -> bool:
        """Return whether a term is one character where pairs of them are terms."""
        return self.cjk is not None and len(term) == 1 and self.kind(term) == CJK

    def _pairs(self, run: str) -> list[tuple[int, int]]:
        """Return where in a run its terms stand: pairs of CJK neighbours; parts of other scripts stay whole."""
        kinds = _kinds(self.cjk)
        units: list[tuple[int, int, int]] = []
        for at, char in enumerate(run):
            kind = kinds[char]
            if units and (kind == MARK or kind == WORD == units[-1][0]):
                units[-1] = units[-1][0], units[-1][1], at + 1
            else:
                units.append((kind, at, at + 1))
        spans: list[tuple[int, int]] = []
        for number, (kind, start, end) in enumerate(units):
            before, after = (units[k] if 0 <= k < len(units) else (WORD, 0, 0) for k in (number - 1, number + 1))
            if kind == CJK == after[0]:
                spans.append((start, after[2]))
            elif kind != CJK or before[0] != CJK:
                spans.append((start, end))
        return spans


def compose(folded: str) -> str:
    """Return a text in Normalization Form C, in a time that is not quadratic in its marks."""
    return unicodedata.normalize("NFC", _LONG_MARKS.pattern.sub(_sort_marks, folded))


class _Mappings(dict[int, str]):
    """A table for `str.translate` with the folded form of each character, computed at its first use."""

    def __init__(self, folding: Folding) -> None:
        super().__init__()
        self._folding = folding

    def __missing__(self, code: int) -> str:
        self[code] = self._folding.char(chr(code))
        return self[code]


class _Kinds(dict[str, int]):
    """The kind of each character, computed at its first use."""

    def __init__(self, folding: Folding) -> None:
        super().__init__()
        self._folding = folding

    def __missing__(self, char: str) -> int:
        self[char] = self._folding.kind(char)
        return self[char]


@cache
def _mappings(fold_accents: bool) -> _Mappings:
    return _Mappings(Folding(fold_accents))


@cache
def _kinds(cjk: str | None) -> _Kinds:
    return _Kinds(Folding(cjk=cjk))


class _LongMarks:
    """Finds sequences of marks so long that Python's quadratic normalization would take long."""

    @lazy
    def pattern(self) -> re.Pattern[str]:
        """Return the expression that finds them."""
        marks = "".join([char for char in map(chr, range(0x300, 0x1F000)) if unicodedata.combining(char)])
        return re.compile(f"[{marks}]{{{_MANY_MARKS},}}")


_LONG_MARKS = _LongMarks()


def _sort_marks(found: Any) -> str:
    """Put marks in order, as Normalization Form C does next, but in a time that is not quadratic."""
    return "".join(sorted(found.group(), key=unicodedata.combining))


def _is_accent(char: str) -> bool:
    return kind_of(char) == MARK and _within(char, _ACCENTS)


def _within(char: str, ranges: tuple[tuple[int, int], ...]) -> bool:
    code = ord(char)
    return any(first <= code <= last for first, last in ranges)


_ASCII_SPACES = {code: " " for code in range(128) if kind_of(chr(code)) == SEPARATOR}
